/// Finds calls through which octets can leave a process, in the text of sources.
package enum OutwardCall {
    /// Functions of the system that write, connect, name or start something.
    private static let system = [
        "write", "pwrite", "writev", "send", "sendto", "sendmsg", "sendmmsg", "sendfile", "splice", "fputs", "fputc",
        "fwrite", "fprintf", "dprintf", "perror", "puts", "putchar", "printf", "debugPrint", "dump", "syslog",
        "openlog",
        "fopen", "freopen", "posix_spawn", "posix_spawnp", "system", "popen", "execv", "execve", "execvp", "fork",
        "vfork", "rename", "link", "symlink", "mkdir", "mkdtemp", "mkstemp", "mkfifo", "open", "openat", "creat",
        "setenv", "setproctitle", "pthread_setname_np", "shm_open", "mq_open", "getaddrinfo", "getnameinfo", "socket",
        "socketpair", "connect", "bind", "sqlite3_open_v2", "sqlite3_open", "sqlite3_trace_v2", "sqlite3_backup_init",
        "reveille_linux_connect", "reveille_linux_send", "reveille_linux_write", "reveille_linux_bind",
    ]

    /// Things of ours that open a connection, or take what is written.
    private static let ours = [
        "StreamSocket.connect", "StreamSocket", "Listener", "HTTP1ClientConnection", "HTTP2ClientConnection",
        "HTTPClient",
        "APNsSender", "FCMSender",
    ]

    /// The calls in a source, each once.
    package static func find(in lines: [Substring], isC: Bool) -> Set<String> {
        var found: Set<String> = []
        let own = ownFunctions(lines)
        let seesSystem = isC || importsSystem(lines)
        for line in lines {
            let code = code(of: line)
            if code.contains("func ") { continue }
            for name in calls(in: code) {
                let isBare = !name.contains(".")
                let plain = name.hasPrefix("Glibc.") ? String(name.dropFirst(6)) : name
                if ours.contains(name) { found.insert(name) }
                // A bare name that the file or its type defines is a method of its own; the system's is then written Glibc.name.
                let isSystem = isC ? !name.hasPrefix("reveille_") : seesSystem && !(isBare && own.contains(plain))
                if isSystem, system.contains(plain) { found.insert(name) }
            }
            if code.contains(": LogSink {") || code.contains(", LogSink {") { found.insert("LogSink") }
        }
        return found
    }

    private static func code(of line: Substring) -> Substring {
        let text = line.drop { $0 == " " }
        guard !text.hasPrefix("//"), !text.hasPrefix("/*"), !text.hasPrefix("*") else { return "" }
        return text
    }

    /// Whether the file imports something that has the system's functions; without, a bare `write` is somebody's own.
    private static func importsSystem(_ lines: [Substring]) -> Bool {
        lines.contains { line in
            ["Glibc", "Foundation", "FoundationEssentials", "CLinux", "CSQLite", "Dispatch"].contains {
                line.hasSuffix("import \($0)")
            }
        }
    }

    private static func ownFunctions(_ lines: [Substring]) -> Set<String> {
        var names: Set<String> = []
        for line in lines {
            guard let range = line.firstRange(of: "func ") else { continue }
            names.insert(String(line[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
        }
        return names
    }

    /// The names, with what they are qualified by, before each opening parenthesis.
    private static func calls(in code: Substring) -> [String] {
        var names: [String] = []
        var current = ""
        for character in code {
            if character.isLetter || character.isNumber || character == "_" || character == "." {
                current.append(character)
            } else {
                if character == "(", !current.isEmpty { names.append(current) }
                current = ""
            }
        }
        return names
    }
}
