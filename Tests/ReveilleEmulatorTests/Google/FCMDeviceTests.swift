import ReveilleEmulator
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("Emulated Android devices", .timeLimit(.minutes(5)))
struct FCMDeviceTests {
    private func message(_ text: String, priority: String = "HIGH", ttl: String = "60s", key: String? = nil) -> String {
        let key = key.map { #","collapse_key":"\#($0)""# } ?? ""
        return
            #"{"message":{"token":"d","data":{"n":"\#(text)"},"android":{"priority":"\#(priority)","ttl":"\#(ttl)"\#(key)}}}"#
    }

    private func texts(_ bench: PushServiceBench<GoogleProvider>) async -> [String] {
        await bench.emulator.perform { $0.device("d")?.deliveries.map { $0.message.data["n"] ?? "" } ?? [] }
    }

    @Test("a sleeping device gets HIGH at once and NORMAL when it wakes")
    func dozing() async throws {
        try await withGoogle { bench in
            try await bench.control("POST", "/devices", #"{"id":"d","dozing":true}"#)
            let token = try await bench.accessToken()
            _ = try await bench.push(message("normal", priority: "NORMAL"), token: token)
            _ = try await bench.push(message("high"), token: token)
            #expect(await texts(bench) == ["high"])
            try await bench.control("POST", "/devices", #"{"id":"d","dozing":false}"#)
            #expect(await texts(bench) == ["high", "normal"])
        }
    }

    @Test("what is stored is dropped when its time is over, and 0 s is not stored")
    func lifetime() async throws {
        try await withGoogle { bench in
            try await bench.control("POST", "/devices", #"{"id":"d","online":false}"#)
            let token = try await bench.accessToken()
            _ = try await bench.push(message("now", ttl: "0s"), token: token)
            _ = try await bench.push(message("short", ttl: "10s"), token: token)
            _ = try await bench.push(message("long", ttl: "11s"), token: token)
            bench.clock.jumpWall(by: .seconds(10))
            try await bench.control("POST", "/devices", #"{"id":"d","online":true}"#)
            #expect(await texts(bench) == ["long"])
            #expect(await bench.emulator.perform { $0.device("d")?.counters.expired } == 2)
        }
    }

    @Test("one message for each collapse key is stored, of four keys")
    func collapse() async throws {
        try await withGoogle { bench in
            try await bench.control("POST", "/devices", #"{"id":"d","online":false}"#)
            let token = try await bench.accessToken()
            for (text, key) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "c"), ("5", "d"), ("6", "e")] {
                _ = try await bench.push(message(text, key: key), token: token)
            }
            _ = try await bench.push(message("plain"), token: token)
            try await bench.control("POST", "/devices", #"{"id":"d","online":true}"#)
            #expect(await texts(bench) == ["3", "4", "5", "6", "plain"])
        }
    }

    @Test("a hundred messages are stored, and one more discards them all")
    func tooMany() async throws {
        try await withGoogle { bench in
            try await bench.control("POST", "/devices", #"{"id":"d","online":false}"#)
            let token = try await bench.accessToken()
            for number in 0...FCMDevice.maximumStored { _ = try await bench.push(message("\(number)"), token: token) }
            try await bench.control("POST", "/devices", #"{"id":"d","online":true}"#)
            #expect(await texts(bench).isEmpty)
            let device = try await bench.control("GET", "/devices/d")
            #expect(device["deleted_messages"] == 1)
            #expect(device["counters"]?["discarded"] == 101)
        }
    }
}
