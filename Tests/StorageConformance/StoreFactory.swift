package import ReveilleCore
package import ReveilleRuntime
package import ReveilleStorage
package import ReveilleTesting

/// Opens stores of one engine for the conformance suite.
package struct StoreFactory: Sendable {
    /// Where the rows of a store are.
    package typealias Place = TemporaryDirectory

    /// How a store is to be opened.
    package struct Setup: Sendable {
        /// Names the data: stores opened with the same place work on the same rows, as several processes do.
        package var place: Place
        package var apps: AppRegistry
        package var deviceLimit: Int
        /// Both clocks of the store.
        package var clock: ManualClock
        package var random: any RandomSource
    }

    /// A store that was opened.
    package struct Opened: Sendable {
        package let store: any HomeStore
        package let secrets: StoreSecrets
        package let vault: TokenVault

        /// Gathers what a store offers.
        package init(store: any HomeStore, secrets: StoreSecrets, vault: TokenVault) {
            self.store = store
            self.secrets = secrets
            self.vault = vault
        }
    }

    /// Makes a new, empty place.
    package let makePlace: @Sendable () throws -> Place
    /// Opens one more store on a place.
    package let open: @Sendable (Setup) async throws -> Opened
    /// Takes a place away.
    package let removePlace: @Sendable (Place) -> Void

    /// Describes an engine.
    package init(
        makePlace: @escaping @Sendable () throws -> Place, open: @escaping @Sendable (Setup) async throws -> Opened,
        removePlace: @escaping @Sendable (Place) -> Void
    ) {
        self.makePlace = makePlace
        self.open = open
        self.removePlace = removePlace
    }
}

/// One behaviour that every store has.
package struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The behaviour, as a sentence.
    package let description: String
    private let body: @Sendable (StoreWorld) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (StoreWorld) async throws -> Void) {
        self.description = description
        self.body = body
    }

    /// Tries the behaviour on a new store of an engine.
    package func run(on factory: StoreFactory) async throws {
        let world = try await StoreWorld(factory)
        do {
            try await body(world)
        } catch {
            await world.end()
            throw error
        }
        await world.end()
    }
}

/// The behaviours of stores, by subject.
package enum StorageConformance {
    /// All of them.
    package static let cases: [ConformanceCase] =
        accepting + merging + leasing + settling + verdicts + cancelling + registering + proving + inbox + credentials
        + pauses
        + time + keeping + processes
}
