internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleCrypto

/// Makes collapse ids; a first-use secret stands behind it.
package struct CollapseKey: Sendable {
    private let key: SecretBytes

    init(key: SecretBytes) {
        self.key = key
    }

    /// The collapse id of a subject on one device.
    package func collapseID(serverDeviceID: String, subject: CollapseSubject) -> CollapseID {
        CollapseID(
            authenticationCode: HMACSHA256(key: key).authenticate(
                CollapseID.input(serverDeviceID: serverDeviceID, subject: subject)))
    }

    /// Makes the same collapse ids on one thread, one after another.
    package func maker(_ publicIDs: PublicIDs) -> CollapseMaker {
        CollapseMaker(key: key, publicIDs: publicIDs)
    }
}

/// Makes collapse ids for the devices of a store on one thread; the keyed context is used again and again.
package final class CollapseMaker {
    private let code: HMACSHA256Context
    private let publicIDs: PublicIDs

    init(key: SecretBytes, publicIDs: PublicIDs) {
        code = HMACSHA256Context(key: key)
        self.publicIDs = publicIDs
    }

    /// The collapse id of a subject on a device.
    package func collapseID(of device: DeviceRow, subject: CollapseSubject) -> CollapseID {
        let input = CollapseID.input(serverDeviceID: publicIDs.serverDeviceID(of: device), subject: subject)
        let octets = [UInt8](unsafeUninitializedCapacity: HMACSHA256.byteCount) { buffer, initialized in
            input.withUnsafeBytes { code.authenticate($0, into: UnsafeMutableRawBufferPointer(buffer)) }
            // The text of a collapse id holds no more than its first 130 bits.
            initialized = 17
        }
        return CollapseID(authenticationCode: octets)
    }
}
