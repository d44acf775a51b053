import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting
import Testing

private enum Trouble: String, CaseIterable {
    case slowPeer = "slow_peer"
}

@Suite("The log")
struct LogTests {
    @Test("writes what is at its level or above, with component, message and fields")
    func levels() {
        let sink = MemorySink()
        let log = Log(level: .notice, sink: sink, component: "lane")
        log.debug("one")
        log.info("two")
        log.notice("three", ["count": .integer(3)])
        log.warning("four", ["why": .code(Trouble.slowPeer)])
        log.scoped("store").error("five")
        #expect(sink.lines.map(\.level) == [.notice, .warning, .error])
        #expect(sink.lines.map(\.component.description) == ["lane", "lane", "store"])
        #expect(sink.lines.map(\.message.description) == ["three", "four", "five"])
        #expect(sink.lines[0]["count"] == .integer(3))
        #expect(sink.lines[1]["why"] == .literal("slow_peer"))
        #expect(sink.lines[0]["why"] == nil)
    }

    @Test("does not make the fields of a line that is not written")
    func lazyFields() {
        let made = Probe(0)
        let log = Log(level: .info, sink: MemorySink(), component: "x")
        func value() -> LogValue {
            made.update { $0 += 1 }
            return .integer(1)
        }
        log.debug("below", ["a": value()])
        #expect(made.value == 0)
        log.info("at", ["a": value()])
        #expect(made.value == 1)
    }

    @Test("orders its levels by severity")
    func order() {
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(LogLevel.debug < .error)
    }

    @Test("a sink in memory can be waited on")
    func waiting() async throws {
        let sink = MemorySink()
        let log = Log(level: .debug, sink: sink, component: "x")
        async let line = sink.line { $0.message.description == "second" }
        log.info("first")
        log.info("second")
        #expect(try await line.message.description == "second")
        #expect(sink.text.contains("message=first"))
    }

    @Test("that is silent writes nothing and costs nothing")
    func silent() {
        Log.silent.error("nobody hears")
    }
}

@Suite("A log line")
struct LogFormatTests {
    private let line = LogLine(
        level: .warning, component: "lane", message: "provider slowed down",
        fields: [
            ("count", .integer(UInt64.max)), ("ratio", .duration(.milliseconds(1500))), ("open", .boolean(true)),
            ("why", .code(Trouble.slowPeer)), ("key", .fingerprint(0xAB)), ("topic", .configured("org.example.app")),
            ("empty", .literal("")),
        ])
    private let instant = WallInstant(milliseconds: 1_772_355_900_250)

    @Test("is one line of key=value pairs, quoted where needed")
    func logfmt() {
        let text = String(decoding: LogFormat.logfmt.render(line, at: instant), as: UTF8.self)
        #expect(
            text == "time=2026-03-01T09:05:00.250Z level=warning component=lane message=\"provider slowed down\" "
                + "count=9223372036854775807 ratio=1.5 open=true why=slow_peer key=00000000000000ab "
                + "topic=org.example.app empty=\"\"\n")
    }

    @Test("is one JSON object")
    func json() {
        let text = String(decoding: LogFormat.json.render(line, at: instant), as: UTF8.self)
        #expect(
            text == #"{"time":"2026-03-01T09:05:00.250Z","level":"warning","component":"lane","#
                + #""message":"provider slowed down","count":9223372036854775807,"ratio":1.5,"open":true,"#
                + #""why":"slow_peer","key":"00000000000000ab","topic":"org.example.app","empty":""}"# + "\n")
    }

    @Test("cannot be broken by what the operator chose", arguments: LogFormat.allCases)
    func cannotBeBroken(format: LogFormat) {
        let nasty = "a\n\"b\" c=d\\e\u{0}\u{7F}\u{85}\u{2028}é😀"
        let line = LogLine(level: .info, component: "x", message: "y", fields: [("path", .configured(nasty))])
        let text = String(decoding: format.render(line, at: instant), as: UTF8.self)
        #expect(text.utf8.filter { $0 == 0x0A }.count == 1)
        #expect(text.hasSuffix("\n"))
        #expect(text.contains(#""a\u000a\"b\" c=d\\e\u0000\u007f\u0085\u2028é😀""#))
    }

    @Test(
        "has its time in UTC, leap days and early centuries included",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_164_799_999, "2024-02-28T23:59:59.999Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ])
    func times(milliseconds: Int64, text: String) {
        #expect(CivilTime(WallInstant(milliseconds: milliseconds)).text == text)
    }

    @Test("goes to standard error in one piece")
    func standardError() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let log = Log(
                level: .info, sink: StandardErrorSink(format: .logfmt, clock: ManualClock()), component: "x")
            log.info("hello", ["n": .integer(1)])
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("time=2027-01-15T08:00:00.000Z level=info component=x message=hello n=1\n"))
    }
}
