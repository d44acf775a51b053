import ReveilleCore
import Testing

@Suite("The buffer of a try")
struct TryBufferTests {
    @Test("it has room for the longest token and every shape, and grows on demand only")
    func room() {
        let buffer = TryBuffer()
        #expect(TryBuffer.hexadecimalCapacity == 2 * DeviceToken.maximumOctets)
        #expect(buffer.payload.count == APNsPayload.largestShapeOctets)
        let before = buffer.payload.baseAddress
        buffer.reservePayload(octets: 100)
        #expect(buffer.payload.baseAddress == before)
        buffer.payloadCount = 10
        buffer.reservePayload(octets: TryBuffer.payloadCapacity)
        #expect(buffer.payload.count == TryBuffer.payloadCapacity && buffer.payloadCount == 0)
    }

    @Test("a topic's octets stay where they are")
    func topics() {
        let topic = Topic("org.example.app")
        #expect(topic.octets.baseAddress == topic.octets.baseAddress)
        #expect(String(decoding: topic.octets, as: UTF8.self) == topic.text)
        #expect(Topic.none.octets.isEmpty)
    }
}
