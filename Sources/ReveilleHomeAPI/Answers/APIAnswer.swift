import ReveilleBytes
import ReveilleJSON
import ReveilleNetwork

/// An answer before it becomes an HTTP response.
struct APIAnswer {
    /// The HTTP status.
    let status: Int
    private let mediaType: String?
    private let body: [UInt8]
    private var fields: [(name: String, value: String, isUnique: Bool)] = []

    /// An answer with a body.
    init(status: Int, mediaType: String, body: [UInt8]) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
    }

    /// An answer without a body.
    init(status: Int) {
        self.status = status
        mediaType = nil
        body = []
    }

    /// An answer whose body is one JSON object.
    static func json(status: Int = 200, _ write: (inout JSONWriter) -> Void) -> APIAnswer {
        var json = JSONWriter(reservingCapacity: 256)
        json.beginObject()
        write(&json)
        json.endObject()
        return APIAnswer(status: status, mediaType: "application/json", body: json.bytes)
    }

    /// Nothing to say: it is done.
    static let noContent = APIAnswer(status: 204)

    /// Adds a field; the name must be in lower case.
    mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value, isUnique: false))
    }

    /// Adds a field that no other answer has alike: header compression does not remember it, since a table full of such
    /// values is searched for every answer and serves none.
    mutating func addUnique(_ name: String, _ value: String) {
        fields.append((name: name, value: value, isUnique: true))
    }

    /// The response on the wire.
    func response() -> HTTPResponse {
        var list = HTTPFields()
        if let mediaType { list.add("content-type", mediaType) }
        for field in fields {
            if field.isUnique {
                list.addSensitive(field.name, field.value)
            } else {
                list.add(field.name, field.value)
            }
        }
        return HTTPResponse(status: status, fields: list, body: mediaType == nil ? .empty : .bytes(body))
    }
}
