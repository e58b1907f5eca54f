//! The first packet of a session.

use std::time::Duration;

use crate::connection::Session;
use crate::socketio::engine;
use crate::state::Hub;

/// Returns the open packet, with the transports to which the client may upgrade.
pub(crate) fn open_packet(hub: &Hub, session: &Session, upgrades: &[&str]) -> String {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    engine::open(&session.sid, upgrades, millis(hub.config.ping_interval), millis(hub.config.ping_timeout), hub.config.max_payload)
}
