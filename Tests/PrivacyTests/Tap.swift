import PrivacyAudit
import ReveilleBytes
import ReveilleCrypto
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS

/// Stands between the server and Apple, ends TLS on both sides, and keeps what the server says: every octet inside TLS.
final class Tap: Sendable {
    /// The certificate of the authority that the server must trust.
    let authorityPEM: String
    private let listener: Listener

    /// Listens on loopback and passes everything on to `target`.
    init(to target: SocketAddress, authority: String, ledger: CaptureLedger, loop: EventLoop) throws {
        let own = try CertificateAuthority.generate(commonName: "Privacy audit")
        let certificate = try own.issueServerCertificate(names: ["localhost"], addresses: ["127.0.0.1"])
        authorityPEM = own.certificatePEM
        let inward = try TLSContext(
            server: TLSServerConfiguration(
                certificateChainPEM: certificate.certificateChainPEM, privateKeyPEM: certificate.privateKeyPEM,
                alpn: ["h2"]))
        let outward = try TLSContext(client: TLSClientConfiguration(alpn: ["h2"], extraAuthorityPEM: authority))
        listener = try Listener(address: .loopback(port: 0), loops: [loop]) { descriptor, peer, loop in
            TapLink(ledger: ledger).open(descriptor, from: peer, inward, to: target, outward, on: loop)
        }
    }

    /// Where the server is to connect.
    var port: UInt16 { listener.localAddress.port }

    func stop() async { await listener.stopAndWait() }
}

/// One connection through the tap.
///
/// Lives on the loop; its sockets keep it until both are closed.
private final class TapLink: StreamSocketDelegate {
    private let ledger: CaptureLedger
    private var server: StreamSocket?
    private var apple: StreamSocket?

    init(ledger: CaptureLedger) { self.ledger = ledger }

    func open(
        _ descriptor: Int32, from peer: SocketAddress, _ inward: TLSContext, to target: SocketAddress,
        _ outward: TLSContext, on loop: EventLoop
    ) {
        apple = StreamSocket.connect(
            to: target, tls: (outward, "localhost"), on: loop, timeout: .seconds(10), delegate: self)
        server = StreamSocket(accepting: descriptor, peer: peer, tls: inward, on: loop, delegate: self)
    }

    private func other(_ socket: StreamSocket) -> StreamSocket? { socket === server ? apple : server }

    func socketDidOpen(_ socket: StreamSocket) {}

    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        let copy = [UInt8](bytes)
        if socket === server { ledger.note(.apnsOctets, "connection", copy) }
        other(socket)?.output.append(copy)
    }

    func socketDidDrainInput(_ socket: StreamSocket) {}
    func socketDidDrainOutput(_ socket: StreamSocket) {}
    func socketDidReachEnd(_ socket: StreamSocket) { other(socket)?.close() }

    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        other(socket)?.close()
        if socket === server { server = nil } else { apple = nil }
    }
}
