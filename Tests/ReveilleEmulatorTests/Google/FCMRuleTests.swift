import RawSockets
import ReveilleEmulator
import ReveilleJSON
import Testing

@Suite("The emulated FCM checks what FCM checks", .timeLimit(.minutes(5)))
struct FCMRuleTests {
    private static let good =
        #"{"message":{"token":"t:1","data":{"v":"1"},"android":{"priority":"HIGH","ttl":"3600s"}}}"#

    @Test("a right message is taken, and what Google saw is listed")
    func takes() async throws {
        try await withGoogle { bench in
            let answer = try await bench.push(Self.good)
            #expect(answer.status == 200)
            #expect(answer.json?["name"]?.string?.hasPrefix("projects/test-project/messages/0:") == true)
            let pushes = try await bench.control("GET", "/pushes")
            let push = try #require(pushes["pushes"]?.array?.first)
            #expect(push["target"] == "t:1")
            #expect(push["message_id"] == answer.json?["name"])
            #expect(push["message"]?["priority"] == "HIGH")
            #expect(push["message"]?["ttl_ms"] == 3_600_000)
            #expect(push["message"]?["data"] == ["v": "1"])
            #expect(push["body"]?.string == Self.good)
            #expect(push["headers"]?.array?.contains { $0.array?.first == "authorization" } == true)
        }
    }

    @Test("fid, camel case and null members are taken")
    func forms() async throws {
        try await withGoogle { bench in
            for json in [
                #"{"message":{"fid":"f-1","data":null,"android":{"collapseKey":"k","directBootOk":false}}}"#,
                #"{"validateOnly":false,"message":{"token":"x","android":{"priority":"normal","ttl":"3.5s"}}}"#,
                #"{"message":{"topic":"news","data":{}}}"#,
            ] {
                let answer = try await bench.push(json)
                #expect(answer.status == 200, "\(json)")
            }
        }
    }

