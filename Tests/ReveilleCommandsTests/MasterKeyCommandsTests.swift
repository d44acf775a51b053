import Foundation
import Glibc
import ReveilleBytes
import ReveilleCommands
import ReveilleCore
import ReveilleJSON
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("The master key is made and rotated without losing a store", .temporaryDirectory, .timeLimit(.minutes(5)))
struct MasterKeyCommandsTests {
    @Test("a key is made for its owner only, and named by its check value")
    func make() async throws {
        let place = try StorePlace()
        let run = await CommandRun.of("keys", "make-master", place.keyFile, "--json")
        #expect(run.status == .success)
        let keys = try place.keys()
        #expect(keys.former.isEmpty)
        #expect(run.json["check_value"]?.string == keys.current.checkValue)
        #expect(!run.out.contains(keys.current.text().reveal()))
        #expect(try FileContents.read(place.keyFile).facts.mode == 0o600)
        let again = await CommandRun.of("keys", "make-master", place.keyFile)
        #expect(again.status == .failure && again.error.contains("exists already"))
        #expect(try place.keys().current.checkValue == keys.current.checkValue)
    }

    @Test("a place where no file can be made is a wrong argument", arguments: ["", "/nonexistent/master.key"])
    func makeNowhere(path: String) async {
        let run = await CommandRun.of("keys", "make-master", path)
        #expect(run.status == .usage && run.error.contains("<file>"), "\(run.error)")
    }

