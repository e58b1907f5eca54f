//! Finds link states in the database that contradict those of this leader.
//!
//! A former leader stores its spool even after a later one has started (see `crate::writer::drain`). The later one may
//! have read an older state at its start, and reports only changes. Without a state of its own term in the database,
//! the former leader's state would remain.

use std::collections::BTreeSet;

use grid::Term;
use store::registry::{DeviceRecord, GatewayRecord};

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
    pub(super) fn find<'a>(
        session: &Session,
        gateway: &GatewayRecord,
        devices: impl Iterator<Item = &'a DeviceRecord>,
        term: Term,
    ) -> Self {
        let is_known = session.online().is_some_and(|online| online != gateway.online);
        let contradicts = |device: &&DeviceRecord| device.order.term < term && session.is_gone(&device.code) == device.online;
        Self {
            is_node: is_known && gateway.since.is_some() && gateway.order.term < term,
            devices: devices.filter(contradicts).map(|device| device.code.clone()).collect(),
        }
    }
}
