internal import ReveilleBytes

/// An accepted push as the compact history keeps it.
package struct CompactPush: Sendable, Equatable {
    /// The running number of the request.
    package let number: UInt64
    /// The id that Apple answered with.
    package let apnsID: String
    /// The device token, in lower-case hexadecimal.
    package let token: String
    /// The collapse id.
    package let collapseID: String?
}

/// Ids, tokens and collapse ids of accepted pushes, about a hundred bytes each, for runs of millions.
///
/// Whole blocks are dropped, oldest first, when the limit is reached.
struct CompactHistory {
    private static let blockBytes = 1024 * 1024
    /// The longest entry: number, id, and two texts with a length in one or two bytes.
    private static let maximumEntryBytes = 8 + 16 + 2 + AppleRules.maximumTokenDigits / 2 + 1 + 255

    private struct Block {
        var bytes: [UInt8] = []
        var count = 0
        var lastNumber: UInt64 = 0
    }

    private let maximumBlocks: Int
    private var blocks: [Block] = []
    private(set) var count = 0
    /// How many pushes are no longer kept.
    private(set) var droppedCount = 0

    init(maximumBytes: Int) {
        maximumBlocks = max(maximumBytes / Self.blockBytes, 1)
    }

    /// Adds an accepted push: a UUID, a token of whole bytes, a collapse id of at most 255 bytes.
    mutating func append(number: UInt64, apnsID: String, token: String, collapseID: String?) {
        if blocks.isEmpty || blocks[blocks.count - 1].bytes.count + Self.maximumEntryBytes > Self.blockBytes {
            addBlock()
        }
        let last = blocks.count - 1
        blocks[last].bytes.append(number: number)
        blocks[last].bytes.append(digitsOf: apnsID)
        let tokenBytes = token.utf8.count / 2
        blocks[last].bytes.append(UInt8(tokenBytes >> 8))
        blocks[last].bytes.append(UInt8(tokenBytes & 0xFF))
        blocks[last].bytes.append(digitsOf: token)
        let collapse = (collapseID ?? "").utf8.prefix(255)
        blocks[last].bytes.append(UInt8(collapse.count))
        blocks[last].bytes.append(contentsOf: collapse)
        blocks[last].count += 1
        blocks[last].lastNumber = number
        count += 1
    }

    /// Up to `limit` pushes after a running number, oldest first.
    func pushes(after number: UInt64, limit: Int) -> [CompactPush] {
        var found: [CompactPush] = []
        for block in blocks where block.lastNumber > number && found.count < limit {
            forEach(in: block) { push in
                guard found.count < limit else { return false }
                if push.number > number { found.append(push.expanded) }
                return true
            }
        }
        return found
    }

    /// How many different ids the kept pushes have.
    func distinctIDCount() -> Int {
        var ids: [SIMD2<UInt64>] = []
        ids.reserveCapacity(count)
        for block in blocks {
            forEach(in: block) { push in
                ids.append(push.idWords)
                return true
            }
        }
        ids.sort { ($0.x, $0.y) < ($1.x, $1.y) }
        var distinct = 0
        for index in ids.indices where index == 0 || ids[index] != ids[index - 1] { distinct += 1 }
        return distinct
    }

    /// Forgets all pushes.
    mutating func removeAll() {
        blocks.removeAll()
        count = 0
        droppedCount = 0
    }

    private mutating func addBlock() {
        if blocks.count == maximumBlocks {
            droppedCount += blocks[0].count
            count -= blocks[0].count
            blocks.removeFirst()
        }
        var block = Block()
        block.bytes.reserveCapacity(Self.blockBytes)
        blocks.append(block)
    }

    private func forEach(in block: Block, _ body: (Entry) -> Bool) {
        var offset = 0
        while offset < block.bytes.count {
            let entry = Entry(block.bytes, at: offset)
            guard body(entry) else { return }
            offset = entry.end
        }
    }

    /// One entry in a block.
    private struct Entry {
        let bytes: [UInt8]
        let start: Int
        let tokenEnd: Int
        let end: Int

        init(_ bytes: [UInt8], at start: Int) {
            self.bytes = bytes
            self.start = start
            let tokenCount = Int(bytes[start + 24]) << 8 | Int(bytes[start + 25])
            tokenEnd = start + 26 + tokenCount
            end = tokenEnd + 1 + Int(bytes[tokenEnd])
        }

        var number: UInt64 { word(at: start) }
        var idWords: SIMD2<UInt64> { SIMD2(word(at: start + 8), word(at: start + 16)) }

        var expanded: CompactPush {
            let collapse = bytes[(tokenEnd + 1)..<end]
            return CompactPush(
                number: number, apnsID: UUIDText.encode(bytes[(start + 8)..<(start + 24)]),
                token: Hex.encode(bytes[(start + 26)..<tokenEnd]),
                collapseID: collapse.isEmpty ? nil : String(decoding: collapse, as: UTF8.self))
        }

        private func word(at offset: Int) -> UInt64 {
            bytes.withUnsafeBytes {
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
    }
}

extension [UInt8] {
    /// Adds a number in eight bytes, most significant first.
    fileprivate mutating func append(number: UInt64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Adds the bytes that pairs of hexadecimal digits spell; hyphens are passed over.
    fileprivate mutating func append(digitsOf text: String) {
        var text = text
        text.withUTF8 { characters in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: characters.count / 2 + 1) { bytes in
                var (position, count) = (0, 0)
                while position + 1 < characters.count {
                    if characters[position] == UInt8(ascii: "-") {
                        position += 1
                        continue
                    }
                    bytes[count] = Self.value(characters[position]) << 4 | Self.value(characters[position + 1])
                    (position, count) = (position + 2, count + 1)
                }
                append(contentsOf: UnsafeMutableBufferPointer(rebasing: bytes[..<count]))
            }
        }
    }

    /// The value of a character that is known to be a hexadecimal digit.
    private static func value(_ digit: UInt8) -> UInt8 { (digit & 0xF) + (digit >> 6) * 9 }
}
