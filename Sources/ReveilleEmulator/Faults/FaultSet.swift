package import ReveilleJSON

/// A fault of an emulated service, as a script or the control interface describes it.
package protocol ScriptedFault: Sendable {
    /// Names the fault; given by the emulator when empty.
    var id: String { get set }
    /// Which of the occasions that match it strikes.
    var trigger: FaultTrigger { get }

    /// Reads a fault that stands at a path of a script.
    init(_ value: JSONValue, at path: String) throws(JSONFieldError)

    /// The fault as a script would spell it.
    var json: JSONObject { get }
}

extension ScriptedFault {
    /// Reads a fault that stands alone.
    package init(_ value: JSONValue) throws(JSONFieldError) { try self.init(value, at: "") }

    /// The faults of a whole script: `{"faults": [ … ]}`.
    package static func script(_ value: JSONValue) throws(JSONFieldError) -> [Self] {
        var fields = try JSONFields(value)
        var faults: [Self] = []
        let list = try fields.requiredArray("faults", maximumCount: FaultSet<Self>.maximumFaults)
        for (value, path) in list { faults.append(try Self(value, at: path)) }
        try fields.finish()
        return faults
    }
}

/// The faults in force, in the order they were added: the first that strikes wins.
struct FaultSet<Fault: ScriptedFault> {
    /// How many faults may be in force at once.
    static var maximumFaults: Int { 1000 }

    /// A fault with what it has done so far.
    struct Entry {
        let fault: Fault
        fileprivate(set) var count: FaultCount
    }

    private(set) var entries: [Entry] = []
    private var nextNumber = 1

    /// Whether no fault can strike a request.
    private(set) var isIdle = true

    /// Adds a fault and returns its name; nil when there are too many.
    ///
    /// A fault with the same name is replaced.
    mutating func add(_ fault: Fault) -> String? {
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

    /// The first fault of those that `matches` chooses whose turn it is.
    mutating func strike(where matches: (Fault) -> Bool) -> Fault? {
        for index in entries.indices where matches(entries[index].fault) {
            if entries[index].count.strikes() { return entries[index].fault }
        }
        return nil
    }
}
