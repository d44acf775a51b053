extension HTTPDate {
    /// The seconds since 1970 that a date names, in any of the three forms a reader must take (RFC 9110 section 5.6.7).
    ///
    /// - Parameters:
    ///   - text: IMF-fixdate, the form of RFC 850 with a two-digit year, or that of C's `asctime`. The name of the weekday
    ///     is not compared with the date.
    ///   - now: The present, in seconds since 1970: a two-digit year over 50 years ahead of it belongs to the century before.
    /// - Returns: nil when the text is none of these.
    package static func parse(_ text: some Sequence<UInt8>, nowSecondsSince1970 now: Int64) -> Int64? {
        let words = Array(text).split(separator: 0x20).map { Array($0) }
        guard words.count >= 4 else { return nil }
        if words[0].last == UInt8(ascii: ",") {
            let isFixed = words.count == 6
            let parts = isFixed ? Array(words[1...3]) : words[1].split(separator: UInt8(ascii: "-")).map { Array($0) }
            guard isFixed || words.count == 4, parts.count == 3, words.last == Array("GMT".utf8),
                let day = number(parts[0], digits: 2), let month = month(parts[1]),
                let year = isFixed ? number(parts[2], digits: 4) : shortYear(parts[2], now)
            else { return nil }
            return seconds(year, month, day, time: words[words.count - 2])
        }
        // asctime fills a day of one digit up with a second blank, which the split has swallowed.
        guard words.count == 5, let month = month(words[1]),
            let day = number(words[2], digits: words[2].count), words[2].count <= 2,
            let year = number(words[4], digits: 4)
        else { return nil }
        return seconds(year, month, day, time: words[3])
    }

    private static func number(_ text: [UInt8], digits: Int) -> Int64? {
        guard text.count == digits, !text.isEmpty, text.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func month(_ text: [UInt8]) -> Int64? {
        months.firstIndex { $0.utf8CodeUnitCount == text.count && $0.description.utf8.elementsEqual(text) }
            .map { Int64($0) + 1 }
    }

    private static func shortYear(_ text: [UInt8], _ now: Int64) -> Int64? {
        guard let year = number(text, digits: 2) else { return nil }
        let present = Int64(civil(days: Int(min(max(now, 0), 253_402_300_799) / 86_400)).year)
        let century = present - present % 100
        // The century in which the year lies at most 50 years ahead.
        return [century + 100, century, century - 100].lazy.map { $0 + year }.first { $0 <= present + 50 }
    }

    private static func seconds(_ year: Int64, _ month: Int64, _ day: Int64, time: [UInt8]) -> Int64? {
        let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(Array(parts[0]), digits: 2),
            let minute = number(Array(parts[1]), digits: 2), let second = number(Array(parts[2]), digits: 2),
            hour < 24, minute < 60, second <= 60, year >= 1, (1...daysIn(month, of: year)).contains(day)
        else { return nil }
        return daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func daysIn(_ month: Int64, of year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Int(month) - 1]
    }

    /// Counted in eras of 400 years that start in March, as `civil(days:)` does.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
