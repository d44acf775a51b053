/// The APNs payload of a shape, written without allocation into memory that a connection owns.
///
/// Own keys stand beside `aps`, never inside it (Apple, "Generating a remote notification"). Ids are
/// of characters that need no escaping.
package enum APNsPayload {
    /// The most octets of a payload that APNs takes.
    package static let maximumOctets = 4_096
    /// The most octets that any shape comes to with any ids of this server; a test holds it.
    package static let largestShapeOctets = 512

    /// Writes the payload and returns its octets, or nil when `target` is too small.
    package static func write(
        _ fields: borrowing PayloadFields, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        var text = FixedText(target)
        text.append("{\"aps\":{")
        switch fields.mode {
        case .privateAlert: writeAlert(fields, into: &text)
        case .backgroundWake: text.append("\"content-available\":1")
        }
        text.append("},")
        writeObject(fields, into: &text)
        text.append("}")
        return text.overflowed ? nil : text.count
    }

    private static func writeAlert(_ fields: borrowing PayloadFields, into text: inout FixedText) {
        switch fields.shape {
        case .reveille:
            text.append("\"alert\":{\"title-loc-key\":\"REVEILLE_NOTIFICATION_TITLE\",")
            text.append("\"loc-key\":\"REVEILLE_NOTIFICATION_BODY\"},\"sound\":\"default\",")
            text.append("\"mutable-content\":1")
        case .silo:
            text.append("\"alert\":{\"title-loc-key\":\"SILO_NOTIFICATION_TITLE\",")
            text.append("\"loc-key\":\"SILO_NOTIFICATION_GENERIC_BODY\"},\"sound\":\"default\"")
        case .siloShipped:
            // Apps in the field have these words from the sender, not in their bundles, and count on being run as well.
            text.append("\"alert\":{\"title\":\"Silo\",\"body\":\"You have a new notification.\"},")
            text.append("\"sound\":\"default\",\"mutable-content\":1,\"content-available\":1")
        case .mail:
            text.append("\"alert\":\"New mail\",\"sound\":\"default\",\"mutable-content\":1,")
            text.append("\"category\":\"MAIL_MESSAGE\"")
        }
        if let badge = fields.badge {
            text.append(",\"badge\":")
            text.append(number: badge)
        }
    }

    private static func writeObject(_ fields: borrowing PayloadFields, into text: inout FixedText) {
        if fields.reason == .verify {
            writeWakeObject("\"reveille\":{\"v\":1,\"wake\":\"", fields, into: &text)
            return
        }
        switch fields.shape {
        case .reveille: writeWakeObject("\"reveille\":{\"v\":1,\"wake\":\"", fields, into: &text)
        case .silo: writeWakeObject("\"silo\":{\"v\":1,\"wake\":\"", fields, into: &text)
        case .siloShipped:
            text.append("\"silo_delivery_id\":\"")
            text.append(id: fields.deliveryID)
            text.append("\",\"server_device_id\":\"")
            text.append(id: fields.serverDeviceID)
            text.append("\"")
        case .mail:
            text.append("\"msgRef\":{\"id\":\"")
            text.append(id: fields.deliveryID)
            text.append("\",\"server_device_id\":\"")
            text.append(id: fields.serverDeviceID)
            text.append("\"}")
        }
    }

    private static func writeWakeObject(
        _ opening: StaticString, _ fields: borrowing PayloadFields, into text: inout FixedText
    ) {
        text.append(opening)
        text.append(wake: fields)
        text.append("}")
    }
}
