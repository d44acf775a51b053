import ReveilleBytes

/// A request line (RFC 9112 section 3), read strictly: single spaces, a known version, a target of the right form.
struct RequestLine {
    let method: String
    let target: String
    let form: HTTP1TargetForm
    /// The authority of an absolute target.
    let authority: String?
    let version: HTTP1Version

    /// No standard method is longer than 17 characters (UPDATEREDIRECTREF).
    private static let maximumMethodBytes = 32

    init(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) {
        guard let firstSpace = line.firstIndex(of: ASCII.space),
            let secondSpace = line[(firstSpace + 1)...].firstIndex(of: ASCII.space)
        else { throw HTTP1Error(.requestLineMalformed) }
        let method = line.slice(0..<firstSpace)
        let target = line.slice((firstSpace + 1)..<secondSpace)
        guard !method.isEmpty, !target.isEmpty, ByteClass.token.containsAll(method) else {
            throw HTTP1Error(.requestLineMalformed)
        }
        version = try Self.version(line.slice((secondSpace + 1)..<line.count))
        guard method.count <= Self.maximumMethodBytes else { throw HTTP1Error(.methodTooLong) }
        self.method = FieldText.string(method)
        switch target[0] {
        case ASCII.slash:
            guard self.method != "CONNECT" else { throw HTTP1Error(.targetMalformed) }
            try Self.checkPath(target)
            form = .origin
            authority = nil
            self.target = FieldText.string(target)
        case ASCII.asterisk:
            guard target.count == 1, self.method == "OPTIONS" else {
                throw HTTP1Error(.targetMalformed)
            }
            form = .asterisk
            authority = nil
            self.target = "*"
        default:
            if self.method == "CONNECT" {
                try HostField.check(target, needsPort: true)
                form = .authority
                authority = FieldText.string(target)
                self.target = FieldText.string(target)
            } else {
                let parts = try Self.splitAbsolute(target)
                form = .absolute
                authority = FieldText.string(parts.authority)
                self.target = parts.path
            }
        }
    }

    /// Why a line that has no end within its limit is refused: for its method when that alone is longer than any, else for its
    /// target.
    static func error(ofEndless line: UnsafeRawBufferPointer) -> HTTP1Error {
        let method = line.slice(0..<(line.firstIndex(of: ASCII.space) ?? line.count))
        guard !method.isEmpty, ByteClass.token.containsAll(method) else { return HTTP1Error(.requestLineMalformed) }
        return HTTP1Error(method.count > maximumMethodBytes ? .methodTooLong : .targetTooLong)
    }

    private static func version(_ text: UnsafeRawBufferPointer) throws(HTTP1Error) -> HTTP1Version {
        guard text.count == 8, text.slice(0..<5).elementsEqual("HTTP/".utf8), text[6] == 0x2E,
            ByteClass.digit.contains(text[5]), ByteClass.digit.contains(text[7])
        else { throw HTTP1Error(.requestLineMalformed) }
        switch (text[5], text[7]) {
        case (0x31, 0x31): return .http11
        case (0x31, 0x30): return .http10
        default: throw HTTP1Error(.versionUnsupported)
        }
    }

    private static func checkPath(_ path: UnsafeRawBufferPointer) throws(HTTP1Error) {
        guard HTTP1Target.isLegal(path) else { throw HTTP1Error(.targetMalformed) }
    }

    private static func splitAbsolute(
        _ target: UnsafeRawBufferPointer
    ) throws(HTTP1Error) -> (authority: UnsafeRawBufferPointer, path: String) {
        let schemes: [StaticString] = ["http://", "https://"]
        let scheme = schemes.first { scheme in
            target.count > scheme.utf8CodeUnitCount
                && target.slice(0..<scheme.utf8CodeUnitCount).equalsIgnoringCase(scheme)
        }
        guard let scheme else { throw HTTP1Error(.targetMalformed) }
        let rest = target.slice(scheme.utf8CodeUnitCount..<target.count)
        let end =
            rest.firstIndex { $0 == ASCII.slash || $0 == ASCII.questionMark } ?? rest.count
        let authority = rest.slice(0..<end)
        try HostField.check(authority, needsPort: false)
        let path = rest.slice(end..<rest.count)
        try checkPath(path)
        let text = FieldText.string(path)
        return (authority, text.hasPrefix("/") ? text : "/" + text)
    }
}
