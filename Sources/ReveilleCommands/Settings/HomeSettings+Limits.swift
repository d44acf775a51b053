internal import ReveilleInbox

extension HomeSettings {
    /// The limits of callers, with the operator's choice for producers.
    var inboxLimits: InboxLimits {
        var limits = InboxLimits()
        if postsPerSecond > 0 {
            limits.producer = RateLimit(perSecond: Int64(postsPerSecond), burst: Int64(max(10, 2 * postsPerSecond)))
        }
        return limits
    }
}
