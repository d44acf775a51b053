internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleCrypto

/// Makes collapse ids; a first-use secret stands behind it.
package struct CollapseKey: Sendable {
    private let code: HMACSHA256

    init(key: SecretBytes) {
        code = HMACSHA256(key: key)
    }

    /// The collapse id of a subject on one device.
    package func collapseID(serverDeviceID: String, subject: CollapseSubject) -> CollapseID {
        CollapseID(
            authenticationCode: code.authenticate(
                CollapseID.input(serverDeviceID: serverDeviceID, subject: subject)))
    }
}
