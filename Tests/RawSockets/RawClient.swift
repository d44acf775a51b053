package import RawHTTP
package import ReveilleBytes
internal import ReveilleHTTP1
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleTLS
package import ReveilleTesting

/// A client that sends whatever bytes a test wants, over a real socket.
package actor RawClient: StreamSocketDelegate {
    /// What came back.
    package struct Heard: Sendable {
        /// Whether the connection is made.
        package fileprivate(set) var isOpen = false
        /// The pieces as they came: adding one does not copy the others.
        fileprivate(set) var pieces: [[UInt8]] = []
        /// How many bytes came.
        package fileprivate(set) var count = 0
        /// Whether the server has ended its direction.
        package fileprivate(set) var hasEnded = false
        /// Why the socket is closed.
        package fileprivate(set) var closeReason: SocketCloseReason?

        /// Everything that came.
        package var bytes: [UInt8] {
            var all: [UInt8] = []
            all.reserveCapacity(count)
            for piece in pieces { all += piece }
            return all
        }

        /// Whether the server has ended the connection, in whatever way.
        package var isOver: Bool { hasEnded || closeReason != nil }
    }

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// What came back so far.
    package nonisolated let heard = Probe(Heard())
    private var socket: StreamSocket?
    private var readLimit = Int.max

    /// A client that lives on `loop` and is not connected.
    package init(on loop: EventLoop) { self.loop = loop }

    /// Begins to connect; see ``heard``.
    package func connect(to address: SocketAddress, tls: (context: TLSContext, serverName: String)? = nil) {
        socket = StreamSocket.connect(
            to: address, tls: tls, on: loop, timeout: .seconds(20), delegate: self)
    }

    /// Sends bytes as they are.
    package func send(_ bytes: [UInt8]) { socket?.output.append(bytes) }

    /// Sends each byte by itself.
    package func sendByteByByte(_ bytes: [UInt8]) {
        for byte in bytes {
            socket?.output.append(byte)
            socket?.flush()
        }
    }

    /// Ends this direction; the server may still answer.
    package func finishWriting() { socket?.finishWriting() }
    /// Reads nothing more until told to.
    package func pauseReading() { socket?.pauseReading() }

    /// Goes on reading, up to about so many bytes in all.
    package func resumeReading(upTo limit: Int = .max) {
        readLimit = limit
        socket?.resumeReading()
    }

    private func pauseIfEnough() {
        if heard.value.count >= readLimit { socket?.pauseReading() }
    }

    /// Resets the connection.
    package func abort() { socket?.abort() }
    /// Closes in order.
    package func close() { socket?.close() }
    /// Bytes that the kernel has not taken.
    package var pendingOutputBytes: Int { socket?.pendingOutputBytes ?? 0 }
    /// What TLS agreed on.
    package var negotiatedProtocol: String? { socket?.negotiatedProtocol }

    /// Waits until the server has ended the connection, and returns everything it said.
    package nonisolated func everything() async throws -> [UInt8] {
        try await heard.wait { $0.isOver }.bytes
    }

    /// Waits for complete answers, and returns them.
    ///
    /// `heads` are the positions of answers to HEAD.
    package nonisolated func answers(_ count: Int, heads: Set<Int> = []) async throws -> [RawAnswer] {
        let heard = try await heard.wait {
            $0.isOver || RawAnswer.all(in: $0.bytes, heads: heads).count >= count
        }
        return RawAnswer.all(in: heard.bytes, heads: heads)
    }

    /// Waits until HTTP/2 frames satisfy a condition, and returns them.
    package nonisolated func frames(
        until condition: @escaping @Sendable ([RawFrame]) -> Bool
    ) async throws -> [RawFrame] {
        @Sendable func frames(_ heard: Heard) -> [RawFrame] {
            var bytes = heard.bytes
            return RawHTTP2.takeFrames(from: &bytes)
        }
        return frames(try await heard.wait { $0.isOver || condition(frames($0)) })
    }

    /// The statuses by stream, once so many streams are answered completely.
    package nonisolated func statuses(_ count: Int) async throws -> [UInt32: Int] {
        let frames = try await frames { frames in
            frames.count { $0.endsStream } >= count
        }
        return Dictionary(
            frames.compactMap { frame in frame.status.map { (frame.stream, $0) } },
            uniquingKeysWith: { _, last in last })
    }

    package nonisolated func socketDidOpen(_ socket: StreamSocket) { heard.update { $0.isOpen = true } }

    package nonisolated func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        let copy = [UInt8](bytes)
        heard.update {
            $0.pieces.append(copy)
            $0.count += copy.count
        }
        assumeIsolated { $0.pauseIfEnough() }
    }

    package nonisolated func socketDidDrainInput(_ socket: StreamSocket) {}
    package nonisolated func socketDidDrainOutput(_ socket: StreamSocket) {}
    package nonisolated func socketDidReachEnd(_ socket: StreamSocket) {
        heard.update { $0.hasEnded = true }
    }

    package nonisolated func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        heard.update { $0.closeReason = reason }
    }
}

/// One HTTP/1.1 answer as it came.
package struct RawAnswer: Sendable {
    /// The status.
    package let status: Int
    /// The fields.
    package let fields: FieldList
    /// The body as text.
    package let body: String
    /// Whether it says that the connection closes.
    package let closes: Bool

    /// The complete answers in bytes, interim ones included.
    package static func all(in bytes: [UInt8], heads: Set<Int> = []) -> [RawAnswer] {
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
    package var endsStream: Bool {
        switch kind {
        case .data, .headers: flags & RawFrame.endStream != 0
        case .resetStream: true
        case .priority, .settings, .pushPromise, .ping, .goAway, .windowUpdate, .continuation, .unknown:
            false
        }
    }
}
