/// Something that lives as long as the process does: a server, a dispatcher, a sweeper.
///
/// A service is its ``run()``: it works until its task is cancelled, then puts its house in order and returns.
package protocol Service: Sendable {
    /// Works until the task is cancelled. Returning earlier, or throwing, stops the whole group.
    func run() async throws
}
