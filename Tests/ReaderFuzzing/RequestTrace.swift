package import ReveilleBytes
package import ReveilleHTTP1

/// What a reader made of some bytes, independent of how they were split.
package struct RequestTrace: Equatable {
    /// One request, as far as it was read.
    package struct Request: Equatable {
        package var method = ""
        package var target = ""
        package var form = HTTP1TargetForm.origin
        package var authority = ""
        package var framing = HTTP1Framing.none
        package var isPersistent = true
        package var expectsContinue = false
        package var fields = FieldList()
        package var body: [UInt8] = []
        package var trailers: FieldList?
    }

    package private(set) var requests: [Request] = []
    package private(set) var error: HTTP1Error.Code?
    /// Bytes that wait for more.
    package private(set) var leftOver = 0
    /// Whether the reader, after an error, gave anything but the same error.
    package private(set) var spokeAfterError = false

    /// The requests that are complete.
    package var complete: Int { requests.count { $0.trailers != nil } }

    /// Feeds the bytes in the pieces that end at `cuts` (ascending), as a socket would.
    package init(_ bytes: [UInt8], cuts: [Int] = [], limits: HTTP1Limits = HTTP1Limits()) {
        var reader = HTTP1RequestReader(limits: limits)
        var start = 0
        for end in cuts + [bytes.count] {
            guard feed(&reader, bytes[start..<end], &start) else {
                spokeAfterError = speaksAgain(&reader)
                return
            }
        }
        leftOver = bytes.count - start
    }

    /// The trace when the bytes come one at a time.
    package static func byteByByte(_ bytes: [UInt8]) -> RequestTrace {
        RequestTrace(bytes, cuts: [Int](1..<max(1, bytes.count)))
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
            case .head(let head): requests.append(Self.request(head))
            case .body: break
            case .end(let trailers): requests[requests.count - 1].trailers = trailers
            }
        }
    }

    private static func request(_ head: HTTP1RequestHead) -> Request {
        Request(
            method: head.method, target: head.target, form: head.targetForm, authority: head.authority,
            framing: head.framing, isPersistent: head.isPersistent, expectsContinue: head.expectsContinue,
            fields: head.fields)
    }

    private func next(
        _ reader: inout HTTP1RequestReader, _ bytes: ArraySlice<UInt8>
    ) throws(HTTP1Error) -> (step: HTTP1RequestStep, consumed: Int) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(HTTP1Error) in try reader.next(buffer) }
        }
        return try result.get()
    }

    private func speaksAgain(_ reader: inout HTTP1RequestReader) -> Bool {
        for text in ["", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"] {
            do throws(HTTP1Error) {
                _ = try next(&reader, [UInt8](text.utf8)[...])
                return true
            } catch {
                if error.code != self.error { return true }
            }
        }
        return false
    }
}
