internal import Glibc
internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON

/// `reveille keys check`: says whether a file is a key that APNs takes, and is kept as one.
enum KeysCheckCommand {
    static let command = Command(
        path: ["keys", "check"],
        summary: "check the .p8 file of an APNs key",
        discussion: """
            Reads the file in every form in use (PKCS#8, SEC 1, base64 of either), checks the key and how the file is
            kept. Nothing of the key is printed but a fingerprint of its public half.
            """,
        operands: [Operand(name: "file", help: "the key file, usually AuthKey_<key id>.p8")],
        options: [.json]
    ) { invocation, terminal in
        try run(path: invocation.operands[0], json: invocation.has("--json"), terminal)
    }

    private static func run(path: String, json: Bool, _ terminal: Terminal) throws -> ExitStatus {
        let text: String
        let facts: FileContents.Facts
        do {
            let file = try FileContents.read(path)
            facts = file.facts
            text = String(decoding: file.bytes, as: UTF8.self)
        } catch {
            throw CommandFailure("<file> \(path) cannot be read: \(error.reason)", status: .usage)
        }
        let key: P256PrivateKey
        do {
            key = try P256PrivateKey(pem: text)
        } catch {
            if json {
                terminal.print(json: [
                    "file": .string(path), "valid": false, "code": .string(error.code.rawValue),
                    "detail": .string("\(error)"),
                ])
                return .failure
            }
            throw CommandFailure("\(path): \(error)")
        }
        let warning = CredentialFile.problem(facts)
        let fingerprint = String(SHA256Digest.hexadecimal(key.publicKey.x963).prefix(16))
        if json {
            terminal.print(json: [
                "file": .string(path), "valid": true, "curve": "P-256", "public_key": .string(fingerprint),
                "key_id": keyID(from: path).map(JSONValue.string) ?? nil,
                "warning": warning.map(JSONValue.string) ?? nil,
            ])
        } else {
            terminal.print("\(path): a P-256 private key, as APNs needs it")
            terminal.print("  public key  \(fingerprint) (first digits of its SHA-256)")
            if let keyID = keyID(from: path) { terminal.print("  key id      \(keyID) (from the file's name)") }
            if let warning { terminal.note("reveille: warning: \(path) \(warning)") }
        }
        return warning == nil ? .success : .failure
    }

    /// Apple names the file after the key id.
    static func keyID(from path: String) -> String? {
        guard let name = path.split(separator: "/").last, name.hasPrefix("AuthKey_"), name.hasSuffix(".p8")
        else { return nil }
        let id = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
        return id.utf8.count == 10 ? String(id) : nil
    }
}
