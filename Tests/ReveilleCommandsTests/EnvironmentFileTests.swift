import Glibc
import ReveilleCommands
import ReveilleCrypto
import ReveilleTesting
import Testing

@Suite("An environment file is read as systemd reads it", .temporaryDirectory, .timeLimit(.minutes(5)))
struct EnvironmentFileTests {
    @Test(
        "lines give names and values",
        arguments: [
            ("A=1", "A", "1"), ("  A = 1 ", "A", "1"), ("A=", "A", ""), ("A=\"x y\"", "A", "x y"),
            ("A='x \\n y'", "A", "x \\n y"), ("A=\"x\\ny\"", "A", "x\ny"), ("A=\"q\\\"q\"", "A", "q\"q"),
            ("_A9=v", "_A9", "v"), ("A=b=c", "A", "b=c"), ("A=1\r", "A", "1"),
        ])
    func lines(text: String, name: String, value: String) throws {
        let (entries, problems) = EnvironmentFile.parse("# a remark\n\n; another\n" + text + "\n")
        #expect(problems.isEmpty)
        #expect(entries.count == 1)
        #expect(entries.first?.name == name)
        #expect(entries.first?.value == value)
    }

    @Test("lines may end with carriage return and line feed")
    func carriageReturns() {
        let (entries, problems) = EnvironmentFile.parse("A=1\r\nB=\"2\"\r\n")
        #expect(problems.isEmpty)
        #expect(entries.map(\.name) == ["A", "B"] && entries.map(\.value) == ["1", "2"])
    }

    @Test(
        "a line that is none is named by its number, and hides no other line",
        arguments: ["A", "1A=2", "A B=1", "=1", "A=\"open", "A='open", "A=\"x\\\"", "A=a\0b"])
    func mistakes(text: String) {
        let (entries, problems) = EnvironmentFile.parse("OK=1\n" + text + "\nTOO=2\n" + text)
        #expect(problems.map(\.line) == [2, 4])
        #expect(entries.map(\.name) == ["OK", "TOO"])
    }

    @Test("the file that --env-file names gives a command its settings")
    func file() async throws {
        let place = try StorePlace()
        let path = try #require(TemporaryDirectory.current).file("reveille.env")
        try PrivateFile.write(
            "REVEILLE_DATA=\(place.folder)\nREVEILLE_MASTER_KEY_FILE='\(place.keyFile)'\n", to: path)
        let made = await CommandRun.of("producer", "create", "mail", "--env-file", path)
        #expect(made.status == .success, "\(made.error)")
        #expect(await place.run("producer", "list").lines == ["mail"])
        // A flag comes before the file.
        let elsewhere = try #require(TemporaryDirectory.current).file("elsewhere")
        let other = await CommandRun.of("producer", "list", "--env-file", path, "--data", elsewhere)
        #expect(other.status == .usage && other.error.contains("there is no store in \(elsewhere)"))
    }

    @Test(
        "a setting that is given twice is an error that names it and every line, whatever the values and names",
        arguments: [
            (["REVEILLE_THREADS=1", "REVEILLE_THREADS=2"], "REVEILLE_THREADS", "lines 3, 5"),
            (
                ["REVEILLE_THREADS=1", "REVEILLE_THREADS=1", " REVEILLE_THREADS = 3"], "REVEILLE_THREADS",
                "lines 3, 5, 7"
            ),
            (["REVEILLE_DATA=", "REVEILLE_DATA=/srv"], "REVEILLE_DATA", "lines 3, 5"),
            (["APPLE_KEY_ID=ABCDE12345", "APPLE_KEY_ID=ABCDE12346"], "APPLE_KEY_ID", "lines 3, 5"),
            (["REVEILLE_APNS_KEY_ID=ABCDE12345", "APPLE_KEY_ID=ABCDE12345"], "APPLE_KEY_ID", "lines 3, 5"),
        ])
    func repeated(lines: [String], name: String, numbers: String) async throws {
        let place = try StorePlace()
        let path = try #require(TemporaryDirectory.current).file("reveille.env")
        let data = lines.contains { $0.contains("DATA") } ? "#" : "REVEILLE_DATA=\(place.folder)"
        try PrivateFile.write(
            "REVEILLE_MASTER_KEY_FILE=\(place.keyFile)\n\(data)\n" + lines.joined(separator: "\n#\n"), to: path)
        for words in [["serve", "--check"], ["producer", "create", "mail"]] {
            let run = await CommandRun.of(words + ["--env-file", path])
            #expect(run.status == .usage)
            #expect(run.error.contains(name) && run.error.contains("\(path), \(numbers):"), "\(run.error)")
        }
        #expect(access(place.folder, F_OK) != 0)
    }

    @Test("a variable that is no setting may come twice")
    func repeatedOther() async throws {
        let place = try StorePlace()
        let path = try #require(TemporaryDirectory.current).file("reveille.env")
        try PrivateFile.write(
            "REVEILLE_DATA=\(place.folder)\nREVEILLE_MASTER_KEY_FILE=\(place.keyFile)\nOTHER=1\nOTHER=2\n", to: path)
        let run = await CommandRun.of("serve", "--check", "--env-file", path)
        #expect(run.status == .success, "\(run.error)")
    }

    @Test(
        "a file that holds a secret must be kept as one, any other may be open",
        arguments: [
            ("REVEILLE_MASTER_KEY=" + String(repeating: "ab", count: 32), true), ("REVEILLE_APNS_KEY='a key'", true),
            ("REVEILLE_MASTER_KEY=", false), ("REVEILLE_THREADS=2", false),
        ])
    func secrets(line: String, isSecret: Bool) async throws {
        let place = try StorePlace()
        let path = try #require(TemporaryDirectory.current).file("reveille.env")
        let hasKey = line.hasPrefix("REVEILLE_MASTER_KEY=a")
        let file = hasKey ? "" : "REVEILLE_MASTER_KEY_FILE=\(place.keyFile)\n"
        try PrivateFile.write("REVEILLE_DATA=\(place.folder)\n\(file)\(line)\n", to: path)
        #expect(await CommandRun.of("serve", "--check", "--env-file", path).status == .success)
        #expect(chmod(path, 0o644) == 0)
        let run = await CommandRun.of("serve", "--check", "--env-file", path)
        #expect(run.status == (isSecret ? .usage : .success), "\(run.error)")
        if isSecret { #expect(run.error.contains("--env-file") && run.error.contains("chmod 600")) }
    }
}
