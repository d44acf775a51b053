import ReveilleCore
import ReveilleJSON
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("The retry schedule")
struct RetryScheduleTests {
    private func delay(_ floor: RetryFloor, _ failures: Int64, _ unit: Double) -> Int64 {
        RetrySchedule.delayMilliseconds(floor: floor, failures: failures, unit: unit)
    }

    private static let last = 1 - 0x1p-53

    @Test("transport loss is tried once at once, then by the schedule")
    func atOnce() {
        #expect(delay(.atOnceThenSchedule, 1, Self.last) == 0)
        #expect(delay(.atOnceThenSchedule, 2, 0.5) == 30_000)
        #expect(delay(.atOnceThenSchedule, 3, 0.5) == 60_000)
    }

    @Test(
        "the steps are 1, 2, 4 … minutes with full jitter, an hour at most",
        arguments: [(Int64(1), Int64(1)), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (.max, 60)])
    func steps(failures: Int64, minutes: Int64) {
        let floor = RetryFloor.schedule(seconds: 0)
        #expect(delay(floor, failures, 0) == 0)
        #expect(delay(floor, failures, 0.5) == minutes * 30_000)
        let longest = delay(floor, failures, Self.last)
        #expect(longest <= minutes * 60_000 && longest >= minutes * 60_000 - 1)
    }

    @Test(
        "nothing is due under the floor that was asked for",
        arguments: [
            RetryFloor.schedule(seconds: 60), .devicePaced(seconds: 60), .lanePaced(seconds: 60),
            .schedule(seconds: 7_200), .lanePaced(seconds: 1_200), .schedule(seconds: 900),
        ], [Int64(1), 2, 5, 9])
    func floors(floor: RetryFloor, failures: Int64) {
        let seconds: Int64 =
            switch floor {
            case .atOnceThenSchedule: 0
            case .schedule(let seconds), .devicePaced(let seconds), .lanePaced(let seconds): seconds
            }
        for unit in [0, 0.01, 0.5, 0.99, Self.last] { #expect(delay(floor, failures, unit) >= seconds * 1_000) }
        #expect(delay(floor, failures, Self.last) > delay(floor, failures, 0))
    }

    @Test("a floor no wake outlives, or one below zero, is no harm", arguments: [Int64.max, .min, -1])
    func absurdFloors(seconds: Int64) {
        let longest = RetrySchedule.longestFloorSeconds * 1_000
        for floor in [
            RetryFloor.schedule(seconds: seconds), .devicePaced(seconds: seconds), .lanePaced(seconds: seconds),
        ] {
            let delay = delay(floor, 1, 0.5)
            #expect(delay >= 0 && delay <= longest + longest / 4)
        }
    }

    /// Case 124, with this project's step for a third failure: ten thousand failures at one moment.
    @Test("a herd spreads: over the whole step without a floor, beyond the floor with one")
    func herd() throws {
        let vector = try Vectors.load("124-retry-herd")
        let count = try #require(vector["input"]?["failed_at_same_time"]?.integer)
        let failures = try #require(vector["input"]?["attempt"]?.integer)
        let seconds = try #require(vector["input"]?["second_case"]?["retry_after_s"]?.integer)
        let random = SeededRandom(seed: 124)
        var perSecond: [Int64: Int] = [:]
        var perSecondAfterFloor: [Int64: Int] = [:]
        for _ in 0..<count {
            perSecond[delay(.schedule(seconds: 0), failures, random.unitInterval()) / 1_000, default: 0] += 1
            let due = delay(.schedule(seconds: seconds), 1, random.unitInterval())
            #expect(due >= seconds * 1_000 && due <= seconds * 1_250)
            perSecondAfterFloor[due / 1_000, default: 0] += 1
        }
        // Even over 240 s that is 42 a second, over 15 s it is 667.
        #expect(perSecond.values.max() ?? 0 < 100)
        #expect(perSecond.keys.allSatisfy { (0..<240).contains($0) } && perSecond.count == 240)
        #expect(perSecondAfterFloor.values.max() ?? 0 < 800)
    }
}

@Suite("Reasons of providers")
struct ProviderReasonTests {
    @Test("a word that the store kept is the same reason")
    func stored() {
        #expect(ProviderReason(stored: "BadTopic") == ProviderReason("BadTopic"))
        #expect(ProviderReason("BadTopic").word == "BadTopic")
        #expect(ProviderReason("BadTopic") != ProviderReason("MissingTopic"))
    }
}
