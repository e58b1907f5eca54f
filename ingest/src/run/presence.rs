//! Whether gateways may count on us: the retained STATE message of a Sparkplug host (Sparkplug 3.0, 6.4.28 and 6.4.29).
//!
//! Online means that what is sent will be stored. So we come online when the database can be written, and go offline before there is no room left to hold
//! what it does not take. A short outage in between is no news: what is held is stored later.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use field::client::{Qos, Will, WillMaker};
use field::sparkplug::state;
use field::topic::Topic;

pub(super) struct Presence {
    topic: String,
    /// The time in the will of this connection, ms. All STATE messages of the connection carry it: a will older than the birth would be ignored.
    connected_ms: Arc<AtomicI64>,
    told: Option<bool>,
}

impl Presence {
    pub(super) fn new(host: &str) -> Self {
        Self { topic: Topic::State { host: host.to_owned() }.to_string(), connected_ms: Arc::default(), told: None }
    }

    /// Makes the will of each connection.
    pub(super) fn will(&self) -> WillMaker {
        let (topic, connected_ms) = (self.topic.clone(), Arc::clone(&self.connected_ms));
        Arc::new(move |_| {
            let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
            // Forward even when the clock is not.
            let now = wall.max(connected_ms.load(Ordering::Acquire) + 1);
            connected_ms.store(now, Ordering::Release);
            Will { topic: topic.clone(), payload: state(false, now).into(), qos: Qos::AtLeastOnce, retain: true }
        })
    }

    /// A new connection: whatever was told is to be told again.
    pub(super) fn connected(&mut self) {
        self.told = None;
    }

    /// What is to be told, if it is news.
    pub(super) fn news(&mut self, able: bool, held: usize, hold: usize) -> Option<(String, Vec<u8>)> {
        let online = is_online(self.told == Some(true), able, held, hold);
        (self.told.replace(online) != Some(online)).then(|| self.message(online))
    }

    /// The news could not be sent.
    pub(super) fn not_told(&mut self) {
        self.told = None;
    }

    /// What is told at an orderly end.
    pub(super) fn goodbye(&self) -> (String, Vec<u8>) {
        self.message(false)
    }

    fn message(&self, online: bool) -> (String, Vec<u8>) {
        (self.topic.clone(), state(online, self.connected_ms.load(Ordering::Acquire)))
    }
}

/// The rule: up with a database and an empty hold, down with a full one. The distance between the two keeps it from flapping.
fn is_online(online: bool, able: bool, held: usize, hold: usize) -> bool {
    if online { held < hold / 4 * 3 } else { able && held < hold / 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn online_is_what_can_be_kept() {
        for (online, able, held, expected) in [
            (false, false, 0, false),
            (false, true, 0, true),
            (false, true, 30, false),
            (true, false, 50, true),
            (true, true, 80, false),
            (true, false, 74, true),
        ] {
            assert_eq!(is_online(online, able, held, 100), expected, "{online} {able} {held}");
        }
    }

    #[test]
    fn news_is_told_once_and_again_after_a_reconnect() {
        let mut presence = Presence::new("h");
        let will = presence.will()(1);
        let (topic, payload) = presence.news(true, 0, 100).expect("news");
        assert_eq!(topic, "spBv1.0/STATE/h");
        let time = |payload: &[u8]| field::sparkplug::read_state(payload).expect("a state").1;
        assert_eq!(time(&payload), time(&will.payload));
        assert!(presence.news(true, 0, 100).is_none());
        presence.connected();
        assert!(time(&presence.will()(2).payload) > time(&payload));
        assert!(presence.news(true, 0, 100).is_some());
    }
}
