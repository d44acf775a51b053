internal import CLinux
internal import Glibc
package import ReveilleRuntime

/// Resolution by the system's `getaddrinfo`, which blocks, on threads of its own.
///
/// Nothing is cached here: each connection asks anew, so that several connections spread over a
/// service's addresses. Full behaviour: when `maximumWaiting` names wait, further ones fail with
/// `tooManyWaiting`.
package final class SystemResolver: Resolver {
    /// A blocking resolution, run on one of the threads.
    package typealias LookUp =
        @Sendable (_ host: String, _ port: UInt16) -> Result<[SocketAddress], ResolutionError>

    /// The longest host name (RFC 1035 section 2.3.4).
    private static let maximumNameBytes = 253
    /// The most addresses that are looked at; no service needs more.
    static let maximumAddresses = 16

    private let loop: EventLoop
    private let timeout: Duration
    private let maximumWaiting: Int
    private let lookUp: LookUp
    private let workers: [WorkerThread]
    /// How many names wait at each thread, abandoned ones included as long as they block it.
    private let waiting: Locked<[Int]>

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - loop: Measures the time limit.
    ///   - threads: How many names can be resolved at once; a name server that is silent holds one of them.
    ///   - maximumWaiting: How many names may wait, those being resolved included.
    ///   - timeout: How long a caller waits.
    ///   - lookUp: The blocking resolution; the system's by default.
    package init(
        on loop: EventLoop, threads: Int = 2, maximumWaiting: Int = 64,
        timeout: Duration = .seconds(5), lookUp: @escaping LookUp = SystemResolver.systemLookUp
    ) {
        precondition(threads > 0)
        self.loop = loop
        self.timeout = timeout
        self.maximumWaiting = maximumWaiting
        self.lookUp = lookUp
        workers = (0..<threads).map { WorkerThread(name: "resolver-\($0)") }
        waiting = Locked([Int](repeating: 0, count: threads))
    }

    /// Ends the threads after what they are resolving.
    package func stop() {
        for worker in workers { worker.stop() }
    }

    package func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] {
        if let address = SocketAddress(host: host, port: port) { return [address] }
        guard Self.isName(host) else { throw ResolutionError(.malformedName) }
        let answer = OneShot<Result<[SocketAddress], ResolutionError>>()
        try submit(host, port, answer)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [loop, timeout] in
                try await loop.sleep(for: timeout)
                answer.fulfil(.failure(ResolutionError(.timedOut)))
            }
            defer { group.cancelAll() }
            return try await answer.wait().get()
        }
    }

    /// Puts a name into the shortest queue, unless there are too many in all.
    private func submit(
        _ host: String, _ port: UInt16, _ answer: OneShot<Result<[SocketAddress], ResolutionError>>
    ) throws(ResolutionError) {
        let chosen = waiting.withLock { waiting -> Int? in
            guard waiting.reduce(0, +) < maximumWaiting else { return nil }
            let shortest = waiting.indices.min { waiting[$0] < waiting[$1] }
            if let shortest { waiting[shortest] += 1 }
            return shortest
        }
        guard let chosen else { throw ResolutionError(.tooManyWaiting) }
        workers[chosen].submit { [lookUp, waiting] in
            // A name whose caller has given up is not worth blocking for.
            if answer.value == nil { answer.fulfil(lookUp(host, port)) }
            waiting.withLock { $0[chosen] -= 1 }
        }
    }

    private static func isName(_ host: String) -> Bool {
        (1...maximumNameBytes).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            && !endsInNumber(host)
    }

    /// Whether the last label is a number, decimal or hexadecimal: an odd spelling of an IPv4
    /// address then, which `getaddrinfo` would understand and a check of the name would not.
    private static func endsInNumber(_ host: String) -> Bool {
        guard let label = host.split(separator: ".").last?.utf8 else { return true }
        let isDecimal = label.allSatisfy { (0x30...0x39).contains($0) }
        let isHexadecimal = label.starts(with: "0x".utf8) || label.starts(with: "0X".utf8)
        return isDecimal || isHexadecimal
    }
}

extension SystemResolver {
    /// Asks the system's resolver, which blocks for as long as its configuration says.
    package static let systemLookUp: LookUp = { host, port in
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else {
            return .failure(ResolutionError(code(status, lacksDescriptors: OpenFiles.areExhausted)))
        }
        let addresses = addresses(in: list, port: port)
        return addresses.isEmpty ? .failure(ResolutionError(.notFound)) : .success(addresses)
    }

    private static func addresses(
        in list: UnsafeMutablePointer<addrinfo>?, port: UInt16
    ) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next, addresses.count < maximumAddresses {
            next = entry.pointee.ai_next
            guard let raw = entry.pointee.ai_addr, let address = SocketAddress(raw)?.with(port: port),
                !addresses.contains(address)
            else { continue }
            addresses.append(address)
        }
        return addresses
    }

    /// What a status of `getaddrinfo` means.
    ///
    /// Without a descriptor it cannot read its files or ask anybody, and says so in different ways: often that the name is not
    /// known.
    package static func code(_ status: Int32, lacksDescriptors: Bool) -> ResolutionError.Code {
        if lacksDescriptors { return .exhausted }
        return switch status {
        case EAI_NONAME: .notFound
        case EAI_AGAIN: .temporaryFailure
        default: .failed
        }
    }
}
