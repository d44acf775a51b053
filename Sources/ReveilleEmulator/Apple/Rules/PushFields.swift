internal import Glibc
internal import ReveilleBytes

/// Where the fields that Apple knows stand in a header section, found in one pass.
struct PushFields {
    /// The fields that Apple knows.
    enum Name: Int, CaseIterable {
        case authorization
        case topic
        case pushType
        case id
        case expiration
        case priority
        case collapseID

        /// The name on the wire.
        var text: StaticString {
            switch self {
            case .authorization: "authorization"
            case .topic: "apns-topic"
            case .pushType: "apns-push-type"
            case .id: "apns-id"
            case .expiration: "apns-expiration"
            case .priority: "apns-priority"
            case .collapseID: "apns-collapse-id"
            }
        }
    }

    private let fields: FieldList
    private var positions: [7 of Int] = .init(repeating: -1)
    /// Whether a field that Apple knows stands more than once.
    private(set) var hasDuplicates = false

    init(_ fields: FieldList) {
        self.fields = fields
        for index in fields.indices {
            guard let name = fields.withName(at: index, Self.identify) else { continue }
            if positions[name.rawValue] >= 0 { hasDuplicates = true }
            positions[name.rawValue] = index
        }
    }

    /// The value of a field, one character for each byte, or nil when it is absent.
    subscript(name: Name) -> String? {
        let position = positions[name.rawValue]
        return position < 0 ? nil : fields.value(at: position)
    }

    /// Whether a field stands in the section.
    func has(_ name: Name) -> Bool { positions[name.rawValue] >= 0 }

    /// Whether a field stands in the section with this value.
    func has(_ name: Name, _ value: StaticString) -> Bool {
        withValue(of: name) { Self.isEqual($0, value) } ?? false
    }

    /// Lends the value of a field; nil when it is absent.
    func withValue<R>(of name: Name, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        let position = positions[name.rawValue]
        return position < 0 ? nil : fields.withValue(at: position, body)
    }

    private static func identify(_ bytes: UnsafeRawBufferPointer) -> Name? {
        switch bytes.count {
        case 7: match(bytes, .id)
        case 10: match(bytes, .topic)
        case 13: match(bytes, .priority) ?? match(bytes, .authorization)
        case 14: match(bytes, .pushType)
        case 15: match(bytes, .expiration)
        case 16: match(bytes, .collapseID)
        default: nil
        }
    }

    private static func match(_ bytes: UnsafeRawBufferPointer, _ name: Name) -> Name? {
        isEqual(bytes, name.text) ? name : nil
    }

    private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard let start = bytes.baseAddress, bytes.count == text.utf8CodeUnitCount else { return false }
        return memcmp(start, text.utf8Start, bytes.count) == 0
    }
}
