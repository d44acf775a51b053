import ReveilleBytes
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting

/// One side of a connection under test: records what it hears, and does what the test says.
actor SocketPeer {
    enum Event: Sendable, Equatable {
        case opened
        case received(Int)
        case drainedInput
        case drainedOutput
        case ended
        case closed(SocketCloseReason)
    }

    /// What a test waits for.
    struct Record: Sendable {
        /// Everything but the many `received`, `drainedInput` and `drainedOutput`.
        var milestones: [Event] = []
        var receivedCount = 0
        var sentCount = 0
        /// Bytes that were not those of the pattern at their place.
        var wrongBytes = 0

        var isOpen: Bool { milestones.contains(.opened) }
        var hasEnded: Bool { milestones.contains(.ended) }
        var closeReason: SocketCloseReason? {
            guard case .closed(let reason)? = milestones.last else { return nil }
            return reason
        }
    }

    typealias Reaction = @Sendable (isolated SocketPeer, Event) -> Void

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let record = Probe(Record())

    private(set) var received: [UInt8] = []
    private var socket: StreamSocket?
    private var handMadeTLS: TLSSession?
    private let reaction: Reaction?
    /// Whether bytes are kept, or only counted and compared with the pattern.
    private let keepsBytes: Bool
    /// How much of the pattern is still to be sent.
    private var remaining = 0

    init(on loop: EventLoop, keepsBytes: Bool = true, reaction: Reaction? = nil) {
        self.loop = loop
        self.keepsBytes = keepsBytes
        self.reaction = reaction
        Self.living.withLock { $0[ObjectIdentifier(loop), default: []].append(self) }
    }

    /// Peers by their loop: a socket and its owner hold each other until the socket is closed.
    private static let living = Locked<[ObjectIdentifier: [SocketPeer]]>([:])

    /// Closes all sockets of a loop at the end of a test.
    static func abortAll(on loop: EventLoop) async {
        let peers = living.withLock { $0.removeValue(forKey: ObjectIdentifier(loop)) } ?? []
        for peer in peers { await peer.abort() }
        await loop.settle()
    }

    // MARK: Opening

    func connect(
        to address: SocketAddress, tls: (context: TLSContext, serverName: String)? = nil,
        timeout: Duration = .seconds(20)
    ) {
        socket = StreamSocket.connect(to: address, tls: tls, on: loop, timeout: timeout, delegate: self)
    }

    func accept(_ descriptor: Int32, from peer: SocketAddress, tls: TLSContext?) {
        socket = StreamSocket(accepting: descriptor, peer: peer, tls: tls, on: loop, delegate: self)
    }

    /// Accepts without TLS of the socket's own, so that the test can break its rules.
    func acceptByHand(_ descriptor: Int32, from peer: SocketAddress, tls: TLSContext) throws {
        handMadeTLS = try tls.makeSession()
        socket = StreamSocket(accepting: descriptor, peer: peer, tls: nil, on: loop, delegate: self)
    }

    // MARK: Acting

    func send(_ bytes: [UInt8]) {
        if let handMadeTLS {
            try? bytes.withUnsafeBytes { try handMadeTLS.write($0) }
            moveHandMadeOutput()
        } else {
            socket?.output.append(bytes)
        }
    }

    /// Queues bytes with an instant by which they must have left, and lets something happen before the turn ends.
    func send(_ bytes: [UInt8], by deadline: MonotonicInstant, meanwhile: @Sendable () -> Void = {}) {
        socket?.mustLeave(by: deadline)
        socket?.output.append(bytes)
        meanwhile()
    }

    /// Sends the pattern in portions, each when the one before is with the kernel.
    func sendPattern(_ count: Int) {
        remaining = count
        sendPortion()
    }

    /// Sends the next bytes of the pattern at once, with what was sent of it before.
    func sendPatternPiece(_ count: Int) {
        remaining += count
        while remaining > 0 { sendPortion() }
    }

    /// Sends bytes below a TLS that the test speaks itself.
    func sendRaw(_ bytes: [UInt8]) { socket?.output.append(bytes) }

    /// The error of a TLS that the test speaks itself.
    func handMadeError() -> TLSError? {
        var byte = [UInt8](repeating: 0, count: 1)
        let stop = byte.withUnsafeMutableBytes { handMadeTLS?.read(into: $0).stop }
        guard case .failed(let error)? = stop else { return nil }
        return error
    }

    func flush() { socket?.flush() }
    func pauseReading() { socket?.pauseReading() }
    func resumeReading() { socket?.resumeReading() }
    func finishWriting() { socket?.finishWriting() }
    func close() { socket?.close() }
    func abort() { socket?.abort() }

    var pendingOutputBytes: Int { socket?.pendingOutputBytes ?? 0 }
    var isResumed: Bool { socket?.isResumed ?? false }
    var negotiatedProtocol: String? { socket?.negotiatedProtocol }
    var localAddress: SocketAddress? { socket?.localAddress }
    var peerAddress: SocketAddress? { socket?.peer }
    var isOpen: Bool { socket?.isOpen ?? false }

    // MARK: -

    static let portion = 64 * 1024

    static func pattern(at position: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: position &* 131 &+ position >> 9)
    }

    private func sendPortion() {
        let count = min(remaining, Self.portion)
        guard count > 0, let socket else { return }
        let start = record.value.sentCount
        let queue = socket.output
        let region = queue.writableRegion(minimum: count)
        for index in 0..<count { region[index] = Self.pattern(at: start + index) }
        queue.didWrite(count)
        remaining -= count
        record.update { $0.sentCount += count }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        if let handMadeTLS { return takeByHand(bytes, handMadeTLS) }
        if keepsBytes {
            received += bytes
        } else {
            compareWithPattern(bytes)
        }
        record.update { $0.receivedCount += bytes.count }
        reaction?(self, .received(bytes.count))
    }

    private func compareWithPattern(_ bytes: UnsafeRawBufferPointer) {
        let start = record.value.receivedCount
        var wrong = 0
        for index in 0..<bytes.count where bytes[index] != Self.pattern(at: start + index) { wrong += 1 }
        guard wrong > 0 else { return }
        record.update { $0.wrongBytes += wrong }
    }

    private func takeByHand(_ bytes: UnsafeRawBufferPointer, _ tls: TLSSession) {
        var buffer = [UInt8](repeating: 0, count: 32 * 1024)
        tls.lend(bytes) {
            guard tls.handshake() == .complete else { return }
            let count = buffer.withUnsafeMutableBytes { tls.read(into: $0) }.count
            received += buffer[..<count]
            record.update { $0.receivedCount += count }
        }
        moveHandMadeOutput()
    }

    private func moveHandMadeOutput() {
        guard let handMadeTLS, let socket else { return }
        handMadeTLS.output.withReadableBytes { socket.output.append($0) }
        handMadeTLS.output.removeAll()
    }

    private func note(_ event: Event) {
        switch event {
        case .drainedOutput: sendPortion()
        case .drainedInput, .received: break
        case .opened, .ended, .closed: record.update { $0.milestones.append(event) }
        }
        reaction?(self, event)
    }
}

extension SocketPeer: StreamSocketDelegate {
    nonisolated func socketDidOpen(_ socket: StreamSocket) {
        assumeIsolated { $0.note(.opened) }
    }

    nonisolated func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        // Lent for the time of the call, within which it stays.
        nonisolated(unsafe) let bytes = bytes
        assumeIsolated { $0.take(bytes) }
    }

    nonisolated func socketDidDrainInput(_ socket: StreamSocket) {
        assumeIsolated { $0.note(.drainedInput) }
    }

    nonisolated func socketDidDrainOutput(_ socket: StreamSocket) {
        assumeIsolated { $0.note(.drainedOutput) }
    }

    nonisolated func socketDidReachEnd(_ socket: StreamSocket) {
        assumeIsolated { $0.note(.ended) }
    }

    nonisolated func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        assumeIsolated { $0.note(.closed(reason)) }
    }
}
