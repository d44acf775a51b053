import ReveilleBytes

/// What a public id stands for; the number is part of the sealed block.
package enum PublicIDKind: UInt8, CaseIterable, Sendable {
    case notification = 1
    case delivery = 2
    case wake = 3
    case device = 4
    case serverDevice = 5
    case credential = 6
}

/// A keyed permutation of 16-octet blocks; the store's key stands behind it.
package protocol BlockPermutation: Sendable {
    /// Replaces the 16 octets at `block` by their image.
    func encrypt(_ block: UnsafeMutablePointer<UInt8>)
    /// Replaces the 16 octets at `block` by their preimage.
    func decrypt(_ block: UnsafeMutablePointer<UInt8>)
}

/// Turns row numbers into ids that strangers can neither read, link nor guess, and back.
///
/// One block holds the kind (8 bits), the device it is an alias for (56 bits, 0 for the profile's own
/// id) and the row (64 bits). Ids therefore need no column and no random index, and a guessed id is
/// refused because its kind and device do not match.
package struct PublicIDs: Sendable {
    private let permutation: any BlockPermutation

    /// Uses `permutation` for every id of one store.
    package init(permutation: any BlockPermutation) {
        self.permutation = permutation
    }

    /// The 16 octets of an id.
    package func octets(
        _ kind: PublicIDKind, device: DeviceRow? = nil, row: Int64
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            if let base = buffer.baseAddress {
                write(kind, device: device, row: row, into: base)
            }
            count = 16
        }
    }

    /// Writes the 16 octets of an id without allocating.
    package func write(
        _ kind: PublicIDKind, device: DeviceRow?, row: Int64,
        into target: UnsafeMutablePointer<UInt8>
    ) {
        let high = Self.high(kind, device)
        let low = UInt64(bitPattern: row)
        for index in 0..<8 {
            target[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            target[8 + index] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
        }
        permutation.encrypt(target)
    }

    /// The row behind `octets`, or nil when they are not an id of this kind for this device.
    package func row(_ kind: PublicIDKind, device: DeviceRow? = nil, octets: [UInt8]) -> Int64? {
        guard octets.count == 16 else { return nil }
        var block = octets
        block.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { permutation.decrypt(base) }
        }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<8 {
            high = high << 8 | UInt64(block[index])
            low = low << 8 | UInt64(block[8 + index])
        }
        guard high == Self.high(kind, device), low <= UInt64(Int64.max) else { return nil }
        return Int64(low)
    }

    private static func high(_ kind: PublicIDKind, _ device: DeviceRow?) -> UInt64 {
        let device = device?.number ?? 0
        precondition(device >= 0 && device < 1 << 56, "a device's row has at most 56 bits")
        return UInt64(kind.rawValue) << 56 | UInt64(device)
    }

    /// An id as 26 characters of base32, the form of delivery, device and server device ids.
    package func text(_ kind: PublicIDKind, device: DeviceRow? = nil, row: Int64) -> String {
        Base32.encode(octets(kind, device: device, row: row))
    }

    /// An id as a lower-case UUID, the form of notification ids and `apns-id`.
    package func uuid(_ kind: PublicIDKind, row: Int64) -> String {
        UUIDText.encode(octets(kind, row: row))
    }

    /// The row behind the base32 form.
    package func row(_ kind: PublicIDKind, device: DeviceRow? = nil, text: String) -> Int64? {
        guard let octets = Base32.decode(text) else { return nil }
        return row(kind, device: device, octets: octets)
    }

    /// The row behind the UUID form.
    package func row(_ kind: PublicIDKind, uuid: String) -> Int64? {
        guard let octets = UUIDText.decode(uuid) else { return nil }
        return row(kind, octets: octets)
    }
}
