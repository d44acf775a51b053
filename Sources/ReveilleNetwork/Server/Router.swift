/// What a router found for a method and path.
@usableFromInline
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
    @usableFromInline
    let table: RouteTable
    @usableFromInline
    let contexts: [Context]

    /// Makes a router.
    ///
    /// - Precondition: templates start with a slash, and no method comes twice for one path.
    package init(_ routes: [(method: String, template: String, context: Context)]) {
        table = RouteTable(routes.map { ($0.method, $0.template) })
        contexts = routes.map(\.context)
    }

    /// Finds the route of a request.
    ///
    /// `path` is the path as sent, still encoded.
    @inlinable
    package func match(method: String, path: String) -> RouteMatch<Context> {
        switch table.match(method: method, path: path) {
        case .found(let index, let parameters, let template, let isHead):
            .found(contexts[index], parameters: parameters, template: template, isHead: isHead)
        case .options(let allow): .options(allow: allow)
        case .methodNotAllowed(let allow): .methodNotAllowed(allow: allow)
        case .notFound: .notFound
        }
    }
}
