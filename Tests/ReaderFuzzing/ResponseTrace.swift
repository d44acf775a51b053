package import ReveilleBytes
package import ReveilleHTTP1

/// What a reader of responses made of some bytes, independent of how they were split.
package struct ResponseTrace: Equatable {
    package private(set) var interim: [Int] = []
    package private(set) var status: Int?
    package private(set) var fields = FieldList()
    package private(set) var body: [UInt8] = []
    package private(set) var trailers = FieldList()
    package private(set) var isComplete = false
    package private(set) var isPersistent: Bool?
    package private(set) var error: HTTP1Error.Code?
    /// Whether the reader, after an error, gave anything but the same error.
    package private(set) var spokeAfterError = false

    /// Feeds the bytes in pieces of a size; then the connection ends if asked.
    package init(
        _ bytes: [UInt8], isHead: Bool = false, inPiecesOf size: Int, ends: Bool = false,
        limits: HTTP1Limits = HTTP1Limits()
    ) {
        let cuts = [Int](stride(from: size, to: bytes.count, by: size))
        self.init(bytes, isHead: isHead, cuts: cuts, ends: ends, limits: limits)
    }

    /// Feeds the bytes in the pieces that end at `cuts` (ascending); then the connection ends if asked.
    package init(
        _ bytes: [UInt8], isHead: Bool = false, cuts: [Int] = [], ends: Bool = false,
        limits: HTTP1Limits = HTTP1Limits()
    ) {
        var reader = HTTP1ResponseReader(limits: limits)
        reader.expectResponse(toHead: isHead)
        var start = 0
        do throws(HTTP1Error) {
            for end in cuts + [bytes.count] { try feed(&reader, bytes, &start, end) }
            if ends, try reader.connectionEnded() { isComplete = true }
        } catch {
            self.error = error.code
            do throws(HTTP1Error) {
                _ = try Self.next(&reader, [])
                spokeAfterError = true
            } catch {
                spokeAfterError = error.code != self.error
            }
        }
    }

    private mutating func feed(
        _ reader: inout HTTP1ResponseReader, _ bytes: [UInt8], _ start: inout Int, _ end: Int
    ) throws(HTTP1Error) {
        while true {
            let piece = [UInt8](bytes[start..<end])
            let (step, consumed) = try Self.next(&reader, piece)
            start += consumed
            switch step {
            case .needsMoreBytes: return
            case .interim(let head): interim.append(head.status)
            case .head(let head):
                status = head.status
                isPersistent = head.isPersistent
                fields = head.fields
            case .body(let range): body += piece[range]
            case .end(let found):
                trailers = found
                isComplete = true
            }
        }
    }

    private static func next(
        _ reader: inout HTTP1ResponseReader, _ bytes: [UInt8]
    ) throws(HTTP1Error) -> (step: HTTP1ResponseStep, consumed: Int) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(HTTP1Error) in try reader.next(buffer) }
        }
        return try result.get()
    }
}
