/// Checks of a Host field or authority: `host [":" port]` (RFC 9110 section 7.2).
enum HostField {
    /// Refuses what is not a plain host with an optional port.
    ///
    /// User information is refused too (RFC 9110 section 4.2.4).
    static func check(_ value: UnsafeRawBufferPointer, needsPort: Bool) throws(HTTP1Error) {
        guard let first = value.first else { throw HTTP1Error(.hostMalformed) }
        let hostEnd: Int
        if first == ASCII.openingBracket {
            guard let closing = value.firstIndex(of: ASCII.closingBracket), closing > 2,
                ByteClass.addressLiteral.containsAll(value.slice(1..<closing))
            else { throw HTTP1Error(.hostMalformed) }
            hostEnd = closing + 1
        } else {
            hostEnd = value.firstIndex(of: ASCII.colon) ?? value.count
            guard hostEnd > 0, ByteClass.host.containsAll(value.slice(0..<hostEnd)) else {
                throw HTTP1Error(.hostMalformed)
            }
        }
        guard hostEnd < value.count else {
            guard !needsPort else { throw HTTP1Error(.hostMalformed) }
            return
        }
        let port = value.slice((hostEnd + 1)..<value.count)
        guard value[hostEnd] == ASCII.colon, (1...5).contains(port.count),
            ByteClass.digit.containsAll(port),
            port.reduce(0, { $0 * 10 + Int($1 - 0x30) }) <= 65_535
        else { throw HTTP1Error(.hostMalformed) }
    }
}
