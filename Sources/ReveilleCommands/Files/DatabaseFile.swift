internal import Glibc
internal import ReveilleStorage
internal import ReveilleStorageSQLite

/// Whether what stands in the place of the database can be one of ours.
enum DatabaseFile {
    /// SQLite's result code for a file without its header (SQLITE_NOTADB).
    private static let notADatabase: Int32 = 26

    /// What is wrong with it, as the end of a sentence that begins with its path, and with what to do; nil when nothing is, or
    /// when other trouble is told where the store is opened.
    ///
    /// Never opened as a plain file: closing it again would drop the locks that this process may hold on it.
    static func problem(_ path: String) -> String? {
        var status = stat()
        if lstat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: return "is a folder, where the database must be a file; move it away, or \(anotherFolder)"
            case S_IFLNK:
                // Its log and slots would lie beside the link for one process and beside its target for another.
                return "is a link, and must be the database file itself; \(theFolder)"
            default: return "is no regular file; move it away, or \(anotherFolder)"
            }
        }
        do throws(StoreError) {
            _ = try SQLiteHomeStore.isEmpty(path: path)
            return nil
        } catch {
            return problem(error, path)
        }
    }

    private static func problem(_ error: StoreError, _ path: String) -> String? {
        switch error.code {
        case .fileMissing:
            "is missing or empty, though files beside it show that a store was there: it was removed or truncated. Put it "
                + "back, or restore a backup; to begin anew without what was in it, move \(path)-wal, -shm and .slots away too"
        // The engine has a number for all trouble of its own.
        case .cannotOpen where error.engineCode == 0:
            "is the database of another program; \(anotherFolder)"
        case .corrupt where error.engineCode & 0xFF == notADatabase:
            "is no SQLite database: it is another program's file, or was overwritten; \(anotherFolder), or restore the newest "
                + "backup"
        default: nil
        }
    }

    private static let anotherFolder =
        "point \(HomeSettingDefinitions.dataFolder.flag) or \(HomeSettingDefinitions.dataFolder.variable) at another folder"
    private static let theFolder =
        "point \(HomeSettingDefinitions.dataFolder.flag) or \(HomeSettingDefinitions.dataFolder.variable) at the folder that "
        + "holds it"
}
