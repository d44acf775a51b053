internal import ReveilleBytes
internal import ReveilleRuntime

/// Random UUIDs (version 4), whose randomness is fetched for many at once.
final class IDSource {
    private static let batch = 256
    private let random: any RandomSource
    private var bytes: [UInt8] = []

    init(_ random: any RandomSource) {
        self.random = random
    }

    /// The next id, in lower case.
    func next() -> String {
        if bytes.isEmpty { bytes = random.bytes(UUIDText.byteCount * Self.batch) }
        var id = Array(bytes.suffix(UUIDText.byteCount))
        bytes.removeLast(UUIDText.byteCount)
        id[6] = id[6] & 0x0F | 0x40
        id[8] = id[8] & 0x3F | 0x80
        return UUIDText.encode(id)
    }
}
