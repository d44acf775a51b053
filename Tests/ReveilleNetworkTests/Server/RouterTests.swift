import ReveilleNetwork
import Testing

@Suite("A router finds routes by path and method")
struct RouterTests {
    static let router = Router<String>([
        ("GET", "/", "root"),
        ("GET", "/healthz", "health"),
        ("GET", "/api/v1/notifications", "list"),
        ("POST", "/api/v1/notifications", "post"),
        ("GET", "/api/v1/notifications/sync", "sync"),
        ("GET", "/api/v1/notifications/{delivery_id}", "one"),
        ("DELETE", "/api/v1/notifications/{id}", "remove"),
        ("POST", "/api/v1/notifications/{delivery_id}/read", "read"),
        ("PATCH", "/api/v1/devices/push/{id}", "patch"),
        ("OPTIONS", "/own", "own options"),
        ("HEAD", "/own", "own head"),
        ("GET", "/own", "own get"),
        ("GET", "/x/{a}/c/{b}", "first literal"),
        ("GET", "/x/y/{a}/{b}", "earlier literal"),
    ])

    private func found(_ method: String, _ path: String) -> String {
        switch Self.router.match(method: method, path: path) {
        case .found(let context, let parameters, let template, let isHead):
            ([context] + parameters + [template] + (isHead ? ["head"] : [])).joined(separator: " | ")
        case .options(let allow): "options " + allow
        case .methodNotAllowed(let allow): "405 " + allow
        case .notFound: "404"
        }
    }

    @Test(
        "a path and method give one answer",
        arguments: [
            ("GET", "/", "root | /"),
            ("GET", "/api/v1/notifications", "list | /api/v1/notifications"),
            ("POST", "/api/v1/notifications", "post | /api/v1/notifications"),
            ("GET", "/api/v1/notifications/sync", "sync | /api/v1/notifications/sync"),
            ("GET", "/api/v1/notifications/abc", "one | abc | /api/v1/notifications/{delivery_id}"),
            ("DELETE", "/api/v1/notifications/abc", "remove | abc | /api/v1/notifications/{id}"),
            (
                "POST", "/api/v1/notifications/a%20b%C3%A9/read",
                "read | a bé | /api/v1/notifications/{delivery_id}/read"
            ),
            ("HEAD", "/healthz", "health | /healthz | head"),
            ("HEAD", "/own", "own head | /own"),
            ("OPTIONS", "/own", "own options | /own"),
            ("GET", "/x/y/c/d", "earlier literal | c | d | /x/y/{a}/{b}"),
            ("GET", "/x/z/c/d", "first literal | z | d | /x/{a}/c/{b}"),
            ("DELETE", "/api/v1/notifications", "405 GET, HEAD, OPTIONS, POST"),
            ("DELETE", "/api/v1/notifications/sync", "405 GET, HEAD, OPTIONS"),
            ("PUT", "/api/v1/notifications/abc", "405 DELETE, GET, HEAD, OPTIONS"),
            ("BREW", "/healthz", "405 GET, HEAD, OPTIONS"),
            ("OPTIONS", "/api/v1/notifications/abc", "options DELETE, GET, HEAD, OPTIONS"),
            ("OPTIONS", "*", "options DELETE, GET, HEAD, OPTIONS, PATCH, POST"),
            ("GET", "*", "404"),
            ("GET", "/nothing", "404"),
            ("GET", "", "404"),
            ("GET", "/healthz/", "404"),
            ("GET", "//healthz", "404"),
            ("GET", "/api/v1/notifications/", "404"),
            ("GET", "/api/v1/notifications/.", "404"),
            ("GET", "/api/v1/notifications/..", "404"),
            ("GET", "/api/v1/notifications/%2e%2E", "404"),
            ("GET", "/api/v1/notifications/a%2Fb", "404"),
            ("GET", "/api/v1/notifications/a%00", "404"),
            ("GET", "/api/v1/notifications/%FF", "404"),
            ("GET", "/api/v1/notifications/%C3", "404"),
            ("GET", "/api/v1/notifications/a%2", "404"),
            ("GET", "/api/v1/./notifications", "404"),
            ("GET", "/API/v1/notifications", "404"),
            ("GET", "/api/v1/%6Eotifications", "404"),
        ])
    func matches(method: String, path: String, answer: String) {
        #expect(found(method, path) == answer)
    }

    @Test(
        "a query is decoded item by item",
        arguments: [
            ("/a", ""), ("/a?", ""), ("/a?b", "b="), ("/a?b=c&d=e", "b=c,d=e"),
            ("/a?b=c=d", "b=c=d"), ("/a?b=1&b=2", "b=1,b=2"), ("/a?&&b=1&", "b=1"),
            ("/a?b+c=d%20e%2B", "b c=d e+"), ("/a?b=%C3%A9", "b=é"), ("/a?b=%FF", "b=\u{FFFD}"),
            ("/a?b=?&c=/", "b=?,c=/"),
        ])
    func query(target: String, items: String) {
        let request = HTTPRequest(method: "GET", target: target, peer: .loopback(port: 1))
        #expect(request.path == "/a")
        #expect(request.query.map { $0.name + "=" + $0.value }.joined(separator: ",") == items)
    }

    @Test("fields are found whatever the case of their name")
    func fields() {
        var fields: HTTPFields = ["Content-Type": "a", "x": "1"]
        #expect(fields["content-type"] == "a")
        #expect(fields["CONTENT-TYPE"] == "a")
        fields.add("X", "2")
        #expect(fields.values("X") == ["1", "2"])
        fields.set("x", "3")
        #expect(fields.values("x") == ["3"])
        fields.remove("Content-Type")
        #expect(fields.pairs.map(\.name) == ["x"])
    }

    @Test("requests and responses show nothing of what they hold")
    func redacted() {
        let request = HTTPRequest(
            method: "POST", target: "/secret", fields: ["authorization": "secret"],
            body: [UInt8]("secret".utf8), peer: .loopback(port: 1))
        let response = HTTPResponse(
            status: 200, fields: ["x": "secret"], body: .bytes([UInt8]("secret".utf8)))
        var dumped = "\(request) \(response) " + String(reflecting: request)
        dump(request, to: &dumped)
        dump(response, to: &dumped)
        #expect(!dumped.contains("secret"))
        #expect(!dumped.contains("115"))
    }
}
