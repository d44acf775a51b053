extension ProblemEntry {
    /// All rows, in the order of the catalogue.
    static let all = texts + fields + access + notifications + devices + routes + store + protocols

    private static let texts = [
        ProblemEntry(
            .jsonTooLong, 413, "The body is longer than the server reads.",
            "Send at most 65536 octets; split the recipients over several requests."),
        ProblemEntry(
            .jsonTooDeep, 400, "Arrays and objects in the body are nested too deep.",
            "Flatten the value; `data` may have 16 levels."),
        ProblemEntry(.jsonTooManyElements, 400, "The body holds too many values.", "Send fewer elements."),
        ProblemEntry(
            .jsonUnexpectedEnd, 400, "The body is empty or ends inside a value.", "Send one complete JSON object."),
        ProblemEntry(
            .jsonUnexpectedByte, 400, "The body is not JSON.",
            "Encode it as RFC 8259 says; comments and trailing commas are not JSON."),
        ProblemEntry(
            .jsonTrailingBytes, 400, "Something follows the JSON value in the body.", "Send exactly one JSON object."),
        ProblemEntry(
            .jsonByteOrderMark, 400, "The body begins with a byte order mark.", "Send plain UTF-8 without one."),
        ProblemEntry(
            .jsonInvalidNumber, 400, "A number in the body is not in the form of JSON.",
            "Write numbers without leading zeros or plus signs."),
        ProblemEntry(
            .jsonNumberOutOfRange, 400, "A number in the body is too large.", "Send large identifiers as strings."),
        ProblemEntry(.jsonInvalidUTF8, 400, "The body is not UTF-8.", "Encode the body in UTF-8."),
        ProblemEntry(
            .jsonControlCharacter, 400, "A string in the body holds a control character that is not escaped.",
            "Escape control characters in strings."),
        ProblemEntry(
            .jsonInvalidEscape, 400, "A string in the body holds an unknown escape.",
            "Use only the escapes of RFC 8259 section 7."),
        ProblemEntry(
            .jsonLoneSurrogate, 400, "A string in the body holds half of a surrogate pair.",
            "Escape characters beyond U+FFFF as a pair, or send them as UTF-8."),
        ProblemEntry(.jsonDuplicateKey, 400, "An object in the body has the same key twice.", "Send each member once."),
    ]

    private static let fields = [
        ProblemEntry(.notAnObject, 400, "A value that must be a JSON object is something else.", "Send an object."),
        ProblemEntry(.missingField, 400, "A field that is required is not there.", "Add the field named in `field`."),
        ProblemEntry(
            .wrongType, 400, "A field has the wrong JSON type.", "Send the type that the API description gives."),
        ProblemEntry(
            .tooLong, 400, "A field is longer than its limit.", "Shorten it to the limit in the API description."),
        ProblemEntry(.tooShort, 400, "A field is shorter than it must be.", "Leave it out, or give it a value."),
        ProblemEntry(
            .outOfRange, 400, "A number is outside its range.", "Send a number of the range in the API description."),
        ProblemEntry(.unknownField, 400, "The body has a field that nobody reads.", "Correct its name, or remove it."),
        ProblemEntry(
            .invalidValue, 400, "A field has the right type and a value that breaks a rule.",
            "Send a value that keeps the rule."),
        ProblemEntry(
            .unknownParameter, 400, "The query has a parameter that nobody reads.", "Correct its name, or remove it."),
        ProblemEntry(
            .invalidParameter, 400, "A query parameter breaks a rule or comes twice.",
            "Send a value that keeps the rule."),
        ProblemEntry(.missingBody, 400, "The request needs a body and has none.", "Send a JSON object."),
        ProblemEntry(.unexpectedBody, 400, "The request has a body and must have none.", "Remove the body."),
        ProblemEntry(
            .unsupportedMediaType, 415, "The body is not declared as JSON.", "Set `Content-Type: application/json`."),
    ]

    private static let access = [
        ProblemEntry(
            .missingCredential, 401, "The request shows no credential.", "Send `Authorization: Bearer` with a token."),
        ProblemEntry(
            .invalidCredential, 401, "The credential is unknown, revoked or malformed.",
            "Use a token that is valid; ask for a new one."),
        ProblemEntry(
            .expiredCredential, 401, "The display token is too old.",
            "Register the device again; the answer holds a new one."),
        ProblemEntry(
            .wrongCredentialKind, 403, "The credential is valid and of a kind that does not open this route.",
            "Use the kind of token that the API description names for the route."),
        ProblemEntry(
            .missingScope, 403, "The producer token lacks the scope of this route.",
            "Make a token with the scope that `WWW-Authenticate` names."),
        ProblemEntry(
            .foreignDevice, 403, "The device that the request names is not one of this profile.",
            "Send the id from the device's own registration in `Reveille-Device`."),
        ProblemEntry(
            .deviceRequired, 400, "The request must name the device that it comes from.",
            "Use the device's display token, or send its id in `Reveille-Device`."),
        ProblemEntry(
            .rateLimited, 429, "The producer or profile sends more requests than it may.",
            "Wait as long as `Retry-After` says."),
        ProblemEntry(
            .tooManyFailedCredentials, 429, "Too many wrong credentials came from this address.",
            "Wait as long as `Retry-After` says, then use a valid token."),
    ]

    private static let notifications = [
        ProblemEntry(
            .idempotencyKeyReused, 422, "The idempotency key was used within 24 hours for another request.",
            "Use a new key for a new request; repeat a request unchanged."),
        ProblemEntry(
            .deliveryNotFound, 404, "This profile has no delivery of that id.",
            "Use an id from sync, the list or a wake of the same device."),
        ProblemEntry(
            .cursorGone, 410, "The cursor is unknown, too old or of another profile or store.",
            "Sync without `since` and replace what the client holds."),
    ]

    private static let devices = [
        ProblemEntry(.deviceNotFound, 404, "There is no device of that id.", "List the devices, or register again."),
        ProblemEntry(
            .topicNotAllowed, 422, "The topic is not on the list of this server's apps.",
            "Use a topic of an app that the operator has registered, or ask the operator to add it."),
        ProblemEntry(
            .newerSignIn, 409, "A newer sign-in owns this device token.", "Sign in again if this install should own it."
        ),
        ProblemEntry(
            .staleGeneration, 409, "A newer registration of this install is known.",
            "Raise `generation` above the last one and send the present state."),
        ProblemEntry(
            .installationKeyMismatch, 409, "Another installation key is bound to this install.",
            "Send the key of the first registration, or register under a new `device_id`."),
        ProblemEntry(
            .wrongCode, 422, "The verification code is wrong or too old.",
            "Use the code of the newest verification wake; without one, register again."),
        ProblemEntry(.tooManyDevices, 422, "The profile has as many devices as it may.", "Remove a device first."),
        ProblemEntry(
            .unknownVAPIDKey, 422, "The subscription was made with a key that is not this server's.",
            "Subscribe again with the `vapid_public_key` of the capability answer."),
    ]

    private static let routes = [
        ProblemEntry(.notFound, 404, "There is no such route.", "Look the path up in the API description."),
        ProblemEntry(
            .methodNotAllowed, 405, "The route exists and does not take this method.",
            "Use one of the methods in `Allow`."),
        ProblemEntry(
            .notAvailableYet, 501, "This version does not do this yet.",
            "Leave it out; the capability answer says what works."),
    ]

    private static let store = [
        ProblemEntry(
            .storageFull, 503, "The disk of the server is full.",
            "Repeat the request after `Retry-After`; the operator must make room."),
        ProblemEntry(.storageBusy, 503, "Another process holds the store.", "Repeat the request after `Retry-After`."),
        ProblemEntry(
            .storageReadOnly, 503, "The store cannot be written.",
            "Repeat the request after `Retry-After`; the operator must make its file and folder writable."),
        ProblemEntry(
            .storageInputOutput, 503, "The disk of the server failed.",
            "Repeat the request after `Retry-After`; the operator should check the disk."),
        ProblemEntry(
            .storageOverloaded, 503, "Too many requests wait for the store.",
            "Repeat the request after `Retry-After`, and more slowly."),
        ProblemEntry(.storageClosed, 503, "The server is stopping.", "Repeat the request after `Retry-After`."),
        ProblemEntry(
            .storageKeyRotated, 503, "The master key was rotated, and the server does not have the new one.",
            "Repeat the request after `Retry-After`; the operator must put the new key into the server's key file."),
        ProblemEntry(
            .storageFileMissing, 503, "The database file was removed, or another one stands in its place.",
            "Repeat the request after `Retry-After`; the operator must put the file back, or restart the server to use another one."
        ),
        ProblemEntry(.storageCorrupt, 500, "The store is damaged.", "The operator must restore it from a backup."),
        ProblemEntry(
            .storageCannotOpen, 500, "The store cannot be opened.", "The operator must check its path, owner and mode."),
        ProblemEntry(
            .storageNewerSchema, 500, "The store was written by a newer version.", "The operator must run that version."
        ),
        ProblemEntry(
            .storageWrongKey, 500, "The master key is not the one of this store.",
            "The operator must give the key that the store was made with."),
        ProblemEntry(
            .storageUnreadableValue, 500, "A stored value does not open with any key of the store.",
            "The operator must restore the key or the store."),
        ProblemEntry(
            .storageInternal, 500, "The store refused a statement of this program.",
            "Report it with the request id and the server's log."),
        ProblemEntry(.notReady, 503, "The server cannot do its work now.", "Look at `cause` and the server's log."),
        ProblemEntry(
            .internalError, 500, "The server made a mistake.", "Report it with the request id and the server's log."),
    ]

    private static let protocols = [
        ProblemEntry(
            .badRequest, 400, "The request is not proper HTTP.", "Check the client and the proxies before the server."),
        ProblemEntry(.requestTimeout, 408, "The request did not arrive in time.", "Send it again, faster."),
        ProblemEntry(
            .bodyTooLarge, 413, "The body is longer than 65536 octets.",
            "Send less; split the recipients over several requests."),
        ProblemEntry(.targetTooLong, 414, "The request target is too long.", "Send fewer or shorter parameters."),
        ProblemEntry(
            .expectationUnsupported, 417, "The request expects something other than `100-continue`.",
            "Remove the Expect field."),
        ProblemEntry(
            .upgradeImpossible, 400, "The request cannot change the protocol of its connection.",
            "Ask for it over HTTP/1.1 with `Connection: Upgrade` and the name of the protocol in `Upgrade`."),
        ProblemEntry(.headerTooLarge, 431, "The header fields are too large.", "Send fewer or shorter fields."),
        ProblemEntry(.tooManyFields, 431, "There are too many header fields.", "Send fewer fields."),
        ProblemEntry(
            .methodTooLong, 501, "The method is longer than any known one.", "Use a method of the API description."),
        ProblemEntry(
            .transferEncodingUnsupported, 501, "The body has a transfer coding other than `chunked`.",
            "Send it plain or chunked."),
        ProblemEntry(
            .methodNotImplemented, 501, "The method is not one that any route has.",
            "Use a method of the API description."),
        ProblemEntry(
            .serverFull, 503, "The server has as many connections as it takes.",
            "Close idle connections, or repeat the request after `Retry-After`."),
        ProblemEntry(.versionUnsupported, 505, "The HTTP version is not supported.", "Use HTTP/1.1 or HTTP/2."),
        ProblemEntry(
            .requestLineMalformed, 400, "The request line is malformed.",
            "Check the client and the proxies before the server."),
        ProblemEntry(
            .targetMalformed, 400, "The request target is malformed.", "Percent-encode what is not allowed in a URI."),
        ProblemEntry(.bareLineFeed, 400, "A line of the head ends without a carriage return.", "End lines with CR LF."),
        ProblemEntry(
            .fieldNameMalformed, 400, "A header field has a malformed name.",
            "Check the client and the proxies before the server."),
        ProblemEntry(.whitespaceBeforeColon, 400, "White space stands before a header field's colon.", "Remove it."),
        ProblemEntry(.foldedLine, 400, "A header field is folded over lines.", "Send it on one line."),
        ProblemEntry(.fieldValueMalformed, 400, "A header field holds a control character.", "Remove it."),
        ProblemEntry(.hostMissing, 400, "The Host field is missing.", "Send it."),
        ProblemEntry(.hostDuplicated, 400, "The Host field comes twice.", "Send it once."),
        ProblemEntry(.hostMalformed, 400, "The Host field is malformed.", "Send host and port."),
        ProblemEntry(
            .hostMismatch, 400, "The target names another host than the Host field.", "Send the same host in both."),
        ProblemEntry(.contentLengthMalformed, 400, "Content-Length is not a number.", "Send the length of the body."),
        ProblemEntry(.contentLengthDuplicated, 400, "Content-Length comes twice.", "Send it once."),
        ProblemEntry(
            .contentLengthWithTransferEncoding, 400, "Content-Length stands beside Transfer-Encoding.",
            "Send one of them."),
        ProblemEntry(.transferEncodingMalformed, 400, "Transfer-Encoding is malformed.", "Send `chunked` or nothing."),
        ProblemEntry(
            .chunkMalformed, 400, "A chunk of the body is malformed.",
            "Check the client and the proxies before the server."),
        ProblemEntry(.chunkExtensionTooLong, 400, "A chunk extension is too long.", "Send chunks without extensions."),
        ProblemEntry(
            .trailerForbidden, 400, "A trailer holds a field that must not stand there.", "Send it in the head."),
        ProblemEntry(.messageTruncated, 400, "The connection ended inside the request.", "Send the whole request."),
    ]
}
