import ReportedCases
import ReveilleBytes
import ReveilleCrypto
import ReveilleFCM
import ReveilleJSON
import Testing

/// Service accounts for tests, with a key that was made for them and is used nowhere.
enum ServiceAccounts {
    /// The texts of one file in all the forms that operators paste, by name.
    static func forms() throws -> [(name: String, text: String)] {
        let file = try JSONReader.parse(ReportedCase.octets("068-sa-key-newlines"))
        return try #require(file["input"]?["json_texts"]?.array).map { form in
            (try #require(form["name"]?.string), try #require(form["text"]?.string))
        }
    }

    /// The members of a good file.
    static func members() throws -> [(key: String, value: JSONValue)] {
        let text = try #require(try forms().first { $0.name == "normal" }).text
        return try #require(JSONReader.parse(Array(text.utf8)).object).members.map { ($0.key, $0.value) }
    }

    /// The text of a good file with members replaced, or removed where there is no value.
    static func text(replacing changes: [String: JSONValue?] = [:]) throws -> SecretText {
        var members = try members().filter { changes[$0.key] == nil }
        for (key, value) in changes { if let value { members.append((key, value)) } }
        let object = JSONValue.object(JSONObject(members: members.map { (key: $0.key, value: $0.value) }))
        return SecretText(String(decoding: object.encoded(), as: UTF8.self))
    }

    /// A good account.
    static func account(tokenURL: String = ServiceAccount.googleTokenURL) throws -> ServiceAccount {
        try ServiceAccount(text(), tokenURL: tokenURL)
    }
}
