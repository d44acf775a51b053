/// Writes the pages that `--help` shows, from the commands themselves.
package enum HelpText {
    /// The list of all commands.
    package static func overview(_ commands: [Command]) -> String {
        """
        Reveille: private push for self-hosted servers.

        Usage: reveille <command> [options]

        Commands:
        \(list(commands))

        'reveille <command> --help' explains a command; 'reveille --version' names the libraries in use.
        Exit status: 0 done, 1 failed, 2 wrong arguments or settings, 3 server not reached, 4 server refused.

        """
    }

    /// The page of the commands that share their first words.
    package static func group(_ words: [String], _ commands: [Command]) -> String {
        let name = words.joined(separator: " ")
        return """
            Usage: reveille \(name) <command> [options]

            Commands:
            \(list(commands))

            'reveille \(name) <command> --help' explains a command.

            """
    }

    private static func list(_ commands: [Command]) -> String {
        let width = commands.map { $0.path.joined(separator: " ").count }.max() ?? 0
        return commands.map { command in
            "  " + padded(command.path.joined(separator: " "), to: width) + "  " + command.summary
        }.joined(separator: "\n")
    }

    /// The page of one command.
    package static func page(_ command: Command) -> String {
        let words = command.path.joined(separator: " ")
        let operands = command.operands.map { $0.isRequired ? "<\($0.name)>" : "[<\($0.name)>]" }
        let usage = (["reveille", words] + operands + (command.options.isEmpty ? [] : ["[options]"]))
            .joined(separator: " ")
        var page = "\(command.summary)\n\nUsage: \(usage)\n"
        if !command.discussion.isEmpty { page += "\n\(command.discussion)\n" }
        let rows =
            command.operands.map { ("<\($0.name)>", $0.help) }
            + command.options.map { option in
                ([option.name, option.placeholder].compactMap { $0 }.joined(separator: " "), option.help)
            } + [("--help", "show this page")]
        let width = min(rows.map(\.0.count).max() ?? 0, 34)
        page += "\n"
        for (name, help) in rows {
            let lines = wrapped(help, width: max(40, 96 - width))
            page += "  " + padded(name, to: width) + "  " + (lines.first ?? "") + "\n"
            for line in lines.dropFirst() {
                page += String(repeating: " ", count: width + 4) + line + "\n"
            }
        }
        return page
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}
