import ReveilleRuntime
import Testing

@Suite("A locked value")
struct LockedTests {
    @Test("counts right when many tasks change it at once")
    func excludes() async {
        let count = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test("is free again after its closure threw")
    func isFreeAfterThrow() {
        struct Failure: Error {}
        let value = Locked(1)
        #expect(throws: Failure.self) { () throws in try value.withLock { (_) throws(Failure) in throw Failure() } }
        value.withLock { $0 = 2 }
        #expect(value.withLock { $0 } == 2)
    }

    @Test("is released with its lock")
    func isReleased() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        do {
            let object = Witness()
            witness = object
            let locked = Locked(object)
            #expect(locked.withLock { $0 === object })
        }
        #expect(witness == nil)
    }
}
