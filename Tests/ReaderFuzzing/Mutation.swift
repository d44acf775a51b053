package import ReveilleRuntime

/// Changes inputs a little, as a fuzzer does, but from a seed.
package struct Mutation {
    private let random: any RandomSource
    private let words: [[UInt8]]
    /// Inputs may grow up to this.
    private let maximumBytes: Int

    /// Draws from a source.
    ///
    /// - Parameter words: pieces to put in.
    package init(random: any RandomSource, words: [[UInt8]], maximumBytes: Int = 4096) {
        self.random = random
        self.words = words
        self.maximumBytes = maximumBytes
    }

    /// One of the inputs with one to four changes.
    package func next(of inputs: [[UInt8]]) -> [UInt8] {
        var bytes = inputs[random.uniform(0..<inputs.count)]
        for _ in 0...random.uniform(0..<4) {
            change(&bytes, other: inputs[random.uniform(0..<inputs.count)])
        }
        return [UInt8](bytes.prefix(maximumBytes))
    }

    private func change(_ bytes: inout [UInt8], other: [UInt8]) {
        let place = random.uniform(0..<(bytes.count + 1))
        let end = min(bytes.count, place + random.uniform(0..<9))
        switch random.uniform(0..<8) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.uniform(0..<8))
        case 1 where place < bytes.count: bytes[place] = UInt8(random.uniform(0..<256))
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes = [UInt8](bytes[..<place])
        case 5:
            let from = random.uniform(0..<(other.count + 1))
            bytes.replaceSubrange(place..<bytes.count, with: other[from...])
        default:
            guard !words.isEmpty else { return }
            let word = words[random.uniform(0..<words.count)]
            bytes.replaceSubrange(place..<(random.uniform(0..<2) == 0 ? place : end), with: word)
        }
    }
}
