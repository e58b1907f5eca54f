//! Reports whether a node and its devices are online, and when the last message was received.

use grid::{LinkOrder, LinkState, Term};
use store::writer::{DeviceMark, GatewayMark};
use wire::bus::BusMessage;

use super::Node;
use super::contradictions::Contradictions;
use super::link_state::{Reported, ReportedDevice};
use crate::clock::Moment;
use crate::host::numbers::Numbers;
use crate::host::output::Out;
use crate::node_index::NodeIndex;
use crate::parcel::Parcel;
use crate::session::OfflineReason;

impl Node {
    /// Records that a message of the node was received.
    pub(super) fn note_message(&mut self, parcel: &mut Parcel, now: Moment) {
        let Some(gateway) = self.gateway else { return };
        self.seen = Some(now.steady);
        parcel.rows.gateways.push(GatewayMark { gateway, online: None, at: now.wall, order: LinkOrder::default(), entered: false });
    }

    /// Reports a link state of the node.
    fn report(&mut self, parcel: &mut Parcel, state: Reported, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let Some(gateway) = self.gateway else { return };
        let Reported { online, changed, entered } = state;
        self.seen = Some(now.steady);
        let order = numbers.link.advance();
        parcel.rows.gateways.push(GatewayMark { gateway, online: Some(online), at: now.wall, order, entered });
        let (since, order) = (now.wall.0, (order.term.0, order.count));
        out.live.push(BusMessage::Gateway { client: self.client.0, gateway: gateway.0, online, since, order, changed });
    }

    pub(super) fn report_offline(&mut self, parcel: &mut Parcel, gone: OfflineReason, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        // A replaced connection has no outage with a known start; its history gets one more connection.
        self.report(parcel, Reported { online: false, changed: true, entered: gone == OfflineReason::Died }, now, numbers, out);
    }

    /// Reports the node online once all displayed values have been confirmed since the connection was made. Returns
    /// whether this call has reported it.
    pub(super) fn confirm(&mut self, parcel: &mut Parcel, now: Moment, numbers: &mut Numbers, out: &mut Out) -> bool {
        // Messages that wait for a discovery have not been processed yet.
        if self.gateway.is_none() || !self.parked.is_empty() {
            return false;
        }
        let Some(changed) = self.session.confirm(self.points.devices(), now.steady) else { return false };
        self.report(parcel, Reported { online: true, changed, entered: changed }, now, numbers, out);
        // Subscribers drop the epoch on a change of the link.
        self.publish_command_epoch(out);
        true
    }

    /// Reports a link state of a device.
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

    /// Reports devices offline that were not born with their node. A birth that still waits for a discovery is taken
    /// into account.
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

    /// Reports the node online without a message, because the time to wait for a missing device or birth is over.
    pub(in crate::host) fn confirm_overdue(&mut self, index: NodeIndex, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        if self.confirm(&mut parcel, now, numbers, out) {
            out.parcels.push(parcel);
        }
    }

    /// Reports the node offline without a message.
    pub(in crate::host) fn announce_gone(&mut self, index: NodeIndex, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        self.report_offline(&mut parcel, OfflineReason::Died, now, numbers, out);
        out.parcels.push(parcel);
    }

    /// Compares the stored link states of the node and its devices with the known ones.
    pub(in crate::host) fn compare(&mut self, node: Option<&LinkState>, devices: &[(&str, &LinkState)], term: Term) {
        self.contradictions = Contradictions::find(&self.session, node, devices, term);
    }

    /// Reports the contradicting link states again.
    pub(in crate::host) fn replace_contradictions(&mut self, index: NodeIndex, now: Moment, numbers: &mut Numbers, out: &mut Out) {
        let Contradictions { is_node, devices } = std::mem::take(&mut self.contradictions);
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        // A node that is not confirmed is reported when it is confirmed or its silence limit ends.
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