    /// Body, status, whether FcmError is there, the field that a violation names, the rule.
    private static let refused: [(String, Int, Bool, String?, String)] = [
        ("{", 400, false, "", "json_malformed"),
        ("[]", 400, false, "", "json_type"),
        ("{}", 400, false, "message", "message_missing"),
        (#"{"message":{"token":"a"},"extra":1}"#, 400, false, "", "field_unknown"),
        (#"{"message":{"token":"a","color":"red"}}"#, 400, false, "message", "field_unknown"),
        (#"{"message":{"token":"a","android":{"color":"red"}}}"#, 400, false, "message.android", "field_unknown"),
        (#"{"message":{"data":{"a":"b"}}}"#, 400, true, "message", "target_missing"),
        (#"{"message":{"token":"a","topic":"b"}}"#, 400, true, "message", "target_ambiguous"),
        (#"{"message":{"token":""}}"#, 400, true, "message.token", "target_empty"),
        (#"{"message":{"token":"a b"}}"#, 400, true, "message.token", "token_invalid"),
        (#"{"message":{"fid":"ä"}}"#, 400, true, "message.fid", "token_invalid"),
        (#"{"message":{"token":7}}"#, 400, false, "message.token", "json_type"),
        (#"{"message":{"token":"a","data":{"n":1}}}"#, 400, false, "message.data[0].value", "data_value_type"),
        (
            #"{"message":{"token":"a","data":{"k":"v","from":"x"}}}"#, 400, true, "message.data[1].key",
            "data_key_reserved"
        ),
        (#"{"message":{"token":"a","data":{"google.x":"x"}}}"#, 400, true, "message.data[0].key", "data_key_reserved"),
        (#"{"message":{"token":"a","data":{"gcm":"x"}}}"#, 400, true, "message.data[0].key", "data_key_reserved"),
        (
            #"{"message":{"token":"a","data":{"message_type":"x"}}}"#, 400, true, "message.data[0].key",
            "data_key_reserved"
        ),
        (
            #"{"message":{"token":"a","android":{"priority":"URGENT"}}}"#, 400, false, "message.android.priority",
            "priority_unknown"
        ),
        (#"{"message":{"token":"a","android":{"ttl":"3600"}}}"#, 400, false, "message.android.ttl", "ttl_form"),
        (
            #"{"message":{"token":"a","android":{"ttl":"1.0000000001s"}}}"#, 400, false, "message.android.ttl",
            "ttl_form"
        ),
        (#"{"message":{"token":"a","android":{"ttl":".5s"}}}"#, 400, false, "message.android.ttl", "ttl_form"),
        (#"{"message":{"token":"a","android":{"ttl":3600}}}"#, 400, false, "message.android.ttl", "json_type"),
        (#"{"message":{"token":"a","android":{"ttl":"-1s"}}}"#, 400, true, "message.android.ttl", "ttl_range"),
        (#"{"message":{"token":"a","android":{"ttl":"2419201s"}}}"#, 400, true, "message.android.ttl", "ttl_range"),
        (
            #"{"message":{"token":"a","android":{"ttl":"9223372036854775807s"}}}"#, 400, true, "message.android.ttl",
            "ttl_range"
        ),
        (
            #"{"message":{"token":"a","data":{"k":"\#(String(repeating: "x", count: 4096))"}}}"#, 400, true, "message",
            "payload_too_big"
        ),
        (
            #"{"message":{"topic":"a","data":{"k":"\#(String(repeating: "x", count: 2048))"}}}"#, 400, true, "message",
            "payload_too_big"
        ),
    ]

    @Test("a wrong message is refused with the right status, details and field", arguments: refused.indices)
    func refuses(row: Int) async throws {
        let (json, status, hasFCMError, field, rule) = Self.refused[row]
        try await withGoogle { bench in
            let answer = try await bench.push(json)
            #expect(answer.status == status)
            #expect((detail("FcmError", in: answer) != nil) == hasFCMError)
            #expect(detail("BadRequest", in: answer)?["fieldViolations"]?.array?.first?["field"]?.string == field)
            let seen = await bench.emulator.seen().last
            #expect(seen?.brokenRule == rule)
            #expect(seen?.isAccepted == false)
        }
    }

    @Test("4096 bytes of keys and values and 28 days are the most")
    func bounds() async throws {
        try await withGoogle { bench in
            let data = #"{"k":"\#(String(repeating: "x", count: 4095))"}"#
            let json = #"{"message":{"token":"a","data":\#(data),"android":{"ttl":"2419200s"}}}"#
            let answer = try await bench.push(json)
            #expect(answer.status == 200)
        }
    }

    @Test("projects and tokens are told apart")
    func projects() async throws {
        try await withGoogle { bench in
            let unknown = try await bench.push(Self.good, path: "/v1/projects/nobody/messages:send")
            #expect(unknown.status == 404)
            #expect(detail("FcmError", in: unknown) == nil)
            #expect(unknown.json?["error"]?["status"] == "NOT_FOUND")
            let foreign = try await bench.push(Self.good, path: "/v1/projects/other-project/messages:send")
            #expect(foreign.status == 403)
            #expect(detail("FcmError", in: foreign) == nil)
            #expect(try await bench.push(Self.good, token: "wrong").status == 401)
            let page = try await bench.push(Self.good, path: "/v1/projects/test-project/messages")
            #expect(page.status == 404)
            #expect(page.body.hasPrefix("<!DOCTYPE html>"))
        }
    }

    @Test(
        "states of a token",
        arguments: [
            ("unregistered", 404, "UNREGISTERED"), ("invalid", 400, "INVALID_ARGUMENT"),
            ("throttled", 429, "QUOTA_EXCEEDED"),
        ])
    func states(state: String, status: Int, code: String) async throws {
        try await withGoogle { bench in
            try await bench.control("POST", "/devices", #"{"id":"t:1","state":"\#(state)"}"#)
            let answer = try await bench.push(Self.good)
            #expect(answer.status == status)
            #expect(detail("FcmError", in: answer)?["errorCode"]?.string == code)
            #expect((detail("QuotaFailure", in: answer) != nil) == (state == "throttled"))
            try await bench.control("POST", "/devices", #"{"id":"t:1","state":"active"}"#)
            #expect(try await bench.push(Self.good).status == 200)
        }
    }

    @Test("a token of another project is a mismatch")
    func mismatch() async throws {
        try await withGoogle { bench in
            try await bench.control("POST", "/devices", #"{"id":"t:1","project_id":"other-project"}"#)
            let answer = try await bench.push(Self.good)
            #expect(answer.status == 403)
            #expect(detail("FcmError", in: answer)?["errorCode"] == "SENDER_ID_MISMATCH")
        }
    }

    @Test("unknown tokens may be refused")
    func unknown() async throws {
        try await withGoogle {
            $0.unknownTokens = .refuse
        } _: { bench in
            let answer = try await bench.push(Self.good)
            #expect(answer.status == 404)
        }
    }

    @Test("validate_only checks everything and delivers nothing")
    func dryRun() async throws {
        try await withGoogle { bench in
            let answer = try await bench.push(#"{"validate_only":true,"message":{"token":"t:1"}}"#)
            #expect(answer.json?["name"] == "projects/test-project/messages/fake_message_id")
            #expect(await bench.emulator.pushes().isEmpty)
            #expect(await bench.emulator.perform { $0.device("t:1") == nil })
            #expect(try await bench.push(#"{"validate_only":true,"message":{"token":"ä"}}"#).status == 400)
        }
    }
}
