/// A setting: its names, what it takes and what it means.
///
/// The table of them is the documentation.
package struct SettingDefinition: Hashable, Sendable {
    /// The name in words joined by dashes; flag and variable follow from it.
    package let name: String
    /// What stands for the value in the help.
    package let placeholder: String
    /// Variables of other programs that mean the same.
    package let aliases: [String]
    /// What holds when it is not given, as text for the help; nil when there is no default.
    package let fallback: String?
    package let help: String
    /// True when its value must never be shown, and a flag is refused since others can see flags.
    package let isSecret: Bool

    /// Describes a setting.
    package init(
        _ name: String, _ placeholder: String, aliases: [String] = [], default fallback: String? = nil,
        isSecret: Bool = false, help: String
    ) {
        self.name = name
        self.placeholder = placeholder
        self.aliases = aliases
        self.fallback = fallback
        self.help = help
        self.isSecret = isSecret
    }

    /// The flag, such as `--apns-team-id`.
    package var flag: String { "--" + name }

    /// The variable, such as `REVEILLE_APNS_TEAM_ID`.
    package var variable: String {
        "REVEILLE_" + String(name.map { $0 == "-" ? "_" : $0 }).uppercased()
    }

    /// The option of a command that takes this setting.
    package var option: Option {
        var help = help + " (\(variable)"
        if !aliases.isEmpty { help += ", " + aliases.joined(separator: ", ") }
        help += fallback.flatMap { $0.isEmpty ? nil : "; default \($0))" } ?? ")"
        return Option(flag, placeholder, help: help)
    }
}
