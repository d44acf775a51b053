/// All that may vary inside a payload: opaque ids and a mode, nothing of the notification.
package struct PayloadFields: Sendable {
    /// The layout.
    package var shape: Shape
    /// Alert or background.
    package var mode: WakeMode
    /// What the app should do.
    package var reason: WakeReason
    /// The device's own public id, 26 characters.
    package var serverDeviceID: String
    /// The device's alias of the delivery, 26 characters; empty for a verification.
    package var deliveryID: String
    /// The unread count, only for a profile that opted in.
    package var badge: Int?
    /// The code that proves possession of the token, only for a verification.
    package var verificationCode: String?

    /// Gathers the fields of one payload.
    package init(
        shape: Shape, mode: WakeMode, reason: WakeReason, serverDeviceID: String,
        deliveryID: String,
        badge: Int? = nil, verificationCode: String? = nil
    ) {
        self.shape = shape
        self.mode = mode
        self.reason = reason
        self.serverDeviceID = serverDeviceID
        self.deliveryID = deliveryID
        self.badge = badge
        self.verificationCode = verificationCode
    }
}
