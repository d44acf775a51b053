import ReveilleJSON

/// The rules for what request bodies are.
enum MediaType {
    /// Demands JSON, with UTF-8 as the only charset that may be named (RFC 8259 section 8.1).
    static func requireJSON(_ values: [String]) throws(Problem) {
        guard values.count == 1, isJSON(values[0]) else {
            throw Problem(
                .unsupportedMediaType, field: "Content-Type", explanation: "must be application/json")
        }
    }

    /// Refuses every coding of the body: it would be read as if it had none (RFC 9110 section 8.4).
    static func refuseCodings(_ values: [String]) throws(Problem) {
        guard values.allSatisfy({ $0 == "identity" }) else {
            throw Problem(.unsupportedMediaType, field: "Content-Encoding", explanation: "must be left out")
        }
    }

    private static func isJSON(_ value: String) -> Bool {
        // What nearly everybody sends; the rest of this costs more than reading the body.
        if value == "application/json" { return true }
        let parts = value.lowercased().split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst().allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
