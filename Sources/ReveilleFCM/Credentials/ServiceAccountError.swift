package import ReveilleCrypto

/// Why a service account cannot be used, without any of its content.
package enum ServiceAccountError: Error, Equatable, Sendable {
    /// A member of the file.
    package enum Member: String, Sendable, CaseIterable {
        case type
        case projectID = "project_id"
        case clientEmail = "client_email"
        case privateKeyID = "private_key_id"
        case privateKey = "private_key"
        case tokenURI = "token_uri"
    }

    /// The text is far longer than any such file.
    case tooLong
    /// The text is neither a JSON object nor the base64 of one.
    case notJSON
    /// The file is of another kind: of a user's credentials, of an Android app.
    case otherKind
    case missing(Member)
    case malformed(Member)
    /// The file sends to another place than Google's for access tokens.
    case foreignTokenURI
    /// The private key cannot be read.
    case key(KeyFileError)

    /// A stable code.
    package var code: String {
        switch self {
        case .tooLong: "service_account_too_long"
        case .notJSON: "service_account_not_json"
        case .otherKind: "service_account_other_kind"
        case .missing: "service_account_member_missing"
        case .malformed: "service_account_member_malformed"
        case .foreignTokenURI: "service_account_foreign_token_uri"
        case .key: "service_account_key"
        }
    }
}

extension ServiceAccountError: CustomStringConvertible {
    /// A sentence for the operator that says what was found and what is needed.
    package var description: String {
        switch self {
        case .tooLong: "the file is far too long for the JSON key of a service account"
        case .notJSON:
            "the file is not JSON; the JSON key of a service account is needed, as the Google Cloud console makes it"
        case .otherKind:
            "\"type\" is not \"service_account\"; the JSON key of a service account is needed, not google-services.json or a user's credentials"
        case .missing(let member): "\"\(member.rawValue)\" is missing or empty; download the JSON key anew"
        case .malformed(.projectID): "the project is not a project id: small letters, digits and hyphens"
        case .malformed(let member): "\"\(member.rawValue)\" is damaged; download the JSON key anew"
        case .foreignTokenURI: "\"token_uri\" is not \(ServiceAccount.googleTokenURL)"
        case .key(let error): "\"private_key\" cannot be used: \(error)"
        }
    }
}
