import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Whichever step of the disk fails, an act happens wholly or not at all", .temporaryDirectory)
struct EveryStepTests {
    /// SQLite's code for a transaction that the commit hook refused: how a failing commit shows.
    private static let refusedCommit: Int32 = 531
    private static let mostSteps = 500

    /// For n = 1, 2, 3 … the n-th write, sync, opening, truncation, deletion or commit fails once.
    @Test("what is acknowledged stays, what is refused did not happen", arguments: StoreAct.all)
    func everyStep(act: StoreAct) async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let scene = try await ActScene(path: path)
        var seen: [(round: ActScene.Round, state: String)] = []
        var refusals = 0
        var step = 0
        var untouched = false
        while !untouched {
            step += 1
            try #require(step < Self.mostSteps)
            let round = try await act.prepare(scene)
            #expect(act.before == (try await act.look(scene, round, scene.store)) || act.before == act.after)
            scene.faults.fail(step: step)
            let refusal = await Self.refusal { try await act.act(scene, round) }
            untouched = !scene.faults.hasFailed
            scene.faults.relent()
            // The same store works again by itself once the cause is gone.
            try await scene.store.probeWrite()
            let state = try await act.look(scene, round, scene.store)
            if let refusal {
                refusals += 1
                #expect(Self.isDisks(refusal), "\(refusal)")
                #expect(([act.before, act.after] + act.between).contains(state), "after step \(step) failed")
            } else {
                #expect(state == act.after, "acknowledged though step \(step) failed")
            }
            if state == act.after { seen.append((round, state)) }
            try await act.restore(scene, round)
        }
        #expect(step > 2 && refusals > 0 && !seen.isEmpty)
        await scene.store.close()
        try await Self.checkFile(scene, act, seen)
    }

    private static func checkFile(
        _ scene: ActScene, _ act: StoreAct, _ seen: [(round: ActScene.Round, state: String)]
    ) async throws {
        let reopened = try await scene.reopen()
        for (round, state) in seen where act.lasts {
            #expect(try await act.look(scene, round, reopened) == state, "round \(round.number) after a new start")
        }
        await reopened.close()
        let file = try SQLiteConnection(path: scene.path, access: .readWrite, busyMilliseconds: 0)
        #expect(try file.text("PRAGMA integrity_check") == "ok")
    }

    private static func refusal(_ body: () async throws -> Void) async -> StoreError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? StoreError ?? StoreError(.programming)
        }
    }

    /// Whether an error says that the disk failed, and nothing else.
    private static func isDisks(_ error: StoreError) -> Bool {
        switch error.code {
        case .inputOutput, .cannotOpen: true
        case .programming: error.engineCode == refusedCommit
        case .full, .busy, .corrupt, .readOnly, .newerSchema, .wrongKey, .keyRotated, .fileMissing, .unreadableValue,
            .overloaded, .closed:
            false
        }
    }
}
