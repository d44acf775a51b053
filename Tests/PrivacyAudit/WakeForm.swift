package import ReveilleCore

/// A payload that was seen at a provider, recognised as one of the closed set of shapes.
///
/// It is recognised by writing the shape again with the ids that were found: every octet must be the same.
package struct WakeForm: Sendable {
    package let shape: Shape
    package let mode: WakeMode
    package let reason: WakeReason
    package let serverDeviceID: String
    package let deliveryID: String
    /// The code of a verification; empty otherwise.
    package let code: String

    /// Recognises a payload; nil when it is none of the shapes.
    package init?(_ body: [UInt8]) {
        let server = Self.text(after: "\"server_device_id\":\"", in: body) ?? ""
        let delivery =
            ["\"delivery_id\":\"", "\"silo_delivery_id\":\"", "\"msgRef\":{\"id\":\""]
            .compactMap { Self.text(after: $0, in: body) }.first ?? ""
        let code = Self.text(after: "\"code\":\"", in: body) ?? ""
        guard let serverID = PayloadID(server), let deliveryID = PayloadID(delivery), let codeID = PayloadID(code)
        else {
            return nil
        }
        for shape in Shape.allCases {
            for mode in WakeMode.allCases {
                for reason in WakeReason.allCases where (reason == .verify) == !code.isEmpty {
                    let fields = PayloadFields(
                        shape: shape, mode: mode, reason: reason, serverDeviceID: serverID, deliveryID: deliveryID,
                        verificationCode: code.isEmpty ? nil : codeID)
                    if Self.octets(fields) == body {
                        self.shape = shape
                        self.mode = mode
                        self.reason = reason
                        serverDeviceID = server
                        self.deliveryID = delivery
                        self.code = code
                        return
                    }
                }
            }
        }
        return nil
    }

    /// The payload of fields.
    package static func octets(_ fields: PayloadFields) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: APNsPayload.largestShapeOctets) { buffer, count in
            count = APNsPayload.write(fields, into: buffer) ?? 0
        }
    }

    private static func text(after key: String, in body: [UInt8]) -> String? {
        guard let range = body.firstRange(of: Array(key.utf8)) else { return nil }
        return String(decoding: body[range.upperBound...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
