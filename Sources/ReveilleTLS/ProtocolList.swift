/// Application protocols in the form of the wire: each name behind its length (RFC 7301 section
/// 3.1).
///
/// The memory stands still as long as the list lives, because OpenSSL keeps pointers into a
/// server's list. It is written in `init` only, which is why the pointer is `nonisolated(unsafe)`
/// and the list may be shared.
final class ProtocolList: Sendable {
    /// The encoded names.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// Encodes names of 1 to 255 bytes; throws `badConfiguration` for others.
    init(_ names: [String]) throws(TLSError) {
        var encoded: [UInt8] = []
        for name in names {
            let utf8 = Array(name.utf8)
            guard (1...255).contains(utf8.count) else { throw TLSError(.badConfiguration) }
            encoded.append(UInt8(utf8.count))
            encoded += utf8
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: encoded.count, alignment: 1)
        memory.copyBytes(from: encoded)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit { bytes.deallocate() }

    /// Finds the first name of this list that is also in a peer's list, as a part of this list's
    /// memory.
    func firstCommon(with peer: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var own = bytes[...]
        while let name = Self.takeName(&own) {
            var offered = peer[...]
            while let candidate = Self.takeName(&offered) {
                if candidate.elementsEqual(name) { return UnsafeRawBufferPointer(rebasing: name) }
            }
        }
        return nil
    }

    /// Takes the first name off an encoded list; nil at its end or where it is malformed.
    private static func takeName(
        _ list: inout Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard let length = list.first, length > 0, list.count > Int(length) else { return nil }
        let start = list.startIndex + 1
        let end = start + Int(length)
        defer { list = list[end...] }
        return list[start..<end]
    }
}
