/// What the error catalogue says of one code.
struct ProblemEntry: Sendable {
    /// The code.
    let code: ProblemCode
    /// The HTTP status of answers with it.
    let status: Int
    /// What happened, the same words for each problem with it.
    let title: StaticString
    /// What the caller, or the operator, can do about it.
    let remedy: StaticString

    init(_ code: ProblemCode, _ status: Int, _ title: StaticString, _ remedy: StaticString) {
        self.code = code
        self.status = status
        self.title = title
        self.remedy = remedy
    }

    private static let byCode = Dictionary(all.map { ($0.code, $0) }) { first, _ in first }

    /// The row of a code; a test holds that each has one.
    static func of(_ code: ProblemCode) -> ProblemEntry {
        byCode[code] ?? ProblemEntry(code, 500, "The server made a mistake.", "Report it with the request id.")
    }
}

extension ProblemCode {
    /// The `type` of problem details: where this server itself says what the code means.
    ///
    /// RFC 9457 section 3.1.1 wants a type that leads to something; a server behind proxies does not know its own name, and
    /// for that case recommends a whole path.
    package var typePath: String { HomeRoute.problem.template.replacing("{code}", with: rawValue) }

    /// The HTTP status of answers with this code.
    package var status: Int { ProblemEntry.of(self).status }
    /// What happened, the same words for each problem with this code.
    package var title: StaticString { ProblemEntry.of(self).title }
    /// What the caller, or the operator, can do about it.
    package var remedy: StaticString { ProblemEntry.of(self).remedy }
}
