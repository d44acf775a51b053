internal import ReveilleCrypto
package import ReveilleRuntime

/// Seals and opens the values of one store: AES-256-GCM under a key per purpose and day, with purpose and row as additional
/// data, so that a value cannot be moved to another row or read as something else.
///
/// One thread uses an instance. Keyed contexts are kept, so that a value costs about a microsecond.
package final class Sealer {
    /// Keyed contexts kept; values are opened in order of their age, so few are needed at a time.
    private static let maximumContexts = 64
    /// What sealing adds to a value, in octets.
    package static let overhead = SealedHeader.octets + AESGCM.overheadBytes
    private static let additionalOctets = SealedHeader.octets + 9

    private struct ContextKey: Hashable {
        let header: SealedHeader
        let purpose: KeyPurpose
    }

    private let live: LiveKeys
    private var keys: KeyRing
    private var revision: Int
    private let clock: any WallClock
    private let nonces: NoncePool
    private var contexts: [ContextKey: AESGCM] = [:]
    private var recent: (key: ContextKey, context: AESGCM)?

    /// Seals with the keys of `keys`, by the day that `clock` shows, with nonces from `random`.
    package init(keys: LiveKeys, clock: any WallClock, random: any RandomSource) {
        live = keys
        revision = keys.revision
        self.keys = keys.ring
        self.clock = clock
        nonces = NoncePool(random)
    }

    /// Seals a value for a row.
    package func seal(_ value: [UInt8], _ purpose: KeyPurpose, row: Int64) -> [UInt8] {
        value.withUnsafeBytes { seal($0, purpose, row: row) }
    }

    /// Seals a value for a row.
    package func seal(_ value: UnsafeRawBufferPointer, _ purpose: KeyPurpose, row: Int64) -> [UInt8] {
        followRotation()
        let day = UInt32(clamping: clock.now().milliseconds / 86_400_000)
        let header = SealedHeader(generation: keys.generation, day: day)
        guard let context = context(header, purpose) else { preconditionFailure("the present master key is missing") }
        let count = value.count + Self.overhead
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let output = UnsafeMutableRawBufferPointer(buffer)
            header.write(into: output)
            withAdditional(output, purpose, row: row) { additional in
                _ = context.seal(
                    value, additional: additional,
                    into: UnsafeMutableRawBufferPointer(rebasing: output[SealedHeader.octets..<count]),
                    random: nonces.fill)
            }
            initialized = count
        }
    }

    /// Opens a value of a row.
    ///
    /// - Throws: `unreadableValue` when no key of the store opens it for this purpose and row.
    package func open(_ sealed: [UInt8], _ purpose: KeyPurpose, row: Int64) throws(StoreError) -> [UInt8] {
        guard sealed.count >= Self.overhead else { throw StoreError(.unreadableValue) }
        var value = [UInt8](repeating: 0, count: sealed.count - Self.overhead)
        let result: Result<Int, StoreError> = value.withUnsafeMutableBytes { output in
            Result { () throws(StoreError) in try open(sealed, purpose, row: row, into: output) }
        }
        _ = try result.get()
        return value
    }

    /// Opens a value of a row into memory of at least its size less ``overhead``, without allocation once warm.
    ///
    /// - Returns: the number of octets written.
    package func open(
        _ sealed: [UInt8], _ purpose: KeyPurpose, row: Int64, into output: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int {
        let result: Result<Int, StoreError> = sealed.withUnsafeBytes { sealed in
            Result { () throws(StoreError) in try open(sealed, purpose, row: row, into: output) }
        }
        return try result.get()
    }

    /// Opens a value of a row into memory of at least its size less ``overhead``, without allocation once warm.
    ///
    /// - Returns: the number of octets written.
    package func open(
        _ sealed: UnsafeRawBufferPointer, _ purpose: KeyPurpose, row: Int64,
        into output: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int {
        followRotation()
        guard sealed.count >= Self.overhead, let header = SealedHeader(sealed),
            let context = context(header, purpose), output.count >= sealed.count - Self.overhead
        else { throw StoreError(.unreadableValue) }
        let body = UnsafeRawBufferPointer(rebasing: sealed[SealedHeader.octets...])
        let opened: Int? = withAdditional(sealed, purpose, row: row) { additional in
            // A value that does not open is reported below; the reason would tell nothing more.
            try? context.open(body, additional: additional, into: output)
        }
        guard let opened else { throw StoreError(.unreadableValue) }
        return opened
    }

    /// True when the value was sealed under a former master key.
    package func isOutdated(_ sealed: [UInt8]) -> Bool {
        followRotation()
        return sealed.withUnsafeBytes { SealedHeader($0)?.generation != keys.generation }
    }

    /// Takes the keys anew after a rotation; contexts stay, since a generation never gets another key.
    private func followRotation() {
        let latest = live.revision
        guard latest != revision else { return }
        revision = latest
        keys = live.ring
    }

    private func context(_ header: SealedHeader, _ purpose: KeyPurpose) -> AESGCM? {
        let key = ContextKey(header: header, purpose: purpose)
        if let recent, recent.key == key { return recent.context }
        if let context = contexts[key] {
            recent = (key, context)
            return context
        }
        guard let dataKey = keys.dataKey(purpose, day: header.day, generation: header.generation) else { return nil }
        if contexts.count >= Self.maximumContexts { contexts.removeAll(keepingCapacity: true) }
        let context = AESGCM(key: dataKey)
        contexts[key] = context
        recent = (key, context)
        return context
    }

    /// Lends header, purpose and row in the form that is authenticated.
    private func withAdditional<Sealed: Collection<UInt8>, Result>(
        _ sealed: Sealed, _ purpose: KeyPurpose, row: Int64, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Self.additionalOctets, alignment: 1) { additional in
            additional.copyBytes(from: sealed.prefix(SealedHeader.octets))
            additional[SealedHeader.octets] = purpose.rawValue
            withUnsafeBytes(of: row.bigEndian) { row in
                UnsafeMutableRawBufferPointer(rebasing: additional[(SealedHeader.octets + 1)...]).copyMemory(from: row)
            }
            return body(UnsafeRawBufferPointer(additional))
        }
    }
}

/// Nonces drawn ahead, because a system call for each would cost more than the sealing.
///
/// Nonces are not secret.
private final class NoncePool {
    private static let capacity = 4_096
    private let random: any RandomSource
    private var drawn: [UInt8]
    private var used = capacity

    init(_ random: any RandomSource) {
        self.random = random
        drawn = [UInt8](repeating: 0, count: Self.capacity)
    }

    func fill(_ target: UnsafeMutableRawBufferPointer) {
        if used + target.count > Self.capacity {
            drawn.withUnsafeMutableBytes { random.fill($0) }
            used = 0
        }
        drawn.withUnsafeBytes {
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[used..<used + target.count]))
        }
        used += target.count
    }
}
