//! States of links in the database that contradict this leader's own.
//!
//! A former leader stores what it has spooled also after a later one has begun (see `crate::writer::drain`). The later one may have read an older state at its
//! start, and reports changes only: without a state of its own term in the database, that of the former leader would stay.

use std::collections::BTreeSet;

use grid::Term;
use store::registry::{DeviceRecord, GatewayRecord};

use super::{Node, Numbers, Reported, ReportedDevice};
use crate::clock::Moment;
use crate::host::{NodeIndex, Out};
use crate::parcel::Parcel;

/// What is to be reported again.
#[derive(Debug, Default)]
pub(super) struct Contradictions {
    is_node: bool,
    devices: BTreeSet<String>,
}

impl Node {
    /// Compares what the database has with what is known here. A state of this leader's own `term` may still be on its way there.
    pub(in crate::host) fn compare<'a>(&mut self, gateway: &GatewayRecord, devices: impl Iterator<Item = &'a DeviceRecord>, term: Term) {
        let is_known = self.session.online().is_some_and(|online| online != gateway.online);
        self.contradictions.is_node = is_known && gateway.since.is_some() && gateway.order.term < term;
        let contradicts = |device: &&DeviceRecord| device.order.term < term && self.session.is_gone(&device.code) == device.online;
        self.contradictions.devices = devices.filter(contradicts).map(|device| device.code.clone()).collect();
    }

    /// Reports again what the database has otherwise.
    pub(in crate::host) fn replace_contradictions(&mut self, index: NodeIndex, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let Contradictions { is_node, devices } = std::mem::take(&mut self.contradictions);
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        // A node that is not confirmed yet is reported when it is, or when it stays silent.
        if let Some(online) = self.session.online().filter(|online| is_node && *online == self.session.is_confirmed()) {
            self.report(&mut parcel, Reported { online, changed: false, entered: true }, now, numbers, out);
        }
        for device in devices {
            let state = ReportedDevice { online: !self.session.is_gone(&device), changed: false };
            self.mark_device(&mut parcel, &device, state, now, numbers, out);
        }
        if !parcel.is_empty() {
            out.parcels.push(parcel);
        }
    }
}
