/// The faults in force, in the order they were added: the first that strikes wins.
struct AppleFaultSet {
    /// How many faults may be in force at once.
    static let maximumFaults = 1000

    /// A fault with what it has done so far.
    struct Entry {
        let fault: AppleFault
        fileprivate(set) var count: FaultCount
    }

    private(set) var entries: [Entry] = []
    private var nextNumber = 1

    /// Whether no fault can strike a request.
    private(set) var isIdle = true

    /// Adds a fault and returns its name; nil when there are too many.
    ///
    /// A fault with the same name is replaced.
    mutating func add(_ fault: AppleFault) -> String? {
        var fault = fault
        if fault.id.isEmpty {
            fault.id = "fault-\(nextNumber)"
            nextNumber += 1
        }
        entries.removeAll { $0.fault.id == fault.id }
        guard entries.count < Self.maximumFaults else { return nil }
        entries.append(Entry(fault: fault, count: FaultCount(fault.trigger)))
        isIdle = false
        return fault.id
    }

    /// Takes a fault away.
    ///
    /// False when there is none of this name.
    mutating func remove(_ id: String) -> Bool {
        let before = entries.count
        entries.removeAll { $0.fault.id == id }
        isIdle = entries.isEmpty
        return entries.count < before
    }

    /// Takes all faults away.
    mutating func removeAll() {
        entries.removeAll()
        isIdle = true
    }

    /// The fault that strikes a request.
    mutating func strike(_ subject: borrowing FaultSubject) -> AppleFault? {
        for index in entries.indices where !entries[index].fault.action.strikesConnections {
            guard subject.matches(entries[index].fault.match) else { continue }
            if entries[index].count.strikes() { return entries[index].fault }
        }
        return nil
    }

    /// The fault that strikes a new connection.
    mutating func strikeConnection(in environment: AppleEnvironment) -> AppleFault? {
        for index in entries.indices where entries[index].fault.action.strikesConnections {
            let wanted = entries[index].fault.match.environment
            guard wanted == nil || wanted == environment else { continue }
            if entries[index].count.strikes() { return entries[index].fault }
        }
        return nil
    }
}
