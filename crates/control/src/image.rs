//! Latest positions and link states from the bus, which are newer than those in the database.
//!
//! A decision may use values that are not durable yet, because ingest has already decoded them, and storing does not make them more correct. Of the readings
//! from the bus and from the database, the newer one is used. As in the process image of the hub, an older reading never replaces a newer one. So after the bus
//! has lost messages, the values are at most as old as those in the database, about one second. The gateway itself also compares the position (`FromPos`), and
//! refuses a command if it is not the present position.
//!
//! A point is linked only while its ingest, gateway and device are all online. If no ingest of the gateway's shard has sent a heartbeat for three seconds, none
//! of its devices can be operated.

use std::collections::HashMap;
use std::time::Instant;

use grid::lease::{confirmed_since, covers, is_live};
use grid::{ClientId, GatewayId, Lease, Leases, LinkState, PointId, Reading};
use store::control::{Site, StatusPoint};
use wire::bus::Change;
use wire::from_grid::{lease, reading};

/// The latest readings of all status points. Bounded by the number of points, gateways and devices.
#[derive(Debug, Default)]
pub(crate) struct Image {
    watched: HashMap<PointId, StatusPoint>,
    readings: HashMap<PointId, Reading>,
    gateways: HashMap<GatewayId, LinkState>,
    devices: HashMap<(GatewayId, String), LinkState>,
    /// The epochs for signed commands, for gateways that require signatures.
    epochs: HashMap<GatewayId, u64>,
    /// Leases of the ingests that are online.
    leases: Leases,
}

impl Image {
    /// Replaces the list of points whose values are kept.
    pub(crate) fn watch(&mut self, points: Vec<StatusPoint>) {
        self.watched = points.into_iter().map(|point| (point.id, point)).collect();
        let watched = &self.watched;
        self.readings.retain(|point, _| watched.contains_key(point));
    }

    /// Applies a value from the bus. Returns the point and its reading if the point is watched and the value is newer than the known one.
    pub(crate) fn take(&mut self, change: &Change) -> Option<(&StatusPoint, Reading)> {
        let point = self.watched.get(&PointId(change.point))?;
        let reading = reading(change)?;
        if self.readings.get(&point.id).is_some_and(|known| !reading.supersedes(known)) {
            return None;
        }
        self.readings.insert(point.id, reading);
        Some((point, reading))
    }

    /// Sets the link state of a gateway; `changed` unless it only confirms the previous one. A superseded state changes nothing.
    pub(crate) fn gateway(&mut self, gateway: GatewayId, link: LinkState, changed: bool) {
        if !link.supersedes(self.gateways.get(&gateway)) {
            return;
        }
        self.gateways.insert(gateway, link);
        if changed {
            // A new session of the gateway has a new epoch.
            self.epochs.remove(&gateway);
        }
    }

    pub(crate) fn epoch(&mut self, gateway: GatewayId, epoch: u64) {
        self.epochs.insert(gateway, epoch);
    }

    /// Returns the epoch for signing commands to a gateway; `None` if the gateway does not require signatures.
    pub(crate) fn epoch_of(&self, gateway: GatewayId) -> Option<u64> {
        self.epochs.get(&gateway).copied()
    }

    /// Sets the link state of a device. A superseded state changes nothing.
    pub(crate) fn device(&mut self, gateway: GatewayId, device: &str, link: LinkState) {
        let device = (gateway, device.to_owned());
        if link.supersedes(self.devices.get(&device)) {
            self.devices.insert(device, link);
        }
    }

    /// Applies the heartbeat of an ingest: its utilities, its shard, and the time since which it receives their messages.
    pub(crate) fn alive(&mut self, ingest: &str, clients: &[i64], share: Option<(u32, u32)>, since: (i64, i64)) {
        let now = Instant::now();
        self.leases.end_silent(now);
        if let Some(lease) = lease(clients, share, since) {
            self.leases.renew(ingest, lease, now);
        }
    }

    /// Returns the leases that are valid now.
    pub(crate) fn leases(&self) -> Vec<Lease> {
        self.leases.held(Instant::now())
    }

    /// Returns the newer reading of bus and database.
    pub(crate) fn newest(&self, point: PointId, durable: Option<Reading>) -> Option<Reading> {
        match (self.readings.get(&point).copied(), durable) {
            (Some(received), Some(durable)) => Some(if durable.supersedes(&received) { durable } else { received }),
            (received, durable) => received.or(durable),
        }
    }

    /// Returns the link states of the gateway and of the device of a point, each the newer one of bus and database; `None` if none was reported.
    pub(crate) fn links(&self, site: &Site) -> (Option<LinkState>, Option<LinkState>) {
        let newer = |received: Option<&LinkState>, stored: Option<LinkState>| {
            received.filter(|received| received.supersedes(stored.as_ref())).copied().or(stored)
        };
        let device = self.devices.get(&(site.gateway, site.device.clone()));
        (newer(self.gateways.get(&site.gateway), site.gateway_link), newer(device, site.device_link))
    }

    /// Returns whether the ingest, the gateway and the device of a point are all online, and brought this reading of it.
    pub(crate) fn is_linked(&self, client: ClientId, site: &Site, reading: Option<&Reading>) -> bool {
        let (gateway, device) = self.links(site);
        let since = confirmed_since(&self.leases(), client, &site.gateway_code);
        // A device whose state was never reported has the state of its gateway.
        is_live(gateway.as_ref(), since)
            && device.is_none_or(|device| device.online)
            && reading.is_none_or(|reading| covers(since, reading))
    }
}
