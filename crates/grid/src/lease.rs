//! Leases confirm the link states of gateways. Each heartbeat of an ingest renews its lease for three seconds (docs/ARCHITECTURE.md,
//! Freshness).
//!
//! A stored link state alone proves nothing: its ingest may have failed, or may have lost the broker since. So each ingest publishes every second which
//! gateways it takes, and since which link state it has received messages without interruption. A gateway is live if its newest state is online, comes from the
//! same leader, and is not older than this link state.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::{ClientId, LinkOrder, LinkState, Reading, Shard};

/// Duration of a lease without a new heartbeat.
pub const LEASE: Duration = Duration::from_secs(3);

/// The statement of one ingest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The gateways that it takes.
    pub shard: Shard,
    /// The link state since which it has received messages without interruption. Earlier states are unconfirmed.
    pub since: LinkOrder,
}

/// Returns the link order from which states of a gateway are confirmed; `None` if no lease covers it. If two ingests report the same gateway, as during a
/// takeover, the later ingest is used.
pub fn confirmed_since<'a>(leases: impl IntoIterator<Item = &'a Lease>, client: ClientId, gateway: &str) -> Option<LinkOrder> {
    leases.into_iter().filter(|lease| lease.shard.covers(client, gateway)).map(|lease| lease.since).max()
}

/// Returns whether a gateway with this state is live, given the link order from which its states are confirmed.
///
/// An ingest confirms its own states only. A state of another term comes from another leader: an earlier one, or a later one that has ended before
/// this ingest noticed the change. An ingest of a release that reports no link order confirms every state.
pub fn is_live(state: Option<&LinkState>, confirmed_since: Option<LinkOrder>) -> bool {
    let is_confirmed =
        |state: &LinkState, since: LinkOrder| since == LinkOrder::default() || (state.order.term == since.term && state.order >= since);
    state.is_some_and(|state| state.online && confirmed_since.is_some_and(|since| is_confirmed(state, since)))
}

/// Returns whether the link order from which states of a gateway are confirmed also covers a reading of it.
///
/// A reading of a later term comes from a leader that has confirmed nothing yet. It may be a message that the broker sends again, and older than what
/// was shown before.
pub fn covers(confirmed_since: Option<LinkOrder>, reading: &Reading) -> bool {
    confirmed_since.is_some_and(|since| since == LinkOrder::default() || reading.ordinal.term().is_none_or(|term| term <= since.term))
}

/// The valid leases. Their number is bounded by the number of ingests, because expired leases are removed.
#[derive(Debug, Default)]
pub struct Leases {
    of: HashMap<String, (Lease, Instant)>,
}

impl Leases {
    /// Applies a heartbeat of an ingest, received at `now`. Returns whether its content changed.
    pub fn renew(&mut self, ingest: &str, lease: Lease, now: Instant) -> bool {
        match self.of.get_mut(ingest) {
            // A delayed heartbeat of an earlier connection.
            Some((held, _)) if held.shard == lease.shard && lease.since < held.since => false,
            Some((held, renewed)) => {
                *renewed = now;
                std::mem::replace(held, lease.clone()) != lease
            }
            None => {
                self.of.insert(ingest.to_owned(), (lease, now));
                true
            }
        }
    }

    /// Removes the leases without a heartbeat for [`LEASE`] and returns the names of their ingests.
    pub fn end_silent(&mut self, now: Instant) -> Vec<String> {
        self.of.extract_if(|_, (_, renewed)| now.saturating_duration_since(*renewed) > LEASE).map(|(ingest, _)| ingest).collect()
    }

