import ReveilleCore

/// The ids of deliveries as one caller knows them.
///
/// A caller that names its device gets that device's aliases, so that ids seen by two devices do not
/// link them; every other caller gets the profile's own ids. A named device may use both.
struct DeliveryAliases {
    let publicIDs: PublicIDs
    let device: DeviceRow?

    /// The id to give out.
    func text(_ row: DeliveryRow) -> String {
        publicIDs.text(.delivery, device: device, row: row.number)
    }

    /// The row behind an id; nil for anything but ids of this caller's.
    func row(_ text: String) -> DeliveryRow? {
        if let device, let number = publicIDs.row(.delivery, device: device, text: text) {
            return DeliveryRow(number)
        }
        return publicIDs.row(.delivery, text: text).map { DeliveryRow($0) }
    }
}
