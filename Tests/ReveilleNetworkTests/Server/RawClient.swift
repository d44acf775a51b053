import RawHTTP
import ReveilleBytes
import ReveilleHTTP1
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting

/// A client that sends whatever bytes a test wants, over a real socket.
actor RawClient: StreamSocketDelegate {
    /// What came back.
    struct Heard: Sendable {
        var isOpen = false
        /// The pieces as they came: adding one does not copy the others.
        fileprivate(set) var pieces: [[UInt8]] = []
        fileprivate(set) var count = 0
        var hasEnded = false
        var closeReason: SocketCloseReason?

        var bytes: [UInt8] {
            var all: [UInt8] = []
            all.reserveCapacity(count)
            for piece in pieces { all += piece }
            return all
        }

        /// Whether the server has ended the connection, in whatever way.
        var isOver: Bool { hasEnded || closeReason != nil }
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let heard = Probe(Heard())
    private var socket: StreamSocket?
    private var readLimit = Int.max

    init(on loop: EventLoop) { self.loop = loop }

    func connect(to address: SocketAddress, tls: (context: TLSContext, serverName: String)? = nil) {
        socket = StreamSocket.connect(
            to: address, tls: tls, on: loop, timeout: .seconds(20), delegate: self)
    }

    func send(_ bytes: [UInt8]) { socket?.output.append(bytes) }

    /// Sends each byte by itself.
    func sendByteByByte(_ bytes: [UInt8]) {
        for byte in bytes {
            socket?.output.append(byte)
            socket?.flush()
        }
    }

    func finishWriting() { socket?.finishWriting() }
    func pauseReading() { socket?.pauseReading() }

    /// Goes on reading, up to about so many bytes in all.
    func resumeReading(upTo limit: Int = .max) {
        readLimit = limit
        socket?.resumeReading()
    }

    private func pauseIfEnough() {
        if heard.value.count >= readLimit { socket?.pauseReading() }
    }

    func abort() { socket?.abort() }
    func close() { socket?.close() }
    var pendingOutputBytes: Int { socket?.pendingOutputBytes ?? 0 }
    var negotiatedProtocol: String? { socket?.negotiatedProtocol }

    /// Waits until the server has ended the connection, and returns everything it said.
    nonisolated func everything() async throws -> [UInt8] {
        try await heard.wait { $0.isOver }.bytes
    }

    /// Waits for complete answers, and returns them.
    ///
    /// `heads` are the positions of answers to HEAD.
    nonisolated func answers(_ count: Int, heads: Set<Int> = []) async throws -> [RawAnswer] {
        let heard = try await heard.wait {
            $0.isOver || RawAnswer.all(in: $0.bytes, heads: heads).count >= count
        }
        return RawAnswer.all(in: heard.bytes, heads: heads)
    }

    /// Waits until HTTP/2 frames satisfy a condition, and returns them.
    nonisolated func frames(
        until condition: @escaping @Sendable ([RawFrame]) -> Bool
    ) async throws -> [RawFrame] {
        @Sendable func frames(_ heard: Heard) -> [RawFrame] {
            var bytes = heard.bytes
            return RawHTTP2.takeFrames(from: &bytes)
        }
        return frames(try await heard.wait { $0.isOver || condition(frames($0)) })
    }

    /// The statuses by stream, once so many streams are answered completely.
    nonisolated func statuses(_ count: Int) async throws -> [UInt32: Int] {
        let frames = try await frames { frames in
            frames.count { $0.endsStream } >= count
        }
        return Dictionary(
            frames.compactMap { frame in frame.status.map { (frame.stream, $0) } },
            uniquingKeysWith: { _, last in last })
    }

    nonisolated func socketDidOpen(_ socket: StreamSocket) { heard.update { $0.isOpen = true } }

    nonisolated func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        let copy = [UInt8](bytes)
        heard.update {
            $0.pieces.append(copy)
            $0.count += copy.count
        }
        assumeIsolated { $0.pauseIfEnough() }
    }

    nonisolated func socketDidDrainInput(_ socket: StreamSocket) {}
    nonisolated func socketDidDrainOutput(_ socket: StreamSocket) {}
    nonisolated func socketDidReachEnd(_ socket: StreamSocket) {
        heard.update { $0.hasEnded = true }
    }

    nonisolated func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        heard.update { $0.closeReason = reason }
    }
}

/// One HTTP/1.1 answer as it came.
struct RawAnswer: Sendable {
    let status: Int
    let fields: FieldList
    let body: String
    let closes: Bool

    /// The complete answers in bytes, interim ones included.
    static func all(in bytes: [UInt8], heads: Set<Int> = []) -> [RawAnswer] {
        var answers: [RawAnswer] = []
        var rest = bytes[...]
        var finals = 0
        var reader = HTTP1ResponseReader(limits: HTTP1Limits(maximumBodyBytes: 1 << 26))
        reader.expectResponse(toHead: heads.contains(finals))
        var head: HTTP1ResponseHead?
        var body: [UInt8] = []
        while true {
            guard let (step, consumed) = try? rest.withUnsafeBytes({ try reader.next($0) }) else {
                return answers
            }
            if case .body(let range) = step {
                body += rest[(rest.startIndex + range.lowerBound)..<(rest.startIndex + range.upperBound)]
            }
            rest = rest.dropFirst(consumed)
            switch step {
            case .needsMoreBytes: return answers
            case .interim(let head): answers.append(RawAnswer(head, []))
            case .head(let found): head = found
            case .body: break
            case .end:
                guard let found = head else { return answers }
                answers.append(RawAnswer(found, body))
                body = []
                head = nil
                finals += 1
                reader.expectResponse(toHead: heads.contains(finals))
            }
        }
    }

    private init(_ head: HTTP1ResponseHead, _ body: [UInt8]) {
        status = head.status
        fields = head.fields
        self.body = String(decoding: body, as: UTF8.self)
        closes = head.fields["connection"] == "close"
    }
}

extension RawFrame {
    /// Whether the frame ends its stream for the server.
    var endsStream: Bool {
        switch kind {
        case .data, .headers: flags & RawFrame.endStream != 0
        case .resetStream: true
        case .priority, .settings, .pushPromise, .ping, .goAway, .windowUpdate, .continuation, .unknown:
            false
        }
    }
}
