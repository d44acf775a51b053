package import ReveilleSQLite
internal import ReveilleStorage

/// Brings a database file to the layout that this program works with, one version after the other, in one transaction.
package enum Migrator {
    /// Marks the file as one of ours (`PRAGMA application_id`): "Rvle" in ASCII.
    static let applicationID: Int64 = 0x5276_6C65

    /// One step from a version to the next.
    package struct Step: Sendable {
        /// The version that the step leads to.
        package let version: Int64
        let scripts: [StaticString]
        /// Writes the version into the file.
        let stamp: StaticString

        /// Describes a step.
        package init(version: Int64, scripts: [StaticString], stamp: StaticString) {
            self.version = version
            self.scripts = scripts
            self.stamp = stamp
        }
    }

    /// Every step there is, oldest first.
    ///
    /// A step that was released is never changed.
    package static let steps: [Step] = [
        Step(
            version: 1,
            scripts: [
                SchemaVersion1.keys, SchemaVersion1.people, SchemaVersion1.devices, SchemaVersion1.notifications,
                SchemaVersion1.outbox, SchemaVersion1.counts,
            ],
            stamp: "PRAGMA application_id = 1383492709; PRAGMA user_version = 1;"),
        Step(version: 2, scripts: [SchemaVersion2.epochs], stamp: "PRAGMA user_version = 2;"),
        Step(version: 3, scripts: [SchemaVersion3.runs, SchemaVersion3.planTimes], stamp: "PRAGMA user_version = 3;"),
        Step(version: 4, scripts: [SchemaVersion4.places, SchemaVersion4.proofs], stamp: "PRAGMA user_version = 4;"),
    ]

    /// The version of a file, 0 for an empty one.
    ///
    /// - Throws: `newerSchema` for the file of a newer program, `cannotOpen` for a database of another program.
    package static func version(of connection: SQLiteConnection, steps: [Step] = steps) throws -> Int64 {
        // In one statement: another process may make the store between two.
        let look = try connection.prepare(
            "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version, pragma_application_id"
        )
        let seen = try look.first { (version: $0.integer(0), mark: $0.integer(1), tables: $0.integer(2)) }
        guard let (version, mark, tables) = seen else { throw StoreError(.cannotOpen) }
        if mark == 0, version == 0 {
            guard tables == 0 else { throw StoreError(.cannotOpen) }
            return 0
        }
        guard mark == applicationID else { throw StoreError(.cannotOpen) }
        guard version <= steps.last?.version ?? 0 else { throw StoreError(.newerSchema) }
        return version
    }

    /// Whether a file of ours lacks steps.
    static func isBehind(_ connection: SQLiteConnection) throws -> Bool {
        let present = try version(of: connection)
        return present > 0 && present < steps.last?.version ?? 0
    }

    /// Runs the steps that a file lacks, inside the caller's transaction.
    ///
    /// - Parameter steps: every step there is; others than the program's own are for tests of the way up.
    package static func migrate(_ connection: SQLiteConnection, steps: [Step] = steps) throws {
        let present = try version(of: connection, steps: steps)
        for step in steps where step.version > present {
            for script in step.scripts { try connection.execute(script) }
            try connection.execute(step.stamp)
        }
    }
}
