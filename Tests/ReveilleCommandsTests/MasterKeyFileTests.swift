import Glibc
import ReveilleCommands
import ReveilleTesting
import Testing

@Suite("A server does not start with a wrong master key file", .temporaryDirectory, .timeLimit(.minutes(5)))
struct MasterKeyFileTests {
    private static let digits = String(repeating: "5a", count: 32)

    static let faults: [WrongFile] = [
        WrongFile("empty", says: "64 hexadecimal digits") { try PrivateFile.write("", to: $0) },
        WrongFile("too short", says: "64 hexadecimal digits") {
            try PrivateFile.write(String(digits.dropLast()), to: $0)
        },
        WrongFile("too long", says: "64 hexadecimal digits") { try PrivateFile.write(digits + "00", to: $0) },
        WrongFile("no digits", says: "64 hexadecimal digits") {
            try PrivateFile.write(String(repeating: "zz", count: 32), to: $0)
        },
        WrongFile("a good line and a bad one", says: "64 hexadecimal digits") {
            try PrivateFile.write(digits + "\nformer\n", to: $0)
        },
        WrongFile("ten keys", says: "64 hexadecimal digits") {
            try PrivateFile.write(Array(repeating: digits, count: 10).joined(separator: "\n"), to: $0)
        },
        WrongFile("not the store's", says: "is not the one that") { try PrivateFile.write(digits, to: $0) },
        WrongFile("readable for all", says: "chmod 600") {
            try PrivateFile.write(digits, to: $0)
            chmod($0, 0o644)
        },
        WrongFile("writable for its group", says: "chmod 600") {
            try PrivateFile.write(digits, to: $0)
            chmod($0, 0o660)
        },
        WrongFile("a folder", says: "it is a folder") { mkdir($0, 0o700) },
        WrongFile("a pipe that nobody writes", says: "no regular file") { mkfifo($0, 0o600) },
        WrongFile("missing", says: "is missing") { _ in },
        WrongFile("a link to nothing", says: "is missing") { symlink($0 + ".none", $0) },
        WrongFile("a link to an open file", says: "chmod 600") {
            try PrivateFile.write(digits, to: $0 + ".target")
            chmod($0 + ".target", 0o604)
            symlink($0 + ".target", $0)
        },
    ]

    @Test("and says what is wrong with it, without its contents", arguments: faults)
    func faultyFile(fault: WrongFile) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let keyFile = place.keyFile + ".given"
        try fault.make(keyFile)
        let run = await CommandRun.of(
            "serve", "--data", place.folder, "--master-key-file", keyFile, "--listen", "127.0.0.1:0")
        #expect(run.status == .usage && run.out.isEmpty)
        #expect(run.error.contains(fault.words) && run.error.contains(keyFile), "\(run.error)")
        #expect(!run.error.contains(Self.digits.prefix(16)))
        // Nothing happened to the store.
        #expect(await place.run("producer", "list").lines == ["mail"])
    }

    @Test("a file of another user is refused", .enabled(if: geteuid() == 0, "only root may give files away"))
    func foreignOwner() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        #expect(chown(place.keyFile, 4_711, 4_711) == 0)
        let run = await place.run("serve", "--listen", "127.0.0.1:0")
        #expect(run.status == .usage && run.error.contains("belongs to user 4711"))
    }

    @Test("an empty store gets no key through a link to nothing")
    func linkToNothing() async throws {
        let place = try StorePlace()
        #expect(symlink(place.keyFile + ".none", place.keyFile) == 0)
        let run = await place.run("producer", "create", "mail")
        #expect(run.status == .usage && run.error.contains("is a link to"))
        #expect(access(place.keyFile + ".none", F_OK) != 0)
    }

    @Test("a link to a good file is followed")
    func link() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        #expect(rename(place.keyFile, place.keyFile + ".target") == 0)
        #expect(symlink(place.keyFile + ".target", place.keyFile) == 0)
        #expect(await place.run("producer", "list").lines == ["mail"])
    }
}
