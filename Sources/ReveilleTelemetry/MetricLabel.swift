/// A label whose values are known when the program is built.
///
/// Closed sets keep strangers from making series: no path, token or address can become a label.
package protocol MetricLabel: CaseIterable, Hashable, RawRepresentable<String>, Sendable {}

/// The values of one label that are known when the program starts, such as the routes of a server.
package struct MetricLabelValues: Sendable {
    /// The label's name.
    let name: StaticString
    /// The values, in the order of their indices.
    let values: [String]

    /// The cases of an enumeration.
    package init<Label: MetricLabel>(_ name: StaticString, _ type: Label.Type) {
        self.name = name
        values = Label.allCases.map(\.rawValue)
    }

    /// A list that is complete at start.
    package init(_ name: StaticString, _ values: [String]) {
        self.name = name
        self.values = values
    }
}
