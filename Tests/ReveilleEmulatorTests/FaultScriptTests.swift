import ReveilleEmulator
import ReveilleHTTP2
import ReveilleJSON
import Testing

@Suite("Fault scripts")
struct FaultScriptTests {
    private func read(_ text: String) throws -> AppleFault {
        try AppleFault(JSONReader.parse(text: text))
    }

    static let actions: [(String, AppleFaultAction)] = [
        (
            #"{"kind":"answer","reason":"Unregistered","timestamp":5}"#,
            .answer(ScriptedAnswer(.unregistered, timestamp: .at(5)))
        ),
        (
            #"{"kind":"answer","reason":"Unregistered","timestamp_offset_seconds":-60}"#,
            .answer(ScriptedAnswer(.unregistered, timestamp: .offset(-60_000)))
        ),
        (
            #"{"kind":"answer","reason":"TooManyRequests","retry_after":30}"#,
            .answer(ScriptedAnswer(.tooManyRequests, retryAfter: "30"))
        ),
        (
            #"{"kind":"answer","status":503,"retry_after":"Fri, 31 Dec 1999 23:59:59 GMT","delay_milliseconds":20}"#,
            .answer(ScriptedAnswer(status: 503, retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT", delayMilliseconds: 20))
        ),
        (#"{"kind":"answer","status":502,"body":"<html>"}"#, .answer(ScriptedAnswer(status: 502, body: "<html>"))),
        (#"{"kind":"answer","status":400,"reason":"New"}"#, .answer(ScriptedAnswer(status: 400, reason: "New"))),
        (#"{"kind":"delay","milliseconds":600000}"#, .delay(milliseconds: 600_000)),
        (#"{"kind":"hold"}"#, .hold(accepted: true)),
        (#"{"kind":"hold","accepted":false}"#, .hold(accepted: false)),
        (
            #"{"kind":"hold_answer","reason":"PayloadEmpty"}"#,
            .holdAnswer(ScriptedAnswer(status: 400, reason: "PayloadEmpty"))
        ),
        (#"{"kind":"stall"}"#, .stall(accepted: false)),
        (#"{"kind":"reset"}"#, .reset(.refusedStream, accepted: false)),
        (#"{"kind":"reset","code":"INTERNAL_ERROR","accepted":true}"#, .reset(.internalError, accepted: true)),
        (#"{"kind":"reset","code":99}"#, .reset(HTTP2ErrorCode(rawValue: 99), accepted: false)),
        (#"{"kind":"drop_connection"}"#, .dropConnection(.reset, accepted: true)),
        (#"{"kind":"drop_connection","manner":"close","accepted":false}"#, .dropConnection(.close, accepted: false)),
        (#"{"kind":"half_close"}"#, .halfClose(accepted: false)),
        (#"{"kind":"silence","accepted":true}"#, .silence(accepted: true)),
        (#"{"kind":"goaway"}"#, .goAway(GoAwayPlan(lastStream: .this))),
        (
            #"{"kind":"goaway","last_stream":7,"code":"ENHANCE_YOUR_CALM","reason":null,"ending":"at_once"}"#,
            .goAway(GoAwayPlan(lastStream: .number(7), code: .enhanceYourCalm, reason: nil, ending: .atOnce))
        ),
        (
            #"{"kind":"goaway","last_stream":"before_this","reason":"BadDeviceToken"}"#,
            .goAway(GoAwayPlan(lastStream: .beforeThis, reason: "BadDeviceToken"))
        ),
        (#"{"kind":"stream_limit","limit":0}"#, .streamLimit(0)),
        (#"{"kind":"refuse_connection","manner":"close"}"#, .refuseConnection(.close)),
        (#"{"kind":"refuse_tls"}"#, .refuseTLS),
        (#"{"kind":"stall_tls"}"#, .stallTLS),
    ]

    @Test("each action is read", arguments: actions)
    func actionIsRead(_ text: String, _ action: AppleFaultAction) throws {
        #expect(try read(#"{"action":\#(text)}"#) == AppleFault(action))
    }

    @Test("each action reads back what it writes", arguments: actions)
    func roundTrip(_ text: String, _ action: AppleFaultAction) async throws {
        try await withApple { configuration, _ in
            configuration.faults = [AppleFault(action, id: "x")]
        } _: { bench in
            let answer = await bench.apple.control(ControlRequest(method: "GET", path: "/faults"))
            var written = try #require(JSONReader.parse(answer.body)["faults"]?.array?.first?.object)
            written["matched"] = nil
            written["struck"] = nil
            #expect(try AppleFault(.object(written)) == AppleFault(action, id: "x"))
        }
    }

    @Test("conditions and triggers are read")
    func conditions() throws {
        let fault = try read(
            """
            {"id":"x","match":{"token":"ABCD","token_prefix":"Ab","topic":"t","push_type":"alert","collapse_id":"c",
            "environment":"sandbox","connection":3},
            "when":{"skip":1,"first":2,"every":3,"probability":0.25,"seed":9},"action":{"kind":"hold"}}
            """)
        #expect(
            fault.match
                == AppleFault.Match(
                    token: "abcd", tokenPrefix: "ab", topic: "t", pushType: "alert", collapseID: "c",
                    environment: .sandbox, connection: 3))
        #expect(
            fault.trigger == FaultTrigger(skip: 1, first: 2, every: 3, probability: 0.25, seed: 9))
        #expect(fault.id == "x")
    }

    @Test("a script is a list of faults")
    func script() throws {
        let text = #"{"faults":[{"action":{"kind":"hold"}},{"action":{"kind":"stall"}}]}"#
        let faults = try AppleFault.script(JSONReader.parse(text: text))
        #expect(faults.map(\.action) == [.hold(accepted: true), .stall(accepted: false)])
    }

    static let mistakes: [(String, JSONFieldError.Code, String)] = [
        ("[]", .notAnObject, ""),
        ("{}", .missingField, "action"),
        (#"{"action":{}}"#, .missingField, "action.kind"),
        (#"{"action":{"kind":"explode"}}"#, .invalidValue, "action.kind"),
        (#"{"action":{"kind":"hold"},"match":[]}"#, .notAnObject, "match"),
        (#"{"action":{"kind":"hold"},"match":{"tokens":"ab"}}"#, .unknownField, "match.tokens"),
        (#"{"action":{"kind":"hold"},"match":{"environment":"test"}}"#, .invalidValue, "match.environment"),
        (#"{"action":{"kind":"hold"},"match":{"connection":0}}"#, .outOfRange, "match.connection"),
        (#"{"action":{"kind":"hold"},"when":{"first":-1}}"#, .outOfRange, "when.first"),
        (#"{"action":{"kind":"hold"},"when":{"every":0}}"#, .outOfRange, "when.every"),
        (#"{"action":{"kind":"hold"},"when":{"probability":1.5}}"#, .outOfRange, "when.probability"),
        (#"{"action":{"kind":"hold"},"when":{"often":1}}"#, .unknownField, "when.often"),
        (#"{"action":{"kind":"hold","code":1}}"#, .unknownField, "action.code"),
        (#"{"action":{"kind":"hold"},"id":7}"#, .wrongType, "id"),
        (#"{"action":{"kind":"hold"},"more":1}"#, .unknownField, "more"),
        (#"{"action":{"kind":"answer"}}"#, .missingField, "action.status"),
        (#"{"action":{"kind":"answer","status":199}}"#, .outOfRange, "action.status"),
        (#"{"action":{"kind":"answer","status":600}}"#, .outOfRange, "action.status"),
        (#"{"action":{"kind":"answer","reason":"New"}}"#, .missingField, "action.status"),
        (#"{"action":{"kind":"answer","status":429,"retry_after":true}}"#, .wrongType, "action.retry_after"),
        (#"{"action":{"kind":"answer","status":429,"retry_after":-1}}"#, .outOfRange, "action.retry_after"),
        (#"{"action":{"kind":"answer","status":429,"retry_after":"1\r\nx: y"}}"#, .invalidValue, "action.retry_after"),
        (#"{"action":{"kind":"hold"},"match":{"token":"zz"}}"#, .invalidValue, "match.token"),
        (#"{"action":{"kind":"hold"},"match":{"token":"abc"}}"#, .invalidValue, "match.token"),
        (#"{"action":{"kind":"hold"},"match":{"token":""}}"#, .invalidValue, "match.token"),
        (#"{"action":{"kind":"hold"},"match":{"token_prefix":"0x"}}"#, .invalidValue, "match.token_prefix"),
        (#"{"action":{"kind":"hold"},"match":{"token_prefix":""}}"#, .invalidValue, "match.token_prefix"),
        (#"{"action":{"kind":"hold"},"match":{"topic":"a\nb"}}"#, .invalidValue, "match.topic"),
        (#"{"action":{"kind":"hold"},"match":{"push_type":" alert"}}"#, .invalidValue, "match.push_type"),
        (#"{"action":{"kind":"hold"},"match":{"collapse_id":"\u0000"}}"#, .invalidValue, "match.collapse_id"),
        (#"{"action":{"kind":"refuse_tls"},"match":{"token":"ab"}}"#, .invalidValue, "match"),
        (#"{"action":{"kind":"stall_tls"},"match":{"connection":1}}"#, .invalidValue, "match"),
        (#"{"action":{"kind":"delay"}}"#, .missingField, "action.milliseconds"),
        (#"{"action":{"kind":"delay","milliseconds":600001}}"#, .outOfRange, "action.milliseconds"),
        (#"{"action":{"kind":"reset","code":"NOT_A_CODE"}}"#, .invalidValue, "action.code"),
        (#"{"action":{"kind":"reset","code":-1}}"#, .outOfRange, "action.code"),
        (#"{"action":{"kind":"reset","code":[]}}"#, .wrongType, "action.code"),
        (#"{"action":{"kind":"goaway","last_stream":2}}"#, .outOfRange, "action.last_stream"),
        (#"{"action":{"kind":"goaway","last_stream":-1}}"#, .outOfRange, "action.last_stream"),
        (#"{"action":{"kind":"goaway","last_stream":"first"}}"#, .invalidValue, "action.last_stream"),
        (#"{"action":{"kind":"goaway","last_stream":true}}"#, .wrongType, "action.last_stream"),
        (#"{"action":{"kind":"goaway","ending":"soon"}}"#, .invalidValue, "action.ending"),
        (#"{"action":{"kind":"stream_limit"}}"#, .missingField, "action.limit"),
        (#"{"action":{"kind":"drop_connection","manner":"slam"}}"#, .invalidValue, "action.manner"),
    ]

    @Test("a mistake is named with its place", arguments: mistakes)
    func mistakeIsNamed(_ text: String, _ code: JSONFieldError.Code, _ field: String) throws {
        let error = #expect(throws: JSONFieldError.self) { try read(text) }
        #expect(error?.code == code)
        #expect(error?.field == field)
    }

    @Test("a mistake in a script is named with the number of its fault")
    func mistakeInScript() throws {
        let value = try JSONReader.parse(text: #"{"faults":[{"action":{"kind":"hold"}},{"action":{"kind":"x"}}]}"#)
        let error = #expect(throws: JSONFieldError.self) { try AppleFault.script(value) }
        #expect(error?.field == "faults[1].action.kind")
    }
}
