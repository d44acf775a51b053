/// A private text, or what hides one, on a way out.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// What was found.
    package enum Kind: Hashable, Sendable {
        /// A canary.
        case leak(PrivateField, Needle.Guise)
        /// Octets that cannot be searched.
        case compressed
    }

    package let way: WayOut
    package let place: String
    package let kind: Kind
    /// How the octets had to be read to see it.
    package let view: View

    package var description: String {
        switch kind {
        case .leak(let field, let guise):
            "\(field.rawValue) leaks through \(way.rawValue), \(place): \(guise), \(view.rawValue)"
        case .compressed: "\(way.rawValue), \(place): compressed octets cannot be searched"
        }
    }
}
