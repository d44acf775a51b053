internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleNetwork
package import ReveilleRuntime

/// A message that FCM checks and does not deliver (`validate_only`): whether account, project and a device's token fit together.
///
/// Asks for an access token of its own, so that it tells of the account as it is now, and touches no lane.
package struct FCMDryRun: Sendable {
    /// What FCM said, or what kept it from being asked.
    package struct Answer: Sendable, Equatable {
        package let outcome: Outcome
        /// The status of FCM's answer, 0 when there was none.
        package let status: Int

        /// Describes an answer.
        package init(outcome: Outcome, status: Int) {
            self.outcome = outcome
            self.status = status
        }
    }

    private let account: ServiceAccount
    private let exchange: TokenExchange
    private let send: TokenExchange
    private let wallClock: any WallClock

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - exchange: Sends to the account's token endpoint.
    ///   - send: Sends to FCM.
    package init(
        account: ServiceAccount, exchange: @escaping TokenExchange, send: @escaping TokenExchange,
        wallClock: any WallClock = SystemWallClock()
    ) {
        self.account = account
        self.exchange = exchange
        self.send = send
        self.wallClock = wallClock
    }

    /// Has a message checked.
    ///
    /// - Parameter message: As `FCMPayload.write` makes it for a dry run.
    package func check(_ message: [UInt8]) async -> Answer {
        switch await TokenGrant.ask(account, through: exchange, now: wallClock.now()) {
        case .token(let text, _):
            let request = ClientRequest(
                method: "POST", path: FCMRequests.path(ofProject: account.project),
                fields: [
                    ("content-type", "application/json; charset=utf-8"), ("x-goog-api-format-version", "2"),
                    ("authorization", "Bearer " + text.reveal()),
                ], body: message)
            return await answer(to: request)
        case .later(let reason):
            return Answer(
                outcome: .retry(reason: FCMOutcomes.word(reason), after: .schedule(seconds: FCMOutcomes.floorSeconds)),
                status: 0)
        case .refused(let reason):
            return Answer(outcome: .misconfigured(reason: FCMOutcomes.word(reason), scope: .lane), status: 0)
        }
    }

    private func answer(to request: ClientRequest) async -> Answer {
        do throws(ClientError) {
            let response = try await send(request)
            let body = response.body.withUnsafeBytes { FCMAnswerBody($0) }
            let row = FCMOutcomes.row(status: response.status, body: body)
            // No second token would be taken where a new one was not.
            let outcome: Outcome =
                row.meaning == .renewToken
                ? .misconfigured(reason: FCMOutcomes.word(row.reason), scope: .lane)
                : FCMOutcomes.outcome(of: row, retryAfterSeconds: nil)
            return Answer(outcome: outcome, status: response.status)
        } catch {
            return Answer(outcome: .unknown(reason: FCMOutcomes.word(.notConnected)), status: 0)
        }
    }
}
