internal import CSQLite

/// What a faulty file system keeps behind each open file of the system: the file's own methods, and a copy of them in which
/// those that can fail are replaced.
struct FaultyFile {
    private var methods: sqlite3_io_methods
    private let original: UnsafePointer<sqlite3_io_methods>
    private let offset: Int
    private let plan: Unmanaged<FaultPlan>

    /// Octets of one.
    static let size = MemoryLayout<FaultyFile>.size

    /// Where one stands behind the system's own structure.
    static func offset(behind system: sqlite3_vfs) -> Int {
        (Int(system.szOsFile) + 15) & ~15
    }

    /// Takes over a file that the system has opened.
    static func attach(_ plan: FaultPlan, to file: UnsafeMutablePointer<sqlite3_file>, of system: sqlite3_vfs) {
        guard let original = file.pointee.pMethods else { return }
        var methods = original.pointee
        // Without the memory-mapped reads of version 3 every read passes here too.
        methods.iVersion = min(methods.iVersion, 2)
        methods.xWrite = { file, bytes, count, position in FaultyFile.write(file, bytes, count, position) }
        methods.xSync = { file, flags in FaultyFile.sync(file, flags) }
        methods.xTruncate = { file, size in FaultyFile.truncate(file, size) }
        let offset = offset(behind: system)
        let place = place(behind: file, at: offset)
        place.initialize(
            to: FaultyFile(
                methods: methods, original: original, offset: offset, plan: Unmanaged.passUnretained(plan)))
        // The copied methods are the first field, so they stand at the address of the whole.
        file.pointee.pMethods = UnsafeRawPointer(place).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    private static func place(
        behind file: UnsafeMutablePointer<sqlite3_file>, at offset: Int
    ) -> UnsafeMutablePointer<FaultyFile> {
        (UnsafeMutableRawPointer(file) + offset).assumingMemoryBound(to: FaultyFile.self)
    }

    private static func of(_ file: UnsafeMutablePointer<sqlite3_file>) -> FaultyFile? {
        guard let methods = file.pointee.pMethods else { return nil }
        return UnsafeRawPointer(methods).assumingMemoryBound(to: FaultyFile.self).pointee
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32,
        _ position: sqlite3_int64
    ) -> Int32 {
        guard let file, let faulty = of(file), let write = faulty.original.pointee.xWrite else { return SQLITE_MISUSE }
        let plan = faulty.plan.takeUnretainedValue()
        guard plan.writeRefusal == SQLITE_OK else { return plan.writeRefusal }
        guard plan.mayPass() else {
            _ = write(file, bytes, count / 2, position)
            return REVEILLE_SQLITE_IOERR_WRITE
        }
        return write(file, bytes, count, position)
    }

    /// Counts, and leaves the synchronising itself to a machine that may lose power: a test's machine does not.
    private static func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
        guard let file, let faulty = of(file) else { return SQLITE_MISUSE }
        return faulty.plan.takeUnretainedValue().mayPass() ? SQLITE_OK : REVEILLE_SQLITE_IOERR_FSYNC
    }

    private static func truncate(_ file: UnsafeMutablePointer<sqlite3_file>?, _ size: sqlite3_int64) -> Int32 {
        guard let file, let faulty = of(file), let truncate = faulty.original.pointee.xTruncate else {
            return SQLITE_MISUSE
        }
        guard faulty.plan.takeUnretainedValue().mayPass() else { return REVEILLE_SQLITE_IOERR_TRUNCATE }
        return truncate(file, size)
    }
}
