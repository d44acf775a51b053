import RawHTTP
import ReaderFuzzing
import ReveilleHTTP1
import Testing

@Suite("The reader refuses whatever two readers could read in two ways")
struct MalformedRequestTests {
    @Test("a malformed request is refused for its reason", arguments: MalformedRequest.all)
    func refused(row: MalformedRequest) {
        let trace = RequestTrace(row.bytes)
        #expect(trace.error?.rawValue == row.code)
        #expect(trace.error.map { HTTP1Error($0).status } == row.status)
        #expect(trace.complete == row.served)
    }

    @Test("the verdict does not depend on how the bytes are split", arguments: MalformedRequest.all)
    func splits(row: MalformedRequest) {
        let whole = RequestTrace(row.bytes)
        #expect(RequestTrace.byteByByte(row.bytes) == whole)
        for cut in RequestTrace.cuts(row.bytes) {
            #expect(RequestTrace(row.bytes, cuts: [cut]) == whole, "cut at \(cut)")
        }
    }

    @Test("the table is as large as was promised, and names each row once")
    func size() {
        #expect(MalformedRequest.all.count >= 110)
        #expect(Set(MalformedRequest.all.map(\.name)).count == MalformedRequest.all.count)
    }

    @Test("every error of a request's framing has a row")
    func coverage() {
        let unreachable: Set<HTTP1Error.Code> = [
            .statusLineMalformed, .truncated, .unexpectedResponse,
        ]
        let covered = Set(MalformedRequest.all.map(\.code))
        for code in HTTP1Error.Code.allCases where !unreachable.contains(code) {
            #expect(covered.contains(code.rawValue), "\(code)")
        }
    }

    @Test("after an error the reader says the same again")
    func staysFailed() {
        var reader = HTTP1RequestReader()
        for input in ["GET\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""] {
            let text = bytes(input)
            let error = #expect(throws: HTTP1Error.self) {
                try text.withUnsafeBytes { _ = try reader.next($0) }
            }
            #expect(error?.code == .requestLineMalformed)
        }
    }
}
