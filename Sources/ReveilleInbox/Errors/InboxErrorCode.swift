package import ReveilleStorage

/// The codes of refusals, closed and stable: clients and documents name them.
package enum InboxErrorCode: String, CaseIterable, Sendable {
    // Access.
    case missingCredential = "missing_credential"
    case invalidCredential = "invalid_credential"
    case expiredCredential = "expired_credential"
    case wrongCredentialKind = "wrong_credential_kind"
    case missingScope = "missing_scope"
    case foreignDevice = "foreign_device"
    case deviceRequired = "device_required"
    case rateLimited = "rate_limited"
    case tooManyFailedCredentials = "too_many_failed_credentials"

    // Requests.
    case invalidValue = "invalid_value"
    case idempotencyKeyReused = "idempotency_key_reused"

    // Inbox.
    case deliveryNotFound = "delivery_not_found"
    case cursorGone = "cursor_gone"

    // Devices.
    case deviceNotFound = "device_not_found"
    case topicNotAllowed = "topic_not_allowed"
    case newerSignIn = "newer_sign_in"
    case staleGeneration = "stale_generation"
    case installationKeyMismatch = "installation_key_mismatch"
    case wrongCode = "wrong_code"
    case tooManyDevices = "too_many_devices"
    case unknownVAPIDKey = "unknown_vapid_key"

    // Store.
    case storageFull = "storage_full"
    case storageBusy = "storage_busy"
    case storageCorrupt = "storage_corrupt"
    case storageReadOnly = "storage_read_only"
    case storageInputOutput = "storage_io_error"
    case storageCannotOpen = "storage_cannot_open"
    case storageNewerSchema = "storage_newer_schema"
    case storageWrongKey = "storage_wrong_key"
    case storageKeyRotated = "storage_key_rotated"
    case storageFileMissing = "storage_file_missing"
    case storageUnreadableValue = "storage_unreadable_value"
    case storageOverloaded = "storage_overloaded"
    case storageClosed = "storage_closed"
    case storageInternal = "storage_internal"

    /// The code of trouble in the store; both carry the same word.
    package init(_ code: StoreError.Code) {
        switch code {
        case .full: self = .storageFull
        case .busy: self = .storageBusy
        case .corrupt: self = .storageCorrupt
        case .readOnly: self = .storageReadOnly
        case .inputOutput: self = .storageInputOutput
        case .cannotOpen: self = .storageCannotOpen
        case .newerSchema: self = .storageNewerSchema
        case .wrongKey: self = .storageWrongKey
        case .keyRotated: self = .storageKeyRotated
        case .fileMissing: self = .storageFileMissing
        case .unreadableValue: self = .storageUnreadableValue
        case .overloaded: self = .storageOverloaded
        case .closed: self = .storageClosed
        case .programming: self = .storageInternal
        }
    }
}
