//! Finds link states in the database that contradict those of this leader.
//!
//! A former leader stores its spool even after a later one has started (see `crate::writer::drain`). The later one may
//! have read an older state at its start, and reports only changes. Without a state of its own term in the database,
//! the former leader's state would remain.

use std::collections::BTreeSet;

use grid::{LinkState, Term};

use crate::session::Session;

/// The link states to report again.
#[derive(Debug, Default)]
pub(super) struct Contradictions {
    pub(super) is_node: bool,
    pub(super) devices: BTreeSet<String>,
}

impl Contradictions {
    /// Compares the link states of the database with the known ones. A state of this leader's own `term` may not have
    /// been stored yet.
    pub(super) fn find(session: &Session, node: Option<&LinkState>, devices: &[(&str, &LinkState)], term: Term) -> Self {
        let contradicts = |(device, link): &&(&str, &LinkState)| link.order.term < term && session.is_gone(device) == link.online;
        Self {
            is_node: node.is_some_and(|link| link.order.term < term && session.online().is_some_and(|online| online != link.online)),
            devices: devices.iter().filter(contradicts).map(|(device, _)| (*device).to_owned()).collect(),
        }
    }
}
