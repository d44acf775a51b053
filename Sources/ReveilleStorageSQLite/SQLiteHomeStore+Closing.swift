extension SQLiteHomeStore {
    /// Does the work and closes the store, however the work ends.
    package func closing<Result>(after body: (SQLiteHomeStore) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }
}
