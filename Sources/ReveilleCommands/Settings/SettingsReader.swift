/// Reads settings one by one and keeps every problem, so that a start reports all of them at once.
package struct SettingsReader {
    private let source: SettingsSource
    /// Sentences that each name a setting and what to do.
    package private(set) var problems: [String] = []
    /// Things that work but deserve a word.
    package private(set) var warnings: [String] = []

    /// Reads from `source`.
    package init(_ source: SettingsSource) {
        self.source = source
        problems = source.problems
    }

    /// Adds a problem of several settings together.
    package mutating func addProblem(_ sentence: String) { problems.append(sentence) }
    /// Adds a warning.
    package mutating func addWarning(_ sentence: String) { warnings.append(sentence) }

    /// True when a value was given.
    package func has(_ setting: SettingDefinition) -> Bool { source.find(setting) != nil }
    /// The name under which it was given, or its variable.
    package func place(_ setting: SettingDefinition) -> String {
        source.find(setting)?.place ?? setting.variable
    }

    /// A variable of the system that is no setting of ours.
    package func variable(_ name: String) -> String? { source.environment[name] }

    /// The text of a setting, nil when it was not given and has no default.
    package mutating func text(_ setting: SettingDefinition) -> String? {
        if setting.isSecret, source.flags[setting.flag] != nil {
            problems.append(
                "\(setting.flag): a secret on the command line can be read by every user; "
                    + "use \(setting.variable) or a file")
            return nil
        }
        return source.find(setting)?.text ?? setting.fallback
    }

    /// A text that the feature in use cannot do without.
    package mutating func required(_ setting: SettingDefinition, because reason: String) -> String? {
        let value = text(setting)
        if value == nil { problems.append("\(setting.variable) is missing: \(reason)") }
        return value
    }

    /// A whole number within `range`.
    package mutating func integer(_ setting: SettingDefinition, in range: ClosedRange<Int>) -> Int {
        let text = text(setting) ?? ""
        guard let number = Int(text), range.contains(number) else {
            problems.append(
                "\(place(setting)) must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound)")
            return range.lowerBound
        }
        return number
    }

    /// One of a closed list of words.
    package mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ setting: SettingDefinition, _ type: Value.Type
    ) -> Value? {
        guard let text = text(setting) else { return nil }
        if let value = Value(rawValue: text) { return value }
        let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
        problems.append("\(place(setting)) must be one of: \(words)")
        return nil
    }

    /// A list with commas or blanks between its entries, none of which is empty or comes twice.
    package mutating func list(_ setting: SettingDefinition) -> [String] {
        guard let text = text(setting), !text.allSatisfy(\.isWhitespace) else { return [] }
        var entries: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(whereSeparator: \.isWhitespace)
            if words.isEmpty, !problems.contains(emptyEntry(setting)) { problems.append(emptyEntry(setting)) }
            entries += words.map(String.init)
        }
        return entries
    }

    private func emptyEntry(_ setting: SettingDefinition) -> String {
        "\(place(setting)) has nothing between two commas, or before or behind one; take the comma out"
    }

    /// The text of a file that a setting names.
    package mutating func file(_ setting: SettingDefinition, secret: Bool) -> (path: String, text: String)? {
        guard let path = text(setting) else { return nil }
        do {
            let (bytes, facts) = try FileContents.read(path)
            if secret, let problem = CredentialFile.problem(facts) {
                problems.append("\(place(setting)): \(path) \(problem)")
                return nil
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                problems.append("\(place(setting)): \(path) is not text")
                return nil
            }
            return (path, text)
        } catch {
            problems.append("\(place(setting)): \(path) cannot be read: \(error.reason)")
            return nil
        }
    }

    /// Throws when anything was wrong.
    package func finish() throws(SettingsError) {
        if !problems.isEmpty { throw SettingsError(problems: problems) }
    }
}

/// Everything that is wrong with the settings.
package struct SettingsError: Error, Sendable {
    package let problems: [String]
}
