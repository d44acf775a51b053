extension ProblemCode {
    /// The HTTP status of answers with this code.
    package var status: Int {
        switch self {
        case .jsonTooDeep, .jsonTooManyElements, .jsonUnexpectedEnd, .jsonUnexpectedByte, .jsonTrailingBytes,
            .jsonByteOrderMark, .jsonInvalidNumber, .jsonNumberOutOfRange, .jsonInvalidUTF8, .jsonControlCharacter,
            .jsonInvalidEscape, .jsonLoneSurrogate, .jsonDuplicateKey, .notAnObject, .missingField, .wrongType,
            .tooLong, .tooShort, .outOfRange, .unknownField, .invalidValue, .unknownParameter, .invalidParameter,
            .missingBody, .unexpectedBody, .deviceRequired, .badRequest, .requestLineMalformed, .targetMalformed,
            .bareLineFeed, .fieldNameMalformed, .whitespaceBeforeColon, .foldedLine, .fieldValueMalformed, .hostMissing,
            .hostDuplicated, .hostMalformed, .hostMismatch, .contentLengthMalformed, .contentLengthDuplicated,
            .contentLengthWithTransferEncoding, .transferEncodingMalformed, .chunkMalformed, .chunkExtensionTooLong,
            .trailerForbidden, .messageTruncated:
            400
        case .missingCredential, .invalidCredential, .expiredCredential: 401
        case .wrongCredentialKind, .missingScope, .foreignDevice: 403
        case .deliveryNotFound, .deviceNotFound, .notFound: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .newerSignIn, .staleGeneration, .installationKeyMismatch: 409
        case .cursorGone: 410
        case .jsonTooLong, .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .expectationUnsupported: 417
        case .idempotencyKeyReused, .topicNotAllowed, .wrongCode, .tooManyDevices: 422
        case .rateLimited, .tooManyFailedCredentials: 429
        case .headerTooLarge, .tooManyFields: 431
        case .storageCorrupt, .storageCannotOpen, .storageNewerSchema, .storageWrongKey, .storageUnreadableValue,
            .storageInternal, .internalError:
            500
        case .notAvailableYet, .methodTooLong, .transferEncodingUnsupported, .methodNotImplemented: 501
        case .storageFull, .storageBusy, .storageReadOnly, .storageInputOutput, .storageOverloaded, .storageClosed,
            .storageKeyRotated, .storageFileMissing, .notReady, .serverFull:
            503
        case .versionUnsupported: 505
        }
    }
}
