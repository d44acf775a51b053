import PrivacyAudit
import RawHTTP
import ReveilleJSON

extension Road {
    /// Content over HTTP/2: in requests that succeed, that are refused, and that break the protocol.
    ///
    /// - Returns: labels whose answer was not the expected status, with it; 0 stands for a connection that was ended.
    func walkHTTP2(_ traveller: Traveller) async throws -> [String] {
        var wrong: [String] = []
        let host = canaries.send(.serverName)
        let path = canaries.send(.path)
        let header = canaries.send(.header)
        let body = traveller.notification().encoded()
        let credential = [("authorization", "Bearer \(traveller.producerToken)"), ("content-type", "application/json")]
        let post = RawHTTP2.request("POST", path: "/api/v1/notifications", authority: host)
        func get(_ path: String) -> [(String, String)] { RawHTTP2.request(path: path, authority: host) }
        func whole(_ fields: [(String, String)], _ body: [UInt8]) -> [UInt8] {
            RawHTTP2.headers(1, fields, endsStream: false) + RawHTTP2.data(1, body, endsStream: true).bytes
        }
        let unknown: JSONValue = [canaries.send(.fieldName): .string(canaries.send(.fieldValue))]
        let requests: [(label: String, status: Int, octets: [UInt8])] = [
            ("notify", 202, whole(post + credential, body)), ("no credential", 401, whole(post, body)),
            ("unknown field", 400, whole(post + credential, unknown.encoded())),
            ("JSON that ends early", 400, whole(post + credential, Array("{\"\(header)".utf8))),
            ("no such path", 404, RawHTTP2.headers(1, get("/\(path)?\(path)") + [("x-note", header)])),
            ("path of other characters", 400, RawHTTP2.headers(1, get("/<\(path)>"))),
            ("expectation", 417, RawHTTP2.headers(1, get("/") + [("expect", header)])),
            (
                "large header", 431,
                RawHTTP2.headers(1, get("/") + [("x-note", String(repeating: header, count: 1_200))])
            ), ("field of a connection", 0, RawHTTP2.headers(1, get("/\(path)") + [("connection", header)])),
            ("field name in capitals", 0, RawHTTP2.headers(1, get("/") + [("X-\(header)", header)])),
            ("header block that is none", 0, RawFrame(.headers, flags: 5, stream: 1, Array(header.utf8)).bytes),
            ("data of no stream", 0, RawHTTP2.data(7, Array(header.utf8)).bytes),
            ("frame of no kind", 0, RawFrame(.settings, Array(header.utf8).dropLast(3) + []).bytes),
        ]
        for (label, status, octets) in requests {
            let reply = try await exchange(RawHTTP2.opening + octets) { heard in
                var rest = heard
                return RawHTTP2.takeFrames(from: &rest).contains { frame in
                    frame.stream == 1 && (Self.endsStream(frame) || frame.kind == .resetStream)
                }
            }
            var rest = reply.octets
            let got = RawHTTP2.takeFrames(from: &rest).compactMap(\.status).first ?? 0
            if got != status { wrong.append("\(label) over HTTP/2: \(got) instead of \(status)") }
            // The answer to its own sender of a post that succeeded is nobody else's.
            if got != 202 { ledger.note(.problems, "\(got) over HTTP/2, \(label)", reply.octets) }
        }
        return wrong
    }

    private static func endsStream(_ frame: RawFrame) -> Bool {
        (frame.kind == .headers || frame.kind == .data) && frame.flags & RawFrame.endStream != 0
    }
}
