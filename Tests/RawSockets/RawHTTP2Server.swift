package import RawHTTP
internal import ReveilleBytes
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleTesting

/// A server of HTTP/2 over plain TCP that keeps every frame of its clients and answers each request, with 200 by default.
package final class RawHTTP2Server: Sendable {
    /// Every frame that came, in order.
    package let frames = Probe<[RawFrame]>([])
    private let listener: Listener

    /// Where it listens.
    package var address: SocketAddress { listener.localAddress }

    /// Listens on the loopback network.
    ///
    /// - Parameters:
    ///   - opening: What each client is sent first, before its own frames are looked at.
    ///   - answer: What a request on a stream is answered with.
    package init(
        on loop: EventLoop, opening: [RawFrame] = [RawHTTP2.settings([])],
        answer: @escaping @Sendable (_ stream: UInt32) -> [UInt8] = RawHTTP2Server.accepted
    ) throws {
        let frames = frames
        listener = try Listener(address: .loopback(port: 0), loops: [loop]) { descriptor, peer, loop in
            // The loop keeps the socket, and the socket its delegate.
            _ = Connection(
                accepting: descriptor, peer: peer, on: loop, opening: opening, answer: answer, frames: frames)
        }
    }

    /// The whole answer is ":status: 200" of the static table.
    package static func accepted(_ stream: UInt32) -> [UInt8] {
        RawFrame(.headers, flags: RawFrame.endStream | RawFrame.endHeaders, stream: stream, [0x88]).bytes
    }

    /// Accepts no more.
    package func stop() async { await listener.stopAndWait() }

    private final class Connection: StreamSocketDelegate {
        private let opening: [RawFrame]
        private let answer: @Sendable (UInt32) -> [UInt8]
        private let frames: Probe<[RawFrame]>
        private var magic = RawHTTP2.magic.count
        private var unparsed: [UInt8] = []

        init(
            accepting descriptor: Int32, peer: SocketAddress, on loop: EventLoop, opening: [RawFrame],
            answer: @escaping @Sendable (UInt32) -> [UInt8], frames: Probe<[RawFrame]>
        ) {
            self.opening = opening
            self.answer = answer
            self.frames = frames
            _ = StreamSocket(accepting: descriptor, peer: peer, tls: nil, on: loop, delegate: self)
        }

        func socketDidOpen(_ socket: StreamSocket) {
            socket.output.append(opening.flatMap(\.bytes))
        }

        func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
            unparsed += bytes
            let skipped = min(magic, unparsed.count)
            unparsed.removeFirst(skipped)
            magic -= skipped
            let new = RawHTTP2.takeFrames(from: &unparsed)
            for frame in new where frame.endsStream && frame.kind != .resetStream {
                socket.output.append(answer(frame.stream))
            }
            frames.update { $0 += new }
        }

        func socketDidDrainInput(_ socket: StreamSocket) {}
        func socketDidDrainOutput(_ socket: StreamSocket) {}
        func socketDidReachEnd(_ socket: StreamSocket) { socket.close() }
        func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {}
    }
}
