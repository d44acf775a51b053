/// The paths of a router and what leads to the place of each route in its list.
///
/// Apart from the router, which is generic: looking up metadata of types would cost each request more than the search.
@usableFromInline
struct RouteTable: Sendable {
    private struct Route: Sendable {
        let method: String
        let template: String
        let index: Int
    }

    /// The methods of one path: few, so that they are looked through.
    private struct Endpoint: Sendable {
        var segments: [Segment]
        var routes: [Route] = []

        var allow: String {
            var methods = Set(routes.map(\.method))
            if methods.contains("GET") { methods.insert("HEAD") }
            methods.insert("OPTIONS")
            return methods.sorted().joined(separator: ", ")
        }

        func route(_ method: String) -> Route? { routes.first { $0.method == method } }
    }

    private enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter
    }

    private var literals: [String: Endpoint] = [:]
    /// Endpoints with parameters by their number of segments, the most literal first.
    private var patterns: [Int: [Endpoint]] = [:]
    private var allMethods = "OPTIONS"

    init(_ routes: [(method: String, template: String)]) {
        var endpoints: [[Segment]: Endpoint] = [:]
        var methods: Set<String> = ["OPTIONS"]
        for (index, route) in routes.enumerated() {
            let segments = Self.segments(of: route.template)
            var endpoint = endpoints[segments] ?? Endpoint(segments: segments)
            precondition(endpoint.route(route.method) == nil, "a method comes twice for one path")
            endpoint.routes.append(Route(method: route.method, template: route.template, index: index))
            endpoints[segments] = endpoint
            methods.insert(route.method)
        }
        if methods.contains("GET") { methods.insert("HEAD") }
        allMethods = methods.sorted().joined(separator: ", ")
        for endpoint in endpoints.values {
            if endpoint.segments.contains(.parameter) {
                patterns[endpoint.segments.count, default: []].append(endpoint)
            } else if let template = endpoint.routes.first?.template {
                literals[template] = endpoint
            }
        }
        for (count, list) in patterns {
            patterns[count] = list.sorted { Self.rank($0.segments) < Self.rank($1.segments) }
        }
    }

    @usableFromInline
    func match(method: String, path: String) -> RouteMatch<Int> {
        if let endpoint = literals[path] {
            return choose(endpoint, method: method, parameters: [])
        }
        if path == "*" {
            return method == "OPTIONS" ? .options(allow: allMethods) : .notFound
        }
        guard path.utf8.first == 0x2F else { return .notFound }
        let segments = path.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        for endpoint in patterns[segments.count] ?? [] {
            if let parameters = Self.parameters(of: endpoint.segments, in: segments) {
                return choose(endpoint, method: method, parameters: parameters)
            }
        }
        return .notFound
    }

    private func choose(
        _ endpoint: Endpoint, method: String, parameters: [String]
    ) -> RouteMatch<Int> {
        if let route = endpoint.route(method) {
            return .found(
                route.index, parameters: parameters, template: route.template, isHead: false)
        }
        switch method {
        case "HEAD":
            guard let route = endpoint.route("GET") else { break }
            return .found(
                route.index, parameters: parameters, template: route.template, isHead: true)
        case "OPTIONS": return .options(allow: endpoint.allow)
        default: break
        }
        return .methodNotAllowed(allow: endpoint.allow)
    }

    private static func segments(of template: String) -> [Segment] {
        precondition(template.hasPrefix("/"), "a template starts with a slash")
        return template.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            if $0.hasPrefix("{"), $0.hasSuffix("}") { return .parameter }
            precondition(!$0.contains("{") && !$0.contains("}"), "a parameter is a whole segment")
            return .literal(String($0))
        }
    }

    /// Sorts literal segments before parameters, from left to right.
    private static func rank(_ segments: [Segment]) -> String {
        String(segments.map { $0 == .parameter ? "1" : "0" })
    }

    private static func parameters(
        of pattern: [Segment], in segments: [Substring.UTF8View]
    ) -> [String]? {
        var parameters: [String] = []
        for (segment, bytes) in zip(pattern, segments) {
            switch segment {
            case .literal(let text):
                guard bytes.elementsEqual(text.utf8) else { return nil }
            case .parameter:
                guard let parameter = decode(Substring(bytes)) else { return nil }
                parameters.append(parameter)
            }
        }
        return parameters
    }

    private static func decode(_ segment: Substring) -> String? {
        guard let text = PercentEncoding.decode(segment), !text.isEmpty, text != ".", text != "..",
            !text.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
        else { return nil }
        return text
    }
}
