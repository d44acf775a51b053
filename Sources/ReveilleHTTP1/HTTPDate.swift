/// Dates of HTTP fields in their only allowed form for writers, IMF-fixdate (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let weekdays: [StaticString] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The date of a time in seconds since 1970, UTC: 29 characters, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Years outside 1970 to 9999 are held at these ends, which only a broken clock can give.
    package static func format(secondsSince1970: Int64) -> [UInt8] {
        let seconds = min(max(secondsSince1970, 0), 253_402_300_799)
        let days = Int(seconds / 86_400)
        let time = Int(seconds % 86_400)
        let (year, month, day) = civil(days: days)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        append(weekdays[days % 7], to: &text)
        append(", ", to: &text)
        append(day, digits: 2, to: &text)
        append(" ", to: &text)
        append(months[month - 1], to: &text)
        append(" ", to: &text)
        append(year, digits: 4, to: &text)
        append(" ", to: &text)
        append(time / 3600, digits: 2, to: &text)
        append(":", to: &text)
        append(time / 60 % 60, digits: 2, to: &text)
        append(":", to: &text)
        append(time % 60, digits: 2, to: &text)
        append(" GMT", to: &text)
        return text
    }

    /// The Gregorian date of a day number, counted in eras of 400 years that start in March.
    static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(0x30 + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
