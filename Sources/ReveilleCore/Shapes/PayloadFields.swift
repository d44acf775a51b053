/// All that may vary inside a payload: opaque ids and a mode, nothing of the notification.
package struct PayloadFields: Sendable {
    /// The layout.
    package var shape: Shape
    /// Alert or background.
    package var mode: WakeMode
    /// What the app should do.
    package var reason: WakeReason
    /// The device's own public id.
    package var serverDeviceID: PayloadID
    /// The device's alias of the delivery; empty for a verification.
    package var deliveryID: PayloadID
    /// The unread count, only for a profile that opted in.
    package var badge: Int?
    /// The code that proves possession of the token, only for a verification.
    package var verificationCode: PayloadID?

    /// Gathers the fields of one payload.
    package init(
        shape: Shape, mode: WakeMode, reason: WakeReason, serverDeviceID: PayloadID, deliveryID: PayloadID,
        badge: Int? = nil, verificationCode: PayloadID? = nil
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
