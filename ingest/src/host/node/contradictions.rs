//! States of links in the database that contradict this leader's own.
//!
//! A former leader stores what it has spooled also after a later one has begun (see `crate::writer::drain`). The later one may have read an older state at its
//! start, and reports changes only: without a state of its own term in the database, that of the former leader would stay.

use std::collections::BTreeSet;

use grid::Term;
use store::registry::{DeviceRecord, GatewayRecord};

use crate::session::Session;

/// What is to be reported again.
#[derive(Debug, Default)]
pub(super) struct Contradictions {
    pub(super) is_node: bool,
    pub(super) devices: BTreeSet<String>,
}

impl Contradictions {
    /// Compares what the database has with what is known of the node here. A state of this leader's own `term` may still be on its way there.
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
