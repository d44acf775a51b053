internal import ReveilleCore
internal import ReveilleJSON
internal import ReveilleStorage
internal import ReveilleStorageSQLite
internal import ReveilleTelemetry

/// The figures of a pipeline measurement, each counted outside the server.
struct BenchPipelineReport {
    let devices: Int
    /// Wakes for devices that were never woken before.
    let firstWakesPerSecond: Double
    let wakesPerSecond: Double
    let postsPerSecond: Double
    let singleWakesPerSecond: Double
    /// Posts answered with 202.
    let accepted: Int
    let expectedWakes: Int
    /// Pushes that the emulator accepted, and how many different ids they had.
    let pushes: Int
    let distinctPushes: Int
    let commitToWireP50: Double?
    let commitToWireP99: Double?
    let idleMemoryMiB: Double
    let peakMemoryMiB: Double
    /// Wakes in the database, and those of them that are accepted.
    var rows = 0
    var acceptedRows = 0
    /// Wakes that another one of the same device stands for.
    var mergedRows = 0

    /// True when 202s, rows and pushes tell the same story: a row for each wake of a 202, each accepted or merged into an
    /// accepted one, and one push with an id of its own for each accepted row.
    var agrees: Bool {
        rows == expectedWakes && acceptedRows + mergedRows == rows && pushes == acceptedRows && distinctPushes == pushes
    }

    /// Adds what the database holds after the server has ended.
    func counting(rowsIn folder: String) async throws -> BenchPipelineReport {
        var report = self
        let source = SettingsSource(environment: [
            "REVEILLE_DATA": folder + "/data", "REVEILLE_MASTER_KEY_FILE": folder + "/master.key",
        ])
        let store = try await StoreOpener.open(try HomeSettings.read(source), log: .silent)
        let counts = try await store.wakeCounts()
        await store.close()
        report.rows = Int(counts.values.reduce(0, +))
        report.acceptedRows = Int(counts[.accepted] ?? 0)
        report.mergedRows = Int(counts[.merged] ?? 0)
        return report
    }

    /// One JSON line.
    var json: JSONValue {
        [
            "devices": .integer(Int64(devices)), "first_wakes_per_s": .integer(Int64(firstWakesPerSecond)),
            "wakes_per_s": .integer(Int64(wakesPerSecond)),
            "posts_per_s": .integer(Int64(postsPerSecond)), "single_wakes_per_s": .integer(Int64(singleWakesPerSecond)),
            "accepted_202": .integer(Int64(accepted)), "wakes": .integer(Int64(expectedWakes)),
            "rows": .integer(Int64(rows)), "accepted_rows": .integer(Int64(acceptedRows)),
            "merged_rows": .integer(Int64(mergedRows)),
            "pushes": .integer(Int64(pushes)), "distinct_pushes": .integer(Int64(distinctPushes)),
            "agree": .boolean(agrees), "commit_to_wire_p50_ms": commitToWireP50.map { JSONValue($0) } ?? nil,
            "commit_to_wire_p99_ms": commitToWireP99.map { JSONValue($0) } ?? nil,
            "idle_memory_mib": .integer(Int64(idleMemoryMiB)), "peak_memory_mib": .integer(Int64(peakMemoryMiB)),
        ]
    }
}
