package import ReveilleBytes
package import ReveilleCrypto
internal import ReveilleJSON
internal import ReveilleRuntime

/// A service account as Google knows it: the public half of its key file and what may be done with it.
package struct GoogleServiceAccount: Sendable {
    /// The project whose devices it may send to.
    package var projectID: String
    /// The account's address: the `iss` of its assertions.
    package var clientEmail: String
    /// The name of the key: the `kid` of its assertions.
    package var keyID: String
    /// The half that verifies.
    package var publicKey: RSAPublicKey
    /// Whether the account has the role that sending needs; without it 403 is answered.
    package var maySend: Bool

    /// Describes an account.
    package init(
        projectID: String, clientEmail: String, keyID: String, publicKey: RSAPublicKey, maySend: Bool = true
    ) {
        self.projectID = projectID
        self.clientEmail = clientEmail
        self.keyID = keyID
        self.publicKey = publicKey
        self.maySend = maySend
    }
}

/// A new service account with its secret half, as Google's console hands it out once.
package struct GoogleServiceAccountKey: Sendable {
    /// What Google keeps.
    package let account: GoogleServiceAccount
    private let key: RSAPrivateKey

    /// Makes an account with a throw-away key.
    package init(projectID: String = "reveille-emulated", name: String = "reveille") {
        key = RSAPrivateKey.generate()
        account = GoogleServiceAccount(
            projectID: projectID, clientEmail: "\(name)@\(projectID).iam.gserviceaccount.com",
            keyID: Hex.encode(SystemRandom().bytes(20)), publicKey: key.publicKey)
    }

    /// The key file, whose `token_uri` points where the emulator listens.
    package func file(tokenURI: String) -> SecretText {
        let object: JSONObject = [
            "type": "service_account", "project_id": .string(account.projectID),
            "private_key_id": .string(account.keyID), "private_key": .string(key.pkcs8PEM.reveal()),
            "client_email": .string(account.clientEmail), "client_id": "100000000000000000000",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": .string(tokenURI),
            "universe_domain": "googleapis.com",
        ]
        return SecretText(String(decoding: JSONValue.object(object).encoded(), as: UTF8.self) + "\n")
    }

    /// A signed assertion with these claims, for tests.
    package func assertion(_ claims: String, header: String? = nil) -> String {
        let header = header ?? #"{"alg":"RS256","typ":"JWT","kid":"\#(account.keyID)"}"#
        let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        return input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
    }
}
