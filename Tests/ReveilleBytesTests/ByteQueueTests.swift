import ReveilleBytes
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("A byte queue")
struct ByteQueueTests {
    private func content(of queue: ByteQueue) -> [UInt8] {
        queue.withReadableBytes { Array($0) }
    }

    @Test("gives bytes back in the order they came, however they came")
    func order() {
        let queue = ByteQueue()
        #expect(queue.isEmpty)
        queue.append([1, 2])
        queue.append(3)
        queue.append(utf8: "é")
        [UInt8]([4, 5]).withUnsafeBytes { queue.append($0) }
        queue.append(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(content(of: queue) == [1, 2, 3, 0xC3, 0xA9, 4, 5])
        queue.consume(3)
        #expect(content(of: queue) == [0xC3, 0xA9, 4, 5])
        #expect(queue.count == 4)
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(content(of: queue) == [])
    }

    @Test("lends room to write in place")
    func writesInPlace() {
        let queue = ByteQueue()
        queue.append([1])
        let region = queue.writableRegion(minimum: 1000)
        #expect(region.count >= 1000)
        region[0] = 2
        region[1] = 3
        queue.didWrite(2)
        #expect(content(of: queue) == [1, 2, 3])
        #expect(queue.writableRegion(minimum: 0).count >= 1)
    }

    @Test("behaves like an array under any sequence of operations", arguments: TestSeed.both)
    func agreesWithArray(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let queue = ByteQueue(capacity: 3)
        var reference: [UInt8] = []
        for step in 0..<TestScale.count(50_000) {
            switch random.uniform(0..<4) {
            case 0, 1:
                let bytes = random.bytes(random.uniform(0..<300))
                queue.append(bytes)
                reference += bytes
            case 2:
                let count = random.uniform(0..<(reference.count + 1))
                queue.consume(count)
                reference.removeFirst(count)
            default:
                let region = queue.writableRegion(minimum: random.uniform(0..<200))
                let bytes = random.bytes(random.uniform(0..<(min(region.count, 50) + 1)))
                region.copyBytes(from: bytes)
                queue.didWrite(bytes.count)
                reference += bytes
            }
            if reference.count > 5000 {
                queue.removeAll()
                reference = []
            }
            #expect(queue.count == reference.count, TestSeed.comment(seed))
            if step % 16 == 0 { #expect(content(of: queue) == reference, TestSeed.comment(seed)) }
        }
    }

    @Test("stops growing once it is warm: a steady flow uses the same room again")
    func steadyFlow() {
        let queue = ByteQueue()
        let piece = [UInt8](repeating: 9, count: 700)
        func flow() {
            for _ in 0..<1000 {
                queue.append(piece)
                queue.consume(queue.count > 2000 ? 1300 : 300)
            }
        }
        flow()
        let size = queue.allocatedBytes
        flow()
        #expect(queue.allocatedBytes == size)
        #expect(size <= 16 * 1024)
    }

    @Test("gives a large buffer back when it is empty, and keeps a small one")
    func releases() {
        let queue = ByteQueue()
        queue.append([UInt8](repeating: 0, count: 100_000))
        queue.releaseBuffer(largerThan: 1000)
        #expect(queue.allocatedBytes >= 100_000)
        queue.consume(queue.count)
        queue.releaseBuffer(largerThan: 1000)
        #expect(queue.allocatedBytes == 0)
        queue.append([1, 2, 3])
        queue.consume(3)
        queue.releaseBuffer(largerThan: 1000)
        #expect(queue.allocatedBytes > 0)
        queue.append([4])
        #expect(content(of: queue) == [4])
    }

    @Test("traps when more is consumed or written than there is")
    func traps() async {
        await #expect(processExitsWith: .failure) { ByteQueue().consume(1) }
        await #expect(processExitsWith: .failure) {
            let queue = ByteQueue()
            _ = queue.writableRegion(minimum: 1)
            queue.didWrite(queue.allocatedBytes + 1)
        }
    }
}
