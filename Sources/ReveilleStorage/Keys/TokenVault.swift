internal import ReveilleBytes
package import ReveilleCore
package import ReveilleRuntime

/// Opens device tokens just before they are sent, on any thread.
package final class TokenVault: Sendable {
    /// Sealers that work side by side; each has its lock, held for about a microsecond.
    private static let stripes = 8

    private let sealers: [Locked<Sealer>]

    /// Opens what was sealed with `keys`.
    package init(keys: LiveKeys, clock: any WallClock, random: any RandomSource) {
        sealers = (0..<Self.stripes).map { _ in Locked(Sealer(keys: keys, clock: clock, random: random)) }
    }

    /// Opens the token of a device.
    ///
    /// - Throws: `unreadableValue` when it is not the token of that device.
    package func open(_ sealed: [UInt8], device: DeviceRow) throws(StoreError) -> DeviceToken {
        let octets = try stripe(device).withLock { (sealer) throws(StoreError) in
            try sealer.open(sealed, .deviceToken, row: device.number)
        }
        do {
            return try DeviceToken(octets: octets)
        } catch {
            throw StoreError(.unreadableValue)
        }
    }

    /// Opens the token of a device and writes its hexadecimal digits into `target`, without allocation.
    ///
    /// - Returns: the number of digits.
    /// - Throws: `unreadableValue` when it is not the token of that device or does not fit.
    package func writeHexadecimal(
        _ sealed: [UInt8], device: DeviceRow, into target: UnsafeMutableBufferPointer<UInt8>
    ) throws(StoreError) -> Int {
        let count = sealed.count - Sealer.overhead
        guard count >= 0, target.count >= 2 * count, let digits = target.baseAddress else {
            throw StoreError(.unreadableValue)
        }
        // The octets are opened into the second half and spread over the whole from the front, never overtaking themselves.
        let octets = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[count..<2 * count])
        let memory = LentMemory(bytes: octets)
        try stripe(device).withLock { (sealer) throws(StoreError) in
            _ = try sealer.open(sealed, .deviceToken, row: device.number, into: memory.bytes)
        }
        for index in 0..<count {
            let octet = octets[index]
            digits[2 * index] = Self.digits[Int(octet >> 4)]
            digits[2 * index + 1] = Self.digits[Int(octet & 0x0F)]
        }
        return 2 * count
    }

    /// Opens the address of a device into `target`, without allocation.
    ///
    /// - Returns: the number of its octets.
    /// - Throws: `unreadableValue` when it is not the address of that device or does not fit.
    package func write(
        _ sealed: [UInt8], device: DeviceRow, into target: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int {
        let count = sealed.count - Sealer.overhead
        guard count >= 0, target.count >= count else { throw StoreError(.unreadableValue) }
        let memory = LentMemory(bytes: UnsafeMutableRawBufferPointer(rebasing: target[..<count]))
        try stripe(device).withLock { (sealer) throws(StoreError) in
            _ = try sealer.open(sealed, .deviceToken, row: device.number, into: memory.bytes)
        }
        return count
    }

    private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

    private func stripe(_ device: DeviceRow) -> Locked<Sealer> {
        sealers[Int(truncatingIfNeeded: device.number) & (Self.stripes - 1)]
    }
}
