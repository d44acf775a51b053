/// The first layout of the database file.
///
/// Rows are keyed by rising integers that are never given twice: AUTOINCREMENT where rows are rare, the one row of
/// `sequence` where they are many. The hot tables have no foreign keys, since each would cost a look-up per row; everything
/// that writes them goes through this module. Times are in milliseconds since 1970, except lease_until (CLOCK_BOOTTIME)
/// and notification.ends_at (plan time: the wall clock less all its jumps, meta.clock_shift).
/// CHECK constraints hold what must never be otherwise, whatever the code does.
enum SchemaVersion1 {
    static let keys: StaticString = """
        CREATE TABLE meta (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          store_id BLOB NOT NULL CHECK (length(store_id) = 16),
          epoch INTEGER NOT NULL CHECK (epoch > 0),
          created_at INTEGER NOT NULL,
          probes INTEGER NOT NULL DEFAULT 0,
          clock_boot INTEGER,
          clock_offset INTEGER,
          clock_shift INTEGER NOT NULL DEFAULT 0,
          CHECK ((clock_boot IS NULL) = (clock_offset IS NULL))
        ) STRICT;
        CREATE TABLE master_key (
          generation INTEGER PRIMARY KEY CHECK (generation BETWEEN 1 AND 65535),
          check_value TEXT NOT NULL UNIQUE,
          added_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE secret (
          id INTEGER PRIMARY KEY,
          value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE sequence (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          change INTEGER NOT NULL,
          notification INTEGER NOT NULL,
          wake INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE slot (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          boot INTEGER NOT NULL,
          started_at INTEGER NOT NULL
        ) STRICT;
        """

    static let people: StaticString = """
        CREATE TABLE producer (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          name TEXT NOT NULL UNIQUE CHECK (name <> ''),
          created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE profile (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          producer_id INTEGER NOT NULL REFERENCES producer (id),
          name TEXT NOT NULL CHECK (name <> ''),
          push_mode INTEGER NOT NULL DEFAULT 2 CHECK (push_mode BETWEEN 0 AND 2),
          pruned_change INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL,
          UNIQUE (producer_id, name)
        ) STRICT;
        CREATE TABLE credential (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
          kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
          producer_id INTEGER REFERENCES producer (id),
          profile_id INTEGER REFERENCES profile (id),
          scopes INTEGER NOT NULL DEFAULT 0,
          label TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          revoked_at INTEGER,
          CHECK ((kind = 0) = (producer_id IS NOT NULL)),
          CHECK ((kind = 1) = (profile_id IS NOT NULL))
        ) STRICT;
        CREATE TABLE topic (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          name TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE lane (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          provider TEXT NOT NULL,
          environment TEXT NOT NULL,
          credential TEXT NOT NULL,
          pause_reason TEXT,
          pause_began_at INTEGER,
          UNIQUE (provider, environment, credential)
        ) STRICT;
        CREATE TABLE lane_topic (
          lane_id INTEGER NOT NULL REFERENCES lane (id),
          topic_id INTEGER NOT NULL REFERENCES topic (id),
          active INTEGER NOT NULL DEFAULT 0 CHECK (active >= 0),
          pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
          quarantined INTEGER NOT NULL DEFAULT 0 CHECK (quarantined >= 0),
          disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled >= 0),
          wakeable INTEGER NOT NULL DEFAULT 0 CHECK (wakeable >= 0),
          last_accepted_at INTEGER,
          last_failure_at INTEGER,
          last_failure TEXT,
          disabled_day INTEGER NOT NULL DEFAULT 0,
          disabled_count INTEGER NOT NULL DEFAULT 0,
          pause_reason TEXT,
          pause_began_at INTEGER,
          PRIMARY KEY (lane_id, topic_id)
        ) STRICT, WITHOUT ROWID;
        """

