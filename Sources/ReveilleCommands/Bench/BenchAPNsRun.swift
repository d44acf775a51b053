internal import ReveilleAPNs
internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleSending
internal import ReveilleTelemetry

/// One measurement on a loop of its own.
actor BenchAPNsRun {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EventLoop) {
        self.loop = loop
    }

    func measure(
        _ configuration: SendingConfiguration, credential: APNsCredential, count: Int,
        progress: @escaping @Sendable (_ done: Int) -> Void
    ) async throws -> BenchAPNsReport {
        let finished = OneShot<Result<BenchAPNsReport, BenchAPNsError>>()
        let tries = BenchTries(count: count, finished: finished)
        let sender = APNsSender(
            configuration: configuration, providerTokens: ProviderTokens(credential: credential), source: tries,
            loop: loop, resolver: SystemResolver(on: loop), log: .silent, metrics: APNsMetrics(MetricsRegistry()))
        sender.triesAreWaiting()
        let ticking = Task { await tell(tries, progress) }
        defer { ticking.cancel() }
        let result = try await finished.wait()
        await sender.drain(within: .seconds(1))
        withExtendedLifetime(tries) {}
        return try result.get()
    }

    /// Tells every second how far it is, until it is cancelled.
    private func tell(_ tries: BenchTries, _ progress: @Sendable (_ done: Int) -> Void) async {
        while (try? await loop.sleep(for: .seconds(1))) != nil { progress(tries.done) }
    }
}

/// Endless tries of made-up devices whose tokens count as proven, prepared beforehand so that making them is not measured.
final class BenchTries: TrySource {
    /// Different devices; as many as the yardstick in C has.
    private static let devices = 20_000
    private static let tokenDigits = 64
    private static let collapseCharacters = 26
    private static let lifeSeconds: Int64 = 3_600

    private let count: Int
    private let finished: OneShot<Result<BenchAPNsReport, BenchAPNsError>>
    private let clock = SystemMonotonicClock()
    private let texts: UnsafeMutablePointer<UInt8>
    private let payload: UnsafeMutableBufferPointer<UInt8>
    private let payloadCount: Int
    private let topic = Topic("com.example.app")
    private let expiration: Int64
    private let microseconds: UnsafeMutablePointer<UInt32>
    private var next = 0
    private var sent = 0
    private var ok = 0
    private var failed = 0
    private var failedConnects = 0
    private var startedAt: Int64 = 0

    init(count: Int, finished: OneShot<Result<BenchAPNsReport, BenchAPNsError>>) {
        self.count = count
        self.finished = finished
        expiration = SystemWallClock().now().seconds + Self.lifeSeconds
        microseconds = .allocate(capacity: count)
        texts = .allocate(capacity: Self.devices * Self.textOctets)
        payload = .allocate(capacity: APNsPayload.largestShapeOctets)
        payloadCount = Self.writePayload(into: payload)
        for device in 0..<Self.devices { Self.writeTexts(into: texts + device * Self.textOctets) }
    }

    deinit {
        microseconds.deallocate()
        texts.deallocate()
        payload.deallocate()
    }

    private static let textOctets = tokenDigits + UUIDText.characterCount + collapseCharacters

    private static func writeTexts(into start: UnsafeMutablePointer<UInt8>) {
        let random = SystemRandom().bytes(64)
        random.withUnsafeBytes { bytes in
            Hex.encode(UnsafeRawBufferPointer(rebasing: bytes[0..<32]), into: start)
            UUIDText.encode(UnsafeRawBufferPointer(rebasing: bytes[32..<48]), into: start + tokenDigits)
        }
        // Servers that stand in for APNs refuse tokens with certain beginnings, words of hexadecimal letters.
        start[0] = UInt8(ascii: "0")
        let collapse = Base32.encode(random.suffix(17)).utf8.prefix(collapseCharacters)
        for (index, octet) in collapse.enumerated() {
            start[tokenDigits + UUIDText.characterCount + index] = octet
        }
    }

    private static func writePayload(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let text = """
            {"aps":{"alert":{"title-loc-key":"REVEILLE_NOTIFICATION_TITLE","loc-key":"REVEILLE_NOTIFICATION_BODY"},\
            "sound":"default","mutable-content":1},"reveille":{"v":1,"wake":"notifications.changed",\
            "server_device_id":"ABCDEFGHIJKLMNOPQRSTUVWXYZ","delivery_id":"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}}
            """
        _ = target.initialize(from: text.utf8)
        return text.utf8.count
    }

    /// Tries that have ended.
    var done: Int { ok + failed }

    func hasTry(of standing: TokenStanding) -> Bool { standing == .proven && sent < count }

    func nextTry(of standing: TokenStanding, into buffer: TryBuffer) -> Bool {
        guard hasTry(of: standing) else { return false }
        let now = clock.now().nanoseconds
        if sent == 0 { startedAt = now }
        sent += 1
        let text = texts + next * Self.textOctets
        next = next + 1 == Self.devices ? 0 : next + 1
        buffer.address.update(from: text, count: Self.tokenDigits)
        buffer.addressCount = Self.tokenDigits
        buffer.requestID.update(from: text + Self.tokenDigits, count: UUIDText.characterCount)
        buffer.collapse.update(
            from: text + Self.tokenDigits + UUIDText.characterCount, count: Self.collapseCharacters)
        buffer.collapseCount = Self.collapseCharacters
        if let start = payload.baseAddress { buffer.payload.baseAddress?.update(from: start, count: payloadCount) }
        buffer.payloadCount = payloadCount
        buffer.expirationSeconds = expiration
        buffer.mode = .privateAlert
        if buffer.topic !== topic { buffer.topic = topic }
        buffer.tag = UInt64(bitPattern: now)
        return true
    }

    func tryDidEnd(tag: UInt64, result: TryResult) {
        let now = clock.now().nanoseconds
        let elapsed = (now - Int64(bitPattern: tag)) / 1_000
        microseconds[ok + failed] = UInt32(clamping: elapsed)
        if case .accepted = result.outcome { ok += 1 } else { failed += 1 }
        guard ok + failed == count else { return }
        let seconds = Double(now - startedAt) / 1e9
        let times = Array(UnsafeBufferPointer(start: microseconds, count: count))
        finished.fulfil(
            .success(BenchAPNsReport(seconds: seconds, microseconds: times, ok: ok, failed: failed)))
    }

    func senderDidChange(_ state: SenderState) {
        switch state {
        case .ready: failedConnects = 0
        case .backingOff:
            failedConnects += 1
            if failedConnects >= BenchAPNs.connectAttempts { finished.fulfil(.failure(.noConnection)) }
        case .idle, .opening, .blocked, .drained: break
        }
    }
}
