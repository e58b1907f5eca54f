//! Settings and limits of the hub. Each limit has a description of the behaviour when it is reached.

use std::time::Duration;

use ipnet::IpNet;

/// Settings of the hub.
#[derive(Debug, Clone)]
pub struct HubConfig {
    /// Origins that may open a socket in addition to the own host, such as `https://scada.example`. Others are refused with 403.
    pub origins: Vec<String>,
    /// Interval of the pings that the server sends. The connection of a client that sends nothing for this interval plus the timeout is closed.
    pub ping_interval: Duration,
    /// How long the client may take to answer a ping.
    pub ping_timeout: Duration,
    /// The largest message or polling body a client may send, bytes; beyond it the session ends.
    pub max_payload: usize,
    /// Changes of one measurand within this window are sent as one, with the newest value.
    pub conflation: Duration,
    /// Maximum number of bytes that wait for one client. If a delta of a `latest` stream does not fit, it is replaced by one new snapshot later. If a row of an
    /// `every` stream does not fit, the connection ends with `slow`.
    pub outbox_bytes: usize,
    /// How long the oldest frame may wait for one client before the connection ends with `slow`.
    pub outbox_age: Duration,
    /// Open sockets in total; further handshakes are refused with 503.
    pub sockets_max: usize,
    /// Open sockets of one session; further ones are refused.
    pub sockets_per_session: usize,
    /// Open sockets of one user; further ones are refused.
    pub sockets_per_member: usize,
    /// Open sockets of one address before sign-in; further ones are refused with 429. An IPv6 address counts by its
    /// /64.
    pub sockets_unauthenticated_per_address: usize,
    /// Reverse proxies that are trusted to report the address of a client.
    pub proxies: Vec<IpNet>,
    /// Messages a client may send in each second. If it sends more and the burst is used up, the session ends with
    /// `rate`.
    pub messages_per_s: u32,
    /// Messages a client may send at once after a silence. A client that reconnects subscribes to all its streams at
    /// once, at most `streams_max`.
    pub messages_burst: u32,
    /// Maximum number of streams that a socket can join; a further subscription is refused with `too_many`.
    pub streams_max: usize,
    /// How long a socket may stay without a valid token.
    pub auth_timeout: Duration,
    /// How often the rights of a socket are read again.
    pub recheck: Duration,
    /// How often the process image is compared with the database.
    pub reconcile: Duration,
    /// How long a database query for a client may take before the request is answered with `unavailable`.
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
            // After a restart of the hub, a control room behind one address reconnects all its sockets at once; each
            // signs in within milliseconds.
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

/// Number of rows in a snapshot of an event stream. It is the default of the REST calls, so that a screen shows the same rows with and without the socket.
pub(crate) const EVENTS_SNAPSHOT: i64 = 500;
/// The snapshot of a diagram's commands contains the commands that were issued within this time, ms.
pub(crate) const COMMANDS_SNAPSHOT_MS: i64 = 3_600_000;
/// Maximum number of missed rows that are sent to a reconnecting client. If it has missed more rows, it gets a snapshot.
pub(crate) const EVENTS_MISSED_MAX: i64 = 5_000;
/// If the utility has had more events than this since the offset of a client, the client gets a snapshot and not the missed events of its scope, because all
/// events of the utility would have to be read.
pub(crate) const EVENTS_BEHIND_MAX: i64 = 20_000;
/// Event rows kept in memory for each utility, for clients that reconnect.
pub(crate) const EVENTS_RING: usize = 5_000;
/// How long rows are held while a row with a lower offset is missing. Two ingests of one utility can commit in one order and publish in the opposite order,
/// usually within milliseconds. Rows that are missing for longer are read from the database.
pub(crate) const EVENTS_GRACE: Duration = Duration::from_millis(250);
/// Maximum number of rows of each stream that are held in this way. At the limit, the missing rows and the held rows are read from the database at once.
pub(crate) const EVENTS_HELD_MAX: usize = 1_000;
/// Limit of the kept event rows, bytes. It is needed because users can write long texts of alarms.
pub(crate) const EVENTS_RING_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of rows in a snapshot of alarms (the most urgent ones) or faults (the newest ones). The limit of the REST list of alarms is the same.
pub(crate) const ALARMS_SNAPSHOT: i64 = store::alarm::OPEN_ALARMS_MAX;
/// The snapshot of faults has the current faults and those that started within this time, ms.
pub(crate) const FAULTS_SNAPSHOT_MS: i64 = 24 * 3_600_000;
