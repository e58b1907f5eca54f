//! Finds link states in the database that contradict those of this leader.
//!
//! A former leader stores its spool even after a later one has started (see `crate::writer::drain`). The later leader
//! may have read an older state at its start, and it reports only changes. So if it has reported no state in its own
//! term, the state of the former leader would remain.

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
    /// Compares the link states of the database with the known ones. A state that this leader has reported in its own
    /// `term` may not be stored yet.
    pub(super) fn find(session: &Session, node: Option<&LinkState>, devices: &[(&str, &LinkState)], term: Term) -> Self {
        let contradicts = |(device, link): &&(&str, &LinkState)| link.order.term < term && session.is_gone(device) == link.online;
        Self {
            is_node: node.is_some_and(|link| link.order.term < term && session.online().is_some_and(|online| online != link.online)),
            devices: devices.iter().filter(contradicts).map(|(device, _)| (*device).to_owned()).collect(),
        }
    }
}
