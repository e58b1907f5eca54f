//! Settings of ingest with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use field::json::Mappings;
use grid::{Micros, Share};

/// Settings of one ingest process.
#[derive(Debug, Clone)]
pub struct IngestConfig {
    /// `mqtt://[user:password@]host[:port]`
    pub url: String,
    /// MQTT client id. It must not change, because the broker keeps the session under this id. The processes of one
    /// shard have the same id; the broker disconnects one of them when the other one connects.
    pub client_id: String,
    /// Used unless the URL contains a user name.
    pub username: Option<String>,
    /// Password of `username`.
    pub password: Option<String>,
    /// Sparkplug host id. Gateways can wait for the STATE message of this host.
    pub host_id: String,
    /// Groups (utilities) of this shard; empty: all.
    pub groups: Vec<String>,
    /// Share of the gateways of these groups; `None`: all.
    pub share: Option<Share>,
    /// MQTT keep alive. The broker closes the connection after one and a half intervals without a packet.
    pub keep_alive: Duration,
    /// How long the broker waits after the end of a connection before it publishes STATE offline, in whole seconds.
    /// Within this time, gateways do not notice a reconnect, a restart or a takeover by a standby. Otherwise all
    /// gateways would publish their births again.
    pub will_delay: Duration,
    /// How long the broker keeps QoS 1 messages while this process is away.
    pub session_expiry: Duration,
    /// Maximum MQTT packet size requested from the broker, bytes. The broker drops larger packets without notice, so
    /// this value must be well above `max_payload`.
    pub max_packet: u32,
    /// Maximum payload that is decoded, bytes. Larger ones become dead letters.
    pub max_payload: usize,
    /// A batch is committed when it has this many rows …
    pub batch_rows: usize,
    /// … or when its first row has waited this long.
    pub batch_age: Duration,
    /// A commit that takes longer is cancelled and repeated on a new connection.
    pub commit_timeout: Duration,
    /// If a received row does not become durable within this time, ingest is not ready. If the acknowledgements of an
    /// MQTT connection stall for this time, the connection is replaced. The time must be longer than a commit with its
    /// limit and its retries.
    pub unstored_limit: Duration,
    /// Bytes held between receipt and COMMIT. At the limit, reading from MQTT stops.
    pub hold_bytes: usize,
    /// Folder of the spool, for batches that the database has not stored. `None`: they wait in memory.
    pub spool_dir: Option<PathBuf>,
    /// Maximum size of the spool, bytes. At the limit, batches wait in memory.
    pub spool_bytes: u64,
    /// Database connections that write in parallel.
    pub writers: usize,
    /// How long messages of a node wait for the discovery of its new points. After this time they are processed without
    /// these points, because known points must not wait for unknown ones during a database outage.
    pub discovery_patience: Duration,
    /// Interval of the checks whether this process still leads its shard, and of the attempts to become leader.
    pub lead_pause: Duration,
    /// Mappings of the JSON lane.
    pub mappings: Mappings,
    /// If a gateway of the JSON lane sends no message for this long, it counts as offline, because it has no death
    /// message.
    pub foreign_silence: Duration,
    /// Minimum time between two rebirth requests to the same node.
    pub rebirth_cooldown: Duration,
    /// How long ingest waits for the birth of a node after connecting, before it requests a rebirth.
    pub birth_patience: Duration,
    /// If no message of a node arrives for this long after ingest has connected, the node counts as offline.
    pub silence_limit: Duration,
    /// Minimum time between two acknowledgements to the same node.
    pub ack_interval: Duration,
    /// If a gap in the outbox numbers of a node stays open this long, a rebirth is requested.
    pub hole_patience: Duration,
    /// Interval at which the stored link states are compared with the known ones.
    pub compare_interval: Duration,
    /// Maximum number of points of one gateway, including discovered points.
    pub max_points_per_gateway: usize,
    /// Maximum number of gateways of all utilities together.
    pub max_gateways: usize,
}

impl Default for IngestConfig {
    fn default() -> Self {
        Self {
            url: "mqtt://127.0.0.1:1883".into(),
            client_id: "switchyard-ingest".into(),
            username: None,
            password: None,
            host_id: "switchyard".into(),
            groups: Vec::new(),
            share: None,
            keep_alive: Duration::from_secs(10),
            will_delay: Duration::from_secs(5),
            session_expiry: Duration::from_hours(24),
            max_packet: 4 * 1024 * 1024,
            max_payload: 512 * 1024,
            batch_rows: 10_000,
            batch_age: Duration::from_millis(50),
            commit_timeout: Duration::from_secs(10),
            unstored_limit: Duration::from_secs(30),
            hold_bytes: 64 * 1024 * 1024,
            spool_dir: None,
            spool_bytes: 4 * 1024 * 1024 * 1024,
            writers: 2,
            discovery_patience: Duration::from_secs(2),
            lead_pause: Duration::from_secs(2),
            mappings: Mappings::default(),
            foreign_silence: Duration::from_mins(1),
            rebirth_cooldown: Duration::from_mins(1),
            birth_patience: Duration::from_secs(1),
            silence_limit: Duration::from_secs(20),
            ack_interval: Duration::from_millis(250),
            hole_patience: Duration::from_secs(5),
            compare_interval: Duration::from_secs(30),
            max_points_per_gateway: 10_000,
            max_gateways: 20_000,
        }
    }
}

impl IngestConfig {
    /// Returns whether this ingest takes a gateway of a group.
    pub fn takes(&self, group: &str, gateway: &str) -> bool {
        (self.groups.is_empty() || self.groups.iter().any(|taken| taken == group)) && self.share.is_none_or(|share| share.covers(gateway))
    }
}

/// Returns the instant `duration` after `start`.
pub(crate) fn after(start: Micros, duration: Duration) -> Micros {
    Micros(start.0.saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
}