    /// Returns the leases that are valid at `now`, sorted by the names of their ingests.
    pub fn held(&self, now: Instant) -> Vec<Lease> {
        let mut held: Vec<_> = self.of.iter().filter(|(_, (_, renewed))| now.saturating_duration_since(*renewed) <= LEASE).collect();
        held.sort_by_key(|(ingest, _)| *ingest);
        held.into_iter().map(|(_, (lease, _))| lease.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Micros, Ordinal, Share, Term};

    fn place(term: i64, count: i64) -> LinkOrder {
        LinkOrder { term: Term(term), count }
    }

    fn of_all(since: LinkOrder) -> Lease {
        Lease { shard: Shard::default(), since }
    }

    #[test]
    fn gateway_is_live_once_it_is_confirmed_since_the_last_interruption() {
        let client = ClientId(1);
        let state = |online, order| Some(LinkState { online, since: Micros(9), order });
        let others = Lease { shard: Shard { clients: vec![ClientId(2)], share: None }, since: place(1, 1) };
        for (state, leases, expected, why) in [
            (state(true, place(3, 7)), vec![of_all(place(3, 5))], true, "confirmed on this connection"),
            (state(true, place(3, 5)), vec![of_all(place(3, 5))], true, "by the first state of it"),
            (state(true, place(3, 4)), vec![of_all(place(3, 5))], false, "on an earlier connection"),
            (state(true, place(2, 9)), vec![of_all(place(3, 1))], false, "by the leader before"),
            (state(true, place(4, 1)), vec![of_all(place(3, 5))], false, "by a later leader that has ended"),
            (state(true, place(4, 1)), vec![of_all(LinkOrder::default())], true, "an ingest of a release without places"),
            (state(false, place(3, 7)), vec![of_all(place(3, 5))], false, "it has gone"),
            (None, vec![of_all(place(3, 5))], false, "never heard"),
            (state(true, place(3, 7)), vec![], false, "no ingest sends its heartbeat"),
            (state(true, place(3, 7)), vec![others], false, "of another utility's ingest"),
            (state(true, place(3, 7)), vec![of_all(place(3, 5)), of_all(place(4, 1))], false, "a new leader has begun"),
        ] {
            assert_eq!(is_live(state.as_ref(), confirmed_since(&leases, client, "R")), expected, "{why}");
        }
    }

    #[test]
    fn reading_of_a_later_leader_is_not_covered() {
        let of = |ordinal| Reading { value: None, quality: crate::Quality::Good, source: Micros(1), received: Micros(1), ordinal };
        for (since, ordinal, expected, why) in [
            (Some(place(3, 5)), Ordinal::of_term(Term(3), 1), true, "of the leader that confirms"),
            (Some(place(3, 5)), Ordinal::of_term(Term(2), 9), true, "of the leader before"),
            (Some(place(3, 5)), Ordinal::of_term(Term(4), 1), false, "of the next leader"),
            (Some(place(3, 5)), Ordinal { epoch: 1_700_000_000, seq: 1 }, true, "of a release without terms"),
            (Some(LinkOrder::default()), Ordinal::of_term(Term(4), 1), true, "an ingest of a release without link orders"),
            (None, Ordinal::of_term(Term(3), 1), false, "no ingest sends its heartbeat"),
        ] {
            assert_eq!(covers(since, &of(ordinal)), expected, "{why}");
        }
    }

    #[test]
    fn lease_ends_three_seconds_after_the_last_word() {
        let begin = Instant::now();
        let at = |millis| begin + Duration::from_millis(millis);
        let mut leases = Leases::default();
        assert!(leases.renew("a", of_all(place(1, 1)), at(0)));
        assert!(!leases.renew("a", of_all(place(1, 1)), at(1_000)), "the same again");
        assert_eq!(leases.held(at(4_000)).len(), 1);
        assert_eq!(leases.held(at(4_001)), []);
        assert!(leases.end_silent(at(4_000)).is_empty());
        assert_eq!(leases.end_silent(at(4_001)), ["a"]);
        assert!(leases.renew("a", of_all(place(1, 1)), at(5_000)), "heard again");
        assert!(leases.renew("a", of_all(place(1, 9)), at(5_100)), "after a new connection");
        assert!(!leases.renew("a", of_all(place(1, 1)), at(5_200)), "an old word, overtaken on the way");
        assert_eq!(leases.held(at(5_300)), [of_all(place(1, 9))]);
        let part = Lease { shard: Shard { clients: Vec::new(), share: Share::new(1, 2) }, since: place(1, 9) };
        assert!(leases.renew("a", part, at(5_400)), "another share");
    }
}
