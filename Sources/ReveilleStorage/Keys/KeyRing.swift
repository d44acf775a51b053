internal import ReveilleBytes
internal import ReveilleCrypto

/// What a data key is for; a value sealed for one purpose does not open as another.
package enum KeyPurpose: UInt8, CaseIterable, Sendable {
    /// Provider tokens of devices.
    case deviceToken = 1
    /// What notifications say.
    case content = 2
    /// What users call their devices.
    case deviceName = 3
    /// Registrations that wait for a code, and the code.
    case claim = 4
    /// Secrets of first use.
    case secret = 5
    /// The categories that users chose for their devices.
    case deviceCategories = 6
    /// Codes that pending devices must return.
    case proof = 7
}

/// The master keys of one store by their generation, and the data keys derived from them.
///
/// A generation is the number under which the store knows a master key: 1 for the first, one more for each rotation.
package struct KeyRing: Sendable {
    private let masters: [UInt16: MasterKey]
    /// The generation that seals what is written now.
    package let generation: UInt16

    /// Gathers master keys by generation.
    ///
    /// - Parameter generation: the present one, which must be among `masters`.
    package init?(_ masters: [UInt16: MasterKey], generation: UInt16) {
        guard masters[generation] != nil else { return nil }
        self.masters = masters
        self.generation = generation
    }

    /// The check value of the key that seals what is written now (``MasterKey/checkValue``).
    package var presentCheckValue: String? { masters[generation]?.checkValue }

    /// The key for a purpose and a day (UTC, since 1970) under a generation; nil when the store has no such master key.
    func dataKey(_ purpose: KeyPurpose, day: UInt32, generation: UInt16) -> SecretBytes? {
        guard let master = masters[generation] else { return nil }
        var info = Array("reveille data key".utf8)
        info.append(purpose.rawValue)
        withUnsafeBytes(of: day.bigEndian) { info.append(contentsOf: $0) }
        return HKDFSHA256.derive(secret: master.secret, info: info, count: AESGCM.keyBytes)
    }
}
