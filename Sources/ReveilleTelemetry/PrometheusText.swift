/// The text exposition format of Prometheus, version 0.0.4, while it is being written.
struct PrometheusText {
    private(set) var text = ""

    mutating func add(_ family: RegisteredFamily) {
        text += "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n"
        text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
        for (index, series) in family.series.enumerated() {
            let labels = family.labels(ofSeries: index)
            switch series {
            case .counter(let counter): sample(family.name, labels, String(counter.value))
            case .gauge(let gauge): sample(family.name, labels, String(gauge.value))
            case .reading(let read): sample(family.name, labels, String(read()))
            case .histogram(let histogram): add(histogram, family.name, labels)
            }
        }
    }

    private mutating func add(
        _ histogram: Histogram, _ name: String, _ labels: [(name: String, value: String)]
    ) {
        var cumulated = 0
        for (index, count) in histogram.counts.enumerated() {
            cumulated += count
            let bound =
                index < histogram.bounds.count
                ? Self.number(histogram.bounds[index], histogram.unit) : "+Inf"
            sample("\(name)_bucket", labels + [(name: "le", value: bound)], String(cumulated))
        }
        sample("\(name)_sum", labels, Self.number(histogram.total, histogram.unit))
        sample("\(name)_count", labels, String(cumulated))
    }

    private static func number(_ value: Int, _ unit: Histogram.Unit) -> String {
        switch unit {
        case .count: String(value)
        case .seconds: (Double(value) / 1e9).description
        }
    }

    private mutating func sample(
        _ name: String, _ labels: [(name: String, value: String)], _ value: String
    ) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
