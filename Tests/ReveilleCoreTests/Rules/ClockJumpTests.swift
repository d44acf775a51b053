import ReveilleCore
import ReveilleJSON
import Testing

@Suite("Jumps of the wall clock")
struct ClockJumpTests {
    @Test(
        "a difference over 60 s is a jump, in either direction",
        arguments: [
            (Int64(60_000), false), (60_001, true), (-60_000, false), (-60_001, true), (7_200_000, true), (0, false),
        ])
    func tolerance(difference: Int64, isJump: Bool) {
        var clock = ClockJump()
        #expect(clock.observe(wall: 1_000_000, steady: 500) == nil)
        let jump = clock.observe(wall: 1_005_000 + difference, steady: 5_500)
        #expect(jump == (isJump ? difference : nil))
        #expect(clock.mayExpire(steady: 5_500) == !isJump)
    }

    @Test("the jumps of case 125 stop expiry for ten minutes of the clock that counts suspend")
    func grace() throws {
        let vector = try Vectors.load("125-clock-jump-scheduler")
        #expect(vector.list(at: "input", "jumps").count == 2)
        for jump in [Int64(-7_200_000), 7_200_000] {
            var clock = ClockJump()
            _ = clock.observe(wall: 0, steady: 0)
            #expect(clock.observe(wall: 10_000 + jump, steady: 10_000) == jump)
            #expect(!clock.mayExpire(steady: 10_000))
            #expect(!clock.mayExpire(steady: 609_999))
            #expect(clock.mayExpire(steady: 610_000))
        }
    }

    @Test("a clock that drifts slowly never jumps")
    func drift() {
        var clock = ClockJump()
        for minute in 0..<1_000 {
            let steady = Int64(minute) * 60_000
            #expect(clock.observe(wall: steady + Int64(minute) * 50_000, steady: steady) == nil)
        }
        #expect(clock.mayExpire(steady: 60_000_000))
    }

    @Test("suspend is no jump: both clocks count it")
    func suspend() {
        var clock = ClockJump()
        _ = clock.observe(wall: 0, steady: 0)
        #expect(clock.observe(wall: 86_400_000, steady: 86_400_000) == nil)
    }

    @Test("a second jump within the grace begins it anew")
    func again() {
        var clock = ClockJump()
        _ = clock.observe(wall: 0, steady: 0)
        _ = clock.observe(wall: 100_000, steady: 0)
        #expect(clock.observe(wall: 400_000, steady: 400_000) == -100_000)
        #expect(!clock.mayExpire(steady: 999_999))
        #expect(clock.mayExpire(steady: 1_000_000))
    }
}
