/// The fourth layout: lanes lead to places of any provider, and subscriptions prove themselves.
enum SchemaVersion4 {
    static let places: StaticString = """
        ALTER TABLE lane RENAME COLUMN environment TO place;
        """

    /// The codes that pending devices must return, one for each.
    static let proofs: StaticString = """
        CREATE TABLE proof (
          device_id INTEGER PRIMARY KEY,
          wake_id INTEGER NOT NULL,
          code BLOB NOT NULL,
          wrong_codes INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX device_pending ON device (registered_at) WHERE state = 1;
        """
}
