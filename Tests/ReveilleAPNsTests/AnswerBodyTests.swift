import ReveilleAPNs
import Testing

@Suite("The body of a refusal is read strictly and never fails")
struct AnswerBodyTests {
    @Test(
        "what can be read is taken, the rest is nothing",
        arguments: [
            ("{\"reason\":\"Unregistered\",\"timestamp\":1767225601000}", APNsReason.unregistered, 1_767_225_601_000),
            ("{\"timestamp\":1767225601000,\"reason\":\"ExpiredToken\"}", .expiredToken, 1_767_225_601_000),
            (" {\n\"reason\" : \"BadDeviceToken\" } ", .badDeviceToken, nil),
            ("{\"reason\":\"SomethingNew\"}", .unknown, nil),
            ("{\"reason\":\"NoAnswer\"}", .unknown, nil),
            ("{\"reason\":\"badDeviceToken\"}", .unknown, nil),
            ("{\"reason\":\"\"}", .unknown, nil),
            ("{\"reason\":7}", nil, nil),
            ("{\"reason\":null,\"timestamp\":5}", nil, 5),
            ("{\"reason\":\"Unregistered\",\"timestamp\":\"1767225601000\"}", .unregistered, nil),
            ("{\"reason\":\"Unregistered\",\"timestamp\":-1}", .unregistered, nil),
            ("{\"reason\":\"Unregistered\",\"timestamp\":1.5}", .unregistered, nil),
            ("{}", nil, nil), ("[]", nil, nil), ("\"Unregistered\"", nil, nil), ("", nil, nil),
            ("<html><body>403 Forbidden</body></html>", nil, nil),
            ("{\"reason\":\"Unregistered\"", nil, nil),
            ("{\"reason\":\"Unregistered\"} x", nil, nil),
            ("{\"reason\":\"Unregistered\",\"reason\":\"BadTopic\"}", nil, nil),
        ] as [(String, APNsReason?, Int64?)])
    func reading(text: String, reason: APNsReason?, timestamp: Int64?) {
        let body = Array(text.utf8).withUnsafeBytes { APNsAnswerBody($0) }
        #expect(body.reason == reason)
        #expect(body.timestamp == timestamp)
    }

    @Test("bytes that are no text, and bodies without end, are nothing")
    func bytes() {
        for bytes in [[0xFF, 0xFE, 0x00], [UInt8](repeating: 0x5B, count: 4_096)] {
            let body = bytes.withUnsafeBytes { APNsAnswerBody($0) }
            #expect(body.reason == nil)
            #expect(body.timestamp == nil)
        }
    }
}
