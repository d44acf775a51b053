internal import ReveilleCore
internal import ReveilleStorage

/// Fields one after another, each with its length in front (4 octets, most significant first): what is sealed as a whole.
struct FieldWriter {
    private(set) var octets: [UInt8] = []

    mutating func append(_ text: String) {
        append(text.utf8)
    }

    mutating func append(_ field: some Collection<UInt8>) {
        withUnsafeBytes(of: UInt32(clamping: field.count).bigEndian) { octets.append(contentsOf: $0) }
        octets.append(contentsOf: field)
    }

    /// A field that may be missing: its absence is told apart from an empty one.
    mutating func append(optional text: String?) {
        append(text.map { [1] + Array($0.utf8) } ?? [])
    }

    mutating func append(optional field: [UInt8]?) {
        append(field.map { [1] + $0 } ?? [])
    }

    mutating func append(_ number: Int64) {
        append(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }

    mutating func append(optional number: Int64?) {
        append(number.map { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } } ?? [])
    }
}

/// Reads what ``FieldWriter`` wrote.
struct FieldReader {
    private let octets: [UInt8]
    private var position = 0

    init(_ octets: [UInt8]) {
        self.octets = octets
    }

    var isAtEnd: Bool { position == octets.count }

    mutating func bytes() throws -> [UInt8] {
        guard octets.count - position >= 4 else { throw StoreError(.unreadableValue) }
        let count = octets[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        guard count <= octets.count - position - 4 else { throw StoreError(.unreadableValue) }
        defer { position += 4 + count }
        return Array(octets[position + 4..<position + 4 + count])
    }

    mutating func text() throws -> String {
        String(decoding: try bytes(), as: UTF8.self)
    }

    mutating func optionalText() throws -> String? {
        try optionalBytes().map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func optionalBytes() throws -> [UInt8]? {
        let field = try bytes()
        return field.isEmpty ? nil : Array(field.dropFirst())
    }

    mutating func number() throws -> Int64 {
        guard let number = try optionalNumber() else { throw StoreError(.unreadableValue) }
        return number
    }

    mutating func optionalNumber() throws -> Int64? {
        let field = try bytes()
        if field.isEmpty { return nil }
        guard field.count == 8 else { throw StoreError(.unreadableValue) }
        return field.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
}

/// What a notification says, as it is sealed in one piece.
struct NotificationContent {
    let category: String
    let title: String
    let body: String
    let data: [UInt8]
    let series: String?

    /// What stands for a notification whose content is gone.
    static let gone = NotificationContent(category: "", title: "", body: "", data: [], series: nil)

    var octets: [UInt8] {
        var writer = FieldWriter()
        writer.append(category)
        writer.append(title)
        writer.append(body)
        writer.append(data)
        writer.append(optional: series)
        return writer.octets
    }

    init(category: String, title: String, body: String, data: [UInt8], series: String?) {
        self.category = category
        self.title = title
        self.body = body
        self.data = data
        self.series = series
    }

    init(octets: [UInt8]) throws {
        var reader = FieldReader(octets)
        category = try reader.text()
        title = try reader.text()
        body = try reader.text()
        data = try reader.bytes()
        series = try reader.optionalText()
    }
}

/// A list of texts, as it is sealed in one piece.
enum TextList {
    static func octets(_ list: [String]) -> [UInt8] {
        var writer = FieldWriter()
        for text in list { writer.append(text) }
        return writer.octets
    }

    static func list(_ octets: [UInt8]) throws -> [String] {
        var reader = FieldReader(octets)
        var list: [String] = []
        while !reader.isAtEnd { list.append(try reader.text()) }
        return list
    }
}
