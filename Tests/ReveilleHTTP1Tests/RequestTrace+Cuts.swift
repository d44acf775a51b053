import ReaderFuzzing

extension RequestTrace {
    /// Places to cut: every one in short input, a sample in long input.
    static func cuts(_ bytes: [UInt8]) -> [Int] {
        let step = bytes.count < 1500 ? 1 : 1499
        return [Int](stride(from: 1, to: bytes.count, by: step))
    }
}

/// The bytes of text, one for each character.
func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
