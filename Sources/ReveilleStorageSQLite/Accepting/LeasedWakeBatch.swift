internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Wakes of one post that are leased at insert, put into the table several at a time: starting a statement and opening the
/// table's indexes costs as much as inserting a row.
///
/// Every wake of a post is for another device, so what is still gathered cannot be missed by the post's own look-ups; it must
/// be flushed before anything else looks.
struct LeasedWakeBatch {
    /// Wakes of one statement.
    private static let rows = 8
    /// Parameters that all rows share, and those of each row.
    private static let shared: Int32 = 7
    private static let perRow: Int32 = 11

    private let wakes: WakeTable
    private let environment: StoreEnvironment
    private let now: Int64
    private let insert: SQLiteStatement
    private var gathered: [NewWake] = []

    init(_ transaction: WriteTransaction) throws {
        wakes = WakeTable(statements: transaction.statements)
        environment = transaction.environment
        now = transaction.now
        gathered.reserveCapacity(Self.rows)
        insert = try transaction.statements[
            """
            INSERT INTO wake (id, device_id, lane_id, topic_id, shape, mode, reason, visible, delivery_id, collapse,
              token_version, device_version, state, due_at, lease_token, lease_slot, lease_boot, lease_until, ever_leased,
              attention, expires_at, created_at)
            VALUES
              (?8, ?9, ?10, ?11, ?12, ?13, 0, ?7, ?14, ?15, ?16, ?17, 1, ?1, ?2, ?3, ?4, ?5, 1, ?18, ?6, ?1),
              (?19, ?20, ?21, ?22, ?23, ?24, 0, ?7, ?25, ?26, ?27, ?28, 1, ?1, ?2, ?3, ?4, ?5, 1, ?29, ?6, ?1),
              (?30, ?31, ?32, ?33, ?34, ?35, 0, ?7, ?36, ?37, ?38, ?39, 1, ?1, ?2, ?3, ?4, ?5, 1, ?40, ?6, ?1),
              (?41, ?42, ?43, ?44, ?45, ?46, 0, ?7, ?47, ?48, ?49, ?50, 1, ?1, ?2, ?3, ?4, ?5, 1, ?51, ?6, ?1),
              (?52, ?53, ?54, ?55, ?56, ?57, 0, ?7, ?58, ?59, ?60, ?61, 1, ?1, ?2, ?3, ?4, ?5, 1, ?62, ?6, ?1),
              (?63, ?64, ?65, ?66, ?67, ?68, 0, ?7, ?69, ?70, ?71, ?72, 1, ?1, ?2, ?3, ?4, ?5, 1, ?73, ?6, ?1),
              (?74, ?75, ?76, ?77, ?78, ?79, 0, ?7, ?80, ?81, ?82, ?83, 1, ?1, ?2, ?3, ?4, ?5, 1, ?84, ?6, ?1),
              (?85, ?86, ?87, ?88, ?89, ?90, 0, ?7, ?91, ?92, ?93, ?94, 1, ?1, ?2, ?3, ?4, ?5, 1, ?95, ?6, ?1)
            """]
    }

    /// Adds a wake under a lease.
    mutating func add(_ wake: NewWake, _ lease: Lease) throws {
        if gathered.isEmpty { bindShared(wake, lease) }
        gathered.append(wake)
        if gathered.count == Self.rows { try insertAll() }
    }

    /// Inserts what is left.
    mutating func flush() throws {
        for wake in gathered {
            try wakes.insert(wake, now: now, slot: environment.slot, boot: environment.boot)
        }
        gathered.removeAll(keepingCapacity: true)
    }

    /// Whether a wake can stand in one statement with those that were gathered.
    func takes(_ lease: Lease) -> Bool {
        guard case .leased(let other)? = gathered.first?.placement else { return true }
        return other == lease
    }

    private func bindShared(_ wake: NewWake, _ lease: Lease) {
        insert.bind(1, now)
        insert.bind(2, lease.token)
        insert.bind(3, environment.slot)
        insert.bind(4, environment.boot)
        insert.bind(5, lease.untilMilliseconds)
        insert.bind(6, wake.expiresAt)
        insert.bind(7, wake.isVisible)
    }

    private mutating func insertAll() throws {
        for (index, wake) in gathered.enumerated() {
            let first = Self.shared + Int32(index) * Self.perRow
            insert.bind(first + 1, wake.row.number)
            insert.bind(first + 2, wake.device.number)
            insert.bind(first + 3, wake.lane)
            insert.bind(first + 4, wake.topic)
            insert.bind(first + 5, wake.shape.storedNumber)
            insert.bind(first + 6, wake.mode.storedNumber)
            insert.bind(first + 7, wake.delivery)
            insert.bind(first + 8, wake.collapse?.text)
            insert.bind(first + 9, wake.tokenVersion)
            insert.bind(first + 10, wake.deviceVersion)
            insert.bind(first + 11, wake.needsAttention)
        }
        try insert.run()
        gathered.removeAll(keepingCapacity: true)
    }
}
