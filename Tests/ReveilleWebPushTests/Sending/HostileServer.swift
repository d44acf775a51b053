import LaneTesting
import RawHTTP
import ReveilleBytes
import ReveilleCrypto
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting

/// A server over TLS that means ill.
final class HostileServer: Sendable {
    /// What it does once a request came.
    enum Manner: String, CaseIterable, Sendable {
        case redirects, stalls, stallsInHead, floods, endlessHead, endlessInterim, garbage
        case floodsHTTP2, endlessHeadHTTP2, stallsHTTP2, pingsHTTP2, garbageHTTP2

        var speaksHTTP2: Bool { rawValue.hasSuffix("HTTP2") }
        /// Whether it never stops by itself.
        var goesOn: Bool { !refrain.isEmpty }
        /// Whether it lets time pass.
        var waits: Bool { rawValue.hasPrefix("stalls") }

        /// What it says first.
        var opening: [UInt8] {
            switch self {
            case .redirects:
                Array(
                    "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
                        .utf8)
            case .stalls: []
            case .stallsInHead: Array("HTTP/1.1 200 OK\r\nX-A: ".utf8)
            case .floods: Array("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            case .endlessHead: Array("HTTP/1.1 201 Created\r\n".utf8)
            case .endlessInterim, .garbageHTTP2: []
            case .garbage: Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)
            case .floodsHTTP2:
                RawHTTP2.settings([]).bytes
                    + RawFrame(.headers, flags: RawFrame.endHeaders, stream: 1, [0x88]).bytes
            case .endlessHeadHTTP2: RawHTTP2.settings([]).bytes + RawFrame(.headers, stream: 1, [0x88]).bytes
            case .stallsHTTP2, .pingsHTTP2: RawHTTP2.settings([]).bytes
            }
        }

        /// What it says again and again; nothing for one that waits.
        var refrain: [UInt8] {
            switch self {
            case .redirects, .stalls, .stallsInHead, .stallsHTTP2, .garbage: []
            case .floods: Array(("4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n").utf8)
            case .endlessHead: Array(("X-Filler: " + String(repeating: "x", count: 1_000) + "\r\n").utf8)
            case .endlessInterim: Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8)
            case .floodsHTTP2: RawFrame(.data, stream: 1, [UInt8](repeating: 0, count: 16_384)).bytes
            case .endlessHeadHTTP2:
                RawFrame(
                    .continuation, stream: 1, RawHTTP2.block([("x-filler", String(repeating: "x", count: 100))])
                ).bytes
            case .pingsHTTP2: RawHTTP2.ping().bytes
            case .garbageHTTP2: [UInt8](repeating: 0xFF, count: 64)
            }
        }
    }

    /// The most that it says: more than any buffer on the way holds.
    static let patience = 256 << 20

    let authorityPEM: String
    /// How many connections came.
    let accepted = Probe(0)
    /// How many were ended by the other side.
    let ended = Probe(0)
    /// How many octets the kernel took of what it had to say.
    let said = Probe(0)
    /// How many octets came of requests.
    let heard = Probe(0)
    private let listener: Listener

    var address: SocketAddress { listener.localAddress }

    init(_ manner: Manner, names: [String] = ["push.example.org"], on loop: EventLoop) throws {
        let authority = try CertificateAuthority.generate(commonName: "Hostile")
        let certificate = try authority.issueServerCertificate(names: names)
        authorityPEM = authority.certificatePEM
        let tls = try TLSContext(
            server: TLSServerConfiguration(
                certificateChainPEM: certificate.certificateChainPEM, privateKeyPEM: certificate.privateKeyPEM,
                alpn: [manner.speaksHTTP2 ? "h2" : "http/1.1"]))
        let (accepted, ended, said, heard) = (accepted, ended, said, heard)
        listener = try Listener(address: .loopback(port: 0), loops: [loop]) { descriptor, peer, loop in
            accepted.update { $0 += 1 }
            let connection = Connection(manner, ended: ended, said: said, heard: heard)
            _ = StreamSocket(accepting: descriptor, peer: peer, tls: tls, on: loop, delegate: connection)
        }
    }

    func stop() async { await listener.stopAndWait() }

    private final class Connection: StreamSocketDelegate {
        private let manner: Manner
        private let (ended, said, heard): (Probe<Int>, Probe<Int>, Probe<Int>)
        private var hasBegun = false
        private var rest = HostileServer.patience

        init(_ manner: Manner, ended: Probe<Int>, said: Probe<Int>, heard: Probe<Int>) {
            self.manner = manner
            (self.ended, self.said, self.heard) = (ended, said, heard)
        }

        func socketDidOpen(_ socket: StreamSocket) {}

        func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
            let count = bytes.count
            heard.update { $0 += count }
            guard !hasBegun else { return }
            hasBegun = true
            socket.output.append(manner.opening)
            goOn(socket)
        }

        private func goOn(_ socket: StreamSocket) {
            let refrain = manner.refrain
            guard hasBegun, !refrain.isEmpty, rest > 0 else { return }
            let times = max(1, 65_536 / refrain.count)
            for _ in 0..<times { socket.output.append(refrain) }
            rest -= times * refrain.count
        }

        func socketDidDrainInput(_ socket: StreamSocket) {}

        func socketDidDrainOutput(_ socket: StreamSocket) {
            said.update { $0 += 65_536 }
            goOn(socket)
        }

        func socketDidReachEnd(_ socket: StreamSocket) { socket.close() }

        func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) { ended.update { $0 += 1 } }
    }
}
