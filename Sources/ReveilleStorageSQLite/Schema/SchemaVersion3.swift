/// The third layout: deliveries are indexed in runs, and ages are counted by a clock that does not jump.
///
/// - The index of deliveries by profile is kept in runs (``DeliveryRun``): a post to many profiles touches a few pages of it then,
///   and not one for each profile. What is there already is the first run.
/// - What is kept for a time is kept by plan time (the wall clock less all its jumps, meta.clock_shift), so that a clock that was
///   wrong deletes nothing: notification.planned_at, change.created_at, idempotency.created_at and delivery.read_at.
enum SchemaVersion3 {
    static let runs: StaticString = """
        CREATE TABLE delivery_run (
          number INTEGER PRIMARY KEY CHECK (number > 0),
          first INTEGER NOT NULL,
          length INTEGER NOT NULL DEFAULT 0 CHECK (length >= 0)
        ) STRICT;
        INSERT INTO delivery_run (number, first) VALUES (1, 1);
        ALTER TABLE sequence ADD COLUMN run_length INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sequence ADD COLUMN last_change INTEGER NOT NULL DEFAULT 0;
        UPDATE sequence SET run_length = (SELECT count(*) FROM delivery), last_change = change;
        ALTER TABLE delivery ADD COLUMN run INTEGER NOT NULL DEFAULT 1;
        DROP INDEX delivery_by_profile;
        CREATE INDEX delivery_by_profile ON delivery (run, profile_id, id);
        """

    static let planTimes: StaticString = """
        ALTER TABLE notification ADD COLUMN planned_at INTEGER NOT NULL DEFAULT 0;
        UPDATE notification SET planned_at = created_at - coalesce((SELECT clock_shift FROM meta), 0);
        UPDATE change SET created_at = created_at - coalesce((SELECT clock_shift FROM meta), 0);
        UPDATE idempotency SET created_at = created_at - coalesce((SELECT clock_shift FROM meta), 0);
        UPDATE delivery SET read_at = read_at - coalesce((SELECT clock_shift FROM meta), 0) WHERE read_at IS NOT NULL;
        DROP INDEX notification_keyed;
        CREATE INDEX notification_keyed ON notification (planned_at) WHERE idempotency IS NOT NULL;
        """
}
