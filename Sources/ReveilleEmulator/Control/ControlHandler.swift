internal import ReveilleJSON
internal import ReveilleNetwork

/// The control interface over HTTP, with the routes that concern more than the world behind the sockets.
struct ControlHandler<E: Emulator>: HTTPHandler {
    let emulator: E

    /// The first words of the paths that only this handler knows.
    static var ownPaths: Set<String> { ["ca", "listening"] }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let query = request.query.map { (name: $0.name, value: $0.value) }
        let control = ControlRequest(
            method: request.method, path: request.path, query: query, body: request.body)
        let answer = await answer(control)
        var fields: HTTPFields = ["content-type": answer.contentType, "cache-control": "no-store"]
        if answer.status == 405 { fields.add("allow", "GET, POST, DELETE") }
        return HTTPResponse(status: answer.status, fields: fields, body: .bytes(answer.body))
    }

    private func answer(_ request: ControlRequest) async -> ControlAnswer {
        switch (request.method, request.path) {
        case ("GET", ["ca"]): return authority(request)
        case ("POST", ["listening"]): return await setListening(request)
        default: return await emulator.control(request)
        }
    }

    private func authority(_ request: ControlRequest) -> ControlAnswer {
        do throws(JSONFieldError) {
            try request.refuseQuery()
        } catch {
            return .error(error)
        }
        return ControlAnswer(text: emulator.authorityPEM, contentType: "application/x-pem-file")
    }

    private func setListening(_ request: ControlRequest) async -> ControlAnswer {
        do {
            try request.refuseQuery()
            var fields = try JSONFields(try request.json())
            let listening = try fields.requiredBoolean("listening")
            try fields.finish()
            try await emulator.setListening(listening)
            return ControlAnswer(200, ["listening": .boolean(listening)])
        } catch let error as JSONFieldError {
            return .error(error)
        } catch let error as EmulatorError {
            return .error(409, error.code.rawValue)
        } catch {
            return .error(500, "internal")
        }
    }
}
