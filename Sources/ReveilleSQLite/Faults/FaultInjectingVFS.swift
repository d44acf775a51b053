internal import CSQLite

/// A file system for SQLite that fails on request, to prove what a store does when the disk does.
///
/// It passes everything to the system's own file system and counts the steps that can fail: opening a file, writing,
/// synchronising, truncating, deleting, and committing a transaction. One chosen step fails once, or all writes fail as on a
/// full disk until they are allowed again. Nothing but tests opens a connection with one.
package final class FaultInjectingVFS: Sendable {
    /// Memory for the structure that SQLite knows, with a reference to the object behind it.
    private struct Registration {
        var vfs: sqlite3_vfs
        var owner: Unmanaged<FaultInjectingVFS>
    }

    private let plan = FaultPlan()
    // Written in init before SQLite learns of it and freed in deinit; SQLite itself only reads it in between.
    private nonisolated(unsafe) let registration: UnsafeMutablePointer<Registration>
    let name: String
    // A copy of `name` at a fixed address.
    private nonisolated(unsafe) let nameStorage: UnsafeMutablePointer<CChar>

    /// Registers a new file system; it is taken back when the last reference is gone.
    package init() {
        registration = .allocate(capacity: 1)
        name = "reveille-faults-\(UInt(bitPattern: registration))"
        let characters = Array(name.utf8CString)
        nameStorage = .allocate(capacity: characters.count)
        nameStorage.initialize(from: characters, count: characters.count)
        registration.initialize(to: Registration(vfs: sqlite3_vfs(), owner: Unmanaged.passUnretained(self)))
        guard let system = sqlite3_vfs_find(nil) else { return }
        registration.pointee.vfs = system.pointee
        registration.pointee.vfs.pNext = nil
        registration.pointee.vfs.zName = UnsafePointer(nameStorage)
        registration.pointee.vfs.szOsFile = Int32(FaultyFile.offset(behind: system.pointee) + FaultyFile.size)
        registration.pointee.vfs.xOpen = { vfs, path, file, flags, outFlags in
            FaultInjectingVFS.open(vfs, path, file, flags, outFlags)
        }
        registration.pointee.vfs.xDelete = { vfs, path, syncFolder in
            FaultInjectingVFS.delete(vfs, path, syncFolder)
        }
        registration.withMemoryRebound(to: sqlite3_vfs.self, capacity: 1) { _ = sqlite3_vfs_register($0, 0) }
    }

    deinit {
        registration.withMemoryRebound(to: sqlite3_vfs.self, capacity: 1) { _ = sqlite3_vfs_unregister($0) }
        registration.deallocate()
        nameStorage.deallocate()
    }

    // MARK: Orders

    /// How many steps were taken since the last order.
    package var steps: Int { plan.steps }

    /// Whether the step that was chosen to fail was reached.
    package var hasFailed: Bool { plan.hasFailed }

    /// Fails the `number`-th step (1 …) from now, once; a write then leaves half of its octets behind.
    package func fail(step number: Int) {
        plan.arm(step: number)
    }

    /// Fails nothing from now on.
    package func relent() {
        plan.disarm()
    }

    /// Lets every write fail for want of room, or none.
    package func setFull(_ isFull: Bool) {
        plan.refuseWrites(with: isFull ? SQLITE_FULL : SQLITE_OK)
    }

    /// Lets every write fail as on a file system that was mounted for reading only, or none.
    package func setReadOnly(_ isReadOnly: Bool) {
        plan.refuseWrites(with: isReadOnly ? SQLITE_READONLY : SQLITE_OK)
    }

    /// Lets commits on `connection` count as steps and fail when their turn comes.
    func watchCommits(of connection: OpaquePointer) {
        sqlite3_commit_hook(
            connection,
            { context in
                guard let context else { return 0 }
                return Unmanaged<FaultPlan>.fromOpaque(context).takeUnretainedValue().mayPass() ? 0 : 1
            }, Unmanaged.passUnretained(plan).toOpaque())
    }

    // MARK: What SQLite calls

    private static func owner(of vfs: UnsafeMutablePointer<sqlite3_vfs>) -> FaultInjectingVFS {
        vfs.withMemoryRebound(to: Registration.self, capacity: 1) { $0.pointee.owner.takeUnretainedValue() }
    }

    private static func open(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let vfs, let file, let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen else {
            return SQLITE_MISUSE
        }
        file.pointee.pMethods = nil
        let plan = owner(of: vfs).plan
        guard plan.mayPass() else { return SQLITE_CANTOPEN }
        let result = open(system, path, file, flags, outFlags)
        if result == SQLITE_OK { FaultyFile.attach(plan, to: file, of: system.pointee) }
        return result
    }

    private static func delete(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ syncFolder: Int32
    ) -> Int32 {
        guard let vfs, let system = sqlite3_vfs_find(nil), let delete = system.pointee.xDelete else {
            return SQLITE_MISUSE
        }
        guard owner(of: vfs).plan.mayPass() else { return REVEILLE_SQLITE_IOERR_DELETE }
        return delete(system, path, syncFolder)
    }
}
