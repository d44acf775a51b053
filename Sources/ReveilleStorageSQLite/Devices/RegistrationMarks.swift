internal import ReveilleCore
internal import ReveilleStorage

/// Keyed hashes of what a registration names, made before the writer's thread is asked.
struct RegistrationMarks: Sendable {
    let addressOctets: [UInt8]
    let tokenHash: [UInt8]
    let installationKey: [UInt8]?
    let idempotency: [UInt8]?

    init(_ request: DeviceRegistration, secrets: StoreSecrets) {
        addressOctets = request.address.octets
        tokenHash = secrets.hash(of: request.address)
        installationKey = request.installationKey.map { secrets.installationHash.hash($0) }
        idempotency = request.idempotencyKey.map { secrets.idempotencyHash.hash($0) }
    }

    /// Whether a device has this very address: the same token, or the same endpoint with the same keys.
    func isAddress(of device: StoredDevice, _ sealer: Sealer) throws -> Bool {
        guard device.tokenHash == tokenHash else { return false }
        return try sealer.open(device.token, .deviceToken, row: device.row.number) == addressOctets
    }
}
