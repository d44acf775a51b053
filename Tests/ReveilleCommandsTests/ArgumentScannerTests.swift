import ReveilleCommands
import Testing

@Suite("Arguments are matched against the commands there are")
struct ArgumentScannerTests {
    static let commands = [
        Command(
            path: ["bench", "apns"], summary: "measure",
            options: [
                Option("--count", "N", help: "how many"), Option("--json", help: "for machines"),
                Option("--to", "WHO", help: "whom", isRepeatable: true),
            ]
        ) { _, _ in .success },
        Command(
            path: ["keys", "check"], summary: "check", operands: [Operand(name: "file", help: "the file")]
        ) { _, _ in .success },
    ]

    static func invocation(_ words: [String]) throws -> Invocation {
        guard case .run(_, let invocation) = try ArgumentScanner(commands: commands).scan(words) else {
            throw UsageError("the words ask for no run")
        }
        return invocation
    }

    @Test("values stand behind their option or after an equals sign")
    func values() throws {
        #expect(try Self.invocation(["bench", "apns", "--count", "7"]).value("--count") == "7")
        #expect(try Self.invocation(["bench", "apns", "--count=7"]).value("--count") == "7")
        #expect(try Self.invocation(["bench", "apns", "--to", "a", "--to=b"]).all("--to") == ["a", "b"])
        #expect(try Self.invocation(["bench", "apns", "--json"]).has("--json"))
    }

    @Test(
        "words that make no sense are named",
        arguments: [
            (["frob"], "'frob'"), (["bench"], "'bench' needs one of these behind it: apns"),
            (["bench", "frob", "--help"], "'bench frob'"), (["bench", "apns", "--cuont", "1"], "--cuont"),
            (["bench", "apns", "--count"], "--count needs a value"), (["keys", "check", "-x"], "-x is not an option"),
            (["bench", "apns", "--json=1"], "--json takes no value"),
            (["bench", "apns", "--count", "1", "--count", "2"], "--count was given twice"),
            (["keys", "check"], "<file> is missing"), (["keys", "check", "a", "b"], "too many arguments"),
        ])
    func mistakes(words: [String], part: String) {
        let error = #expect(throws: UsageError.self) {
            try ArgumentScanner(commands: Self.commands).scan(words)
        }
        #expect(error?.message.contains(part) == true)
    }

    @Test("a whole number outside its range is refused with the range")
    func integers() throws {
        let invocation = try Self.invocation(["bench", "apns", "--count", "0"])
        let error = #expect(throws: UsageError.self) {
            try invocation.integer("--count", in: 1...10, default: 5)
        }
        #expect(error?.message == "--count takes a whole number from 1 to 10")
        #expect(try Self.invocation(["bench", "apns"]).integer("--count", in: 1...10, default: 5) == 5)
    }

    @Test(
        "help is asked for anywhere, before a command or behind it",
        arguments: [
            ([], "overview"), (["--help"], "overview"), (["help"], "overview"), (["help", "--help"], "overview"),
            (["bench", "apns", "--help"], "bench apns"), (["help", "bench", "apns"], "bench apns"),
            (["bench", "--help"], "bench …"), (["help", "bench"], "bench …"),
        ])
    func help(words: [String], page: String) throws {
        let found =
            switch try ArgumentScanner(commands: Self.commands).scan(words) {
            case .overview: "overview"
            case .help(let command): command.path.joined(separator: " ")
            case .group(let words, _): words.joined(separator: " ") + " …"
            case .run, .version: "no help"
            }
        #expect(found == page)
    }

    @Test("help for what there is not says so")
    func helpForNothing() {
        #expect(throws: UsageError.self) { try ArgumentScanner(commands: Self.commands).scan(["help", "frob"]) }
    }
}

@Suite("Every command of the program explains itself")
struct HelpTests {
    @Test("no two commands share their words, and each page names each option")
    func pages() {
        let paths = Program.commands.map(\.path)
        #expect(Set(paths).count == paths.count)
        for command in Program.commands {
            let page = HelpText.page(command)
            #expect(page.contains(command.path.joined(separator: " ")))
            for option in command.options { #expect(page.contains(option.name)) }
            #expect(!command.summary.isEmpty)
        }
    }

    /// The first words of commands that need a second one.
    static let groups = Set(Program.commands.filter { $0.path.count > 1 }.map { $0.path[0] }).sorted()

    @Test("a group of commands has a page that lists its own", arguments: groups, ["--help", "-h"])
    func groupPages(name: String, flag: String) async {
        let run = await CommandRun.of(name, flag)
        #expect(run.status == .success && run.error.isEmpty)
        for command in Program.commands {
            let words = command.path.joined(separator: " ")
            #expect(run.out.contains("  \(words)  ") == (command.path[0] == name), "\(words)")
        }
    }

    @Test("a group without its second word is a wrong call that names the choices", arguments: groups)
    func groupAlone(name: String) async {
        let run = await CommandRun.of(name)
        #expect(run.status == .usage && run.out.isEmpty)
        for command in Program.commands where command.path[0] == name { #expect(run.error.contains(command.path[1])) }
    }

    @Test("the overview lists each command")
    func overview() {
        let text = HelpText.overview(Program.commands)
        for command in Program.commands { #expect(text.contains(command.path.joined(separator: " "))) }
    }
}
