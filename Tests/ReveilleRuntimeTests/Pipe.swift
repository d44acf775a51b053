import Glibc
import ReveilleRuntime

/// A pipe for tests of descriptors.
final class Pipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("pipe", number: errno) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func write(_ count: Int = 1) {
        let bytes = [UInt8](repeating: 0x78, count: count)
        _ = Glibc.write(writeEnd, bytes, count)
    }

    func readAll() -> Int {
        var bytes = [UInt8](repeating: 0, count: 4096)
        return Glibc.read(readEnd, &bytes, bytes.count)
    }
}

/// Calls a closure for each readiness.
final class ClosureHandler: DescriptorHandler {
    private let body: (Readiness) -> Void

    init(_ body: @escaping (Readiness) -> Void) {
        self.body = body
    }

    func descriptorReady(_ readiness: Readiness) {
        body(readiness)
    }
}
