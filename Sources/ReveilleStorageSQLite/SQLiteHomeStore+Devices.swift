package import ReveilleCore
package import ReveilleStorage

extension SQLiteHomeStore {
    package func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationResult {
        let marks = RegistrationMarks(registration, secrets: secrets)
        return try await writer.write { transaction in
            try Registration(transaction, registration, marks).run()
        }
    }

    package func devices(of profile: ProfileRow) async throws(StoreError) -> [Device] {
        try await readers.read { session in try DeviceQueries(session).all(of: profile) }
    }

    package func device(_ row: DeviceRow, of profile: ProfileRow) async throws(StoreError) -> Device? {
        try await readers.read { session in try DeviceQueries(session).device(row, of: profile) }
    }

    package func device(_ row: DeviceRow) async throws(StoreError) -> Device? {
        try await readers.read { session in try DeviceQueries(session).device(row, of: nil) }
    }

    package func update(
        _ row: DeviceRow, of profile: ProfileRow, _ change: DeviceUpdate
    ) async throws(StoreError) -> Device? {
        try await writer.write { transaction in
            try DeviceOperations(transaction).update(row, of: profile, change)
        }
    }

    package func remove(_ row: DeviceRow, of profile: ProfileRow) async throws(StoreError) -> Bool {
        try await writer.write { transaction in try DeviceOperations(transaction).remove(row, of: profile) }
    }

    package func verify(
        _ row: DeviceRow, of profile: ProfileRow, code: String
    ) async throws(StoreError) -> VerificationResult {
        try await writer.write { transaction in try Claims(transaction).verify(row, of: profile, code: code) }
    }

    package func enable(_ row: DeviceRow) async throws(StoreError) -> Bool {
        try await writer.write { transaction in try DeviceOperations(transaction).enable(row) }
    }

    package func deviceCounts() async throws(StoreError) -> DeviceCounts {
        try await readers.read { session in try DeviceQueries(session).counts() }
    }

    package func allDevices(after row: DeviceRow?, limit: Int) async throws(StoreError) -> [Device] {
        try await readers.read { session in try DeviceQueries(session).all(after: row, limit: limit) }
    }
}
