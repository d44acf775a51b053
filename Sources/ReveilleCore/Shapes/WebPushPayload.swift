/// The message for a push service, before it is padded and encrypted: always the `reveille` object, whatever the app's shape,
/// since the receiver is a service worker or an app that decrypts it itself.
package enum WebPushPayload {
    /// The longest message: the object with ids of their longest form.
    package static let maximumOctets = 512

    /// Writes the object and returns its octets, or nil when `target` is too small.
    package static func write(
        _ fields: borrowing PayloadFields, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        var text = FixedText(target)
        text.append("{\"v\":1,\"wake\":\"")
        text.append(wake: fields)
        text.append("}")
        return text.overflowed ? nil : text.count
    }
}