    static let devices: StaticString = """
        CREATE TABLE device (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          profile_id INTEGER NOT NULL REFERENCES profile (id),
          lane_id INTEGER NOT NULL REFERENCES lane (id),
          topic_id INTEGER NOT NULL REFERENCES topic (id),
          state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
          push_mode INTEGER NOT NULL CHECK (push_mode BETWEEN 0 AND 2),
          gate INTEGER NOT NULL CHECK (gate BETWEEN 0 AND 2),
          os INTEGER NOT NULL,
          version INTEGER NOT NULL DEFAULT 1,
          token_version INTEGER NOT NULL DEFAULT 1,
          is_proven INTEGER NOT NULL DEFAULT 0 CHECK (is_proven BETWEEN 0 AND 1),
          other_tried INTEGER NOT NULL DEFAULT 0 CHECK (other_tried BETWEEN 0 AND 1),
          gone_days INTEGER NOT NULL DEFAULT 0,
          refused_days INTEGER NOT NULL DEFAULT 0,
          last_success_at INTEGER,
          token BLOB NOT NULL,
          categories BLOB,
          token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
          install_id TEXT NOT NULL,
          installation_key BLOB CHECK (length(installation_key) = 32),
          installation_generation INTEGER,
          idempotency BLOB,
          generation INTEGER NOT NULL DEFAULT 1,
          credential_id INTEGER,
          signed_in_at INTEGER NOT NULL,
          registered_at INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          name BLOB,
          app_version TEXT,
          locale TEXT,
          synced_change INTEGER NOT NULL DEFAULT 0,
          probed_at INTEGER,
          probe_not_before INTEGER NOT NULL DEFAULT 0,
          last_failure_at INTEGER,
          last_failure TEXT,
          UNIQUE (profile_id, topic_id, install_id),
          CHECK ((installation_key IS NULL) = (installation_generation IS NULL))
        ) STRICT;
        CREATE INDEX device_by_profile ON device (profile_id);
        CREATE INDEX device_by_token ON device (token_hash);
        CREATE INDEX device_by_installation ON device (installation_key, topic_id)
          WHERE installation_key IS NOT NULL;
        CREATE INDEX device_by_credential ON device (credential_id) WHERE credential_id IS NOT NULL;
        CREATE INDEX device_quarantined ON device (lane_id, topic_id) WHERE state = 2;
        CREATE TABLE installation (
          key BLOB NOT NULL CHECK (length(key) = 32),
          topic_id INTEGER NOT NULL,
          generation INTEGER NOT NULL,
          seen_at INTEGER NOT NULL,
          PRIMARY KEY (key, topic_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE claim (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          profile_id INTEGER NOT NULL,
          topic_id INTEGER NOT NULL,
          install_id TEXT NOT NULL,
          holder_id INTEGER NOT NULL,
          wake_id INTEGER NOT NULL,
          token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
          code BLOB NOT NULL,
          registration BLOB NOT NULL,
          wrong_codes INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          UNIQUE (profile_id, topic_id, install_id)
        ) STRICT;
        CREATE INDEX claim_by_wake ON claim (wake_id);
        CREATE INDEX claim_by_holder ON claim (holder_id);
        """

    static let notifications: StaticString = """
        CREATE TABLE notification (
          id INTEGER PRIMARY KEY,
          producer_id INTEGER NOT NULL,
          visible INTEGER NOT NULL CHECK (visible BETWEEN 0 AND 1),
          ends_at INTEGER NOT NULL,
          first_delivery INTEGER NOT NULL,
          deliveries INTEGER NOT NULL CHECK (deliveries > 0),
          created_at INTEGER NOT NULL,
          idempotency BLOB,
          content BLOB
        ) STRICT;
        CREATE INDEX notification_keyed ON notification (created_at) WHERE idempotency IS NOT NULL;
        CREATE TABLE delivery (
          id INTEGER PRIMARY KEY,
          profile_id INTEGER NOT NULL,
          notification_id INTEGER NOT NULL,
          visible INTEGER NOT NULL CHECK (visible BETWEEN 0 AND 1),
          read_at INTEGER,
          removed_at INTEGER
        ) STRICT;
        CREATE INDEX delivery_by_profile ON delivery (profile_id, id);
        CREATE TABLE change (
          id INTEGER PRIMARY KEY,
          profile_id INTEGER NOT NULL,
          kind INTEGER NOT NULL CHECK (kind BETWEEN 2 AND 4),
          delivery_id INTEGER NOT NULL,
          created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX change_by_profile ON change (profile_id, id);
        CREATE TABLE receipt (
          device_id INTEGER NOT NULL,
          delivery_id INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          PRIMARY KEY (device_id, delivery_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE idempotency (
          producer_id INTEGER NOT NULL,
          key BLOB NOT NULL CHECK (length(key) = 32),
          fingerprint BLOB NOT NULL,
          notification_id INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          PRIMARY KEY (producer_id, key)
        ) STRICT, WITHOUT ROWID;
        """

