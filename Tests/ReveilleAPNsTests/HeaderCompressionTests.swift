import RawHTTP
import RawSockets
import ReveilleAPNs
import ReveilleCore
import ReveilleRuntime
import ReveilleSending
import ReveilleTesting
import Testing

/// Apple, "Sending notification requests to APNs": constant header fields are indexed; the path with its token, ids and
/// credentials are literals that no hop on the way may index.
@Suite("The sender's own requests compress their headers as Apple wants", .timeLimit(.minutes(5)))
struct HeaderCompressionTests {
    /// The forms of a request's fields, in the order that is sent: `:method`, `:scheme`, `:authority`, `:path`, `apns-topic`,
    /// `apns-push-type`, `apns-priority`, `apns-expiration`, `authorization`, `apns-id`, `apns-collapse-id`.
    private static func forms(_ constant: FieldForm, expiration: FieldForm) -> [FieldForm] {
        [.indexed, .indexed, constant, .neverIndexed, constant, constant, constant, expiration]
            + [.neverIndexed, .neverIndexed, .neverIndexed]
    }

    private static func frames(
        of tries: [TestTry], opening: [RawFrame] = [RawHTTP2.settings([])]
    ) async throws -> [RawFrame] {
        try await withEventLoop(name: "apple") { loop in
            let server = try RawHTTP2Server(on: loop, opening: opening)
            let address = server.address
            try await withSender({ configuration in
                configuration.tls = nil
                configuration.address = address
            }) { world in
                for one in tries {
                    await world.send([one])
                    let end = try await world.end(of: Int(one.tag))
                    #expect(end.outcome == .accepted)
                }
            }
            await server.stop()
            return server.frames.value
        }
    }

    @Test("constants enter the table once; token, ids and provider token never do")
    func forms() async throws {
        let frames = try await Self.frames(of: TestTry.many(3))
        let blocks = frames.filter { $0.kind == .headers }.map { FieldForm.forms(in: $0.payload) }
        #expect(
            blocks == [
                Self.forms(.addedToTable, expiration: .neverIndexed), Self.forms(.indexed, expiration: .addedToTable),
                Self.forms(.indexed, expiration: .indexed),
            ])
    }

    @Test("another push type enters the table beside the first")
    func otherMode() async throws {
        var tries = TestTry.many(4)
        tries[1].mode = .backgroundWake
        tries[3].mode = .backgroundWake
        for index in tries.indices { tries[index].expirationSeconds += Int64(index) }
        let frames = try await Self.frames(of: tries)
        let blocks = frames.filter { $0.kind == .headers }.map { FieldForm.forms(in: $0.payload) }
        let modes = blocks.map { Array($0[5...6]) }
        #expect(
            modes == [
                [.addedToTable, .addedToTable], [.addedToTable, .addedToTable], [.indexed, .indexed],
                [.indexed, .indexed],
            ])
        #expect(blocks.allSatisfy { $0[7] == .neverIndexed })
    }

    @Test("no request carries a priority, and none is sent on its own")
    func priorities() async throws {
        let frames = try await Self.frames(of: TestTry.many(3))
        #expect(frames.allSatisfy { $0.kind != .priority })
        let hasPriority: UInt8 = 0x20
        #expect(frames.filter { $0.kind == .headers }.allSatisfy { $0.flags & hasPriority == 0 })
    }

    @Test("PRIORITY frames of the server change nothing")
    func serversPriorities() async throws {
        let priorities = [UInt32(1), 3, 5].map { RawFrame(.priority, stream: $0, [0, 0, 0, 0, 7]) }
        let frames = try await Self.frames(of: TestTry.many(3), opening: [RawHTTP2.settings([])] + priorities)
        #expect(frames.filter { $0.kind == .headers }.map(\.stream) == [1, 3, 5])
        // The drain at the end says GOAWAY without an error.
        #expect(frames.allSatisfy { ($0.errorCode ?? 0) == 0 })
    }
}
