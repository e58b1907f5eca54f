//! The retained STATE message of a Sparkplug host, by which gateways know whether the host receives messages (Sparkplug
//! 3.0, 6.4.28 and 6.4.29).
//!
//! Online means that messages will be stored. The host goes online when the database can be written, and offline before
//! its hold is full. During a short outage of the database it stays online, because held messages are stored later.
//!
//! Gateways ignore a STATE message that is older than the newest one. So all messages of a connection have the time of
//! its will. Only the last message of an orderly shutdown has the time of the shutdown. Only this host uses the topic.
//! It subscribes to it and corrects messages of other processes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use field::client::{Qos, Will, WillMaker};
use field::sparkplug::{read_state, state};
use field::topic::Topic;
use grid::Micros;

use crate::config::after;

/// Number of earlier connections whose times are remembered, because this session may still receive their wills.
const REMEMBERED: usize = 8;

/// The STATE of this host.
pub struct Presence {
    topic: String,
    /// The time in the will of this connection, ms. All STATE messages of the connection have this time, because a will
    /// that is older than the birth would be ignored.
    connected_ms: Arc<AtomicI64>,
    /// The times of the latest connections.
    own_ms: VecDeque<i64>,
    published: Option<bool>,
    /// The time in the last message of this connection, ms.
    published_ms: Option<i64>,
    /// How long a new connection waits for the database before it publishes offline.
    grace: Duration,
    up_since: Micros,
}

/// The action for a received STATE message of this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// No action: it is a message of this process, or it agrees with its state.
    Nothing,
    /// The message of this connection came back: all kept messages have arrived.
    Echo,
    /// Another process has published offline. The next [`Presence::news`] corrects it.
    Contradicted,
    /// The broker has a message that is newer than the will. It comes from a different clock, or from before this clock
    /// was set back. A new connection with a later will is needed.
    Newer,
}

impl Presence {
    /// Creates the presence. `grace` is also the will delay of the broker, so a restart or takeover within this time
    /// publishes nothing.
    pub fn new(host: &str, grace: Duration) -> Self {
        Self {
            topic: Topic::State { host: host.to_owned() }.to_string(),
            connected_ms: Arc::default(),
            own_ms: VecDeque::new(),
            published: None,
            published_ms: None,
            grace,
            up_since: Micros(0),
        }
    }

    /// Returns the STATE topic.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Returns a function that creates the will of each connection.
    pub(super) fn will(&self) -> WillMaker {
        let (topic, connected_ms) = (self.topic.clone(), Arc::clone(&self.connected_ms));
        Arc::new(move |_| next_will(&topic, &connected_ms, wall_ms()))
    }

    /// Returns the will of the next connection, made at `now_ms` of the wall clock.
    pub fn will_at(&self, now_ms: i64) -> Will {
        next_will(&self.topic, &self.connected_ms, now_ms)
    }

    /// Records a new connection: the STATE must be published again.
    pub fn connected(&mut self, now: Micros) {
        (self.published, self.published_ms) = (None, None);
        self.up_since = now;
        self.own_ms.push_front(self.connected_ms.load(Ordering::Acquire));
        self.own_ms.truncate(REMEMBERED);
    }

    /// Handles a message of the STATE topic. `is_kept`: the broker retained it from before the subscription.
    pub fn observe(&mut self, payload: &[u8], is_kept: bool) -> Observed {
        let ours = self.connected_ms.load(Ordering::Acquire);
        let (online, at) = read_state(payload).unwrap_or((false, None));
        if at.is_some() && at == self.published_ms {
            return Observed::Echo;
        }
        if at.is_some_and(|at| at == ours || self.own_ms.contains(&at)) {
            return Observed::Nothing;
        }
        if let Some(at) = at.filter(|at| *at > ours) {
            // Later messages and the next will must be newer than this one. With the same time they could not be
            // distinguished.
            self.connected_ms.store(at + 1, Ordering::Release);
            if is_kept {
                return Observed::Newer;
            }
        }
        // The next message of this connection replaces a retained one.
        if is_kept || online || self.published != Some(true) {
            return Observed::Nothing;
        }
        self.published = None;
        Observed::Contradicted
    }

    /// Returns the STATE message to publish, if the state changed.
    pub fn news(&mut self, able: bool, held: usize, hold: usize, now: Micros) -> Option<(String, Vec<u8>)> {
        let online = is_online(self.published == Some(true), able, held, hold);
        if self.published.is_none() && !online && now < after(self.up_since, self.grace) {
            return None;
        }
        if self.published.replace(online) == Some(online) {
            return None;
        }
        let at = self.connected_ms.load(Ordering::Acquire);
        self.published_ms = Some(at);
        Some(self.message(online, at))
    }

    /// Records that the message could not be sent.
    pub fn not_published(&mut self) {
        self.published = None;
    }

    /// Returns the message of an orderly shutdown. It has the time of the shutdown, because no will follows.
    pub fn goodbye(&self, now_ms: i64) -> (String, Vec<u8>) {
        self.message(false, now_ms.max(self.connected_ms.load(Ordering::Acquire)))
    }

