import ReveilleBytes
import ReveilleHTTP1

/// What a reader made of some bytes, independent of how they were split.
struct RequestTrace: Equatable {
    struct Request: Equatable {
        var method = ""
        var target = ""
        var fields = FieldList()
        var body: [UInt8] = []
        var trailers: FieldList?
    }

    var requests: [Request] = []
    var error: HTTP1Error.Code?
    /// Bytes that wait for more.
    var leftOver = 0

    /// The requests that are complete.
    var complete: Int { requests.count { $0.trailers != nil } }

    /// Feeds the bytes in the pieces that end at `cuts` (ascending), as a socket would.
    init(_ bytes: [UInt8], cuts: [Int] = [], limits: HTTP1Limits = HTTP1Limits()) {
        var reader = HTTP1RequestReader(limits: limits)
        var start = 0
        for end in cuts + [bytes.count] {
            guard feed(&reader, bytes[start..<end], &start) else { return }
        }
        leftOver = bytes.count - start
    }

    /// Reads until the reader wants more; moves `start` over what was consumed.
    ///
    /// False after an error.
    private mutating func feed(
        _ reader: inout HTTP1RequestReader, _ slice: ArraySlice<UInt8>, _ start: inout Int
    ) -> Bool {
        var rest = slice
        while true {
            let result: (step: HTTP1RequestStep, consumed: Int)
            do throws(HTTP1Error) {
                result = try next(&reader, rest)
            } catch {
                self.error = error.code
                return false
            }
            if case .body(let range) = result.step {
                requests[requests.count - 1].body +=
                    rest[(rest.startIndex + range.lowerBound)..<(rest.startIndex + range.upperBound)]
            }
            rest = rest.dropFirst(result.consumed)
            start += result.consumed
            switch result.step {
            case .needsMoreBytes: return true
            case .head(let head):
                requests.append(
                    Request(method: head.method, target: head.target, fields: head.fields))
            case .body: break
            case .end(let trailers): requests[requests.count - 1].trailers = trailers
            }
        }
    }

    private func next(
        _ reader: inout HTTP1RequestReader, _ bytes: ArraySlice<UInt8>
    ) throws(HTTP1Error) -> (step: HTTP1RequestStep, consumed: Int) {
        let result: Result<(step: HTTP1RequestStep, consumed: Int), HTTP1Error> =
            bytes.withUnsafeBytes { buffer in
                do throws(HTTP1Error) {
                    return .success(try reader.next(buffer))
                } catch {
                    return .failure(error)
                }
            }
        return try result.get()
    }
}

extension RequestTrace {
    /// The trace when the bytes come one at a time.
    static func byteByByte(_ bytes: [UInt8]) -> RequestTrace {
        RequestTrace(bytes, cuts: [Int](1..<max(1, bytes.count)))
    }

    /// Places to cut: every one in short input, a sample in long input.
    static func cuts(_ bytes: [UInt8]) -> [Int] {
        let step = bytes.count < 1500 ? 1 : 1499
        return [Int](stride(from: 1, to: bytes.count, by: step))
    }
}

/// The bytes of text, one for each character.
func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
