package import ReveilleRuntime

/// Looks names up for owners that live on a loop and cannot wait.
///
/// Each lookup asks the resolver anew: nothing is kept, so that later connections may land on other addresses.
package final class NameLookup {
    private let resolver: any Resolver
    private let loop: EventLoop
    private var task: Task<Void, Never>?

    /// A lookup that calls back on `loop`.
    package init(resolver: any Resolver, loop: EventLoop) {
        self.resolver = resolver
        self.loop = loop
    }

    deinit { task?.cancel() }

    /// Asks for the addresses of a name; `completion` is called once, on the loop, unless the lookup is let go or started anew.
    package func start(
        _ host: String, port: UInt16, _ completion: @escaping (Result<[SocketAddress], any Error>) -> Void
    ) {
        task?.cancel()
        let completion = LoopConfined(completion, to: loop)
        task = Task { [resolver, loop] in
            let result: Result<[SocketAddress], any Error>
            do {
                result = .success(try await resolver.resolve(host, port: port))
            } catch {
                result = .failure(error)
            }
            guard !Task.isCancelled else { return }
            loop.execute { completion.value(result) }
        }
    }
}