    static let outbox: StaticString = """
        CREATE TABLE wake (
          id INTEGER PRIMARY KEY,
          device_id INTEGER NOT NULL,
          lane_id INTEGER NOT NULL,
          topic_id INTEGER NOT NULL,
          shape INTEGER NOT NULL,
          mode INTEGER NOT NULL CHECK (mode BETWEEN 0 AND 1),
          reason INTEGER NOT NULL CHECK (reason BETWEEN 0 AND 2),
          visible INTEGER NOT NULL CHECK (visible BETWEEN 0 AND 1),
          delivery_id INTEGER,
          collapse TEXT,
          token_version INTEGER NOT NULL,
          device_version INTEGER NOT NULL,
          state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 8),
          hold_reason INTEGER CHECK (hold_reason BETWEEN 1 AND 3),
          due_at INTEGER NOT NULL,
          lease_token INTEGER,
          lease_slot INTEGER,
          lease_boot INTEGER,
          lease_until INTEGER,
          ever_leased INTEGER NOT NULL DEFAULT 0 CHECK (ever_leased BETWEEN 0 AND 1),
          attention INTEGER NOT NULL DEFAULT 1 CHECK (attention BETWEEN 0 AND 1),
          is_probe INTEGER NOT NULL DEFAULT 0 CHECK (is_probe BETWEEN 0 AND 1),
          is_combined INTEGER NOT NULL DEFAULT 0 CHECK (is_combined BETWEEN 0 AND 1),
          failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
          last_outcome INTEGER NOT NULL DEFAULT 0,
          expires_at INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          settled_at INTEGER,
          successor_id INTEGER,
          CHECK ((state = 1) = (lease_token IS NOT NULL)),
          CHECK ((state = 1) = (lease_slot IS NOT NULL)),
          CHECK ((state = 1) = (lease_until IS NOT NULL)),
          CHECK (state <> 1 OR ever_leased = 1),
          CHECK (state <> 2 OR hold_reason IS NOT NULL),
          CHECK ((state > 2) = (settled_at IS NOT NULL)),
          CHECK ((reason = 2) = (delivery_id IS NULL)),
          CHECK (state < 7 OR successor_id IS NOT NULL)
        ) STRICT;
        CREATE INDEX wake_unsettled ON wake (device_id) WHERE state < 3;
        CREATE INDEX wake_waiting ON wake (lane_id, due_at) WHERE state = 0;
        CREATE INDEX wake_leased ON wake (lease_until) WHERE state = 1;
        CREATE INDEX wake_unleased ON wake (device_id) WHERE state < 3 AND state <> 1 AND ever_leased = 0;
        CREATE INDEX wake_expiring ON wake (expires_at) WHERE state < 3 AND state <> 1;
        CREATE INDEX wake_stalled ON wake (lane_id, topic_id, device_id) WHERE hold_reason = 3;
        CREATE TABLE wake_delivery (
          wake_id INTEGER NOT NULL,
          delivery_id INTEGER NOT NULL,
          PRIMARY KEY (wake_id, delivery_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE wake_try (
          wake_id INTEGER NOT NULL,
          number INTEGER NOT NULL,
          outcome INTEGER NOT NULL,
          reason TEXT NOT NULL,
          status INTEGER NOT NULL,
          ended_at INTEGER NOT NULL,
          PRIMARY KEY (wake_id, number)
        ) STRICT, WITHOUT ROWID;
        """

    /// Counts of devices by state, kept by the database itself so that no transition can forget them.
    static let counts: StaticString = """
        CREATE TRIGGER device_counted_in AFTER INSERT ON device BEGIN
          INSERT OR IGNORE INTO lane_topic (lane_id, topic_id) VALUES (new.lane_id, new.topic_id);
          UPDATE lane_topic SET
            active = active + (new.state = 0), pending = pending + (new.state = 1),
            quarantined = quarantined + (new.state = 2), disabled = disabled + (new.state = 3),
            wakeable = wakeable + (new.state <> 3 AND new.push_mode = 2 AND new.gate = 2)
          WHERE lane_id = new.lane_id AND topic_id = new.topic_id;
        END;
        CREATE TRIGGER device_counted_out AFTER DELETE ON device BEGIN
          UPDATE lane_topic SET
            active = active - (old.state = 0), pending = pending - (old.state = 1),
            quarantined = quarantined - (old.state = 2), disabled = disabled - (old.state = 3),
            wakeable = wakeable - (old.state <> 3 AND old.push_mode = 2 AND old.gate = 2)
          WHERE lane_id = old.lane_id AND topic_id = old.topic_id;
        END;
        CREATE TRIGGER device_counted_anew
        AFTER UPDATE OF state, push_mode, gate, lane_id, topic_id ON device BEGIN
          UPDATE lane_topic SET
            active = active - (old.state = 0), pending = pending - (old.state = 1),
            quarantined = quarantined - (old.state = 2), disabled = disabled - (old.state = 3),
            wakeable = wakeable - (old.state <> 3 AND old.push_mode = 2 AND old.gate = 2)
          WHERE lane_id = old.lane_id AND topic_id = old.topic_id;
          INSERT OR IGNORE INTO lane_topic (lane_id, topic_id) VALUES (new.lane_id, new.topic_id);
          UPDATE lane_topic SET
            active = active + (new.state = 0), pending = pending + (new.state = 1),
            quarantined = quarantined + (new.state = 2), disabled = disabled + (new.state = 3),
            wakeable = wakeable + (new.state <> 3 AND new.push_mode = 2 AND new.gate = 2)
          WHERE lane_id = new.lane_id AND topic_id = new.topic_id;
        END;
        """
}
