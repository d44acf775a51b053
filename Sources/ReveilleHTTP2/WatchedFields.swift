internal import Glibc

/// The response fields whose values an engine keeps, by the addresses of their names.
struct WatchedFields: ~Copyable {
    private struct Name {
        let start: UnsafePointer<UInt8>
        let count: Int
    }

    private let names: UnsafeMutablePointer<Name>
    private let count: Int

    init(_ fields: [StaticString]) {
        precondition(fields.count <= HTTP2ClientStream.maximumWatchedFields)
        count = fields.count
        names = .allocate(capacity: HTTP2ClientStream.maximumWatchedFields)
        for (position, name) in fields.enumerated() {
            (names + position).initialize(to: Name(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
    }

    deinit { names.deallocate() }

    /// The position of a name in the list, or nil when it is not watched.
    func position(of name: UnsafePointer<UInt8>, _ nameCount: Int) -> Int? {
        for position in 0..<count {
            let watched = names[position]
            if watched.count == nameCount, memcmp(watched.start, name, nameCount) == 0 { return position }
        }
        return nil
    }
}
