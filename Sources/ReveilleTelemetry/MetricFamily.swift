/// The series of one metric over the values of one label.
///
/// Look up the series once and keep it: the look-up hashes, counting does not.
package struct MetricFamily<Label: MetricLabel, Metric: Sendable>: Sendable {
    @usableFromInline
    let series: [Label: Metric]

    init(_ metrics: [Metric]) {
        series = Dictionary(uniqueKeysWithValues: zip(Label.allCases, metrics))
    }

    /// The series of a label's value.
    @inlinable
    package subscript(label: Label) -> Metric {
        guard let metric = series[label] else { preconditionFailure("allCases lacks a case") }
        return metric
    }
}

/// The series of one metric over the values of two labels.
package struct MetricFamily2<First: MetricLabel, Second: MetricLabel, Metric: Sendable>: Sendable {
    @usableFromInline
    let series: [First: MetricFamily<Second, Metric>]

    init(_ metrics: [Metric]) {
        let width = Second.allCases.count
        var series: [First: MetricFamily<Second, Metric>] = [:]
        for (index, first) in First.allCases.enumerated() {
            series[first] = MetricFamily(Array(metrics[(index * width)..<((index + 1) * width)]))
        }
        self.series = series
    }

    /// The series of a pair of values.
    @inlinable
    package subscript(first: First, second: Second) -> Metric {
        guard let family = series[first] else { preconditionFailure("allCases lacks a case") }
        return family[second]
    }
}

/// The series of one metric over lists of label values that were complete at start.
package struct MetricTable<Metric: Sendable>: Sendable {
    private let metrics: [Metric]
    private let sizes: [Int]

    init(_ metrics: [Metric], sizes: [Int]) {
        self.metrics = metrics
        self.sizes = sizes
    }

    /// The series at the positions of the values in their lists.
    ///
    /// - Precondition: one position for each label, each inside its list.
    package subscript(positions: Int...) -> Metric {
        precondition(positions.count == sizes.count, "one position for each label")
        var index = 0
        for (position, size) in zip(positions, sizes) {
            precondition((0..<size).contains(position), "a label value that is not in the list")
            index = index * size + position
        }
        return metrics[index]
    }
}
