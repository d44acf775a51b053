import ReveilleBytes
import ReveilleCrypto
import ReveilleTLS
import Testing

/// A client and a server whose ciphertext goes from one memory to the other.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession
    private(set) var clientResult = TLSSession.HandshakeResult.wantsInput
    private(set) var serverResult = TLSSession.HandshakeResult.wantsInput

    init(client: TLSContext, server: TLSContext, serverName: String = "localhost") throws {
        self.client = try client.makeSession(serverName: serverName)
        self.server = try server.makeSession()
    }

    /// Runs the handshake until neither side goes on; `step` is how many bytes go over at once.
    func handshake(step: Int = .max) {
        while true {
            clientResult = client.handshake()
            let toServer = Self.take(client)
            Self.deliver(toServer, to: server, step: step) { self.serverResult = self.server.handshake() }
            let toClient = Self.take(server)
            Self.deliver(toClient, to: client, step: step) { self.clientResult = self.client.handshake() }
            if toServer.isEmpty, toClient.isEmpty { return }
        }
    }

    /// Everything that a session has for its peer.
    static func take(_ session: TLSSession) -> [UInt8] {
        let bytes = session.output.withReadableBytes { Array($0) }
        session.output.consume(bytes.count)
        return bytes
    }

    static func deliver(
        _ bytes: [UInt8], to session: TLSSession, step: Int = .max, _ body: () -> Void
    ) {
        var rest = bytes[...]
        while !rest.isEmpty {
            Array(rest.prefix(step)).withUnsafeBytes { session.lend($0, body) }
            rest = rest.dropFirst(step)
        }
    }

    /// Reads everything from a session after ciphertext was delivered in steps.
    static func read(
        _ session: TLSSession, from ciphertext: [UInt8], step: Int = .max, bufferSize: Int = 5000
    ) -> (bytes: [UInt8], stop: TLSSession.ReadStop) {
        var plaintext: [UInt8] = []
        var stop = TLSSession.ReadStop.wantsInput
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        deliver(ciphertext, to: session, step: step) {
            repeat {
                let result = buffer.withUnsafeMutableBytes { session.read(into: $0) }
                plaintext += buffer[..<result.count]
                stop = result.stop
            } while stop == .bufferIsFull
        }
        return (plaintext, stop)
    }

    static func write(_ bytes: [UInt8], to session: TLSSession) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try session.write($0) }
        return take(session)
    }
}

/// Authorities and contexts that the tests share.
struct TLSFixture {
    let authority: CertificateAuthority

    init() throws {
        authority = try CertificateAuthority.generate(commonName: "Test authority")
    }

    func client(
        alpn: [String] = [], requiresApplicationProtocol: Bool = true, resumesSessions: Bool = true,
        versions: ClosedRange<TLSVersion> = TLSVersion.tls12 ... .tls13
    ) throws -> TLSContext {
        try TLSContext(
            client: TLSClientConfiguration(
                alpn: alpn, requiresApplicationProtocol: requiresApplicationProtocol,
                extraAuthorityPEM: authority.certificatePEM, trustsSystemRoots: false,
                versions: versions, resumesSessions: resumesSessions))
    }

    func server(
        names: [String] = ["localhost"], addresses: [String] = [], alpn: [String] = [],
        validity: CertificateValidity = .oneYear, versions: ClosedRange<TLSVersion> = TLSVersion.tls12 ... .tls13
    ) throws -> TLSContext {
        try Self.server(
            try authority.issueServerCertificate(
                names: names, addresses: addresses, validity: validity), alpn: alpn, versions: versions)
    }

    static func server(
        _ certificate: CertificateAuthority.ServerCertificate, alpn: [String] = [],
        versions: ClosedRange<TLSVersion> = TLSVersion.tls12 ... .tls13
    ) throws -> TLSContext {
        try TLSContext(
            server: TLSServerConfiguration(
                certificateChainPEM: certificate.certificateChainPEM,
                privateKeyPEM: certificate.privateKeyPEM, alpn: alpn, versions: versions))
    }
}

extension TLSSession.HandshakeResult {
    /// The error of a failure.
    var error: TLSError? {
        guard case .failed(let error) = self else { return nil }
        return error
    }
}
