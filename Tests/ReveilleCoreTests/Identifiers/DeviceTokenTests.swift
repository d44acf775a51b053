import ReveilleBytes
import ReveilleCore
import ReveilleJSON
import Testing

@Suite("Device tokens")
struct DeviceTokenTests {
    private static let plain = "7b274e01b7610268ddcb0bd5b1c3f2b9ff8579ffcb40bddd15eefaf419ec0f96"

    private func digits(_ token: DeviceToken) -> String {
        token.withHexadecimal { String(decoding: $0, as: UTF8.self) }
    }

    private func error(_ text: String) -> DeviceTokenError? {
        do throws(DeviceTokenError) {
            _ = try DeviceToken(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test("a token may have any even length up to the limit, and nothing else")
    func lengthIsNotFixed() throws {
        let vector = try Vectors.load("047-token-length-not-fixed")
        let tokens = vector.list(at: "input", "tokens").compactMap { $0["hex"]?.string }
        let accepted = vector.list(at: "expected", "accepted").map { $0 == .boolean(true) }
        #expect(tokens.count == accepted.count && !tokens.isEmpty)
        for (token, isAccepted) in zip(tokens, accepted) {
            #expect((error(token) == nil) == isAccepted, "\(token.utf8.count) digits")
        }
        #expect(error(String(repeating: "ab", count: 200)) == nil)
        #expect(error(String(repeating: "ab", count: 201)) == .tooLong)
    }

    @Test("every lossless printed form is the same token, a lossy one is refused")
    func printedForms() throws {
        let vector = try Vectors.load("048-token-printed-forms")
        let inputs = vector.list(at: "input", "inputs").compactMap(\.string)
        let results = vector.list(at: "expected", "results").compactMap(\.string)
        #expect(inputs.count == results.count && !inputs.isEmpty)
        for (input, result) in zip(inputs, results) {
            if result.hasPrefix("error") {
                #expect(error(input) != nil)
            } else {
                #expect(digits(try DeviceToken(parsing: input)) == result)
            }
        }
        #expect(error("{length = 32, bytes = 0x7b274e01 ... 19ec0f96}") == .truncatedDescription)
    }

    @Test("what could change a request path is refused")
    func nothingReachesThePath() throws {
        let vector = try Vectors.load("052-token-in-path")
        let tokens = vector.list(at: "input", "tokens").compactMap(\.string)
        let paths = vector.list(at: "expected", "path_built")
        #expect(tokens.count == paths.count && !tokens.isEmpty)
        for (token, path) in zip(tokens, paths) {
            let built = (try? DeviceToken(parsing: token)).map { "/3/device/\(digits($0))" }
            #expect(built == path.string)
        }
    }

    @Test("a token of FCM is refused by name")
    func otherProvider() throws {
        let vector = try Vectors.load("053-fcm-token-sent-to-apns")
        let registrations = vector.list(at: "input", "registrations")
        let accepted = vector.list(at: "expected", "accepted").map { $0 == .boolean(true) }
        var seen = 0
        for (registration, isAccepted) in zip(registrations, accepted)
        where registration["platform"]?.string == "apns" {
            let text = try #require(registration["token"]?.string)
            #expect(error(text) == (isAccepted ? nil : .looksLikeOtherProvider))
            seen += 1
        }
        #expect(seen == 2)
    }

    @Test(
        "malformed texts are refused with their reason",
        arguments: [
            ("", DeviceTokenError.empty), ("  \n", .empty), ("<>", .empty), ("a", .oddLength),
            ("abc", .oddLength), ("zz", .notHexadecimal), ("ab\ncd", .notHexadecimal),
            ("ab\tcd", .notHexadecimal), ("<ab", .notHexadecimal), ("ab>", .notHexadecimal),
            ("a<b>c", .notHexadecimal), ("<<ab>>", .notHexadecimal), ("ab\u{0}", .notHexadecimal),
            ("ａｂ", .notHexadecimal), ("ab-cd", .looksLikeOtherProvider), ("ab_cd", .looksLikeOtherProvider),
            ("ab:cd", .looksLikeOtherProvider), ("ab…cd", .truncatedDescription),
        ])
    func malformed(text: String, reason: DeviceTokenError) {
        #expect(error(text) == reason)
    }

    @Test("upper and lower case are the same token")
    func oneCanonicalForm() throws {
        let lower = try DeviceToken(parsing: Self.plain)
        #expect(try DeviceToken(parsing: Self.plain.uppercased()) == lower)
        #expect(Hex.encode(lower.octets) == Self.plain)
        #expect(try DeviceToken(octets: lower.octets) == lower)
    }

    @Test("octets that no token has are refused")
    func malformedOctets() {
        #expect(throws: DeviceTokenError.empty) { try DeviceToken(octets: []) }
        #expect(throws: DeviceTokenError.tooLong) { try DeviceToken(octets: [UInt8](repeating: 1, count: 201)) }
    }

    @Test("a token cannot be printed")
    func unprintable() throws {
        let token = try DeviceToken(parsing: Self.plain)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), String(describing: [token]), dumped] {
            #expect(!text.contains("7b27") && text.contains("‹device token›"))
        }
    }
}
