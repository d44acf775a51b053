import ReveilleHomeAPI
import ReveilleJSON
import ReveilleNetwork
import Testing

/// A response, read.
struct Answer: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]

    init(_ response: HTTPResponse) {
        status = response.status
        fields = response.fields
        switch response.body {
        case .empty: body = []
        case .bytes(let bytes): body = bytes
        }
    }

    /// The body as JSON; null when it is none.
    var json: JSONValue { (try? JSONReader.parse(body)) ?? .null }
    /// The code of a problem.
    var code: String? { json["code"]?.string }
    /// The field of a problem.
    var field: String? { json["field"]?.string }
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Expects a problem detail with a status, code and field.
func expectProblem(
    _ answer: Answer, _ status: Int, _ code: String, field: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.code == code, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.field == field, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(
        answer.fields["content-type"] == "application/problem+json", sourceLocation: sourceLocation)
}
