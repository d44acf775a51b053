/// The members of a wake's object, which every provider's message has alike.
extension FixedText {
    /// Writes the word of the reason behind an open quotation mark, then the ids, each in quotation marks; the caller closes the
    /// object.
    mutating func append(wake fields: borrowing PayloadFields) {
        switch fields.reason {
        case .changed: append("notifications.changed")
        case .dismissed: append("notifications.dismissed")
        case .verify: append("device.verify")
        }
        append("\",\"server_device_id\":\"")
        append(id: fields.serverDeviceID)
        if let code = fields.verificationCode {
            append("\",\"code\":\"")
            append(id: code)
        }
        if !fields.deliveryID.isEmpty {
            append("\",\"delivery_id\":\"")
            append(id: fields.deliveryID)
        }
        append("\"")
    }
}
