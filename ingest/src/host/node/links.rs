//! Reports of links: whether a node and its devices are online, and when the node was last heard.

use grid::{LinkOrder, Term};
use store::registry::{DeviceRecord, GatewayRecord};
use store::writer::{DeviceMark, GatewayMark};
use wire::bus::BusMessage;

use super::Node;
use super::contradictions::Contradictions;
use super::link_state::{Reported, ReportedDevice};
use crate::clock::Moment;
use crate::host::index::NodeIndex;
use crate::host::numbers::Numbers;
use crate::host::output::Out;
use crate::parcel::Parcel;
use crate::session::Gone;

impl Node {
    /// Enters that the node was heard.
    pub(super) fn note_heard(&mut self, parcel: &mut Parcel, now: Moment) {
        let Some(gateway) = self.gateway else { return };
        self.seen = Some(now.steady);
        parcel.rows.gateways.push(GatewayMark { gateway, online: None, at: now.wall, order: LinkOrder::default(), entered: false });
    }

    /// Reports a state of the node.
    fn report(&mut self, parcel: &mut Parcel, state: Reported, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let Some(gateway) = self.gateway else { return };
        let Reported { online, changed, entered } = state;
        self.seen = Some(now.steady);
        let order = numbers.link.advance();
        parcel.rows.gateways.push(GatewayMark { gateway, online: Some(online), at: now.wall, order, entered });
        let (since, order) = (now.wall.0, (order.term.0, order.count));
        out.live.push(BusMessage::Gateway { client: self.client.0, gateway: gateway.0, online, since, order, changed });
    }

    pub(super) fn report_gone(&mut self, parcel: &mut Parcel, gone: Gone, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        // One that was replaced had no outage that anybody could time; its history has one more connection.
        self.report(parcel, Reported { online: false, changed: true, entered: gone == Gone::Died }, now, numbers, out);
    }

    /// Reports the node online once everything that is shown of it has been told since messages flow; returns whether that is now.
    pub(super) fn confirm(&mut self, parcel: &mut Parcel, now: Moment, numbers: &mut Numbers, out: &mut Out) -> bool {
        // What waits for a discovery has not been taken yet.
        if self.gateway.is_none() || !self.parked.is_empty() {
            return false;
        }
        let Some(changed) = self.session.confirm(self.points.devices(), now.steady) else { return false };
        self.report(parcel, Reported { online: true, changed, entered: changed }, now, numbers, out);
        // A change of the link has others forget it.
        self.tell_command_epoch(out);
        true
    }

    /// Reports a state of a device.
    pub(super) fn mark_device(
        &mut self,
        parcel: &mut Parcel,
        device: &str,
        state: ReportedDevice,
        now: Moment,
        numbers: &mut Numbers,
        out: &mut Out,
    ) {
        let Some(gateway) = self.gateway else { return };
        let ReportedDevice { online, changed } = state;
        let order = numbers.link.advance();
        parcel.rows.devices.push(DeviceMark { gateway, device: device.to_owned(), online, at: now.wall, order });
        let (client, since, order) = (self.client.0, now.wall.0, (order.term.0, order.count));
        out.live.push(BusMessage::Device { client, gateway: gateway.0, device: device.to_owned(), online, since, order, changed });
    }

    /// Tells of devices that were not born with their node: what is shown of them is not live. A birth that still waits for its discovery counts.
    pub(in crate::host) fn call_roll(&mut self, index: NodeIndex, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        if !self.parked.is_empty() || !self.session.roll_call_due(now.steady) {
            return;
        }
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        for device in self.session.end_roll_call(self.points.devices()) {
            self.mark_device(&mut parcel, &device, ReportedDevice { online: false, changed: true }, now, numbers, out);
        }
        if !parcel.is_empty() {
            out.parcels.push(parcel);
        }
    }

    /// Reports the node online, without a message of it, where it has been waited for in vain: for a device, or for a birth.
    pub(in crate::host) fn confirm_overdue(&mut self, index: NodeIndex, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        if self.confirm(&mut parcel, now, numbers, out) {
            out.parcels.push(parcel);
        }
    }

    /// Reports that the node has gone, without a message of it.
    pub(in crate::host) fn announce_gone(&mut self, index: NodeIndex, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        self.report_gone(&mut parcel, Gone::Died, now, numbers, out);
        out.parcels.push(parcel);
    }

    /// Compares what the database has with what is known here.
    pub(in crate::host) fn compare<'a>(&mut self, gateway: &GatewayRecord, devices: impl Iterator<Item = &'a DeviceRecord>, term: Term) {
        self.contradictions = Contradictions::find(&self.session, gateway, devices, term);
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
