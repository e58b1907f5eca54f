//! Records when the alarm service last sent a heartbeat, by utility. Without heartbeats, an empty list of alarms could
//! mean that the alarm service is down.

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use grid::ClientId;
use tokio::time::Instant;

/// Without a heartbeat for this long, the alarm service counts as down. Two lost heartbeats are tolerated.
const SILENCE: Duration = Duration::from_secs(3);

/// Shared by the core, which records heartbeats, and the sessions, which report them to clients. Bounded by the number
/// of utilities; silent ones are removed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beats(Arc<DashMap<ClientId, Instant>>);

impl Beats {
    /// Records a heartbeat of the alarm service for a utility.
    pub(crate) fn record(&self, client: ClientId) {
        self.record_at(client, Instant::now());
    }

    /// Returns whether the alarm service works for a utility. It is also false from the start of the hub until the
    /// first heartbeat, at most one second.
    pub(crate) fn works(&self, client: ClientId) -> bool {
        self.works_at(client, Instant::now())
    }

    fn record_at(&self, client: ClientId, now: Instant) {
        self.0.retain(|_, at| now.duration_since(*at) < SILENCE);
        self.0.insert(client, now);
    }

    fn works_at(&self, client: ClientId, now: Instant) -> bool {
        self.0.get(&client).is_some_and(|at| now.duration_since(*at) < SILENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_are_made_while_the_service_is_heard_for_that_utility() {
        let (beats, start) = (Beats::default(), Instant::now());
        let at = |second| start + Duration::from_secs(second);
        let works = |second| [1, 2].map(|client| beats.works_at(ClientId(client), at(second)));
        assert_eq!(works(0), [false, false]);
        beats.record_at(ClientId(1), at(0));
        beats.record_at(ClientId(2), at(2));
        assert_eq!(works(2), [true, true]);
        assert_eq!(works(3), [false, true]);
        beats.record_at(ClientId(1), at(4));
        assert_eq!(works(4), [true, true]);
        assert_eq!(works(5), [true, false]);
    }
}
