/// A fault of the emulated Apple: whom it strikes, how often, and what it does.
package struct AppleFault: ScriptedFault, Equatable {
    /// Names the fault; given by the emulator when empty.
    package var id: String
    /// Whom it strikes.
    package var match: Match
    /// Which of those.
    package var trigger: FaultTrigger
    /// What it does.
    package var action: AppleFaultAction

    /// Conditions that must all hold; those that are nil always do.
    package struct Match: Sendable, Equatable {
        /// The device token, in lower-case hexadecimal.
        package var token: String?
        /// How the device token begins, in lower-case hexadecimal.
        package var tokenPrefix: String?
        /// The topic as sent.
        package var topic: String?
        /// The push type as sent.
        package var pushType: String?
        /// The collapse id as sent.
        package var collapseID: String?
        /// The environment of the connection.
        package var environment: AppleEnvironment?
        /// The number of the connection.
        package var connection: Int?

        /// Describes whom a fault strikes.
        package init(
            token: String? = nil, tokenPrefix: String? = nil, topic: String? = nil,
            pushType: String? = nil, collapseID: String? = nil,
            environment: AppleEnvironment? = nil, connection: Int? = nil
        ) {
            self.token = token
            self.tokenPrefix = tokenPrefix
            self.topic = topic
            self.pushType = pushType
            self.collapseID = collapseID
            self.environment = environment
            self.connection = connection
        }

        /// Everything.
        package static let everything = Match()
    }

    /// Describes a fault.
    package init(
        _ action: AppleFaultAction, match: Match = .everything, trigger: FaultTrigger = .always,
        id: String = ""
    ) {
        self.id = id
        self.match = match
        self.trigger = trigger
        self.action = action
    }
}

/// What a fault looks at in a request.
struct FaultSubject {
    let environment: AppleEnvironment
    let connection: Int
    /// The token of the path, or nil when the path has none.
    let token: String?
    let fields: PushFields

    func matches(_ match: AppleFault.Match) -> Bool {
        if let wanted = match.environment, wanted != environment { return false }
        if let wanted = match.connection, wanted != connection { return false }
        if let wanted = match.token, wanted != token { return false }
        if let wanted = match.tokenPrefix, token?.hasPrefix(wanted) != true { return false }
        if let wanted = match.topic, wanted != fields[.topic] { return false }
        if let wanted = match.pushType, wanted != fields[.pushType] { return false }
        if let wanted = match.collapseID, wanted != fields[.collapseID] { return false }
        return true
    }
}

extension FaultSet<AppleFault> {
    /// The fault that strikes a request.
    mutating func strike(_ subject: FaultSubject) -> AppleFault? {
        strike { !$0.action.strikesConnections && subject.matches($0.match) }
    }

    /// The fault that strikes a new connection.
    mutating func strikeConnection(in environment: AppleEnvironment) -> AppleFault? {
        strike { fault in
            guard fault.action.strikesConnections else { return false }
            let wanted = fault.match.environment
            return wanted == nil || wanted == environment
        }
    }
}
