/// The parts of docs/openapi.yaml that tests compare with the router, read by their indentation.
struct OpenAPIDocument {
    /// Operations as `METHOD /path`.
    private(set) var operations: Set<String> = []
    /// The security schemes of each operation.
    private(set) var security: [String: Set<String>] = [:]
    /// Operations with the tag `later`.
    private(set) var later: Set<String> = []

    /// Reads the document.
    static func load() throws -> OpenAPIDocument {
        OpenAPIDocument(try Repository.text("docs/openapi.yaml"))
    }

    private init(_ text: String) {
        var path = ""
        var operation = ""
        var isInPaths = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            let indentation = line.prefix { $0 == " " }.count
            let content = line.dropFirst(indentation)
            if indentation == 0 { isInPaths = content == "paths:" }
            guard isInPaths else { continue }
            if indentation == 2, content.hasSuffix(":") {
                path = String(content.dropLast())
            } else if indentation == 4, content.hasSuffix(":") {
                operation = "\(content.dropLast().uppercased()) \(path)"
                operations.insert(operation)
            } else if indentation == 6, content.hasPrefix("security: ") {
                security[operation] = Set(
                    content.dropFirst("security: ".count).split { !$0.isLetter }.map(String.init))
            } else if indentation == 6, content.hasPrefix("tags: ") {
                if content.contains("later") { later.insert(operation) }
            }
        }
    }
}