    @Test("a rotation puts a new key in front and keeps the present one, and the store opens")
    func rotate() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let before = try place.keys()
        let run = await CommandRun.of("keys", "rotate-master", place.keyFile, "--json")
        #expect(run.status == .success, "\(run.error)")
        let after = try place.keys()
        #expect(after.current.checkValue != before.current.checkValue)
        #expect(after.former.map(\.checkValue) == [before.current.checkValue])
        #expect(run.json["check_value"]?.string == after.current.checkValue)
        #expect(run.json["former"]?.array?.compactMap(\.string) == [before.current.checkValue])
        #expect(await place.run("producer", "list").lines == ["mail"])
    }

    @Test(
        "what a writer left that was killed goes with the next run",
        arguments: ["make-master", "rotate-master", "producer"])
    func leftover(command: String) async throws {
        let directory = try #require(TemporaryDirectory.current)
        let keys = directory.file("keys")
        #expect(mkdir(keys, 0o700) == 0)
        let file = keys + "/master.key"
        if command == "rotate-master" {
            #expect(await CommandRun.of("keys", "make-master", file).status == .success)
        }
        // Half of a key, without a lock: its writer is dead.
        try PrivateFile.write("0123456789abcdef", to: file + ".new")
        let words =
            command == "producer"
            ? ["producer", "create", "mail", "--data", directory.file("data"), "--master-key-file", file]
            : ["keys", command, file]
        let run = await CommandRun.of(words)
        #expect(run.status == .success, "\(run.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys) == ["master.key"])
        #expect(try FileContents.text(file).split(separator: "\n").allSatisfy { $0.utf8.count == 64 })
    }

    @Test("of commands that make the same key at once one does, and the others change nothing")
    func together() async throws {
        let place = try StorePlace()
        let runs = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await CommandRun.of("keys", "make-master", place.keyFile, "--json") } }
            return await group.reduce(into: [CommandRun]()) { $0.append($1) }
        }
        let made = runs.filter { $0.status == .success }
        #expect(made.count == 1)
        #expect(runs.allSatisfy { $0.status == .success || $0.error.contains("exists already") })
        #expect(made.first?.json["check_value"]?.string == (try place.keys().current.checkValue))
    }

    @Test("of commands that make the same store at once all work, with one key")
    func storeTogether() async throws {
        let place = try StorePlace()
        let runs = await withTaskGroup { group in
            for number in 0..<8 { group.addTask { await place.run("producer", "create", "mail-\(number)") } }
            return await group.reduce(into: [CommandRun]()) { $0.append($1) }
        }
        #expect(runs.allSatisfy { $0.status == .success }, "\(runs.map(\.error))")
        #expect(await place.run("producer", "list").lines.count == 8)
    }

    @Test("former keys are forgotten only after the rest is sealed anew", arguments: [1, 3])
    func forget(rotations: Int) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let filling = try await place.withStore { try await place.fill($0, producer: "mail") }
        for _ in 0..<rotations {
            #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success)
        }
        let present = try place.keys().current
        let run = await CommandRun.of("keys", "rotate-master", "--forget-former", place.keyFile, "--data", place.folder)
        #expect(run.status == .success, "\(run.error)")
        #expect(run.error.contains("sealed anew: 2\n"))
        #expect(try place.keys().former.isEmpty)
        #expect(try place.keys().current.checkValue == present.checkValue)
        let delivery = try await place.withStore { try await $0.delivery(filling.delivery, of: filling.profile) }
        #expect(delivery?.body == "the body")
        #expect(try await place.withStore { try await $0.device(filling.device) }?.name == "the phone")
        #expect(await place.run("producer", "list").lines == ["mail"])
    }

    @Test("former keys are forgotten beside a process that works with the present key")
    func forgetBesideServer() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let before = try await place.withStore { try await place.fill($0, producer: "mail") }
        _ = await CommandRun.of("keys", "rotate-master", place.keyFile)
        let (run, another) = try await place.withStore { store in
            let run = await CommandRun.of(
                "keys", "rotate-master", "--forget-former", place.keyFile, "--data", place.folder)
            return (run, try await store.createProducer(name: "calendar"))
        }
        #expect(run.status == .success, "\(run.error)")
        #expect(try place.keys().former.isEmpty && another != nil)
        let delivery = try await place.withStore { try await $0.delivery(before.delivery, of: before.profile) }
        #expect(delivery?.title == "the title")
    }

    @Test("former keys stay in the file while a process works with one and does not take the present key")
    func forgetBesideOldProcess() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let before = try place.keys()
        _ = await CommandRun.of("keys", "rotate-master", place.keyFile)
        let keys = try place.keys()
        let settings = StoreSettings(folder: place.folder, keyFile: place.keyFile, key: nil)
        try await place.withStore(before) { store in
            await #expect(throws: CommandFailure.self) {
                try await FormerKeys(keys: keys, store: settings, looks: 1).letGo(
                    CommandRun.terminal(out: Probe(""), error: Probe("")))
            }
            try await store.probeWrite()
        }
        try await FormerKeys(keys: keys, store: settings, looks: 1).letGo(
            CommandRun.terminal(out: Probe(""), error: Probe("")))
        #expect(try await place.withStore(MasterKeys(current: keys.current)) { try await $0.producers().count } == 1)
    }

    @Test("a running server goes on through a rotation, commands beside it, and the end of the former key")
    func rotateBesideServer() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let former = try place.keys().current
        let settings = try HomeSettings.read(
            SettingsSource(environment: [
                "REVEILLE_LISTEN": "127.0.0.1:0", "REVEILLE_DATA": place.folder,
                "REVEILLE_MASTER_KEY_FILE": place.keyFile,
            ]))
        let server = try await HomeServer.start(settings, log: .silent)
        #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success)
        _ = try await place.makeProducer("calendar")
        try await server.store.probeWrite()
        // It waits until the server has looked at its file.
        let run = await CommandRun.of("keys", "rotate-master", "--forget-former", place.keyFile, "--data", place.folder)
        #expect(run.status == .success, "\(run.error)")
        let present = try place.keys()
        #expect(present.former.isEmpty && present.current.checkValue != former.checkValue)
        #expect(server.store.masterKeyCheckValue == present.current.checkValue)
        _ = try await server.store.createProducer(name: "media")
        await server.stop()
        #expect(await place.run("producer", "list").lines.sorted() == ["calendar", "mail", "media"])
    }

    @Test("a rotation keeps the file's owner, its group's right to read, and a link to it")
    func keepsReaders() async throws {
        let place = try StorePlace()
        let link = try #require(TemporaryDirectory.current).file("link.key")
        #expect(await CommandRun.of("keys", "make-master", place.keyFile).status == .success)
        #expect(symlink(place.keyFile, link) == 0 && chmod(place.keyFile, 0o640) == 0)
        if geteuid() == 0 { #expect(chown(place.keyFile, 0, 4_711) == 0) }
        #expect(await CommandRun.of("keys", "rotate-master", link).status == .success)
        var found = stat()
        #expect(lstat(link, &found) == 0 && found.st_mode & S_IFMT == S_IFLNK)
        #expect(lstat(place.keyFile, &found) == 0 && found.st_mode & 0o7777 == 0o640)
        if geteuid() == 0 { #expect(found.st_gid == 4_711) }
        #expect(try place.keys().former.count == 1)
    }

    @Test("former keys stay in the file when the store they seal is not there to be asked")
    func forgetWithoutStore() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        _ = await CommandRun.of("keys", "rotate-master", place.keyFile)
        let before = try place.keys().all.map(\.checkValue)
        let run = await CommandRun.of(
            "keys", "rotate-master", "--forget-former", place.keyFile, "--data", place.folder + "-typo")
        #expect(run.status == .usage && run.error.contains("there is no store in \(place.folder)-typo"))
        #expect(try place.keys().all.map(\.checkValue) == before)
    }

    @Test("former keys stay in the file when the store was made with another key")
    func forgetWithForeignStore() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let other = try #require(TemporaryDirectory.current).file("other.key")
        #expect(await CommandRun.of("keys", "make-master", other).status == .success)
        #expect(await CommandRun.of("keys", "rotate-master", other).status == .success)
        let before = try FileContents.text(other)
        let run = await CommandRun.of("keys", "rotate-master", "--forget-former", other, "--data", place.folder)
        #expect(run.status == .usage && run.error.contains("is not the one that"))
        #expect(try FileContents.text(other) == before)
    }

    @Test("nothing is asked of a store when the file holds no former key")
    func nothingToForget() async throws {
        let place = try StorePlace()
        _ = await CommandRun.of("keys", "make-master", place.keyFile)
        let before = try FileContents.text(place.keyFile)
        let run = await CommandRun.of("keys", "rotate-master", "--forget-former", place.keyFile, "--data", place.folder)
        #expect(run.status == .success)
        #expect(try FileContents.text(place.keyFile) == before)
        #expect(access(place.folder, F_OK) != 0)
    }

    @Test("a file takes no more than eight former keys")
    func tooManyRotations() async throws {
        let place = try StorePlace()
        _ = await CommandRun.of("keys", "make-master", place.keyFile)
        for _ in 0..<8 { #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success) }
        let before = try FileContents.text(place.keyFile)
        let run = await CommandRun.of("keys", "rotate-master", place.keyFile)
        #expect(run.status == .failure && run.error.contains("--forget-former"))
        #expect(try FileContents.text(place.keyFile) == before)
    }
}
