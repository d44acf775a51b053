internal import ReveilleJSON

/// What a measurement came to.
package struct BenchAPNsReport: Sendable, Equatable {
    /// Answered requests per second, from the first request to the last answer.
    package let rate: Double
    /// Half of the requests were answered within so many milliseconds.
    package let p50Milliseconds: Double
    /// All but one in a hundred were answered within so many milliseconds.
    package let p99Milliseconds: Double
    /// Requests that were accepted.
    package let ok: Int
    /// Requests that were not.
    package let failed: Int

    /// Computes the figures.
    ///
    /// - Parameter microseconds: The time of each request.
    init(seconds: Double, microseconds: [UInt32], ok: Int, failed: Int) {
        let sorted = microseconds.sorted()
        let quantile = { (part: Double) -> Double in
            guard let last = sorted.indices.last else { return 0 }
            return Double(sorted[min(Int(Double(sorted.count) * part), last)]) / 1_000
        }
        rate = seconds > 0 ? Double(ok + failed) / seconds : 0
        p50Milliseconds = quantile(0.5)
        p99Milliseconds = quantile(0.99)
        self.ok = ok
        self.failed = failed
    }

    /// One line of JSON: `rate`, `p50_ms`, `p99_ms`, `ok`, `failed`.
    package var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("rate")
        writer.number(rate.rounded())
        writer.key("p50_ms")
        writer.number(p50Milliseconds)
        writer.key("p99_ms")
        writer.number(p99Milliseconds)
        writer.key("ok")
        writer.integer(ok)
        writer.key("failed")
        writer.integer(failed)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
