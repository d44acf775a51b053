internal import ReveilleRuntime
package import ReveilleStorage
internal import ReveilleStorageSQLite

/// Makes a store independent of its former master keys, so that they may be lost.
package struct FormerKeys {
    /// How often a running server is looked at until it works with the present key.
    private static let lookPause = Duration.milliseconds(500)
    /// Rows sealed anew in one step.
    private static let stepRows = 1_000

    /// The keys of the file, former ones included.
    let keys: MasterKeys
    /// The store that was made with them.
    let store: StoreSettings
    /// How often to look whether a running server has taken the present key from its file.
    let looks: Int

    /// Names keys and store; by default a running server has a good while to take the present key.
    package init(keys: MasterKeys, store: StoreSettings, looks: Int = 60) {
        self.keys = keys
        self.store = store
        self.looks = looks
    }

    /// Seals what a former key still seals under the present one, and proves that the store opens with that one alone.
    ///
    /// A server may run meanwhile: the store refuses what a process without the present key writes.
    ///
    /// - Throws: `CommandFailure` or `StoreError`; the former keys are still needed then.
    package func letGo(_ terminal: Terminal) async throws {
        try await awaitPresentKey(terminal)
        try await StoreOpener.withStore(store, keys: keys) { opened in
            var sealed = 0
            while true {
                let count = try await opened.reseal(limit: Self.stepRows)
                if count == 0 { break }
                sealed += count
                terminal.progress("sealed anew: \(sealed)")
            }
            guard sealed > 0 else { return }
            terminal.endProgress()
            terminal.note("devices and notifications that were sealed anew: \(sealed)")
        }
        try await StoreOpener.withStore(store, keys: MasterKeys(current: keys.current)) { _ in }
    }

    /// While other processes have the store open, one of them must make the present key the store's: none loses a key that it
    /// works with.
    private func awaitPresentKey(_ terminal: Terminal) async throws {
        let loop = EventLoop(name: "wait")
        loop.start()
        defer { loop.stop() }
        for look in 0..<looks {
            let present = try await StoreOpener.withStore(store, keys: keys) { $0.masterKeyCheckValue }
            if present == keys.current.checkValue { return }
            if look == 0 { terminal.note(waiting) }
            try await loop.sleep(for: Self.lookPause)
        }
        throw CommandFailure(
            "a running server works with the former key and has not taken the new one; nothing was changed; restart it, then "
                + "run this again (a systemd credential is read at the start only)")
    }

    private var waiting: String {
        let seconds = max(1, (Self.lookPause * looks).components.seconds)
        return
            "waiting at most \(seconds) s for the running server to take the new key from its key file; one that has its key "
            + "from a systemd credential does not: restart it"
    }
}
