import ReveilleBytes

/// Reads the field lines of a head up to the empty line.
///
/// The bytes stay in the caller's buffer until the section is whole.
struct FieldSection {
    private var scanner = LineScanner()
    private var entries: [FieldList.Entry] = []
    /// Where the next line starts, counted from the start of the section.
    private var position = 0
    /// What the fields say about the message.
    private(set) var meaning = MessageFields()

    /// Reads on.
    ///
    /// Returns the length of the section with its empty line when it is whole.
    ///
    /// - Parameter start: where the section starts in the input.
    mutating func read(
        _ input: UnsafeRawBufferPointer, from start: Int, limits: HTTP1Limits
    ) throws(HTTP1Error) -> Int? {
        while true {
            let outcome = try scanner.next(
                in: input, from: start + position, limit: limits.maximumHeaderBytes - position)
            switch outcome {
            case .incomplete: return nil
            case .tooLong: throw HTTP1Error(.headerTooLarge)
            case .line(let range) where range.isEmpty:
                return range.upperBound + 2 - start
            case .line(let range):
                try note(input, range, start: start, limits: limits)
                position = range.upperBound + 2 - start
            }
        }
    }

    private mutating func note(
        _ input: UnsafeRawBufferPointer, _ range: Range<Int>, start: Int, limits: HTTP1Limits
    ) throws(HTTP1Error) {
        let line = try FieldLine(input.slice(range))
        guard entries.count < limits.maximumFields else { throw HTTP1Error(.tooManyFields) }
        let base = range.lowerBound - start
        let name = input.slice(
            (range.lowerBound + line.name.lowerBound)..<(range.lowerBound + line.name.upperBound))
        let value = input.slice(
            (range.lowerBound + line.value.lowerBound)..<(range.lowerBound + line.value.upperBound))
        let valueStart = base + line.value.lowerBound
        if entries.isEmpty { entries.reserveCapacity(12) }
        entries.append(
            FieldList.Entry(
                nameOffset: base, nameCount: line.name.count, valueOffset: valueStart,
                valueCount: line.value.count))
        try meaning.note(
            name: name, value: value, valueRange: valueStart..<(valueStart + line.value.count))
    }

    /// Copies the section out of the input, with its names in lower case.
    consuming func fields(
        in input: UnsafeRawBufferPointer, from start: Int, count: Int
    ) -> FieldList {
        let section = input.slice(start..<(start + count))
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: section)
            for entry in entries {
                for index in entry.nameRange { buffer[index] = FieldText.lowerCased(buffer[index]) }
            }
            initialized = count
        }
        return FieldList(adopting: bytes, entries: entries)
    }
}
