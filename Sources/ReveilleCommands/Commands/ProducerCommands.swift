internal import ReveilleJSON
internal import ReveilleStorage
internal import ReveilleStorageSQLite

/// `reveille producer …`: who may post notifications.
enum ProducerCommands {
    static let create = Command(
        path: ["producer", "create"],
        summary: "make a producer and its first token",
        discussion: """
            Works on the database directly, also while the server runs. The token is shown once and kept only as a keyed hash.
            """,
        operands: [
            Operand(name: "name", help: "the producer's name, such as 'mail'; its profiles live in its namespace")
        ],
        options: HomeSettingDefinitions.storeOptions + [TokenCommands.scope, .json]
    ) { invocation, terminal in
        let scopes = try TokenCommands.scopes(invocation, default: Set(Scope.allCases))
        let name = invocation.operands[0]
        guard isName(name) else {
            throw UsageError("<name> must be 1 to 64 letters, digits, '.', '-' or '_'")
        }
        return try await StoreOpener.withStore(invocation, absence: .makesOne) { store in
            guard let producer = try await store.createProducer(name: name) else {
                throw CommandFailure(
                    "a producer named '\(name)' exists already; 'reveille token create' makes tokens for it")
            }
            let made = try await store.createToken(.producer(producer), scopes: scopes, label: name)
            TokenCommands.show(made.token, for: "producer", named: name, json: invocation.has("--json"), terminal)
            try await TokenCommands.withdrawIfLost(made.credential, of: .producer(producer), in: store, terminal)
            return .success
        }
    }

    static let list = Command(
        path: ["producer", "list"], summary: "list the producers",
        options: HomeSettingDefinitions.storeOptions + [.json]
    ) { invocation, terminal in
        try await StoreOpener.withStore(invocation) { store in
            let producers = try await store.producers()
            if invocation.has("--json") {
                terminal.print(json: ["producers": .array(producers.map { ["name": .string($0.name)] })])
            } else {
                for producer in producers { terminal.print(producer.name) }
                if producers.isEmpty { terminal.note("there are no producers; 'reveille producer create' makes one") }
            }
            return .success
        }
    }

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
