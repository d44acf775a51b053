internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleTelemetry

/// What every thread of one open store knows: its file, keys, clocks and its own name among the processes on the file.
struct StoreEnvironment: Sendable {
    let path: String
    /// The files that were opened; whatever else stands at their paths is not touched.
    let files: StoreFiles
    let options: StoreOptions
    let apps: AppRegistry
    /// The master keys, which follow a rotation by another process.
    let keys: LiveKeys
    let secrets: StoreSecrets
    let clock: StoreClock
    let random: any RandomSource
    let log: Log
    /// The store's own random name, to notice that another file was put in its place.
    let storeID: [UInt8]
    /// The number of this process among all that ever opened the file; part of its leases.
    let slot: Int64
    /// The boot that lease times count in.
    let boot: Int64

    /// A sealer for one thread.
    func makeSealer() -> Sealer {
        Sealer(keys: keys, clock: clock.wall, random: random)
    }
}