    fn message(&self, online: bool, at: i64) -> (String, Vec<u8>) {
        (self.topic.clone(), state(online, at))
    }
}

fn next_will(topic: &str, connected_ms: &AtomicI64, now_ms: i64) -> Will {
    // Always increases, even if the clock goes back.
    let now = now_ms.max(connected_ms.load(Ordering::Acquire) + 1);
    connected_ms.store(now, Ordering::Release);
    Will { topic: topic.to_owned(), payload: state(false, now).into(), qos: Qos::AtLeastOnce, retain: true }
}

pub(super) fn wall_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Decides the state: online with a database and less than a quarter of the hold used, offline from three quarters. The
/// distance between the two limits avoids rapid changes.
fn is_online(online: bool, able: bool, held: usize, hold: usize) -> bool {
    if online { held < hold / 4 * 3 } else { able && held < hold / 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(payload: &[u8]) -> i64 {
        read_state(payload).and_then(|(_, at)| at).expect("a state with its time")
    }

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

    fn presence() -> Presence {
        Presence::new("h", Duration::from_secs(5))
    }

    #[test]
    fn news_is_told_once_and_again_after_a_reconnect() {
        let mut presence = presence();
        let will = presence.will()(1);
        let (topic, payload) = presence.news(true, 0, 100, Micros(0)).expect("news");
        assert_eq!(topic, "spBv1.0/STATE/h");
        assert_eq!(time(&payload), time(&will.payload));
        assert!(presence.news(true, 0, 100, Micros(0)).is_none());
        presence.connected(Micros(0));
        assert!(time(&presence.will()(2).payload) > time(&payload));
        assert!(presence.news(true, 0, 100, Micros(0)).is_some());
    }

    #[test]
    fn new_connection_waits_for_the_database_before_it_is_offline() {
        let mut presence = presence();
        presence.will()(1);
        presence.connected(Micros(1_000_000));
        assert!(presence.news(false, 0, 100, Micros(5_999_999)).is_none());
        let (_, payload) = presence.news(false, 0, 100, Micros(6_000_000)).expect("news");
        assert_eq!(read_state(&payload).map(|(online, _)| online), Some(false));
        assert!(presence.news(true, 0, 100, Micros(6_000_001)).is_some());
        assert!(presence.news(false, 90, 100, Micros(6_000_002)).is_some(), "at once, once it has been online");
    }

    #[test]
    fn foreign_state_is_corrected_once() {
        let mut presence = presence();
        let will = presence.will();
        let before = time(&will(1).payload);
        presence.connected(Micros(0));
        let ours = time(&will(2).payload);
        presence.connected(Micros(0));
        assert_eq!(presence.observe(&state(true, ours), false), Observed::Nothing, "nothing has been published on this connection");
        presence.news(true, 0, 100, Micros(0)).expect("news");
        let older = ours - 5_000;
        let cases = [
            (state(true, ours), false, Observed::Echo, "our own"),
            (state(false, ours), false, Observed::Echo, "our own, from before we were online"),
            (state(false, before), false, Observed::Nothing, "our own earlier will, out of our session"),
            (state(true, older), false, Observed::Nothing, "the same"),
            (state(false, older), true, Observed::Nothing, "kept from before: what we have told replaces it"),
            (state(false, older), false, Observed::Contradicted, "a late will"),
            (b"OFFLINE".to_vec(), false, Observed::Contradicted, "in the old form"),
            (b"?".to_vec(), false, Observed::Contradicted, "unreadable"),
        ];
        for (payload, is_kept, expected, case) in cases {
            presence.published = Some(true);
            assert_eq!(presence.observe(&payload, is_kept), expected, "{case}");
            let corrected = presence.news(true, 0, 100, Micros(0)).map(|(_, payload)| read_state(&payload));
            assert_eq!(corrected, (expected == Observed::Contradicted).then_some(Some((true, Some(ours)))), "{case}");
        }
        presence.published = Some(false);
        assert_eq!(presence.observe(&state(false, older), false), Observed::Nothing, "we are offline");
    }

    #[test]
    fn kept_state_of_a_later_clock_is_superseded_by_the_next_connection() {
        let mut presence = presence();
        let will = presence.will();
        let later = time(&will(1).payload) + 600_000;
        presence.connected(Micros(0));
        assert_eq!(presence.observe(&state(false, later), true), Observed::Newer);
        assert!(time(&will(2).payload) > later);
        presence.connected(Micros(0));
        assert_eq!(presence.observe(&state(false, later), true), Observed::Nothing, "older than what we are about to tell");
        assert!(time(&presence.goodbye(wall_ms()).1) > later);
    }

    #[test]
    fn goodbye_carries_its_own_time() {
        let presence = presence();
        let connected = time(&presence.will()(1).payload);
        presence.connected_ms.store(connected - 60_000, Ordering::Release);
        assert!(time(&presence.goodbye(wall_ms()).1) >= connected);
    }
}
