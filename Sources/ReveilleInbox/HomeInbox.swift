package import ReveilleCore
package import ReveilleRuntime
package import ReveilleStorage

/// All that the home server does for its callers, without a protocol around it: the rooms and the gate before them.
package struct HomeInbox: Sendable {
    /// Lets callers in.
    package let gate: AccessGate
    /// Takes notifications from producers.
    package let acceptance: Acceptance
    /// What clients read of their inbox, and what they say of it.
    package let reading: InboxReading
    /// Registers, lists, changes and removes devices.
    package let devices: DeviceDesk
    /// Profile tokens and preferences.
    package let profiles: ProfileDesk
    /// What will really deliver.
    package let capability: CapabilityDesk
    /// Whether the server can do its work.
    package let readiness: Readiness
    /// What an admin sees and does.
    package let operation: OperatorDesk

    /// Opens the rooms over one store.
    ///
    /// - Parameters:
    ///   - authenticators: further kinds of bearer tokens, asked after the store's own.
    ///   - services: what registrations of subscriptions are judged by.
    ///   - clock: for dates and the age of display tokens.
    ///   - steady: for limits and for how long a report counts as recent.
    ///   - pause: measures how long a probe of the store takes.
    package init(
        store: any HomeStore, secrets: StoreSecrets, apps: AppRegistry,
        categories: CategoryRegistry, apple: ApplePushSettings, services: PushServices, lanes control: any LaneControl,
        limits: InboxLimits = InboxLimits(), authenticators: [any Authenticator] = [],
        clock: any WallClock, steady: any MonotonicClock, random: any RandomSource, pause: @escaping Readiness.Pause
    ) {
        let publicIDs = secrets.publicIDs
        let callerLimits = CallerLimits(limits, clock: steady, random: random)
        let lanes = LaneReports(store: store, control: control, clock: steady)
        let own: [any Authenticator] = [
            StoredTokenAuthenticator(store: store),
            DisplayTokenAuthenticator(
                tokens: secrets.displayTokens, devices: store, credentials: store, clock: clock),
        ]
        gate = AccessGate(
            authenticators: own + authenticators, devices: store, publicIDs: publicIDs,
            limits: callerLimits)
        acceptance = Acceptance(
            store: store, categories: categories, publicIDs: publicIDs,
            requestHash: secrets.requestHash)
        reading = InboxReading(store: store, publicIDs: publicIDs, cursors: secrets.cursors)
        devices = DeviceDesk(
            store: store, apps: apps, publicIDs: publicIDs, displayTokens: secrets.displayTokens,
            limits: callerLimits, services: services)
        profiles = ProfileDesk(store: store, publicIDs: publicIDs)
        capability = CapabilityDesk(apple: apple, apps: apps, services: services, lanes: lanes)
        readiness = Readiness(store: store, lanes: lanes, clock: steady, pause: pause)
        operation = OperatorDesk(
            devices: store, lanes: lanes, control: control, publicIDs: publicIDs)
    }
}
