internal import Glibc

/// Where settings come from: flags before variables before the environment file.
package struct SettingsSource: Sendable {
    /// Values given as flags, by flag.
    package var flags: [String: String]
    /// The process's variables.
    package var environment: [String: String]
    /// The variables of the environment file.
    package var file: [String: String]
    /// What is wrong with the sources themselves, a sentence each.
    package var problems: [String]

    /// Gathers sources.
    package init(
        flags: [String: String] = [:], environment: [String: String] = [:],
        file: [String: String] = [:], problems: [String] = []
    ) {
        self.flags = flags
        self.environment = environment
        self.file = file
        self.problems = problems
    }

    /// A value and where it was found, for messages.
    package struct Found: Sendable {
        package let text: String
        package let place: String
    }

    /// Looks a setting up; an empty value counts as not given.
    package func find(_ setting: SettingDefinition) -> Found? {
        if let text = flags[setting.flag] { return Found(text: text, place: setting.flag) }
        for variables in [environment, file] {
            for name in [setting.variable] + setting.aliases {
                if let text = variables[name], !text.isEmpty { return Found(text: text, place: name) }
            }
        }
        return nil
    }

    /// The variables with the program's prefix that name no setting: misspelt ones must not pass unseen.
    package func unknownVariables(known settings: [SettingDefinition]) -> [String] {
        let known = Set(settings.map(\.variable))
        return Set(environment.keys).union(file.keys)
            .filter { $0.hasPrefix("REVEILLE_") && !known.contains($0) }
            .filter { !$0.hasPrefix("REVEILLE_TEST_") && !$0.hasPrefix("REVEILLE_MODEL_") }
            .filter { $0 != "REVEILLE_TOKEN" && $0 != "REVEILLE_BINARY" }
            .sorted()
    }

    /// The secret settings that the environment file gives.
    package func secretsInFile(known settings: [SettingDefinition]) -> [SettingDefinition] {
        settings.filter { setting in
            setting.isSecret && ([setting.variable] + setting.aliases).contains { !(file[$0] ?? "").isEmpty }
        }
    }

    /// The variables of this process.
    package static func processEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        guard let (bytes, _) = try? FileContents.read("/proc/self/environ") else {
            // Without /proc only flags and the file remain; every required setting then says so.
            return variables
        }
        for entry in bytes.split(separator: 0) {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: entry[..<equals], as: UTF8.self)
            variables[name] = String(decoding: entry[entry.index(after: equals)...], as: UTF8.self)
        }
        return variables
    }
}
