/// Finds any of many needles in one pass over the octets.
///
/// A needle is known by its first eight octets; a table of bits says quickly that none begins here.
struct NeedleIndex {
    private static let filterBits = 20

    private let needles: [Needle]
    private var byStart: [UInt64: [Int]] = [:]
    private var filter = [Bool](repeating: false, count: 1 << filterBits)
    private let foldsCase: Bool

    /// An index of needles that are of one kind: case counts for all, or for none.
    init(_ needles: [Needle], foldsCase: Bool) {
        self.needles = needles
        self.foldsCase = foldsCase
        for (position, needle) in needles.enumerated() {
            var start: UInt64 = 0
            for octet in needle.octets.prefix(8) { start = start << 8 | UInt64(foldsCase ? Self.fold(octet) : octet) }
            byStart[start, default: []].append(position)
            filter[Self.place(start)] = true
        }
    }

    /// The needles in `octets`, each once.
    func find(in octets: [UInt8]) -> [Needle] {
        let text = foldsCase ? octets.map(Self.fold) : octets
        var found: Set<Int> = []
        var window: UInt64 = 0
        text.withUnsafeBufferPointer { text in
            filter.withUnsafeBufferPointer { filter in
                var index = 0
                while index < text.count {
                    window = window << 8 | UInt64(text[index])
                    index += 1
                    if !filter[Self.place(window)] { continue }
                    for position in byStart[window] ?? [] where matches(needles[position], text, index - 8) {
                        found.insert(position)
                    }
                }
            }
        }
        return found.sorted().map { needles[$0] }
    }

    private func matches(_ needle: Needle, _ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        let end = start + needle.octets.count
        guard start >= 0, end <= text.count else { return false }
        for (offset, octet) in needle.octets.enumerated() {
            if text[start + offset] != (foldsCase ? Self.fold(octet) : octet) { return false }
        }
        guard needle.standsAlone else { return true }
        let before = start > 0 && Self.isWord(text[start - 1])
        let after = end < text.count && Self.isWord(text[end])
        return !before && !after
    }

    private static func place(_ start: UInt64) -> Int {
        Int(truncatingIfNeeded: (start &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - filterBits))
    }

    private static func fold(_ octet: UInt8) -> UInt8 { octet >= 0x41 && octet <= 0x5A ? octet | 0x20 : octet }

    private static func isWord(_ octet: UInt8) -> Bool {
        (octet >= 0x30 && octet <= 0x39) || (octet >= 0x61 && octet <= 0x7A) || (octet >= 0x41 && octet <= 0x5A)
    }
}
