/// The message of a shape for FCM, written without allocation into memory that a connection owns.
///
/// Data only: a `notification` at any level would be drawn by the system before the app has run. All values are strings, no key is
/// a reserved one (Firebase, "About FCM messages"), and there is no collapse key: of more than four for one device FCM keeps any four.
package enum FCMPayload {
    /// The most octets of `data`, keys and values, that FCM takes.
    package static let maximumDataOctets = 4_096
    /// The longest life that FCM takes, in seconds: 28 days.
    package static let longestLifeSeconds: Int64 = 2_419_200

    /// Writes the request and returns its octets, or nil when `target` is too small or the address has characters that no
    /// address has.
    ///
    /// - Parameters:
    ///   - address: The token or installation id, as it was registered.
    ///   - lifeSeconds: How long FCM may keep it; 0 for now or never.
    ///   - isDryRun: Everything is checked and nothing is delivered.
    package static func write(
        _ fields: borrowing PayloadFields, to kind: FCMTarget.Kind, address: UnsafeBufferPointer<UInt8>,
        lifeSeconds: Int64,
        isDryRun: Bool = false, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        guard !address.isEmpty, address.allSatisfy(FCMTarget.isTargetOctet) else { return nil }
        var text = FixedText(target)
        text.append(isDryRun ? "{\"validate_only\":true,\"message\":{" : "{\"message\":{")
        switch kind {
        case .token: text.append("\"token\":\"")
        case .installation: text.append("\"fid\":\"")
        }
        text.append(address)
        text.append("\",\"data\":{")
        writeData(fields, into: &text)
        text.append("},\"android\":{\"priority\":\"")
        switch fields.mode {
        case .privateAlert: text.append("HIGH")
        case .backgroundWake: text.append("NORMAL")
        }
        text.append("\",\"ttl\":\"")
        text.append(number: min(max(lifeSeconds, 0), longestLifeSeconds))
        text.append("s\"}}}")
        return text.overflowed ? nil : text.count
    }

    private static func writeData(_ fields: borrowing PayloadFields, into text: inout FixedText) {
        if fields.reason == .verify { return writeWake(fields, into: &text) }
        switch fields.shape {
        case .reveille, .silo: writeWake(fields, into: &text)
        case .siloShipped:
            write("silo_delivery_id", fields.deliveryID, into: &text)
            text.append(",\"silo_mode\":\"")
            switch fields.mode {
            case .privateAlert: text.append("private_alert")
            case .backgroundWake: text.append("background_wake")
            }
            text.append("\",")
            write("server_device_id", fields.serverDeviceID, into: &text)
        case .mail:
            write("id", fields.deliveryID, into: &text)
            text.append(",")
            write("server_device_id", fields.serverDeviceID, into: &text)
        }
    }

    private static func writeWake(_ fields: borrowing PayloadFields, into text: inout FixedText) {
        text.append("\"v\":\"1\",\"wake\":\"")
        text.append(wake: fields)
    }

    private static func write(_ key: StaticString, _ id: PayloadID, into text: inout FixedText) {
        text.append("\"")
        text.append(key)
        text.append("\":\"")
        text.append(id: id)
        text.append("\"")
    }
}
