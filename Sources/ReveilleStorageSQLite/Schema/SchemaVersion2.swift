/// The second layout: remembers which process numbered which changes, so that cursors of a history that a restore has undone
/// are told from those of the history that stays (``CursorEpochs``).
enum SchemaVersion2 {
    static let epochs: StaticString = """
        CREATE TABLE epoch (
          after INTEGER PRIMARY KEY,
          value INTEGER NOT NULL CHECK (value > 0)
        ) STRICT;
        """
}
