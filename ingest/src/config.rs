//! What can be set, and what holds where nothing is set.

use std::path::PathBuf;
use std::time::Duration;

use field::json::Mappings;
use grid::{Micros, Share};

/// Settings of one ingest process.
#[derive(Debug, Clone)]
pub struct IngestConfig {
    /// `mqtt://[user:password@]host[:port]`
    pub url: String,
    /// Fixed for this ingest (or shard): the broker keeps our session by it. Two processes of one id throw each other out.
    pub client_id: String,
    /// Used unless the address names a user.
    pub username: Option<String>,
    /// Goes with the user name.
    pub password: Option<String>,
    /// The Sparkplug host id, whose STATE gateways may wait for.
    pub host_id: String,
    /// The groups (utilities) of this shard; empty for all.
    pub groups: Vec<String>,
    /// The share of their gateways; all when none is set.
    pub share: Option<Share>,
    /// The broker declares us gone after one and a half of these.
    pub keep_alive: Duration,
    /// How long the broker waits, once we are gone, before it declares us offline (STATE). A reconnect, a restart or a standby that takes over within this
    /// time is not seen by gateways, which would otherwise all be reborn. Whole seconds.
    pub will_delay: Duration,
    /// How long the broker keeps QoS 1 messages for us while we are away.
    pub session_expiry: Duration,
    /// The largest MQTT packet asked for, bytes. Larger ones the broker withholds, unseen by us; therefore well above `max_payload`.
    pub max_packet: u32,
    /// The largest payload that is looked into, bytes. Larger ones are dead letters.
    pub max_payload: usize,
    /// A batch is committed at this many rows …
    pub batch_rows: usize,
    /// … or when its first row has waited this long.
    pub batch_age: Duration,
    /// A commit that takes longer is given up and done again on a new connection.
    pub commit_timeout: Duration,
    /// A row that is received and not durable after this time makes ingest not ready, whatever the reason; an MQTT connection whose acknowledgements stall for
    /// as long is replaced. Longer than a commit, its limit included, and the attempts after it.
    pub unstored_limit: Duration,
    /// Bytes that may be held between receipt and COMMIT. At the bound nothing more is read from MQTT.
    pub hold_bytes: usize,
    /// The folder of the spool: what the database does not take waits there. Without it, it waits in the hold.
    pub spool_dir: Option<PathBuf>,
    /// Bytes that the spool may have. At the bound what comes is held as if there were no spool.
    pub spool_bytes: u64,
    /// Database connections that write side by side.
    pub writers: usize,
    /// How long messages of a node may wait for what is new in them to be entered. After that they go on without it: the database is away, and what is
    /// known must not wait for what is not.
    pub discovery_patience: Duration,
    /// Between two looks at whether this process still leads its shard, and two attempts to become the one that does.
    pub lead_pause: Duration,
    /// Foreign payloads that are taken beside Sparkplug.
    pub mappings: Mappings,
    /// A gateway of the JSON lane that is not heard for so long is offline: it has no death of its own.
    pub foreign_silence: Duration,
    /// Between two rebirth requests to the same node.
    pub rebirth_cooldown: Duration,
    /// How long after connecting a node may take to be born by itself before it is asked to.
    pub birth_patience: Duration,
    /// A node not heard of this long after connecting is offline.
    pub silence_limit: Duration,
    /// Between two acknowledgements to the same node.
    pub ack_interval: Duration,
    /// A hole in a node's outbox numbers that stays open this long is worth a rebirth.
    pub hole_patience: Duration,
    /// How often what people have changed in the registry is read again.
    pub reload_interval: Duration,
    /// Points that one gateway may have, described and discovered together.
    pub max_points_per_gateway: usize,
    /// Gateways of all utilities together.
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
            reload_interval: Duration::from_secs(30),
            max_points_per_gateway: 10_000,
            max_gateways: 20_000,
        }
    }
}

impl IngestConfig {
    /// Whether a gateway of a group is for this ingest.
    pub fn takes(&self, group: &str, gateway: &str) -> bool {
        (self.groups.is_empty() || self.groups.iter().any(|taken| taken == group)) && self.share.is_none_or(|share| share.covers(gateway))
    }
}

/// The instant `duration` after `start`.
pub(crate) fn after(start: Micros, duration: Duration) -> Micros {
    Micros(start.0.saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
}
