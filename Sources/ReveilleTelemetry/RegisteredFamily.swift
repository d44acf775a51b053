/// One metric with all its series, as the registry keeps it.
struct RegisteredFamily: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    enum Series: Sendable {
        case counter(Counter)
        case gauge(Gauge)
        case reading(@Sendable () -> Int)
        case histogram(Histogram)
    }

    let name: String
    let help: String
    let kind: Kind
    let labels: [MetricLabelValues]
    /// In row-major order of the labels' values.
    let series: [Series]

    /// Whether all names follow Prometheus' data model: letters, digits and underscores, no digit first.
    var hasValidNames: Bool {
        ([name] + labels.map(\.name.description)).allSatisfy { name in
            guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
            return name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
            }
        }
    }

    /// The labels of the series at `index`, with their values.
    func labels(ofSeries index: Int) -> [(name: String, value: String)] {
        var rest = index
        var pairs: [(name: String, value: String)] = []
        for label in labels.reversed() {
            let (quotient, position) = rest.quotientAndRemainder(dividingBy: label.values.count)
            pairs.append((name: label.name.description, value: label.values[position]))
            rest = quotient
        }
        return pairs.reversed()
    }
}
