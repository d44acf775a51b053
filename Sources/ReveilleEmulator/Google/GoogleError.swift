internal import ReveilleJSON
internal import ReveilleNetwork

/// An error as Google's APIs write it: HTTP status, google.rpc status, and details that differ from error to error.
struct GoogleError: Error {
    var code: Int
    var status: String
    var message: String
    /// `errorCode` of a FcmError detail; nil for an error that does not come from FCM itself.
    var fcmCode: String?
    /// Fields that a BadRequest detail names.
    var violations: [(field: String, description: String)] = []
    /// Further details.
    var details: [JSONObject] = []
    /// The rule that was broken, for records.
    var rule: String

    init(
        _ code: Int, _ status: String, _ message: String, fcm fcmCode: String? = nil,
        violations: [(field: String, description: String)] = [], details: [JSONObject] = [], rule: String
    ) {
        self.code = code
        self.status = status
        self.message = message
        self.fcmCode = fcmCode
        self.violations = violations
        self.details = details
        self.rule = rule
    }

    var response: HTTPResponse {
        var all: [JSONValue] = []
        if let fcmCode {
            all.append([
                "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(fcmCode),
            ])
        }
        if !violations.isEmpty {
            let list = violations.map { violation -> JSONValue in
                ["field": .string(violation.field), "description": .string(violation.description)]
            }
            all.append(["@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": .array(list)])
        }
        all += details.map(JSONValue.object)
        var error: JSONObject = [
            "code": .integer(Int64(code)), "message": .string(message), "status": .string(status),
        ]
        if !all.isEmpty { error["details"] = .array(all) }
        return .json(code, ["error": .object(error)])
    }

    /// A member that the API's own reader refuses: no FcmError.
    static func invalidJSON(_ field: String, _ message: String, rule: String) -> GoogleError {
        GoogleError(
            400, "INVALID_ARGUMENT", message, violations: [(field, message)], rule: rule)
    }

    /// A field that FCM refuses.
    static func invalidField(_ field: String, _ message: String, rule: String) -> GoogleError {
        GoogleError(
            400, "INVALID_ARGUMENT", message, fcm: "INVALID_ARGUMENT", violations: [(field, message)], rule: rule)
    }

    static let unregistered = GoogleError(
        404, "NOT_FOUND", "Requested entity was not found.", fcm: "UNREGISTERED", rule: "token_unregistered")
    static let senderIDMismatch = GoogleError(
        403, "PERMISSION_DENIED", "SenderId mismatch", fcm: "SENDER_ID_MISMATCH", rule: "token_of_other_project")
    static let unauthenticated = GoogleError(
        401, "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
            + "authentication credential.", rule: "access_token")
    static let projectNotFound = GoogleError(
        404, "NOT_FOUND", "Requested entity was not found.", rule: "project_unknown")
    static let permissionDenied = GoogleError(
        403, "PERMISSION_DENIED",
        "Permission 'cloudmessaging.messages.create' denied on resource (or it may not exist).", rule: "permission")

    /// A token that is none, under the kind of target that it came as.
    static func invalidToken(_ kind: String = "token") -> GoogleError {
        let message = "The registration token is not a valid FCM registration token"
        return GoogleError(
            400, "INVALID_ARGUMENT", message, fcm: "INVALID_ARGUMENT", violations: [("message.\(kind)", message)],
            rule: "token_invalid")
    }

    /// The limit of one device.
    static let deviceQuota = GoogleError(
        429, "RESOURCE_EXHAUSTED", "Device message rate exceeded.", fcm: "QUOTA_EXCEEDED",
        details: [
            [
                "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [["subject": "device", "description": "Device message rate exceeded."]],
            ]
        ], rule: "device_quota")
}

extension HTTPResponse {
    /// A JSON answer.
    static func json(_ status: Int, _ object: JSONObject) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: ["content-type": "application/json; charset=UTF-8"],
            body: .bytes(JSONValue.object(object).encoded()))
    }
}
