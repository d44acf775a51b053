import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Instants and clocks")
struct TimeTests {
    @Test("a monotonic instant moves by durations and measures them")
    func monotonicArithmetic() {
        let start = MonotonicInstant(nanoseconds: 5_000)
        #expect((start + .microseconds(2)).nanoseconds == 7_000)
        #expect((start - .microseconds(2)).nanoseconds == 3_000)
        #expect((start + .seconds(2)).duration(since: start) == .seconds(2))
        #expect(start.duration(since: start + .seconds(2)) == .seconds(-2))
        #expect(start < start + .nanoseconds(1))
    }

    @Test("instants stay at the ends of their range instead of wrapping round")
    func saturates() {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        let start = MonotonicInstant(nanoseconds: 1)
        #expect((start + longest).nanoseconds == .max)
        #expect((MonotonicInstant(nanoseconds: -1) - longest).nanoseconds == .min)
        #expect(WallInstant(milliseconds: 1).adding(longest).milliseconds == .max)
        #expect(WallInstant(milliseconds: -1).adding(.zero - longest).milliseconds == .min)
        #expect(WallInstant(seconds: .max).milliseconds == .max)
        #expect(WallInstant(seconds: .min).milliseconds == .min)
        let far = MonotonicInstant(nanoseconds: .max).duration(since: MonotonicInstant(nanoseconds: .min))
        #expect(far > .seconds(500 * 365 * 86_400))
    }

    @Test(
        "a wall instant's seconds are rounded down",
        arguments: [
            (0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2), (1_800_000_000_123, 1_800_000_000),
        ])
    func wallSeconds(milliseconds: Int64, seconds: Int64) {
        #expect(WallInstant(milliseconds: milliseconds).seconds == seconds)
    }

    @Test("a wall instant moves by durations and measures them")
    func wallArithmetic() {
        let start = WallInstant(seconds: 100)
        #expect(start.adding(.milliseconds(1500)).milliseconds == 101_500)
        #expect(start.adding(.milliseconds(-1500)).milliseconds == 98_500)
        #expect(start.adding(.seconds(3)).duration(since: start) == .seconds(3))
    }

    @Test("durations are cut towards zero in each unit")
    func units() {
        let duration = Duration(secondsComponent: 1, attosecondsComponent: 999_999_999_999_999_999)
        #expect(duration.saturatedNanoseconds == 1_999_999_999)
        #expect(duration.saturatedMilliseconds == 1_999)
        #expect((Duration.zero - duration).saturatedMilliseconds == -1_999)
        #expect(Duration.milliseconds(250).inSeconds == 0.25)
    }

    @Test("the system's clocks run forward and are of this century")
    func systemClocks() {
        let clock = SystemMonotonicClock()
        var last = clock.now()
        for _ in 0..<1000 {
            let now = clock.now()
            #expect(now >= last)
            last = now
        }
        #expect(last.nanoseconds > 0)
        #expect(SystemWallClock().now().seconds > 946_684_800)
        #expect(!clock.isMovedByHand)
    }

    @Test("a clock moved by hand stands still, moves both ways of telling time, and tells who asked")
    func manualClock() {
        let clock = ManualClock()
        let told = Probe(0)
        clock.onAdvance { told.update { $0 += 1 } }
        let monotonic: MonotonicInstant = clock.now()
        let wall: WallInstant = clock.now()
        clock.advance(by: .seconds(2))
        #expect(clock.now() == monotonic + .seconds(2))
        #expect(clock.now() == wall.adding(.seconds(2)))
        clock.jumpWall(by: .seconds(-60))
        #expect(clock.now() == monotonic + .seconds(2))
        #expect(clock.now() == wall.adding(.seconds(-58)))
        #expect(told.value == 2)
    }
}
