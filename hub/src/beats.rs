//! When the alarm service was last heard, by utility. Without its word an empty list of alarms would look like a quiet grid.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use grid::ClientId;
use tokio::time::Instant;

/// Without a word from the alarm service for so long, no alarms are being made: two beats may be lost.
const SILENCE: Duration = Duration::from_secs(3);

/// Shared by the core, which hears the beats, and the sessions, which tell of them. Bounded by the utilities that there are: the silent ones go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beats(Arc<RwLock<HashMap<ClientId, Instant>>>);

impl Beats {
    /// The service says that it works for a utility.
    pub(crate) fn heard(&self, client: ClientId) {
        self.heard_at(client, Instant::now());
    }

    /// Whether alarms of a utility are being made. False as well until the first beat after the hub's own start, at most a second.
    pub(crate) fn works(&self, client: ClientId) -> bool {
        self.works_at(client, Instant::now())
    }

    fn heard_at(&self, client: ClientId, now: Instant) {
        let mut heard = self.0.write().unwrap_or_else(PoisonError::into_inner);
        heard.retain(|_, at| now.duration_since(*at) < SILENCE);
        heard.insert(client, now);
    }

    fn works_at(&self, client: ClientId, now: Instant) -> bool {
        let heard = self.0.read().unwrap_or_else(PoisonError::into_inner);
        heard.get(&client).is_some_and(|at| now.duration_since(*at) < SILENCE)
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
        beats.heard_at(ClientId(1), at(0));
        beats.heard_at(ClientId(2), at(2));
        assert_eq!(works(2), [true, true]);
        assert_eq!(works(3), [false, true]);
        beats.heard_at(ClientId(1), at(4));
        assert_eq!(works(4), [true, true]);
        assert_eq!(works(5), [true, false]);
    }
}
