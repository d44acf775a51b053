extension SettingsSource {
    /// The sources of a call: its flags, the process's variables, and the file of `--env-file`.
    ///
    /// What is wrong with the file is kept beside what could be read of it, so that it hides no other problem.
    static func gather(
        _ invocation: Invocation, environment: [String: String] = processEnvironment()
    ) -> SettingsSource {
        var flags: [String: String] = [:]
        for setting in HomeSettingDefinitions.all {
            if let value = invocation.value(setting.flag) { flags[setting.flag] = value }
        }
        var source = SettingsSource(flags: flags, environment: environment)
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("REVEILLE_") && value.unicodeScalars.contains("\u{FFFD}") {
            source.problems.append("\(name) is not UTF-8; write it anew")
        }
        source.readFile()
        return source
    }

    private mutating func readFile() {
        guard let found = find(HomeSettingDefinitions.environmentFile) else { return }
        let place = "\(found.place): \(found.text)"
        do throws(FileContents.Problem) {
            let (bytes, facts) = try FileContents.read(found.text)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                problems.append("\(place) is not text; save it as UTF-8")
                return
            }
            let contents = EnvironmentFile.parse(text)
            problems += contents.problems.map { "\(place), line \($0.line): \($0.reason)" }
            problems += Self.repetitions(contents.entries).map { "\(place), \($0)" }
            for entry in contents.entries { file[entry.name] = entry.value }
            // A file that holds a secret is one, whatever else stands in it.
            if let secret = secretsInFile(known: HomeSettingDefinitions.all).first,
                let problem = CredentialFile.problem(facts)
            {
                problems.append("\(place) holds \(secret.variable), a secret, and \(problem)")
            }
        } catch {
            problems.append("\(place) cannot be read: \(error.reason)")
        }
    }

    /// The settings that a file gives more than once, under one of their names or several.
    ///
    /// Which of them holds would depend on the reader: systemd takes the last line, and another may take the first.
    private static func repetitions(_ entries: [EnvironmentFile.Entry]) -> [String] {
        HomeSettingDefinitions.all.compactMap { setting in
            let names = [setting.variable] + setting.aliases
            let given = entries.filter { names.contains($0.name) }
            guard given.count > 1 else { return nil }
            let lines = given.map { String($0.line) }.joined(separator: ", ")
            let others = Set(given.map(\.name)).subtracting([setting.variable]).sorted()
            let also = others.isEmpty ? "" : " (also called \(others.joined(separator: ", ")))"
            return "lines \(lines): \(setting.variable)\(also) is given more than once; keep one"
        }
    }
}
