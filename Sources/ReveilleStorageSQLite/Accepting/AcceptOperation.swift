internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// A post as its caller prepared it, so that the writer's thread has less to do.
struct PreparedPost: Sendable {
    let post: NotificationPost
    /// What will be sealed.
    let content: [UInt8]
    /// The keyed hash of producer and idempotency key.
    let idempotencyKey: [UInt8]?
    /// The recipients in one text, when there are many.
    let recipientList: String?

    init(_ post: NotificationPost, secrets: StoreSecrets) {
        self.post = post
        content =
            NotificationContent(
                category: post.category, title: post.title, body: post.body, data: post.data, series: post.series
            ).octets
        idempotencyKey = post.idempotency.map { idempotency in
            var writer = FieldWriter()
            writer.append(post.producer.number)
            writer.append(idempotency.key)
            return secrets.idempotencyHash.hash(writer.octets)
        }
        recipientList = post.recipients.count >= Recipients.many ? JSONList.of(post.recipients) : nil
    }
}

/// The transaction behind a 202: notification, deliveries, wakes and idempotency key.
struct AcceptOperation {
    let transaction: WriteTransaction
    let prepared: PreparedPost

    private var post: NotificationPost { prepared.post }
    private var statements: StatementCache { transaction.statements }

    func run() throws -> AcceptResult {
        if let earlier = try earlierResult() { return earlier }
        let notification = NotificationRow(transaction.sequence.nextNotification())
        let recipients = try Recipients(transaction, prepared)
        let (first, run) = try transaction.nextDeliveries(recipients.profiles.count)
        try insert(notification, firstDelivery: first)
        try insertDeliveries(of: notification, to: recipients.profiles, from: first, in: run)
        var wakes = try WakeMaking(transaction, post: post)
        for (recipient, target) in recipients.targets { try wakes.wake(target, for: first + Int64(recipient)) }
        try wakes.finish()
        try rememberKey(notification)
        return .accepted(
            AcceptedNotification(
                notification: notification,
                deliveries: (first..<first + Int64(recipients.profiles.count)).map { DeliveryRow($0) },
                acceptedAtMilliseconds: transaction.now))
    }

    private func insertDeliveries(
        of notification: NotificationRow, to profiles: [Int64], from first: Int64, in run: Int64
    ) throws {
        if profiles.count >= Recipients.many {
            let insert = try statements[
                """
                INSERT INTO delivery (id, profile_id, notification_id, visible, run)
                SELECT ?1 + key, value, ?2, ?3, ?5 FROM json_each(?4)
                """]
            insert.bind(1, first)
            insert.bind(2, notification.number)
            insert.bind(3, post.alert == .visible)
            insert.bind(4, JSONList.of(profiles))
            insert.bind(5, run)
            return try insert.run()
        }
        let insert = try statements[
            "INSERT INTO delivery (id, profile_id, notification_id, visible, run) VALUES (?1, ?2, ?3, ?4, ?5)"]
        insert.bind(3, notification.number)
        insert.bind(4, post.alert == .visible)
        insert.bind(5, run)
        for (index, profile) in profiles.enumerated() {
            insert.bind(1, first + Int64(index))
            insert.bind(2, profile)
            try insert.run()
        }
    }

    private func insert(_ notification: NotificationRow, firstDelivery: Int64) throws {
        let insert = try statements[
            """
            INSERT INTO notification (id, producer_id, visible, ends_at, first_delivery, deliveries, created_at, planned_at,
              idempotency, content)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """]
        insert.bind(1, notification.number)
        insert.bind(2, post.producer.number)
        insert.bind(3, post.alert == .visible)
        insert.bind(
            4,
            Lifetime.wakeExpiry(
                alert: post.alert, ttlSeconds: post.ttlSeconds, nowMilliseconds: transaction.planNow))
        insert.bind(5, firstDelivery)
        insert.bind(6, Int64(post.recipients.count))
        insert.bind(7, transaction.now)
        insert.bind(8, transaction.planNow)
        insert.bind(9, prepared.idempotencyKey)
        insert.bind(10, transaction.sealer.seal(prepared.content, .content, row: notification.number))
        try insert.run()
    }

    // MARK: Idempotency

    private func earlierResult() throws -> AcceptResult? {
        guard let key = prepared.idempotencyKey, let idempotency = post.idempotency else { return nil }
        let find = try statements[
            """
            SELECT i.fingerprint, i.created_at, n.id, n.first_delivery, n.deliveries, n.created_at
            FROM idempotency i JOIN notification n ON n.id = i.notification_id
            WHERE i.producer_id = ?1 AND i.key = ?2
            """]
        find.bind(1, post.producer.number)
        find.bind(2, key)
        let earlier = try find.first { row in
            (
                fingerprint: row.bytes(0), usedAt: row.integer(1), notification: row.integer(2), first: row.integer(3),
                count: row.integer(4), createdAt: row.integer(5)
            )
        }
        guard let earlier, transaction.planNow - earlier.usedAt < Lifetime.idempotencySeconds * 1_000 else {
            return nil
        }
        guard ConstantTime.equal(earlier.fingerprint, idempotency.fingerprint) else { return .keyUsedForOtherRequest }
        return .replayed(
            AcceptedNotification(
                notification: NotificationRow(earlier.notification),
                deliveries: (earlier.first..<earlier.first + earlier.count).map { DeliveryRow($0) },
                acceptedAtMilliseconds: earlier.createdAt))
    }

    private func rememberKey(_ notification: NotificationRow) throws {
        guard let key = prepared.idempotencyKey, let idempotency = post.idempotency else { return }
        // A key that is over its time is taken anew.
        let insert = try statements[
            """
            INSERT OR REPLACE INTO idempotency (producer_id, key, fingerprint, notification_id, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """]
        insert.bind(1, post.producer.number)
        insert.bind(2, key)
        insert.bind(3, idempotency.fingerprint)
        insert.bind(4, notification.number)
        insert.bind(5, transaction.planNow)
        try insert.run()
    }
}
