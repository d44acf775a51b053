/// A histogram read back from Prometheus text, all label sets together.
struct PrometheusHistogram {
    private var buckets: [(bound: Double, count: Double)] = []

    init(_ text: String, name: String) {
        var sums: [Double: Double] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix(name + "_bucket") {
            guard let start = line.end(of: "le=\""), let space = line.lastIndex(of: " "),
                let end = line[start...].firstIndex(of: "\"")
            else { continue }
            let word = line[start..<end]
            let bound = word == "+Inf" ? Double.infinity : Double(word) ?? .infinity
            sums[bound, default: 0] += Double(line[line.index(after: space)...]) ?? 0
        }
        buckets = sums.sorted { $0.key < $1.key }.map { (bound: $0.key, count: $0.value) }
    }

    /// The upper bound of the bucket that holds a quantile, or nil without observations.
    func quantile(_ part: Double) -> Double? {
        guard let total = buckets.last?.count, total > 0 else { return nil }
        return buckets.first { $0.count >= total * part }?.bound
    }
}

extension Substring {
    /// Where the text after `part` begins.
    fileprivate func end(of part: String) -> Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(part) { return self.index(index, offsetBy: part.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
