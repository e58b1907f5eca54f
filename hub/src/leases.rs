//! The valid leases of ingests. They are used only while the hub has no unread losses. Pure.

use grid::lease::LEASE;
use grid::{Lease, Leases};
use tokio::time::Instant;

use crate::losses::Losses;

/// The valid leases.
#[derive(Debug, Default)]
pub(crate) struct ValidLeases {
    leases: Leases,
    /// Whether messages that were lost on the bus were not read from the database in time. Then a gateway may be
    /// offline, or a switch may have moved, and the hub does not have the change.
    is_behind: bool,
}

impl ValidLeases {
    /// Renews the lease of an ingest. Returns whether the set of its gateways changed.
    pub(crate) fn renew(&mut self, ingest: &str, lease: Lease, now: Instant) -> bool {
        self.leases.renew(ingest, lease, now.into_std())
    }

    /// Ends expired leases, and applies whether losses are unread. Returns whether the valid leases changed.
    pub(crate) fn expire(&mut self, losses: &Losses, now: Instant) -> bool {
        let silent = self.leases.end_silent(now.into_std());
        for ingest in &silent {
            tracing::warn!(ingest, "no lease for {LEASE:?}: the gateways of this ingest are shown as communication lost");
        }
        let is_behind = losses.is_overdue(now);
        if is_behind && !self.is_behind {
            tracing::warn!(
                "messages of the bus were lost and have not been read from the database for {LEASE:?}: nothing is shown as live"
            );
        }
        let was_behind = std::mem::replace(&mut self.is_behind, is_behind);
        !silent.is_empty() || is_behind != was_behind
    }

    /// Returns the valid leases; none while the hub is behind.
    pub(crate) fn held(&self, now: Instant) -> Vec<Lease> {
        if self.is_behind { Vec::new() } else { self.leases.held(now.into_std()) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use grid::{LinkOrder, Shard};

    use super::*;

    #[test]
    fn nothing_is_vouched_for_while_a_loss_is_unread() {
        let (mut leases, mut losses, start) = (ValidLeases::default(), Losses::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let alive = |leases: &mut ValidLeases, now| leases.renew("a", Lease { shard: Shard::default(), since: LinkOrder::default() }, now);
        assert!(alive(&mut leases, at(0)));
        losses.note(at(0));
        assert!(losses.take_due(at(0)));
        alive(&mut leases, at(3));
        assert!(!leases.expire(&losses, at(3)) && leases.held(at(3)).len() == 1);
        alive(&mut leases, at(4));
        assert!(leases.expire(&losses, at(4)) && leases.held(at(4)).is_empty(), "the database does not answer");
        losses.note_read(at(4), at(5));
        assert!(leases.expire(&losses, at(5)) && leases.held(at(5)).len() == 1);
        assert!(leases.expire(&losses, at(8)) && leases.held(at(8)).is_empty(), "the ingest is silent");
    }
}
