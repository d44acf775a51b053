package import ReveilleCrypto

/// What a publisher got from Apple to send with: the key of a `.p8` file and the ids that name it.
package struct APNsCredential: Sendable {
    /// The number of characters of a team id and of a key id.
    package static let idCharacters = 10

    /// The Apple developer team.
    package let teamID: String
    /// The key's id, ten characters, part of the file's name.
    package let keyID: String
    /// The key.
    package let key: P256PrivateKey

    /// Names a key.
    ///
    /// - Throws: when an id is not ten capital letters and digits.
    package init(teamID: String, keyID: String, key: P256PrivateKey) throws(APNsCredentialError) {
        guard Self.isID(teamID) else { throw .invalidTeamID }
        guard Self.isID(keyID) else { throw .invalidKeyID }
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == idCharacters
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }
}

/// What is wrong with the ids of a credential.
package enum APNsCredentialError: String, Error, CaseIterable, Sendable {
    case invalidTeamID = "apns_invalid_team_id"
    case invalidKeyID = "apns_invalid_key_id"
}
