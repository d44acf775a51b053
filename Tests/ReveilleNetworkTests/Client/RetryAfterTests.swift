import ReveilleNetwork
import ReveilleRuntime
import Testing

@Suite("Retry-After in all its forms")
struct RetryAfterTests {
    /// 1 January 2026, 00:00:00 UTC.
    private static let now = WallInstant(seconds: 1_767_225_600)

    @Test(
        "numbers and the three forms of a date are read",
        arguments: [
            ("120", 120), ("Thu, 01 Jan 2026 00:05:00 GMT", 300), ("Thursday, 01-Jan-26 00:05:00 GMT", 300),
            ("Thu Jan  1 00:05:00 2026", 300), ("Wed, 31 Dec 2025 23:00:00 GMT", 0), ("0", 0), (" 30 ", 30),
            ("\t7\t", 7), ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
            ("Sun Nov  6 08:49:37 1994", 0), ("Thu, 01 Jan 2026 00:00:60 GMT", 60),
            ("Sat, 28 Feb 2026 00:00:00 GMT", 86_400), ("86401", 86_400), ("99999999999999999999999", 86_400),
            ("Friday, 02-Jan-76 00:00:00 GMT", 86_400), ("Friday, 02-Jan-77 00:00:00 GMT", 0),
        ])
    func reading(text: String, seconds: Int64) {
        #expect(RetryAfter.seconds(text, now: Self.now) == seconds)
    }

    @Test(
        "anything else is nothing",
        arguments: [
            "", " ", "-1", "1.5", "+3", "1e3", "soon", "12 s", "0x10", "Thu, 01 Jan 2026 00:05:00",
            "Thu, 01 Jan 2026 00:05:00 CET", "Thu, 32 Jan 2026 00:05:00 GMT", "Thu, 29 Feb 2026 00:05:00 GMT",
            "Thu, 01 Foo 2026 00:05:00 GMT", "Thu, 01 Jan 2026 24:00:00 GMT", "Thu, 01 Jan 2026 00:60:00 GMT",
            "Thu, 1 Jan 2026 00:05:00 GMT", "Thu, 01 Jan 26 00:05:00 GMT", "Thursday, 01-Jan-2026 00:05:00 GMT",
            "2026-01-01T00:05:00Z", "Thu Jan 1 00:05:00", "Thu, 00 Jan 2026 00:05:00 GMT", "١٢٠",
        ])
    func refusing(text: String) {
        #expect(RetryAfter.seconds(text, now: Self.now) == nil)
    }
}
