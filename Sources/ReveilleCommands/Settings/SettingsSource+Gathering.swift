extension SettingsSource {
    /// The sources of a call: its flags, the process's variables, and the file of `--env-file`.
    static func gather(
        _ invocation: Invocation, environment: [String: String] = processEnvironment()
    ) throws(SettingsError) -> SettingsSource {
        var flags: [String: String] = [:]
        for setting in HomeSettingDefinitions.all {
            if let value = invocation.value(setting.flag) { flags[setting.flag] = value }
        }
        var source = SettingsSource(flags: flags, environment: environment)
        guard let found = source.find(HomeSettingDefinitions.environmentFile) else { return source }
        do {
            for (name, value) in try EnvironmentFile.parse(try FileContents.text(found.text)) {
                source.file[name] = value
            }
        } catch let problem as FileContents.Problem {
            throw SettingsError(problems: ["\(found.place): \(found.text) cannot be read: \(problem.reason)"])
        } catch let problem as EnvironmentFile.Problem {
            throw SettingsError(problems: ["\(found.place): \(found.text), line \(problem.line): \(problem.reason)"])
        } catch {
            throw SettingsError(problems: ["\(found.place): \(found.text) cannot be read"])
        }
        return source
    }
}
