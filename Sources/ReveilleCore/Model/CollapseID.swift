import ReveilleBytes

/// The value that lets a newer wake replace an older one on the device: 26 characters of base32.
///
/// Made by a keyed hash, so that it tells a provider nothing about the series behind it.
package struct CollapseID: Hashable, Sendable {
    /// The number of characters kept of the base32 text (130 bits).
    package static let characters = 26
    /// APNs refuses longer values (Apple, "Sending notification requests to APNs").
    package static let maximumOctets = 64

    /// The 26 characters.
    package let text: String

    /// Takes the first characters of the base32 of a keyed hash of at least 17 octets.
    package init(authenticationCode: [UInt8]) {
        precondition(authenticationCode.count >= 17, "a keyed hash too short for a collapse id")
        text = String(Base32.encode(authenticationCode).prefix(Self.characters))
    }

    /// Takes a value back that the store kept, or a relay's client gave; nil when it is empty or too long for APNs.
    ///
    /// The limit is in octets of UTF-8, not in characters.
    package init?(stored text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumOctets else { return nil }
        self.text = text
    }

    /// What is hashed for one device: its public id, then the series or the delivery's row.
    package static func input(serverDeviceID: String, subject: CollapseSubject) -> [UInt8] {
        var input = Array(serverDeviceID.utf8)
        switch subject {
        case .series(let series):
            input.append(0x01)
            input.append(contentsOf: series.utf8)
        case .delivery(let row):
            input.append(0x02)
            append(row.number, to: &input)
        case .wake(let row):
            input.append(0x03)
            append(row.number, to: &input)
        }
        return input
    }

    private static func append(_ number: Int64, to input: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            input.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
    }
}

/// What a collapse id stands for.
package enum CollapseSubject: Hashable, Sendable {
    /// A series that the producer named.
    case series(String)
    /// A delivery without a series.
    case delivery(DeliveryRow)
    /// A wake that six became.
    case wake(WakeRow)
}
