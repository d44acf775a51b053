/// Ordered name and value pairs of bytes, kept in one buffer: the header or trailer section of an HTTP message.
///
/// Names are lower-case ASCII. Text is ISO-8859-1 in both directions (RFC 9110 section 5.5 calls other bytes opaque): each
/// byte is one character, so distinct values stay distinct and reading cannot fail. Field values may be credentials,
/// therefore a list describes itself by its size only.
package struct FieldList: Sendable {
    /// Where one pair lies in the buffer.
    package struct Entry: Sendable {
        fileprivate var nameOffset: UInt32
        fileprivate var valueOffset: UInt32
        fileprivate var valueCount: UInt32
        fileprivate var nameCount: UInt32
        /// Whether header compression must not remember the value (RFC 7541 section 7.1.3).
        package var isSensitive: Bool

        /// Describes a pair by its place in a buffer of less than 4 GiB.
        package init(
            nameOffset: Int, nameCount: Int, valueOffset: Int, valueCount: Int,
            isSensitive: Bool = false
        ) {
            self.nameOffset = UInt32(nameOffset)
            self.nameCount = UInt32(nameCount)
            self.valueOffset = UInt32(valueOffset)
            self.valueCount = UInt32(valueCount)
            self.isSensitive = isSensitive
        }

        /// Where the name lies in the buffer.
        package var nameRange: Range<Int> {
            Int(nameOffset)..<(Int(nameOffset) + Int(nameCount))
        }

        /// Where the value lies in the buffer.
        package var valueRange: Range<Int> {
            Int(valueOffset)..<(Int(valueOffset) + Int(valueCount))
        }
    }

    private var bytes: [UInt8]
    private var entries: [Entry]

    /// An empty list.
    package init() {
        bytes = []
        entries = []
    }

    /// Takes over a buffer whose pairs were found by a parser.
    ///
    /// Each entry must lie inside the buffer.
    package init(adopting bytes: [UInt8], entries: [Entry]) {
        for entry in entries {
            precondition(
                entry.nameRange.upperBound <= bytes.count
                    && entry.valueRange.upperBound <= bytes.count)
        }
        self.bytes = bytes
        self.entries = entries
    }

    /// How many pairs there are.
    package var count: Int { entries.count }

    /// Whether there are no pairs.
    package var isEmpty: Bool { entries.isEmpty }

    /// The size that HTTP/2 counts: names, values and 32 octets for each pair (RFC 9113 section 6.5.2).
    package var listSize: Int {
        entries.reduce(0) { $0 + Int($1.nameCount) + Int($1.valueCount) + 32 }
    }

    /// Makes room, so that appending does not allocate.
    package mutating func reserve(pairs: Int, bytes: Int) {
        entries.reserveCapacity(pairs)
        self.bytes.reserveCapacity(bytes)
    }

    /// Forgets the pairs and keeps the room.
    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Adds bytes that a reader has already checked.
    ///
    /// The name must be lower-case.
    package mutating func append(
        checkedName name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer,
        isSensitive: Bool = false
    ) {
        let start = bytes.count
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        entries.append(
            Entry(
                nameOffset: start, nameCount: name.count, valueOffset: start + name.count,
                valueCount: value.count, isSensitive: isSensitive))
    }

    /// Adds a pair given as text.
    ///
    /// The name is lower-cased; whatever could end a field or is no ISO-8859-1 cannot be expressed: a control
    /// character becomes a space, any other foreign character a question mark.
    package mutating func append(_ name: String, _ value: String, isSensitive: Bool = false) {
        let start = bytes.count
        for byte in name.utf8 { bytes.append(FieldText.lowerCased(byte)) }
        let valueStart = bytes.count
        FieldText.append(value, to: &bytes)
        entries.append(
            Entry(
                nameOffset: start, nameCount: valueStart - start, valueOffset: valueStart,
                valueCount: bytes.count - valueStart, isSensitive: isSensitive))
    }

    /// Removes each pair of a name (given in lower case).
    ///
    /// The bytes stay in the buffer until the list is dropped.
    package mutating func removeAll(named name: String) {
        let kept = indices.filter { !hasName(name, at: $0) }
        if kept.count != entries.count { entries = kept.map { entries[$0] } }
    }

    /// The positions of the pairs.
    package var indices: Range<Int> { entries.indices }

    /// The name at a position.
    package func name(at index: Int) -> String {
        withName(at: index) { FieldText.string($0) }
    }

    /// The value at a position.
    package func value(at index: Int) -> String {
        withValue(at: index) { FieldText.string($0) }
    }

    /// Whether header compression must not remember the value at a position.
    package func isSensitive(at index: Int) -> Bool { entries[index].isSensitive }

    /// The first value of a name (given in lower case).
    package subscript(name: String) -> String? {
        for index in indices where hasName(name, at: index) { return value(at: index) }
        return nil
    }

    /// Every value of a name (given in lower case), in order.
    package func values(_ name: String) -> [String] {
        indices.filter { hasName(name, at: $0) }.map { value(at: $0) }
    }

    /// Whether the pair at a position has this name (given in lower case).
    package func hasName(_ name: String, at index: Int) -> Bool {
        guard name.utf8.count == Int(entries[index].nameCount) else { return false }
        return withName(at: index) { $0.elementsEqual(name.utf8) }
    }

    /// Lends the bytes of a name for the time of the call.
    package func withName<R>(at index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let range = entries[index].nameRange
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Lends the bytes of a value for the time of the call.
    package func withValue<R>(at index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let range = entries[index].valueRange
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Lends the buffer and where each pair lies in it, for a writer that needs all pairs at once.
    package func withPairs<R, E: Error>(
        _ body: (_ buffer: UnsafeRawBufferPointer, _ entries: [Entry]) throws(E) -> R
    ) throws(E) -> R {
        let result: Result<R, E> = bytes.withUnsafeBytes { buffer in
            do throws(E) {
                return .success(try body(buffer, entries))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Lends the bytes of each pair in turn.
    package func forEach(
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ isSensitive: Bool)
            -> Void
    ) {
        bytes.withUnsafeBytes { buffer in
            for entry in entries {
                body(
                    UnsafeRawBufferPointer(rebasing: buffer[entry.nameRange]),
                    UnsafeRawBufferPointer(rebasing: buffer[entry.valueRange]), entry.isSensitive)
            }
        }
    }
}

extension FieldList: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of pairs; never what they say.
    package var description: String { "‹\(count) fields›" }
    /// The number of pairs; never what they say.
    package var debugDescription: String { description }
    /// Shows nothing to reflection.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension FieldList: Equatable {
    /// Whether both lists hold the same pairs in the same order.
    package static func == (left: FieldList, right: FieldList) -> Bool {
        left.count == right.count
            && left.indices.allSatisfy { index in
                left.withName(at: index) { name in
                    right.withName(at: index) { $0.elementsEqual(name) }
                }
                    && left.withValue(at: index) { value in
                        right.withValue(at: index) { $0.elementsEqual(value) }
                    }
            }
    }
}
