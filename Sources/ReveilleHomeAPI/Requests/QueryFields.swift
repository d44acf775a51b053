import ReveilleJSON

/// Reads a query strictly: every parameter must be asked for by name and come once.
struct QueryFields {
    private var rest: [(name: String, value: String)]

    /// Refuses parameters that come twice.
    init(_ parameters: [(name: String, value: String)]) throws(Problem) {
        for (index, parameter) in parameters.enumerated()
        where parameters[..<index].contains(where: { $0.name == parameter.name }) {
            throw Problem(
                .invalidParameter, field: FieldName.printable(parameter.name), explanation: "must not be repeated")
        }
        rest = parameters
    }

    /// The text of a parameter, 1 to `maximumOctets` octets; nil when it is absent.
    mutating func text(_ name: String, maximumOctets: Int) throws(Problem) -> String? {
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
        let value = rest.remove(at: index).value
        guard (1...maximumOctets).contains(value.utf8.count) else {
            throw Problem(.invalidParameter, field: name, explanation: "must not be empty or that long")
        }
        return value
    }

    /// The size of a page, 1 to 100.
    mutating func limit(default size: Int, maximum: Int) throws(Problem) -> Int {
        guard let text = try text("limit", maximumOctets: 8) else { return size }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), (1...maximum).contains(number)
        else {
            throw Problem(.invalidParameter, field: "limit", explanation: "must be a whole number from 1 to 100")
        }
        return number
    }

    /// Refuses parameters that nobody asked for.
    func finish() throws(Problem) {
        guard let parameter = rest.first else { return }
        throw Problem(
            .unknownParameter, field: FieldName.printable(parameter.name), explanation: "is not a known parameter")
    }
}

/// Names of fields that came with a request, made fit to be repeated.
enum FieldName {
    /// The longest name repeated, in characters.
    static let maximumCharacters = 64

    /// Printable ASCII only, cut.
    static func printable(_ name: String) -> String {
        String(
            decoding: name.utf8.prefix(maximumCharacters).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }
}
