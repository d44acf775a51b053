/// Matches the words of a call against the commands there are.
package struct ArgumentScanner: Sendable {
    private let commands: [Command]

    /// Knows `commands`.
    package init(commands: [Command]) { self.commands = commands }

    /// What a call asks for.
    package enum Request: Sendable {
        case run(Command, Invocation)
        case help(Command)
        /// The page of commands that share their first words.
        case group([String], [Command])
        case overview
        case version
    }

    /// Reads `arguments` without the program's own name.
    package func scan(_ arguments: [String]) throws(UsageError) -> Request {
        guard let first = arguments.first else { return .overview }
        if first == "--help" || first == "-h" { return .overview }
        if first == "help" { return try help(Array(arguments.dropFirst())) }
        if first == "--version" { return .version }
        guard let command = longestMatch(arguments) else { return try group(arguments) }
        return try match(command, Array(arguments.dropFirst(command.path.count)))
    }

    /// What `help` and words behind it ask for: what the words and `--help` would.
    private func help(_ words: [String]) throws(UsageError) -> Request {
        guard let first = words.first, !first.hasPrefix("-") else { return .overview }
        if let command = longestMatch(words) { return .help(command) }
        return try group(words + ["--help"])
    }

    private func longestMatch(_ arguments: [String]) -> Command? {
        commands.filter { arguments.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
    }

    /// What words ask for that name no command whole: they may be the first words of some.
    private func group(_ arguments: [String]) throws(UsageError) -> Request {
        let words = Array(arguments.prefix { !$0.hasPrefix("-") })
        let members = commands.filter { !words.isEmpty && $0.path.starts(with: words) }
        guard !members.isEmpty else {
            throw UsageError("there is no command '\(named(arguments))'; see reveille --help")
        }
        let next = arguments[words.count...].first
        if next == "--help" || next == "-h" { return .group(words, members) }
        let choices = members.map { $0.path[words.count] }.joined(separator: ", ")
        let name = words.joined(separator: " ")
        throw UsageError("'\(name)' needs one of these behind it: \(choices); see reveille \(name) --help")
    }

    private func named(_ arguments: [String]) -> String {
        let words = arguments.prefix { !$0.hasPrefix("-") }.prefix(2)
        return String(words.joined(separator: " ").prefix(60))
    }

    private func match(_ command: Command, _ rest: [String]) throws(UsageError) -> Request {
        var values: [String: [String]] = [:]
        var operands: [String] = []
        var index = 0
        while index < rest.count {
            let word = rest[index]
            index += 1
            if word == "--help" || word == "-h" { return .help(command) }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let (name, attached) = Self.split(word)
            guard let option = command.options.first(where: { $0.name == name }) else {
                throw UsageError("\(name) is not an option of '\(command.path.joined(separator: " "))'")
            }
            let value: String
            if option.placeholder == nil {
                guard attached == nil else { throw UsageError("\(name) takes no value") }
                value = ""
            } else if let attached {
                value = attached
            } else if index < rest.count {
                value = rest[index]
                index += 1
            } else {
                throw UsageError("\(name) needs a value")
            }
            if values[name] != nil, !option.isRepeatable {
                throw UsageError("\(name) was given twice")
            }
            values[name, default: []].append(value)
        }
        try check(operands, of: command)
        return .run(command, Invocation(values: values, operands: operands))
    }

    private func check(_ operands: [String], of command: Command) throws(UsageError) {
        let required = command.operands.filter(\.isRequired)
        if operands.count < required.count {
            throw UsageError("<\(required[operands.count].name)> is missing; see --help")
        }
        if operands.count > command.operands.count {
            throw UsageError("there are too many arguments; see --help")
        }
    }

    private static func split(_ word: String) -> (name: String, value: String?) {
        guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
