package import ReveilleBytes
package import ReveilleCrypto
internal import ReveilleJSON

/// What a publisher got from Google to send with: the JSON file of a service account (Google, "Using OAuth 2.0 for Server to
/// Server Applications").
package struct ServiceAccount: Sendable {
    /// Where Google issues access tokens; the file's own word is believed only when it is this one.
    package static let googleTokenURL = "https://oauth2.googleapis.com/token"
    /// A file of this many octets or more is something else.
    package static let maximumOctets = 65_536

    /// The project that is sent for.
    package let project: String
    /// Who asks for access tokens.
    package let clientEmail: String
    /// Names the key in assertions; nil when the file does not.
    package let keyID: String?
    /// Signs assertions.
    package let key: RSAPrivateKey
    /// Where access tokens are asked for, and whom assertions are addressed to.
    package let tokenURL: String

    /// Reads a file, or its text from a setting: the JSON itself, or the base64 of it.
    ///
    /// - Parameters:
    ///   - text: The content.
    ///   - project: The operator's own setting, which goes before the file's project.
    ///   - tokenURL: The only place that the file may send to; another one than Google's is for emulators.
    /// - Throws: the first thing that is wrong; nothing of the content is in the error.
    package init(
        _ text: SecretText, project: String? = nil, tokenURL: String = Self.googleTokenURL
    ) throws(ServiceAccountError) {
        let object = try Self.object(text)
        func member(_ name: String, _ member: ServiceAccountError.Member) throws(ServiceAccountError) -> String {
            guard let value = object[name]?.string, !value.isEmpty else { throw .missing(member) }
            return value
        }
        guard try member("type", .type) == "service_account" else { throw .otherKind }
        clientEmail = try member("client_email", .clientEmail)
        guard Self.isEmail(clientEmail) else { throw .malformed(.clientEmail) }
        if let project { self.project = project } else { self.project = try member("project_id", .projectID) }
        guard Self.isProject(self.project) else { throw .malformed(.projectID) }
        keyID = object["private_key_id"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        guard keyID.map(Self.isKeyID) ?? true else { throw .malformed(.privateKeyID) }
        guard try member("token_uri", .tokenURI) == tokenURL || tokenURL != Self.googleTokenURL else {
            throw .foreignTokenURI
        }
        self.tokenURL = tokenURL
        let pem = try member("private_key", .privateKey)
        do {
            key = try RSAPrivateKey(pem: pem)
        } catch {
            throw .key(error)
        }
    }

    private static func object(_ text: SecretText) throws(ServiceAccountError) -> JSONObject {
        guard text.utf8Count <= maximumOctets else { throw .tooLong }
        let octets = text.withUnsafeBytes { Array($0) }
        if let object = object(octets) { return object }
        let packed = octets.filter { $0 > 0x20 }
        guard let decoded = Base64.decode(utf8: packed), let object = object(decoded) else { throw .notJSON }
        return object
    }

    private static func object(_ octets: [UInt8]) -> JSONObject? {
        // Editors put a byte order mark before the text.
        let octets = octets.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(octets.dropFirst(3)) : octets
        guard case .object(let object)? = try? JSONReader.parse(octets) else { return nil }
        return object
    }

    /// A project id, or a project's number: it becomes part of a path (Google Cloud, "Creating and managing projects").
    private static func isProject(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        // Ids of before may stand under a domain: `example.com:project`.
        return (1...128).contains(octets.count)
            && octets.allSatisfy {
                isDigit($0) || isLowercase($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: ":")
            }
    }

    private static func isEmail(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 320
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private static func isKeyID(_ text: String) -> Bool {
        text.utf8.count <= 128
            && text.utf8.allSatisfy {
                isDigit($0) || isLowercase($0) || isLowercase($0 | 0x20) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }
    private static func isLowercase(_ octet: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet) }
}

extension ServiceAccount: CustomStringConvertible, CustomReflectable {
    /// Names the project only.
    package var description: String { "ServiceAccount(\(project))" }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
