internal import ReveilleJSON

/// What is read of the body of an answer (Firebase, "FCM error codes").
package struct FCMAnswerBody: Sendable, Equatable {
    /// Whom an exhausted quota is about.
    package enum Quota: Sendable, Equatable {
        case project
        case device
    }

    /// Whether the body is one of FCM's at all: a message's name, or an error object.
    package let isReadable: Bool
    /// The message's name of an accepted message is there.
    package let hasName: Bool
    /// FCM's own error code; nil when there is none.
    package let errorCode: FCMReason?
    /// The general code; nil when there is none or an unknown one.
    package let status: FCMReason?
    /// Whether a violation names the token, and none names another field.
    package let blamesToken: Bool
    /// Whom the quota is about, the project unless the answer says otherwise.
    package let quota: Quota

    /// FCM answers in far less.
    private static let limits = JSONLimits(maximumBytes: 16_384, maximumDepth: 16, maximumElements: 512)

    /// Reads a body; never fails, because the status counts without it.
    package init(_ bytes: UnsafeRawBufferPointer) {
        let object = (try? JSONReader.parse(bytes, limits: Self.limits))?.object
        let error = object?["error"]?.object
        let name = object?["name"]?.string
        hasName = name.map { $0.utf8.starts(with: "projects/".utf8) } ?? false
        isReadable = hasName || error?["status"]?.string != nil || error?["details"]?.array != nil
        status = error?["status"]?.string.flatMap { Self.statuses[$0] }
        let details = error?["details"]?.array ?? []
        errorCode = Self.errorCode(details)
        blamesToken = Self.blamesToken(details)
        quota = Self.quota(details)
    }

    /// Whether a body names an accepted message.
    ///
    /// FCM's usual answer, an object whose first member is the name, is recognised without allocation.
    static func namesMessage(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        for piece in ["{", "\"name\"", ":", "\"projects/"] as [StaticString] {
            rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
            guard rest.count > piece.utf8CodeUnitCount, piece.withUTF8Buffer({ rest.starts(with: $0) }) else {
                return FCMAnswerBody(bytes).hasName
            }
            rest = rest.dropFirst(piece.utf8CodeUnitCount)
        }
        return true
    }

    private static let statuses: [String: FCMReason] = [
        "INVALID_ARGUMENT": .invalidArgument, "UNAUTHENTICATED": .unauthenticated,
        "PERMISSION_DENIED": .permissionDenied, "NOT_FOUND": .notFound, "RESOURCE_EXHAUSTED": .resourceExhausted,
        "UNAVAILABLE": .unavailable, "INTERNAL": .internalError,
    ]

    private static let errorCodes: [String: FCMReason] = [
        "UNSPECIFIED_ERROR": .unspecifiedError, "INVALID_ARGUMENT": .invalidArgument, "UNREGISTERED": .unregistered,
        "SENDER_ID_MISMATCH": .senderIDMismatch, "QUOTA_EXCEEDED": .quotaExceeded, "UNAVAILABLE": .unavailable,
        "INTERNAL": .internalError, "THIRD_PARTY_AUTH_ERROR": .thirdPartyAuthError,
        // The name of before.
        "APNS_AUTH_ERROR": .thirdPartyAuthError,
    ]

    /// The members of all details of a kind, which stands at the end of a type's URL.
    private static func details(_ details: [JSONValue], ofKind kind: String) -> [JSONObject] {
        details.compactMap(\.object).filter { detail in
            detail["@type"]?.string.map { $0.utf8.reversed().starts(with: kind.utf8.reversed()) } ?? false
        }
    }

    private static func errorCode(_ all: [JSONValue]) -> FCMReason? {
        details(all, ofKind: "google.firebase.fcm.v1.FcmError").lazy
            .compactMap { $0["errorCode"]?.string }.map { errorCodes[$0] ?? .unknown }.first
    }

    private static func blamesToken(_ all: [JSONValue]) -> Bool {
        let violations = details(all, ofKind: "google.rpc.BadRequest")
            .flatMap { $0["fieldViolations"]?.array ?? [] }
        return !violations.isEmpty
            && violations.allSatisfy { $0["field"]?.string == "message.token" || $0["field"]?.string == "message.fid" }
    }

    private static func quota(_ all: [JSONValue]) -> Quota {
        let subjects = details(all, ofKind: "google.rpc.QuotaFailure").flatMap { $0["violations"]?.array ?? [] }
            .compactMap { $0["subject"]?.string }
        let isDevice = !subjects.isEmpty && subjects.allSatisfy { Self.names($0, "device") || Self.names($0, "token") }
        return isDevice ? .device : .project
    }

    /// Whether a word stands at the beginning of a subject, in any case of letters: subjects are written `kind:name`.
    private static func names(_ subject: String, _ word: String) -> Bool {
        subject.utf8.lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.starts(with: word.utf8)
    }
}
