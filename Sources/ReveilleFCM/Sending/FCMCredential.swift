internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSending
internal import ReveilleTelemetry

/// The access token of a sender, and who fetches it.
///
/// Confined to the sender's loop; the assertion is signed and the answer awaited elsewhere.
final class FCMCredential {
    private let account: ServiceAccount
    private let exchange: TokenExchange
    private let loop: EventLoop
    private let wallClock: any WallClock
    private let random: any RandomSource
    private let log: Log
    private let metrics: FCMMetrics
    private var tokens = AccessTokens()
    /// The token to send with now.
    private(set) var present: AccessToken?
    /// What the last question brought instead of a token.
    private var trouble: CredentialState?
    private var asking: Task<Void, Never>?
    private var pause: LoopTimer?
    private var changed: (() -> Void)?

    init(
        account: ServiceAccount, exchange: @escaping TokenExchange, loop: EventLoop, wallClock: any WallClock,
        random: any RandomSource, log: Log, metrics: FCMMetrics
    ) {
        self.account = account
        self.exchange = exchange
        self.loop = loop
        self.wallClock = wallClock
        self.random = random
        self.log = log.scoped("fcm")
        self.metrics = metrics
        pause = loop.makeTimer { [weak self] in self?.changed?() }
    }

    func start(_ changed: @escaping () -> Void) { self.changed = changed }

    func stop() {
        changed = nil
        pause?.cancel()
        pause = nil
        asking?.cancel()
        asking = nil
    }

    /// Whether there is a token; asks for one when it is time.
    func state() -> CredentialState {
        switch tokens.state(loop.now()) {
        case .present(let token):
            present = token
            return .present
        case .ask(let token):
            ask()
            present = token
            return token == nil ? .waiting : .present
        case .wait:
            present = nil
            guard let end = tokens.pauseEnd else { return .waiting }
            if let pause, !pause.isPending { pause.start(at: end) }
            return trouble ?? .waiting
        }
    }

    private func ask() {
        let back = LoopConfined({ [weak self] (answer: TokenAnswer) in self?.answered(answer) }, to: loop)
        asking = Task { [account, exchange, wallClock, loop] in
            let answer = await TokenGrant.ask(account, through: exchange, now: wallClock.now())
            loop.execute { back.value(answer) }
        }
    }

    private func answered(_ answer: TokenAnswer) {
        guard asking != nil else { return }
        asking = nil
        tokens.answered(answer, now: loop.now(), unit: random.unitInterval())
        metrics.count(answer)
        switch answer {
        case .token(_, let lifeSeconds):
            trouble = nil
            log.info("got an access token", ["seconds": .integer(lifeSeconds)])
        case .later(let reason):
            trouble = .failing(FCMOutcomes.word(reason))
            log.warning("the token endpoint gave no access token", ["reason": .code(reason)])
        case .refused(let reason):
            trouble = .refused(FCMOutcomes.word(reason))
            log.error("the token endpoint refuses the service account", ["reason": .code(reason)])
        }
        changed?()
    }

    /// A message was refused because of its token.
    ///
    /// - Returns: whether it may be repeated with another one.
    func rejected(_ generation: Int) -> Bool {
        let mayRenew = tokens.rejected(generation)
        if mayRenew {
            log.notice("FCM no longer takes the access token", ["generation": .integer(generation)])
        } else {
            log.error("FCM takes no access token of the service account", ["generation": .integer(generation)])
        }
        return mayRenew
    }

    /// A message was accepted.
    func accepted(_ generation: Int) { tokens.accepted(generation) }
}
