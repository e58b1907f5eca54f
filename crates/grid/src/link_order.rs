//! The order of the link states of gateways and devices. It is independent of all clocks.
//!
//! A wall clock can step back. If the order depended on the wall clock, a death could look older than the birth before it and would be ignored forever. So each
//! ingest numbers the link states that it reports. The order compares first the terms of the ingests, then these numbers.

use crate::{Micros, Term};

/// The position of a link state among all link states of its gateway or device.
///
/// Terms come from one sequence for all shards of a database. A gateway that moves to another shard is reported with a higher term, because the new
/// ingest obtained its leadership later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct LinkOrder {
    /// The term of the ingest that reports the state; 0 if a release without terms stored it.
    pub term: Term,
    /// Number of the link state within the term.
    pub count: i64,
}

impl LinkOrder {
    /// Advances to the next number in the same term and returns it.
    #[must_use]
    pub fn advance(&mut self) -> Self {
        self.count += 1;
        *self
    }
}

/// Whether a gateway or device is online.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkState {
    /// Whether it is online.
    pub online: bool,
    /// Start of the state, by the clock of ingest. For display only; it is not used for ordering.
    pub since: Micros,
    /// Its position among the states of the same gateway or device.
    pub order: LinkOrder,
}

impl LinkState {
    /// Returns whether this state replaces `known`. If the orders are equal, the state that arrives later replaces the other one: either both are from a
    /// release without terms, or they are identical.
    pub fn supersedes(&self, known: Option<&Self>) -> bool {
        known.is_none_or(|known| self.order >= known.order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn term_and_count_order_link_states_and_clocks_do_not() {
        let state = |term, count, since| LinkState { online: true, since: Micros(since), order: LinkOrder { term: Term(term), count } };
        let known = state(3, 7, 1_000);
        for (next, expected, why) in [
            (state(3, 8, 1), true, "reported later, although the clock was set back"),
            (state(3, 6, 9_000), false, "reported earlier, although the clock was ahead"),
            (state(4, 0, 1), true, "a later leader"),
            (state(2, 99, 9_000), false, "a former leader"),
            (state(3, 7, 1_000), true, "the same again"),
            (state(0, 0, 9_000), false, "from a release without terms"),
        ] {
            assert_eq!(next.supersedes(Some(&known)), expected, "{why}");
        }
        assert!(state(0, 0, 1).supersedes(None) && state(0, 0, 1).supersedes(Some(&state(0, 0, 2))), "rows of an upgrade accept any state");
        let at = |count| LinkOrder { term: Term(3), count };
        let mut order = at(7);
        assert_eq!((order.advance(), order.advance()), (at(8), at(9)));
    }
}
