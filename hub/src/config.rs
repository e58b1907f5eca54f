//! What can be set about the hub, and the limits with what happens at each.

use std::time::Duration;

use ipnet::IpNet;

/// Settings of the hub.
#[derive(Debug, Clone)]
pub struct HubConfig {
    /// Origins besides our own host that may open a socket, such as `https://scada.example`. Others are refused with 403.
    pub origins: Vec<String>,
    /// How often the server pings; a client that is silent for this and the timeout is closed.
    pub ping_interval: Duration,
    /// How long a ping may stay unanswered.
    pub ping_timeout: Duration,
    /// The largest message or polling body a client may send, bytes; beyond it the session ends.
    pub max_payload: usize,
    /// Measurands of one point within this window leave as one.
    pub conflation: Duration,
    /// What may wait for one client, bytes: beyond it, `latest` streams are thinned to one fresh snapshot, and `every` streams end with `slow`.
    pub outbox_bytes: usize,
    /// How long the oldest frame may wait for one client before it is cut as `slow`.
    pub outbox_age: Duration,
    /// Sockets at once; further handshakes are refused with 503.
    pub sockets_max: usize,
    /// Sockets of one sign-in at once; a further one is refused.
    pub sockets_per_session: usize,
    /// Sockets of one person at once; a further one is refused.
    pub sockets_per_member: usize,
    /// Sockets of one address that have not signed in, at once; a further one is refused with 429. An IPv6 address counts by its /64.
    pub sockets_unauthenticated_per_address: usize,
    /// Reverse proxies whose word is believed about where a socket comes from.
    pub proxies: Vec<IpNet>,
    /// Messages a client may send in each second; beyond it, and beyond what is left of the burst, the session ends with `rate`.
    pub messages_per_s: u32,
    /// Messages a client may send at once after it was silent. A client that returns subscribes to all its streams at once, `streams_max` at most.
    pub messages_burst: u32,
    /// Streams a socket may have joined; a further subscribe is refused with `too_many`.
    pub streams_max: usize,
    /// How long a socket may stay without a valid token.
    pub auth_timeout: Duration,
    /// How often the rights of a socket are read again.
    pub recheck: Duration,
    /// How often the process image is compared with the database.
    pub reconcile: Duration,
    /// How long a question to the database on a client's behalf may take before the client is told to come back.
    pub question_limit: Duration,
}

impl Default for HubConfig {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            ping_interval: Duration::from_secs(5),
            ping_timeout: Duration::from_secs(5),
            max_payload: 64 * 1024,
            conflation: Duration::from_millis(50),
            outbox_bytes: 1024 * 1024,
            outbox_age: Duration::from_secs(10),
            sockets_max: 10_000,
            sockets_per_session: 5,
            sockets_per_member: 20,
            // A control room behind one address comes back at once after a restart of the hub, and each signs in within milliseconds.
            sockets_unauthenticated_per_address: 64,
            proxies: Vec::new(),
            messages_per_s: 20,
            messages_burst: 100,
            streams_max: 64,
            auth_timeout: Duration::from_secs(5),
            recheck: Duration::from_secs(30),
            reconcile: Duration::from_secs(5),
            question_limit: Duration::from_secs(4),
        }
    }
}

/// Rows in a snapshot of an event stream.
pub(crate) const EVENTS_SNAPSHOT: i64 = 200;
/// The snapshot of a diagram's commands has those that were ordered within so long, ms.
pub(crate) const COMMANDS_SNAPSHOT_MS: i64 = 3_600_000;
/// Rows that a returning client may have missed; beyond it, it gets a snapshot.
pub(crate) const EVENTS_MISSED_MAX: i64 = 5_000;
/// Event rows of each utility kept in memory for returning clients.
pub(crate) const EVENTS_RING: usize = 5_000;
/// How long rows that came before an earlier one are held for it. Two ingests of one utility commit in one order and reach the bus in the other, usually
/// milliseconds apart; what is missing for longer is read from the database.
pub(crate) const EVENTS_GRACE: Duration = Duration::from_millis(250);
/// Rows of each stream that are held so; beyond it the missing ones are read from the database at once, and these with them.
pub(crate) const EVENTS_HELD_MAX: usize = 1_000;
/// What they may take, bytes: texts of alarms are as long as users write them.
pub(crate) const EVENTS_RING_BYTES: usize = 8 * 1024 * 1024;
/// Rows in a snapshot of alarms or faults: the most urgent, or the newest; as many as REST lists of alarms.
pub(crate) const ALARMS_SNAPSHOT: i64 = store::alarm::STANDING_MAX;
/// The snapshot of faults has those that last and those that began within so long, ms.
pub(crate) const FAULTS_SNAPSHOT_MS: i64 = 24 * 3_600_000;
