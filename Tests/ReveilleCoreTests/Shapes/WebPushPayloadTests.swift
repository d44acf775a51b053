import ReveilleCore
import ReveilleJSON
import Testing

@Suite("The message for a push service, before it is encrypted")
struct WebPushPayloadTests {
    private static func message(
        _ reason: WakeReason, shape: Shape = .reveille, code: String? = nil,
        capacity: Int = WebPushPayload.maximumOctets
    ) throws -> JSONValue? {
        let fields = PayloadFields(
            shape: shape, mode: .privateAlert, reason: reason, serverDeviceID: try #require(PayloadID("device")),
            deliveryID: reason == .verify ? PayloadID() : try #require(PayloadID("delivery")),
            verificationCode: code.flatMap { PayloadID($0) })
        var octets = [UInt8](repeating: 0, count: capacity)
        let count = octets.withUnsafeMutableBufferPointer { WebPushPayload.write(fields, into: $0) }
        return try count.map { try JSONReader.parse(Array(octets[..<$0])) }
    }

    @Test("names the device and its alias of the delivery, whatever the app's shape", arguments: Shape.allCases)
    func ids(shape: Shape) throws {
        #expect(
            try Self.message(.changed, shape: shape)
                == [
                    "v": 1, "wake": "notifications.changed", "server_device_id": "device", "delivery_id": "delivery",
                ])
    }

    @Test("a verification carries its code and no delivery")
    func verification() throws {
        #expect(
            try Self.message(.verify, code: "CODE")
                == ["v": 1, "wake": "device.verify", "server_device_id": "device", "code": "CODE"])
    }

    @Test("does not fit where there is no room")
    func room() throws {
        #expect(try Self.message(.dismissed, capacity: 40) == nil)
    }
}
