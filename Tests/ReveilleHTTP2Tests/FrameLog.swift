import RawHTTP
import ReveilleBytes
import ReveilleHTTP2

/// The frames that an engine wants to send, read from its output as a peer would.
struct FrameLog {
    /// What came before the first frame: a client's preface, which a log for a client expects.
    private(set) var preface: [UInt8] = []
    /// The frames in order.
    var frames: [RawFrame] = []
    /// Why the engine had no output.
    private(set) var failure: HTTP2Error?

    private let output = ByteQueue()
    private var unparsed: [UInt8] = []
    private let expectsPreface: Bool

    init(expectsPreface: Bool) { self.expectsPreface = expectsPreface }

    /// Takes all that an engine has to say.
    mutating func drain(_ takeOutput: (ByteQueue) throws(HTTP2Error) -> Void) {
        repeat {
            output.removeAll()
            do throws(HTTP2Error) {
                try takeOutput(output)
            } catch {
                failure = failure ?? error
            }
            output.withReadableBytes { unparsed.append(contentsOf: $0) }
            if expectsPreface, preface.isEmpty, unparsed.count >= RawHTTP2.magic.count {
                preface = Array(unparsed.prefix(RawHTTP2.magic.count))
                unparsed.removeFirst(RawHTTP2.magic.count)
            }
            frames += RawHTTP2.takeFrames(from: &unparsed)
        } while !output.isEmpty
    }
}

extension Array<UInt8> {
    /// Hands the bytes out in pieces of a size.
    func forEachPiece(of size: Int, _ body: ([UInt8]) -> Bool) {
        var rest = self[...]
        while !rest.isEmpty {
            let piece = [UInt8](rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            guard body(piece) else { return }
        }
    }
}
