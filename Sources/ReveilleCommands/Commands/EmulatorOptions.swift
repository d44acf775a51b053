internal import ReveilleAPNs
internal import ReveilleCrypto
internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleNetwork

/// Reads the options of `reveille emulate apns`; each mistake is told under the option's name.
enum EmulatorOptions {
    static let defaultListen = "127.0.0.1:2197"
    static let defaultSandboxListen = "127.0.0.1:2198"
    private static let maximumStreamLimit = 100_000

    static func configuration(_ invocation: Invocation) throws -> APNsEmulatorConfiguration {
        var configuration = APNsEmulatorConfiguration()
        configuration.addresses = [
            .production: try address(invocation.value("--listen") ?? defaultListen, "--listen"),
            .sandbox: try address(invocation.value("--sandbox-listen") ?? defaultSandboxListen, "--sandbox-listen"),
        ]
        configuration.streamLimit = try invocation.integer(
            "--stream-limit", in: 1...maximumStreamLimit, default: APNsEmulatorConfiguration.defaultStreamLimit)
        let topics = invocation.all("--topic")
        if let wrong = topics.first(where: { !AppEntry.isBundleID($0) }) {
            throw UsageError("--topic takes a bundle id such as com.example.mail, not '\(wrong.prefix(60))'")
        }
        if !topics.isEmpty { configuration.bundleIDs = Set(topics) }
        if invocation.has("--ids-only") { configuration.keeping = .idsOnly(maximumBytes: 1 << 30) }
        configuration.providerTokens = try providerTokens(invocation)
        if let path = invocation.value("--faults") { configuration.faults = try faults(in: path) }
        return configuration
    }

    static func address(_ text: String, _ option: String) throws(UsageError) -> SocketAddress {
        guard let address = SocketAddress(parsing: text) else {
            throw UsageError("\(option) must be an address and port, such as 127.0.0.1:2197")
        }
        return address
    }

    /// Refuses places that cannot both be had, and a certificate file that cannot be made, before anything listens.
    static func checkPlaces(_ settings: APNsEmulatorSettings) throws(UsageError) {
        let places = [
            ("--listen", settings.emulator.addresses[.production]),
            ("--sandbox-listen", settings.emulator.addresses[.sandbox]), ("--control", settings.control),
        ]
        for (index, (option, address)) in places.enumerated() {
            guard let address, address.port != 0 else { continue }
            for (other, taken) in places[..<index] where taken == address {
                throw UsageError("\(other) and \(option) name the same address; give each one of its own")
            }
        }
        if let file = settings.authorityFile { try checkFile(file, "--ca-file") }
    }

    /// Refuses a file that cannot be made, before anything listens.
    static func checkFile(_ file: String, _ option: String) throws(UsageError) {
        if file.isEmpty { throw UsageError("\(option) takes the path of a file") }
        if let problem = FilePlace.problemOfMaking(file) {
            throw UsageError("\(option) \(file) cannot be written: \(problem)")
        }
        if FilePlace.isFolder(file) { throw UsageError("\(option) \(file) cannot be written: it is a folder") }
    }

    private static func providerTokens(_ invocation: Invocation) throws -> AcceptedProviderTokens {
        let names = ["--team-id", "--key-id", "--key-file"]
        let given = names.filter(invocation.has)
        guard let first = given.first else { return invocation.has("--unchecked-tokens") ? .unchecked : .anyKey }
        if invocation.has("--unchecked-tokens") {
            throw UsageError("--unchecked-tokens accepts any token and \(first) only one key's; give one of them")
        }
        if let missing = names.first(where: { !given.contains($0) }) {
            throw UsageError("\(missing) is missing: \(first) needs it, for all three together name one key")
        }
        let team = try invocation.required("--team-id")
        let keyID = try invocation.required("--key-id")
        let path = try invocation.required("--key-file")
        do {
            let key = try P256PrivateKey(pem: try FileContents.text(path))
            let credential = try APNsCredential(teamID: team, keyID: keyID, key: key)
            return .signedBy([
                AppleKey(teamID: credential.teamID, keyID: credential.keyID, publicKey: key.publicKey)
            ])
        } catch let problem as FileContents.Problem {
            throw UsageError("--key-file \(path) cannot be read: \(problem.reason)")
        } catch let error as KeyFileError {
            throw UsageError("--key-file \(path): \(error)")
        } catch let error as APNsCredentialError {
            let option = error == .invalidTeamID ? "--team-id" : "--key-id"
            throw UsageError("\(option) must be 10 capital letters and digits, as Apple shows it")
        }
    }

    static func faults<Fault: ScriptedFault>(in path: String) throws(UsageError) -> [Fault] {
        do {
            return try Fault.script(try JSONReader.parse(try FileContents.read(path).bytes))
        } catch let problem as FileContents.Problem {
            throw UsageError("--faults \(path) cannot be read: \(problem.reason)")
        } catch let error as JSONFieldError {
            throw UsageError("--faults \(path): \(error.field) \(error.explanation); see docs/emulator.md")
        } catch let error as JSONError {
            throw UsageError("--faults \(path) is no JSON from octet \(error.offset) on")
        } catch {
            throw UsageError("--faults \(path) is no script of faults; see docs/emulator.md")
        }
    }

    /// What to tell a person when the emulator cannot run after all.
    static func failure(_ error: EmulatorError, _ settings: APNsEmulatorSettings) -> CommandFailure {
        switch error.code {
        case .listenFailed:
            let addresses = [
                ("--listen", settings.emulator.addresses[.production]),
                ("--sandbox-listen", settings.emulator.addresses[.sandbox]), ("--control", settings.control),
            ]
            let option = addresses.first { $0.1?.text == error.place }?.0 ?? "--listen"
            return CommandFailure(
                "\(option): cannot listen on \(error.place); is it an address of this machine, and does another emulator run "
                    + "there?")
        case .fileFailed: return CommandFailure("--ca-file \(error.place) cannot be written", status: .usage)
        case .certificateFailed: return CommandFailure("no certificate could be made (\(error.code.rawValue))")
        case .scriptInvalid: return CommandFailure("--faults: \(error.place)", status: .usage)
        case .wrongState: return CommandFailure("the emulator cannot start (\(error.code.rawValue))")
        }
    }
}
