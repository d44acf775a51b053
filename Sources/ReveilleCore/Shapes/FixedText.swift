/// Text written into memory of a fixed size; what does not fit is noted, never written.
package struct FixedText {
    private let target: UnsafeMutableBufferPointer<UInt8>
    /// The octets written so far.
    package private(set) var count = 0
    /// True when something did not fit.
    package private(set) var overflowed = false

    /// Writes into `target` from its start.
    package init(_ target: UnsafeMutableBufferPointer<UInt8>) {
        self.target = target
    }

    /// Appends a constant.
    package mutating func append(_ constant: StaticString) {
        append(UnsafeBufferPointer(start: constant.utf8Start, count: constant.utf8CodeUnitCount))
    }

    /// Appends octets.
    package mutating func append(_ octets: UnsafeBufferPointer<UInt8>) {
        // Nothing is appended after the first piece that did not fit: no later one may close what it left open.
        guard !overflowed, octets.count <= target.count - count, let base = target.baseAddress else {
            overflowed = overflowed || !octets.isEmpty
            return
        }
        if let source = octets.baseAddress {
            (base + count).update(from: source, count: octets.count)
        }
        count += octets.count
    }

    /// Appends an id, whose characters need no escaping.
    package mutating func append(id: PayloadID) {
        id.withOctets { append($0) }
    }

    /// Appends a whole number in decimal digits.
    package mutating func append(number: some FixedWidthInteger) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { digits in
            var place = digits.count
            var rest = number.magnitude
            repeat {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest != 0
            if number < 0 {
                place -= 1
                digits[place] = UInt8(ascii: "-")
            }
            append(UnsafeBufferPointer(rebasing: digits[place...]))
        }
    }
}
