import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleNetwork
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("A posted notification reaches a server as its settings say", .temporaryDirectory, .timeLimit(.minutes(5)))
struct NotifyRoadTests {
    @Test("a notification needs no title, as in the API")
    func untitled() async throws {
        let place = try StorePlace()
        let file = try NotifyCommandTests.tokenFile(try await place.makeProducer("mail"))
        let (run, inbox) = try await NotifyCommandTests.withServer(place) { server in
            let run = await CommandRun.of(
                "notify", "--server", "http://\(server.address.text)", "--token-file", file, "--to", "anna",
                "--category",
                "mail")
            let producer = try #require(try await server.store.producer(name: "mail"))
            let profile = try await server.store.profile("anna", of: producer)
            return (run, try await server.store.deliveries(of: profile, before: nil, limit: 10))
        }
        #expect(run.status == .success, "\(run.error)")
        #expect(inbox.first?.title == "" && inbox.first?.body == "")
    }

    @Test("over TLS the server's certificate is checked against the authority that is named")
    func tls() async throws {
        let place = try StorePlace()
        let file = try NotifyCommandTests.tokenFile(try await place.makeProducer("mail"))
        let directory = try #require(TemporaryDirectory.current)
        let authority = try CertificateAuthority.generate(commonName: "test")
        let made = try authority.issueServerCertificate(names: ["localhost"])
        try PrivateFile.write(authority.certificatePEM, to: directory.file("ca.pem"))
        try PrivateFile.write(made.certificateChainPEM, to: directory.file("chain.pem"))
        try PrivateFile.write(made.privateKeyPEM.reveal(), to: directory.file("tls.key"))
        let tls = [
            "REVEILLE_TLS_CERTIFICATE": directory.file("chain.pem"), "REVEILLE_TLS_KEY": directory.file("tls.key"),
        ]
        let runs = try await NotifyCommandTests.withServer(place, tls) { server in
            let url = "https://localhost:\(server.address.port)"
            return [
                await NotifyCommandTests.notify(url, file, "--ca-file", directory.file("ca.pem")),
                await NotifyCommandTests.notify(url, file),
                await NotifyCommandTests.notify("http://localhost:\(server.address.port)", file),
            ]
        }
        #expect(runs[0].status == .success && runs[0].out.hasPrefix("accepted as "), "\(runs[0].error)")
        #expect(runs[1].status == .unreachable && runs[1].error.contains("certificate is not trusted"))
        #expect(runs[2].status == .unreachable && runs[2].out.isEmpty)
    }
}
