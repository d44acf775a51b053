internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleStorageSQLite
internal import ReveilleTelemetry

/// Takes a new master key into use while the server runs, soon after it was put into the key file.
enum KeyWatch {
    /// How often the file is looked at, which costs a fraction of a millisecond.
    static let interval = Duration.seconds(2)

    /// Looks until it is cancelled.
    static func start(store: SQLiteHomeStore, settings: StoreSettings, loop: EventLoop, log: Log) -> Task<Void, Never> {
        Task {
            guard settings.key == nil, let path = settings.keyFile else { return }
            var trouble: Trouble?
            while !Task.isCancelled {
                let latest = await look(store, path)
                if latest != trouble, let latest { latest.tell(log) }
                trouble = latest
                do {
                    try await loop.sleep(for: interval)
                } catch {
                    return
                }
            }
        }
    }

    private static func look(_ store: SQLiteHomeStore, _ path: String) async -> Trouble? {
        do throws(CommandFailure) {
            _ = try MasterKeyFile.read(path)
        } catch {
            return OpenFiles.areExhausted ? .noDescriptor : .unusableFile
        }
        do throws(StoreError) {
            _ = try await store.followMasterKeys()
            return nil
        } catch {
            return .store(error.code)
        }
    }

    /// What keeps the key file from being followed; told once.
    private enum Trouble: Equatable {
        case noDescriptor
        case unusableFile
        case store(StoreError.Code)

        func tell(_ log: Log) {
            switch self {
            case .noDescriptor:
                log.warning("the master key file cannot be looked at: the limit of open files is reached; raise it")
            case .unusableFile:
                log.warning("the master key file cannot be used any more; the next start of the server needs it")
            case .store(let code):
                log.warning("the key of the master key file could not be taken into use", ["code": .code(code)])
            }
        }
    }
}
