import ReveilleBytes

/// A category of notifications and whether it may alert.
package struct Category: Hashable, Sendable {
    /// The name that producers give.
    package let name: String
    /// Whether notifications of it are visible unless a producer silences them.
    package let alert: Alert

    /// Describes a category.
    package init(name: String, alert: Alert) {
        self.name = name
        self.alert = alert
    }
}

/// The categories an operator has allowed to alert; an unlisted one is silent.
package struct CategoryRegistry: Sendable {
    private let byName: [ExactText: Category]

    /// Lists `categories`; of two with one name the later counts.
    package init(_ categories: [Category]) {
        byName = Dictionary(categories.map { (ExactText($0.name), $0) }, uniquingKeysWith: { $1 })
    }

    /// Decides on the server: the registry may alert, a producer may silence and never escalate.
    package func alert(category: String, requested: Alert?) -> Alert {
        guard let listed = byName[ExactText(category)], listed.alert == .visible else { return .silent }
        return requested ?? .visible
    }

    /// True when the operator listed the category.
    package func contains(_ name: String) -> Bool { byName[ExactText(name)] != nil }
}
