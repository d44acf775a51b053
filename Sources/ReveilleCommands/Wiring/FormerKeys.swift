internal import ReveilleStorage
internal import ReveilleStorageSQLite

/// Makes a store independent of its former master keys, so that they may be lost.
struct FormerKeys {
    /// Rows sealed anew in one step.
    private static let stepRows = 1_000

    /// The keys of the file, former ones included.
    let keys: MasterKeys
    /// The store that was made with them.
    let store: StoreSettings

    /// Seals what a former key still seals under the present one, and proves that the store opens with that one alone.
    ///
    /// A server may run meanwhile: the store refuses what a process without the present key writes.
    ///
    /// - Throws: `CommandFailure` or `StoreError`; the former keys are still needed then.
    func letGo(_ terminal: Terminal) async throws {
        try await StoreOpener.withStore(store, keys: keys) { opened in
            var sealed = 0
            while true {
                let count = try await opened.reseal(limit: Self.stepRows)
                if count == 0 { break }
                sealed += count
                terminal.progress("sealed anew: \(sealed) devices and notifications")
            }
            if sealed > 0 { terminal.endProgress() }
        }
        try await StoreOpener.withStore(store, keys: MasterKeys(current: keys.current)) { _ in }
    }
}
