package import ReveilleRuntime

/// A date and time of day in UTC, for texts.
package struct CivilTime: Sendable, Equatable {
    package let year: Int64
    package let month: Int64
    package let day: Int64
    package let hour: Int64
    package let minute: Int64
    package let second: Int64
    package let millisecond: Int64

    /// The date and time at `instant`, in the proleptic Gregorian calendar.
    package init(_ instant: WallInstant) {
        let seconds = instant.seconds
        let days = Self.quotient(seconds, 86_400)
        let secondOfDay = seconds - days * 86_400
        millisecond = instant.milliseconds &- seconds &* 1000
        hour = secondOfDay / 3600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
        // Days are counted from 1 March 0000 in eras of 400 years, so that the leap day is the last of its year
        // (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
        let shifted = days + 719_468
        let era = Self.quotient(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The text of RFC 3339 with milliseconds, such as `2026-03-01T09:05:00.250Z`.
    package var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        Self.write(year, digits: 4, to: &bytes)
        for (separator, number, digits) in [
            ("-", month, 2), ("-", day, 2), ("T", hour, 2), (":", minute, 2), (":", second, 2), (".", millisecond, 3),
        ] as [(Unicode.Scalar, Int64, Int)] {
            bytes.append(UInt8(ascii: separator))
            Self.write(number, digits: digits, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func quotient(_ a: Int64, _ b: Int64) -> Int64 {
        a >= 0 ? a / b : -((-a + b - 1) / b)
    }

    /// Writes a number with zeros before it, into bytes: each answer of the API holds such a text.
    private static func write(_ number: Int64, digits: Int, to bytes: inout [UInt8]) {
        var power: Int64 = 1
        for _ in 1..<digits { power *= 10 }
        guard number >= 0, number / 10 < power else {
            bytes.append(contentsOf: String(number).utf8)
            return
        }
        while power > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
            power /= 10
        }
    }
}
