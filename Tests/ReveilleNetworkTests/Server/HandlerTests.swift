import RawSockets
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Handlers")
struct HandlerTests {
    @Test("go on when their client is gone, and the server lives on")
    func clientLeaves() async throws {
        let gate = OneShot<Void>()
        let ended = OneShot<Bool>()
        let handler = ScriptedHandler { request in
            guard request.path == "/slow" else { return HTTPResponse(status: 204) }
            try? await gate.wait()
            ended.fulfil(Task.isCancelled)
            return HTTPResponse(status: 200)
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client(sending: get("/slow"))
            try await handler.requests.wait { $0.count == 1 }
            await client.abort()
            try await world.counts { $0.openConnections == 0 }
            gate.fulfil(())
            #expect(try await ended.wait() == false)
            let next = try await world.client(sending: get())
            #expect(try await next.answers(1).map(\.status) == [204])
        }
    }

    @Test("start on the connection's loop, and their answers come back there from another thread")
    func threads() async throws {
        let places = Probe<[Bool]>([])
        let loop = Probe<EventLoop?>(nil)
        let handler = ScriptedHandler { request in
            func note() { places.append(loop.value?.isCurrent ?? false) }
            note()
            let other = await Task.detached { loop.value?.isCurrent ?? true }.value
            places.append(other)
            note()
            return HTTPResponse(status: 204)
        }
        try await withServer(handler: handler) { world in
            loop.update { $0 = world.serverLoop }
            let client = try await world.client(sending: get())
            #expect(try await client.answers(1).map(\.status) == [204])
            #expect(places.value == [true, false, true])
        }
    }

    @Test("that waited come straight back to their loop")
    func straightBack() async throws {
        let gate = OneShot<Void>()
        let order = Probe<[String]>([])
        let handler = ScriptedHandler { request in
            try? await gate.wait()
            order.append("handler")
            return HTTPResponse(status: 204)
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client(sending: get())
            try await handler.requests.wait { $0.count == 1 }
            await world.settle()
            let loop = world.serverLoop
            // The handler's return is put into the loop by the first line, so it comes before what the second line puts in;
            // by way of another thread it would come later.
            loop.execute {
                gate.fulfil(())
                loop.execute { order.append("next job") }
            }
            #expect(try await client.answers(1).map(\.status) == [204])
            #expect(try await order.wait { $0.count == 2 } == ["handler", "next job"])
        }
    }

    @Test("that do not wait answer before the next event of their loop")
    func sameTurn() async throws {
        let turns = Probe<[String]>([])
        let loop = Probe<EventLoop?>(nil)
        let handler = ScriptedHandler { request in
            // What is put into the loop now runs after this turn's events.
            loop.value?.execute { turns.append("job after " + request.path) }
            turns.append("answer " + request.path)
            return HTTPResponse(status: 204)
        }
        try await withServer(handler: handler) { world in
            loop.update { $0 = world.serverLoop }
            let client = try await world.client(sending: get("/1") + get("/2") + get("/3"))
            _ = try await client.answers(3)
            try await turns.wait { $0.count == 6 }
            #expect(turns.value.prefix(3) == ["answer /1", "answer /2", "answer /3"])
        }
    }
}
