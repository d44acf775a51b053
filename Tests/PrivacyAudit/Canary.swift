internal import ReveilleBytes

/// A private text that occurs nowhere else in a run: where it is found, its field has leaked.
package struct Canary: Sendable, Hashable {
    /// The field that holds it.
    package let field: PrivateField
    /// The text as a client sends it.
    package let text: String
    /// The parts that are searched for: short random texts, so that a cut leaks too.
    package let marks: [[UInt8]]

    /// The letters of a mark; short enough for every field, long enough to occur by chance never.
    package static let markLetters = 16

    /// A canary around `mark`.
    ///
    /// Texts that people write have the mark at both ends and in between what encoders change; names and ids have only it.
    init(_ field: PrivateField, mark: [UInt8], octets: [UInt8]) {
        self.field = field
        let word = String(decoding: mark, as: UTF8.self)
        switch field {
        case .title, .body, .data, .series, .deviceName, .deviceCategory, .label, .sender, .subject, .fieldValue:
            text = "\(word) “Zoë” <\\/> & \(word)"
            marks = [mark]
        case .token, .installationKey, .masterKey:
            text = Hex.encode(octets)
            marks = [Array(text.utf8), octets]
        case .topic:
            text = "org.example.\(word)"
            marks = [mark]
        case .locale:
            text = "de-x-\(word)"
            marks = [mark]
        case .serverName:
            text = "\(word).example.org"
            marks = [mark]
        case .credential, .providerKey, .dataKey, .category, .profile, .idempotencyKey, .folder, .installID,
            .appVersion, .registrationKey,
            .verificationCode, .producer, .path, .query, .cursor, .fieldName, .header, .method, .providerReason:
            text = word
            marks = [mark]
        }
    }

    /// A canary that is found where another is.
    init(_ field: PrivateField, like other: Canary) {
        self.field = field
        text = other.text
        marks = other.marks
    }

    /// A secret that something else made, such as a token that the server minted.
    package init(_ field: PrivateField, found text: String) {
        self.field = field
        self.text = text
        marks = [Array(text.utf8)] + (Hex.decode(text).map { [$0] } ?? [])
    }
}
