internal import Glibc
internal import ReveilleJSON
internal import ReveilleStorage

/// `reveille keys make-master` and `rotate-master`.
enum MasterKeyCommands {
    static let make = Command(
        path: ["keys", "make-master"],
        summary: "make a master key file",
        discussion: """
            The server makes one by itself for an empty store; this is for those who want it beforehand. Keep a copy where the
            backups of the data folder are not: without it they cannot be read.
            """,
        operands: [Operand(name: "file", help: "where to write it; must not exist")], options: [.json]
    ) { invocation, terminal in
        let path = invocation.operands[0]
        let present = CommandFailure("\(path) exists already; nothing was changed")
        guard access(path, F_OK) != 0 else { throw present }
        if path.isEmpty { throw UsageError("<file> must be the path of a file") }
        if let problem = FilePlace.problemOfMaking(path) {
            throw UsageError("<file> \(path) cannot be made: \(problem)")
        }
        let keys = MasterKeys(current: .generate())
        guard try MasterKeyFile.write(keys, to: path, presence: .isKept) else { throw present }
        show(path, keys, json: invocation.has("--json"), terminal)
        return .success
    }

    static let rotate = Command(
        path: ["keys", "rotate-master"],
        summary: "put a new master key in front of the present one",
        discussion: """
            The server may run: it takes the new key from its key file within some seconds. One that has its key from a systemd
            credential or a variable takes it at its next start. What was sealed with the former key is sealed anew in the
            background; the former key stays in the file for that long. Run this with --forget-former later, also while the
            server runs: it seals what is left anew and takes the former keys out. Ids, cursors and tokens do not change.
            """,
        operands: [Operand(name: "file", help: "the master key file")],
        options: [
            Option("--forget-former", help: "seal the rest anew, then take all former keys out instead"),
            HomeSettingDefinitions.dataFolder.option, HomeSettingDefinitions.environmentFile.option, .json,
        ]
    ) { invocation, terminal in
        let path = invocation.operands[0]
        // Before the right to change it is taken: a file that is none is not to be changed.
        _ = try MasterKeyFile.read(path)
        let change = try MasterKeyFile.beginChange(of: path)
        let present = try MasterKeyFile.read(path)
        let keys: MasterKeys
        if invocation.has("--forget-former") {
            if !present.former.isEmpty {
                try await FormerKeys(keys: present, store: try store(invocation, keyFile: path)).letGo(terminal)
            }
            keys = MasterKeys(current: present.current)
        } else {
            guard present.former.count < MasterKeyFile.maximumFormerKeys else {
                throw CommandFailure(
                    "\(path) holds \(present.former.count) former keys; take them out with --forget-former first")
            }
            keys = MasterKeys(current: .generate(), former: present.all)
        }
        try MasterKeyFile.write(keys, with: change, to: path)
        show(path, keys, json: invocation.has("--json"), terminal)
        return .success
    }

    private static func store(_ invocation: Invocation, keyFile: String) throws(SettingsError) -> StoreSettings {
        var reader = SettingsReader(SettingsSource.gather(invocation))
        let folder = reader.text(HomeSettingDefinitions.dataFolder) ?? ""
        if let problem = DataFolder.problem(folder) {
            reader.addProblem("\(reader.place(HomeSettingDefinitions.dataFolder)): \(folder) \(problem)")
        }
        try reader.finish()
        return StoreSettings(folder: folder, keyFile: keyFile, key: nil)
    }

    private static func show(_ path: String, _ keys: MasterKeys, json: Bool, _ terminal: Terminal) {
        if json {
            terminal.print(json: [
                "file": .string(path), "check_value": .string(keys.current.checkValue),
                "former": .array(keys.former.map { .string($0.checkValue) }),
            ])
        } else {
            terminal.print("\(path): check value \(keys.current.checkValue)")
            for key in keys.former { terminal.print("  former key, check value \(key.checkValue)") }
        }
    }
}
