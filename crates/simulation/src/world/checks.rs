//! Compares the world with the truth, after steps and at the end.

use grid::{PointId, Quality, Reading};
use wire::bus::BusMessage;

use super::{CONFIRMATION_GRACE, World};
use crate::field::{METRICS, gateway_id, point_id};
use crate::tally::Tally;

/// Returns whether a reading is shown as the current one. Readings of a gateway whose clock is ahead are questionable.
fn is_live(reading: Reading) -> bool {
    matches!(reading.quality, Quality::Good | Quality::Questionable)
}

/// Time within which a value that the bus lost is shown, µs: a commit, and the next comparison with the database.
const HEALING: i64 = 15_000_000;

impl World {
    pub(super) fn points(&self) -> impl Iterator<Item = (usize, PointId)> + use<> {
        (0..self.gateways.len()).flat_map(|gateway| (0..METRICS.len()).map(move |metric| (gateway, point_id(gateway, metric))))
    }

    /// Checks that values that the hub shows as live never go back. Before a gateway is confirmed, repeated messages may set them back. A value that
    /// the bus lost is found by the comparison with the database after its commit.
    pub(super) fn check_shown(&mut self) {
        if self.now < self.hub.lost_at + HEALING {
            return;
        }
        for (_, point) in self.points() {
            let Some(shown) = self.hub.image.shown(point).filter(|shown| is_live(*shown)) else { continue };
            let before = self.hub.shown.insert(point, shown);
            self.truth.replace("the hub", point, before.as_ref(), &shown);
        }
    }

    /// Checks that no value is shown as live if its gateway sent nothing since the leader last connected.
    /// Messages that the broker has kept since before do not count.
    pub(super) fn check_freshness(&mut self) {
        if self.now < self.connected_at + CONFIRMATION_GRACE {
            return;
        }
        for (gateway, point) in self.points() {
            if self.hub.image.shown(point).is_some_and(is_live) && self.received[gateway] < self.connected_at {
                let (received, connected) = (self.received[gateway] / 1_000, self.connected_at / 1_000);
                self.truth.fail(format!(
                    "point {point} is shown as live; its gateway was last heard at {received} ms, and the leader has connected at {connected} ms"
                ));
            }
        }
    }

    /// Checks that ingest reports no gateway as online while it has received nothing of it on this connection but what the broker had kept. The hub would
    /// show the values from before the interruption as live.
    pub(super) fn check_confirmed(&mut self, machine: usize, message: &BusMessage) {
        let BusMessage::Gateway { gateway, online: true, .. } = message else { return };
        let number = (0..self.gateways.len()).find(|number| gateway_id(*number).0 == *gateway);
        if let Some(number) = number.filter(|number| !self.received_from[machine].contains(number)) {
            self.truth.fail(format!("gateway {number} is reported online; nothing of it has come since machine {machine} connected"));
        }
    }

    /// Checks after a quiet time that database and hub agree with the truth.
    pub(crate) fn check_end(&mut self) {
        self.truth.check_promises();
        for gateway in 0..self.gateways.len() {
            let is_running = self.gateways[gateway].0.is_running;
            let stored = self.database.gateways[gateway].is_some_and(|link| link.online);
            let shown = self.hub.image.is_online(gateway_id(gateway)) == Some(true);
            let waiting = self.gateways[gateway].0.waiting();
            if stored != is_running || shown != is_running {
                self.truth.fail(format!(
                    "gateway {gateway} is online: {is_running}; the database has {stored}, the hub shows {shown} after a quiet time"
                ));
            }
            if is_running && waiting > 0 {
                self.truth.fail(format!("gateway {gateway} has {waiting} messages without acknowledgement after a quiet time"));
            }
        }
        for (gateway, point) in self.points() {
            let stored = self.database.latest.get(&point);
            let shown = self.hub.image.shown(point);
            // The hub also shows values that were published and lost before their commit. They may be newer.
            if stored.is_some_and(|stored| shown.is_none_or(|shown| stored.value > shown.value)) {
                self.truth.fail(format!("point {point}: the database has {stored:?}, the hub shows {shown:?} after a quiet time"));
            }
            if self.gateways[gateway].0.is_running && !shown.is_some_and(is_live) {
                self.truth.fail(format!("point {point} of a gateway that reports is shown as {shown:?} after a quiet time"));
            }
        }
        for (machine, file) in
            self.machines.iter().enumerate().flat_map(|(number, machine)| machine.files.iter().map(move |file| (number, file)))
        {
            if !file.borrow().records.is_empty() {
                self.truth.fail(format!("a spool of machine {machine} is not stored after a quiet time"));
            }
        }
    }

    /// Returns the counts of the run.
    pub(crate) fn tally(&self) -> Tally {
        Tally {
            leader_changes: self.database.terms,
            commits: self.database.commits,
            refused_commits: self.database.refusals,
            redeliveries: self.broker.redeliveries,
            values: self.truth.stored_count() as u64,
            ..self.tally
        }
    }
}
