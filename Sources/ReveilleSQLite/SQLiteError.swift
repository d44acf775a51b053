internal import CSQLite
internal import Glibc

/// A call that SQLite refused.
///
/// Neither the statement nor any value is part of it, for both may hold what users wrote.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The kinds of trouble that callers tell apart, by SQLite's primary result code (https://sqlite.org/rescode.html).
    package enum Kind: Sendable {
        /// SQLITE_FULL: no room on the disk or in the quota.
        case full
        /// SQLITE_BUSY, SQLITE_LOCKED: another connection kept its lock beyond the busy timeout. SQLITE_PROTOCOL: the same,
        /// for the short locks at the beginning of a transaction, as when a process was stopped while it held one.
        case busy
        /// SQLITE_CORRUPT, SQLITE_NOTADB: the file is damaged or no database.
        case corrupt
        /// SQLITE_READONLY, SQLITE_PERM: the file or its folder cannot be written.
        case readOnly
        /// SQLITE_IOERR: the system failed a read, write or sync, for another reason than want of room.
        case inputOutput
        /// SQLITE_CANTOPEN: a file cannot be opened.
        case cannotOpen
        /// SQLITE_CONSTRAINT: a row broke a rule of its table.
        case constraint
        /// SQLITE_INTERRUPT, SQLITE_ABORT: the statement was ended from outside.
        case interrupted
        /// Anything else: a wrong statement, misuse, or no memory.
        case other
    }

    /// SQLite's extended result code.
    package let extendedCode: Int32
    /// The system's number behind it (errno), 0 when there is none.
    package let systemNumber: Int32

    /// Takes a result code.
    package init(extendedCode: Int32, systemNumber: Int32 = 0) {
        self.extendedCode = extendedCode
        self.systemNumber = systemNumber
    }

    /// Takes the result code of a call on a connection, and what the system said to it.
    init(_ result: Int32, on handle: OpaquePointer?) {
        self.init(extendedCode: result, systemNumber: handle.map { sqlite3_system_errno($0) } ?? 0)
    }

    /// The primary result code.
    package var primaryCode: Int32 { extendedCode & 0xFF }

    /// The kind of trouble.
    package var kind: Kind {
        switch primaryCode {
        case SQLITE_FULL: .full
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_IOERR: isForWantOfRoom ? .full : .inputOutput
        case SQLITE_CANTOPEN: isForWantOfRoom ? .full : .cannotOpen
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_INTERRUPT, SQLITE_ABORT: .interrupted
        default: .other
        }
    }

    /// Whether an input or output error stands for a full disk.
    ///
    /// SQLite says SQLITE_FULL for writes to its files only: a file that cannot be made, synchronised or enlarged for want of room
    /// is one of its input and output errors. The log's index fails to grow for no other reason, and then hides the number.
    private var isForWantOfRoom: Bool {
        systemNumber == ENOSPC || systemNumber == EDQUOT || extendedCode == REVEILLE_SQLITE_IOERR_SHMSIZE
    }

    /// Throws unless `code` says success.
    static func check(_ code: Int32, on handle: OpaquePointer) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle) }
    }
}

extension SQLiteError: CustomStringConvertible {
    /// SQLite's own words for the result code, which hold no data.
    package var description: String {
        guard let words = sqlite3_errstr(extendedCode) else { return "SQLite code \(extendedCode)" }
        return "SQLite code \(extendedCode): \(String(cString: words))"
    }
}
