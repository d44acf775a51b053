internal import Glibc
internal import ReveilleBytes

/// What names a request: the token of its path and its `apns-id`.
///
/// Read once, whatever else is wrong with it.
struct RequestTarget {
    /// The device token in lower case, or what is wrong with the request line.
    let token: Result<String, AppleRefusal>
    /// The `apns-id` as sent, nil without one, or what is wrong with it.
    let id: Result<String?, AppleRefusal>

    init(method: String, path: String, fields: PushFields) {
        token = Result { () throws(AppleRefusal) in try Self.token(method: method, path: path) }
        id = Result { () throws(AppleRefusal) in try Self.id(in: fields) }
    }

    private static let prefix: StaticString = "/3/device/"

    private static func token(method: String, path: String) throws(AppleRefusal) -> String {
        guard method == "POST" else { throw AppleRefusal(.methodNotAllowed, .methodIsNotPost) }
        var path = path
        let result = path.withUTF8 { token(in: $0) }
        return try result.get()
    }

    private static func token(in path: UnsafeBufferPointer<UInt8>) -> Result<String, AppleRefusal> {
        let prefixCount = prefix.utf8CodeUnitCount
        guard let start = path.baseAddress, path.count >= prefixCount - 1,
            memcmp(start, prefix.utf8Start, min(prefixCount, path.count)) == 0
        else { return .failure(AppleRefusal(.badPath, .pathIsUnknown)) }
        guard path.count > prefixCount else {
            return .failure(AppleRefusal(.missingDeviceToken, .tokenIsMissing))
        }
        let digits = UnsafeBufferPointer(rebasing: path[prefixCount...])
        if let token = AppleRules.normalizedToken(digits) { return .success(token) }
        // Further parts of a path, or a query, make it another path.
        let leavesPath = digits.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        return .failure(
            leavesPath
                ? AppleRefusal(.badPath, .pathIsUnknown)
                : AppleRefusal(.badDeviceToken, .tokenIsMalformed))
    }

    private static func id(in fields: PushFields) throws(AppleRefusal) -> String? {
        guard let isUUID = fields.withValue(of: .id, AppleRules.isUUID) else { return nil }
        guard isUUID else { throw AppleRefusal(.badMessageID, .idIsMalformed) }
        return fields[.id]
    }
}
