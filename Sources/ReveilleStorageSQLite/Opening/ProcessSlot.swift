internal import CLinux
internal import Glibc
internal import ReveilleStorage

/// The mark of one process on a store's file: a file in `<path>.slots/` that the kernel keeps locked as long as the process
/// lives, stopped or not.
///
/// The number is given once and never again; leases name it. A lease of a number whose file is not locked has no owner any
/// more. Locks belong to the open file description, so two stores opened by one process are two owners.
final class ProcessSlot: Sendable {
    let number: Int64
    private let path: String
    private let descriptor: Int32

    /// Locks the file of a number that nobody had before.
    init(_ number: Int64, of store: String) throws(StoreError) {
        self.number = number
        path = Self.path(number, of: store)
        mkdir(Self.folder(of: store), 0o700)
        descriptor = try Self.lock(path)
    }

    deinit {
        // Removed while still locked, so that nobody finds it without an owner; unless another store took the path.
        if Self.isSameFile(descriptor, path) { unlink(path) }
        _ = reveille_linux_close(descriptor)
    }

    /// Whether the process behind a number still runs.
    static func isAlive(_ number: Int64, of store: String) -> Bool {
        let descriptor = open(path(number, of: store), O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = reveille_linux_close(descriptor) }
        return reveille_linux_lock_is_held(descriptor) != 0
    }

    /// Whether any process has the store open.
    static func someIsAlive(of store: String) -> Bool {
        numbers(of: store).contains { isAlive($0, of: store) }
    }

    /// Removes the files that processes left behind which did not end by themselves.
    static func sweep(_ store: String) {
        for number in numbers(of: store) {
            let path = path(number, of: store)
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            // Only who holds the lock may remove the file, or a process that is just starting would lose its own.
            if reveille_linux_lock_exclusive(descriptor) == 0 { unlink(path) }
            _ = reveille_linux_close(descriptor)
        }
    }

    /// The numbers that have a file.
    private static func numbers(of store: String) -> [Int64] {
        guard let listing = opendir(folder(of: store)) else { return [] }
        defer { closedir(listing) }
        var numbers: [Int64] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = Int64(name) { numbers.append(number) }
        }
        return numbers
    }

    /// Where the numbers of a store lie.
    static func folder(of store: String) -> String { "\(store).slots" }
    private static func path(_ number: Int64, of store: String) -> String { "\(folder(of: store))/\(number)" }

    private static func lock(_ path: String) throws(StoreError) -> Int32 {
        // Another process may sweep the file away between its making and its locking: then it is made again.
        for _ in 0..<16 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw StoreError(SystemTrouble.isFull(errno) ? .full : .cannotOpen) }
            if reveille_linux_lock_exclusive(descriptor) == 0, isSameFile(descriptor, path) { return descriptor }
            _ = reveille_linux_close(descriptor)
        }
        throw StoreError(.busy)
    }

    private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, stat(path, &named) == 0 else { return false }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }
}
