/// A header value at an address that does not change.
package final class HeaderText {
    package let start: UnsafePointer<UInt8>
    package let count: Int

    /// Copies a text.
    package init(_ text: String) {
        let storage = UnsafeMutablePointer<UInt8>.allocate(capacity: max(text.utf8.count, 1))
        for (index, octet) in text.utf8.enumerated() { storage[index] = octet }
        count = text.utf8.count
        start = UnsafePointer(storage)
    }

    deinit { start.deallocate() }
}

/// Whole numbers as digits, without allocation.
package enum DecimalText {
    /// The longest text of a 64-bit number.
    package static let capacity = 20

    /// Writes the digits of a number that is not negative; room for ``capacity`` is enough.
    ///
    /// - Returns: how many digits there are.
    package static func write(_ number: Int64, into target: UnsafeMutablePointer<UInt8>) -> Int {
        var rest = UInt64(max(number, 0))
        var count = 0
        repeat {
            target[count] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            count += 1
        } while rest > 0
        var (low, high) = (0, count - 1)
        while low < high {
            (target[low], target[high]) = (target[high], target[low])
            low += 1
            high -= 1
        }
        return count
    }
}
