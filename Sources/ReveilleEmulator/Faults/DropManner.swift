/// How a connection ends.
package enum DropManner: String, Sendable, CaseIterable {
    /// At once, with RST: what is unsent is lost.
    case reset
    /// In order, with FIN.
    case close
}
