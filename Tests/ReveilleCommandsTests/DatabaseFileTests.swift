import Glibc
import ReveilleCommands
import ReveilleSQLite
import ReveilleTesting
import Testing

@Suite("What stands in the place of the database is named for what it is", .temporaryDirectory, .timeLimit(.minutes(5)))
struct DatabaseFileTests {
    static let all: [WrongFile] = [
        WrongFile("a folder", says: "is a folder") { mkdir($0, 0o700) },
        WrongFile("a link to a store", says: "is a link") { path in
            #expect(rename(path, path + ".target") == 0 && symlink(path + ".target", path) == 0)
        },
        WrongFile("a link to nothing", says: "is a link") { symlink($0 + ".none", $0) },
        WrongFile("a pipe", says: "is no regular file") { mkfifo($0, 0o600) },
        WrongFile("a database with tables and no mark", says: "is the database of another program") {
            try foreign($0).execute("CREATE TABLE mail (id INTEGER)")
        },
        WrongFile("a database with another mark", says: "is the database of another program") {
            try foreign($0).execute("PRAGMA application_id = 252006674; PRAGMA user_version = 7")
        },
        WrongFile("a text", says: "is no SQLite database") {
            try PrivateFile.write(String(repeating: "no database\n", count: 100), to: $0)
        },
    ]

    private static func foreign(_ path: String) throws -> SQLiteConnection {
        try SQLiteConnection(path: path, access: .create, busyMilliseconds: 0)
    }

    @Test(
        "with the path and the setting that leads elsewhere, and it is left as it is", arguments: all,
        [
            ["serve", "--listen", "127.0.0.1:0"], ["serve", "--check"], ["producer", "list"],
            ["producer", "create", "media"],
        ])
    func named(finding: WrongFile, words: [String]) async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        let path = place.folder + "/reveille.db"
        if !finding.testDescription.hasPrefix("a link to a store") {
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            #expect(rename(path + ".slots", path + ".slots.away") == 0)
        }
        try finding.make(path)
        var before = stat()
        #expect(lstat(path, &before) == 0)
        let run = await CommandRun.of(words + place.options)
        #expect(run.status == .usage && run.out.isEmpty)
        #expect(run.error.contains("\(path) \(finding.words)") && run.error.contains("REVEILLE_DATA"), "\(run.error)")
        var after = stat()
        #expect(lstat(path, &after) == 0)
        #expect(before.st_ino == after.st_ino && before.st_mode == after.st_mode && before.st_size == after.st_size)
        #expect(access(path + ".slots", F_OK) == (finding.testDescription == "a link to a store" ? 0 : -1))
    }

    @Test("a link that leads to the whole data folder is followed")
    func linkedFolder() async throws {
        let place = try StorePlace()
        _ = try await place.makeProducer("mail")
        #expect(
            rename(place.folder, place.folder + ".target") == 0 && symlink(place.folder + ".target", place.folder) == 0)
        #expect(await place.run("producer", "list").lines == ["mail"])
    }
}
