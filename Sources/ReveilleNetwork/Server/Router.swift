/// What a router found for a method and path.
package enum RouteMatch<Context: Sendable>: Sendable {
    /// A route. `parameters` are decoded, in the order of the template; `template` is a closed word, fit for metrics; `isHead`
    /// tells that a GET route serves HEAD.
    case found(Context, parameters: [String], template: String, isHead: Bool)
    /// OPTIONS for a path that has no OPTIONS route of its own: answer 204 with `Allow`.
    case options(allow: String)
    /// The path exists, but not with this method: answer 405 with `Allow`.
    case methodNotAllowed(allow: String)
    /// No such path.
    case notFound
}

/// Finds routes by method and path template.
///
/// A template is a path whose segments are literal or parameters in braces: `/api/v1/devices/push/{id}`. The path decides
/// first, then the method; a literal segment wins over a parameter, from left to right. An empty segment, a dot segment, one
/// with an encoded slash and one that is no UTF-8 match no parameter.
package struct Router<Context: Sendable>: Sendable {
    /// The methods of one path.
    private struct Endpoint: Sendable {
        var segments: [Segment]
        var routes: [String: (context: Context, template: String)] = [:]

        var allow: String {
            var methods = Set(routes.keys)
            if methods.contains("GET") { methods.insert("HEAD") }
            methods.insert("OPTIONS")
            return methods.sorted().joined(separator: ", ")
        }
    }

    private enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter
    }

    private var literals: [String: Endpoint] = [:]
    /// Endpoints with parameters by their number of segments, the most literal first.
    private var patterns: [Int: [Endpoint]] = [:]
    private var allMethods = "OPTIONS"

    /// Makes a router.
    ///
    /// - Precondition: templates start with a slash, and no method comes twice for one path.
    package init(_ routes: [(method: String, template: String, context: Context)]) {
        var endpoints: [[Segment]: Endpoint] = [:]
        var methods: Set<String> = ["OPTIONS"]
        for route in routes {
            let segments = Self.segments(of: route.template)
            var endpoint = endpoints[segments] ?? Endpoint(segments: segments)
            let other = endpoint.routes.updateValue(
                (route.context, route.template), forKey: route.method)
            precondition(other == nil, "a method comes twice for one path")
            endpoints[segments] = endpoint
            methods.insert(route.method)
        }
        if methods.contains("GET") { methods.insert("HEAD") }
        allMethods = methods.sorted().joined(separator: ", ")
        for endpoint in endpoints.values {
            if endpoint.segments.contains(.parameter) {
                patterns[endpoint.segments.count, default: []].append(endpoint)
            } else if let template = endpoint.routes.values.first?.template {
                literals[template] = endpoint
            }
        }
        for (count, list) in patterns {
            patterns[count] = list.sorted { Self.rank($0.segments) < Self.rank($1.segments) }
        }
    }

    /// Finds the route of a request.
    ///
    /// `path` is the path as sent, still encoded.
    package func match(method: String, path: String) -> RouteMatch<Context> {
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
    ) -> RouteMatch<Context> {
        if let route = endpoint.routes[method] {
            return .found(
                route.context, parameters: parameters, template: route.template, isHead: false)
        }
        switch method {
        case "HEAD":
            guard let route = endpoint.routes["GET"] else { break }
            return .found(
                route.context, parameters: parameters, template: route.template, isHead: true)
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
