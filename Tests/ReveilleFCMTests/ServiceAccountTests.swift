import ReportedCases
import ReveilleBytes
import ReveilleCrypto
import ReveilleFCM
import ReveilleJSON
import Testing

@Suite("A service account is read completely before it is accepted")
struct ServiceAccountTests {
    @Test("in every form that operators paste, the key is the same")
    func forms() throws {
        let forms = try ServiceAccounts.forms()
        #expect(forms.map(\.name) == ["normal", "double-escaped", "spaces", "base64-of-file"])
        let message = Array("signed".utf8)
        let expected = try ServiceAccounts.account().key.sign(message)
        for form in forms {
            let account = try ServiceAccount(SecretText(form.text))
            // PKCS#1 signatures are the same each time, so that one key shows.
            #expect(account.key.sign(message) == expected, "\(form.name)")
            #expect(account.project == "example-test" && account.keyID == "0000testonly")
            #expect(account.clientEmail == "push@example-test.iam.gserviceaccount.com")
            #expect(account.tokenURL == "https://oauth2.googleapis.com/token")
        }
    }

    @Test("a byte order mark before it does no harm")
    func mark() throws {
        let text = try ServiceAccounts.text().reveal()
        #expect(try ServiceAccount(SecretText("\u{FEFF}" + text)).project == "example-test")
    }

    @Test("the operator's own setting names the project, and may be a project's number")
    func project() throws {
        #expect(try ServiceAccount(ServiceAccounts.text(), project: "123456789012").project == "123456789012")
        #expect(
            try ServiceAccount(ServiceAccounts.text(replacing: ["project_id": nil]), project: "other-one").project
                == "other-one")
    }

    private static let broken: [(changes: [String: JSONValue?], error: ServiceAccountError)] = [
        (["type": nil], .missing(.type)),
        (["type": "authorized_user"], .otherKind),
        (["client_email": nil], .missing(.clientEmail)),
        (["client_email": ""], .missing(.clientEmail)),
        (["client_email": "no address"], .malformed(.clientEmail)),
        (["client_email": 7], .missing(.clientEmail)),
        (["project_id": nil], .missing(.projectID)),
        (["project_id": "../other"], .malformed(.projectID)),
        (["project_id": "My Project"], .malformed(.projectID)),
        (["private_key_id": "a key\r\n"], .malformed(.privateKeyID)),
        (["private_key": nil], .missing(.privateKey)),
        (["token_uri": nil], .missing(.tokenURI)),
        (["token_uri": "https://evil.example.org/token"], .foreignTokenURI),
        (["token_uri": "http://oauth2.googleapis.com/token"], .foreignTokenURI),
    ]

    @Test("what is missing, of another kind or damaged is named", arguments: broken.indices)
    func named(index: Int) throws {
        let row = Self.broken[index]
        #expect(throws: row.error) { try ServiceAccount(ServiceAccounts.text(replacing: row.changes)) }
        #expect(row.error.code.hasPrefix("service_account_") && !row.error.description.isEmpty)
    }

    @Test("a key that cannot be used is named with its reason")
    func key() throws {
        let elliptic = try ServiceAccounts.text(
            replacing: ["private_key": .string(P256PrivateKey.generate().pkcs8PEM.reveal())])
        #expect(
            throws: ServiceAccountError.key(
                KeyFileError(.otherAlgorithm, purpose: .rsaPrivateKey, label: "PRIVATE KEY"))
        ) {
            try ServiceAccount(elliptic)
        }
        #expect(throws: ServiceAccountError.self) {
            try ServiceAccount(ServiceAccounts.text(replacing: ["private_key": "no key"]))
        }
    }

    @Test("what is no such file at all is said so", arguments: ["", "[]", "{", "\"type\"", "not base64!", "e30"])
    func noFile(text: String) {
        #expect(throws: ServiceAccountError.notJSON) { try ServiceAccount(SecretText(text)) }
    }

    @Test("an empty object lacks its type, and a text without end is not read")
    func edges() {
        #expect(throws: ServiceAccountError.missing(.type)) { try ServiceAccount(SecretText("{}")) }
        #expect(throws: ServiceAccountError.missing(.type)) { try ServiceAccount(SecretText("e30=")) }
        let long = String(repeating: " ", count: ServiceAccount.maximumOctets) + "{}"
        #expect(throws: ServiceAccountError.tooLong) { try ServiceAccount(SecretText(long)) }
    }

    @Test("for an emulator its own address is asked, whatever the file says")
    func emulator() throws {
        let url = "https://localhost:8443/token"
        #expect(try ServiceAccounts.account(tokenURL: url).tokenURL == url)
    }

    @Test("it cannot be printed")
    func unprinted() throws {
        let account = try ServiceAccounts.account()
        var shown = ""
        dump(account, to: &shown)
        #expect("\(account)" == "ServiceAccount(example-test)")
        #expect(!shown.contains("PRIVATE") && !shown.contains("push@"))
    }
}
