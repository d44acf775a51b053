/// The third layout: the index of deliveries by profile is kept in runs (``DeliveryRun``).
///
/// A post to many profiles touches a few pages of it then, and not one for each profile. What is there already is the first run.
enum SchemaVersion3 {
    static let runs: StaticString = """
        CREATE TABLE delivery_run (
          number INTEGER PRIMARY KEY CHECK (number > 0),
          first INTEGER NOT NULL
        ) STRICT;
        INSERT INTO delivery_run (number, first) VALUES (1, 1);
        ALTER TABLE delivery ADD COLUMN run INTEGER NOT NULL DEFAULT 1;
        DROP INDEX delivery_by_profile;
        CREATE INDEX delivery_by_profile ON delivery (run, profile_id, id);
        """
}
