import ReveilleCommands
import ReveilleCore
import ReveilleJSON
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Rotations of the master key beside each other", .temporaryDirectory, .timeLimit(.minutes(5)))
struct MasterKeyRotationTests {
    @Test("of rotations at once each goes on from the one before, and no key is lost")
    func together() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let before = try place.keys().current.checkValue
        let runs = await withTaskGroup { group in
            for _ in 0..<6 { group.addTask { await CommandRun.of("keys", "rotate-master", place.keyFile, "--json") } }
            return await group.reduce(into: [CommandRun]()) { $0.append($1) }
        }
        #expect(runs.allSatisfy { $0.status == .success }, "\(runs.map(\.error))")
        let keys = try place.keys().all.map(\.checkValue)
        #expect(keys.count == 7 && keys.last == before)
        #expect(Set(keys) == Set(runs.compactMap { $0.json["check_value"]?.string }).union([before]))
        #expect(await place.run("producer", "list").lines == ["mail"])
    }

    @Test("while former keys are taken out the file is not changed by another, which says so")
    func besideForgetting() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let former = try place.keys()
        #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success)
        let keys = try place.keys()
        let remarks = Probe("")
        let forgetting = try await place.withStore(former) { _ in
            let words = ["keys", "rotate-master", "--forget-former", place.keyFile, "--data", place.folder]
            let forgetting = Task {
                await Program.run(words, terminal: CommandRun.terminal(out: Probe(""), error: remarks))
            }
            try await remarks.wait { $0.contains("waiting at most") }
            for more in [[], ["--forget-former", "--data", place.folder]] {
                let run = await CommandRun.of(["keys", "rotate-master", place.keyFile] + more)
                #expect(run.status == .failure && run.error.contains("another process is writing it"), "\(run.error)")
            }
            #expect(try place.keys().all.map(\.checkValue) == keys.all.map(\.checkValue))
            return forgetting
        }
        #expect(await forgetting.value == .success, "\(remarks.value)")
        #expect(try place.keys().all.map(\.checkValue) == [keys.current.checkValue])
        #expect(await place.run("producer", "list").lines == ["mail"])
        #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success)
    }

    @Test("commands beside rotations find the key that the store works with by then")
    func commandsBeside() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let isDone = Probe(false)
        let listing = Task {
            var runs: [CommandRun] = []
            while !isDone.value { runs.append(await place.run("producer", "list")) }
            return runs
        }
        var rotations: [CommandRun] = []
        for number in 0..<6 {
            rotations.append(await CommandRun.of("keys", "rotate-master", place.keyFile))
            // Makes the new key the store's, when nobody else has it open.
            rotations.append(await place.run("producer", "create", "made-\(number)"))
        }
        isDone.update { $0 = true }
        for run in rotations + (await listing.value) { #expect(run.status == .success, "\(run.error)") }
    }

    @Test("keys that were read before a rotation ended are read again, and a key that stays wrong is told")
    func readBefore() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let early = try place.keys()
        #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success)
        // Makes the new key the store's.
        _ = try await place.makeProducer("media")
        let settings = StoreSettings(folder: place.folder, keyFile: place.keyFile, key: nil)
        let open = { (keys: MasterKeys) in
            try await StoreOpener.open(
                settings, readBefore: keys, apps: AppRegistry([]), options: StoreOptions(), log: .silent)
        }
        let store = try await open(early)
        #expect(store.masterKeyCheckValue == (try place.keys().current.checkValue))
        // Opened with what was read again, it can follow the next rotation too.
        #expect(await CommandRun.of("keys", "rotate-master", place.keyFile).status == .success)
        _ = try await store.followMasterKeys()
        #expect(store.masterKeyCheckValue == (try place.keys().current.checkValue))
        await store.close()
        let other = try #require(TemporaryDirectory.current).file("other.key")
        #expect(await CommandRun.of("keys", "make-master", other).status == .success)
        let elsewhere = StoreSettings(folder: place.folder, keyFile: other, key: nil)
        await #expect(throws: CommandFailure.self) {
            _ = try await StoreOpener.open(
                elsewhere, readBefore: early, apps: AppRegistry([]), options: StoreOptions(), log: .silent)
        }
    }
}
