//! What the bus says of positions and links before the database has it.
//!
//! Why a decision may be made by it: what is on the bus is what the gateway said, decoded by ingest; that it is not durable yet makes it no less true of the
//! device. The newest of bus and database counts, by the rule that every picture of the house follows (a reading never gives way to an older one), so a bus
//! that lost something is at the worst as old as the database, about a second. The gateway then compares once more by itself (`FromPos`) and refuses what
//! does not fit. Nothing shows as linked unless ingest, the gateway and its device have all been heard: without a word from an ingest that takes the gateway
//! for three seconds nothing is operated.

use std::collections::HashMap;
use std::time::Instant;

use grid::lease::{confirmed_since, is_live};
use grid::{ClientId, GatewayId, Lease, Leases, LinkState, PointId, Reading};
use store::control::{Site, StatusPoint};
use wire::bus::Change;
use wire::from_grid::{lease, reading};

/// The newest of all status points. Bounded by the points, gateways and devices that there are.
#[derive(Debug, Default)]
pub(crate) struct Image {
    watched: HashMap<PointId, StatusPoint>,
    readings: HashMap<PointId, Reading>,
    gateways: HashMap<GatewayId, LinkState>,
    devices: HashMap<(GatewayId, String), LinkState>,
    /// What belongs into signed orders, of gateways that want them signed.
    epochs: HashMap<GatewayId, u64>,
    /// What the ingests that are heard vouch for.
    leases: Leases,
}

impl Image {
    /// Looks at these points from now on.
    pub(crate) fn watch(&mut self, points: Vec<StatusPoint>) {
        self.watched = points.into_iter().map(|point| (point.id, point)).collect();
        let watched = &self.watched;
        self.readings.retain(|point, _| watched.contains_key(point));
    }

    /// Takes a value from the bus; the watched point whose it is, with the reading, if that is newer than what was known.
    pub(crate) fn take(&mut self, change: &Change) -> Option<(&StatusPoint, Reading)> {
        let point = self.watched.get(&PointId(change.point))?;
        let reading = reading(change)?;
        if self.readings.get(&point.id).is_some_and(|known| !reading.supersedes(known)) {
            return None;
        }
        self.readings.insert(point.id, reading);
        Some((point, reading))
    }

    /// Sets the link state of a gateway; `changed` unless it only confirms the one before. A state that is superseded changes nothing.
    pub(crate) fn gateway(&mut self, gateway: GatewayId, link: LinkState, changed: bool) {
        if !link.supersedes(self.gateways.get(&gateway)) {
            return;
        }
        self.gateways.insert(gateway, link);
        if changed {
            // Another life has another one.
            self.epochs.remove(&gateway);
        }
    }

    pub(crate) fn epoch(&mut self, gateway: GatewayId, epoch: u64) {
        self.epochs.insert(gateway, epoch);
    }

    /// What belongs into what is signed for a gateway, if it wants that.
    pub(crate) fn epoch_of(&self, gateway: GatewayId) -> Option<u64> {
        self.epochs.get(&gateway).copied()
    }

    /// Sets the link state of a device. A state that is superseded changes nothing.
    pub(crate) fn device(&mut self, gateway: GatewayId, device: &str, link: LinkState) {
        let device = (gateway, device.to_owned());
        if link.supersedes(self.devices.get(&device)) {
            self.devices.insert(device, link);
        }
    }

    /// Takes the word of an ingest: what it takes, and since when it hears of it.
    pub(crate) fn alive(&mut self, ingest: &str, clients: &[i64], share: Option<(u32, u32)>, since: (i64, i64)) {
        let now = Instant::now();
        self.leases.end_silent(now);
        if let Some(lease) = lease(clients, share, since) {
            self.leases.renew(ingest, lease, now);
        }
    }

    /// What the ingests that are heard vouch for.
    pub(crate) fn leases(&self) -> Vec<Lease> {
        self.leases.held(Instant::now())
    }

    /// The newest of what the bus and what the database has.
    pub(crate) fn newest(&self, point: PointId, durable: Option<Reading>) -> Option<Reading> {
        match (self.readings.get(&point).copied(), durable) {
            (Some(heard), Some(durable)) => Some(if durable.supersedes(&heard) { durable } else { heard }),
            (heard, durable) => heard.or(durable),
        }
    }

    /// Returns the link states of the gateway and the device of a point, the newer of bus and database each; `None` where nothing was reported.
    pub(crate) fn links(&self, site: &Site) -> (Option<LinkState>, Option<LinkState>) {
        let newer = |heard: Option<&LinkState>, stored: Option<LinkState>| {
            heard.filter(|heard| heard.supersedes(stored.as_ref())).copied().or(stored)
        };
        let device = self.devices.get(&(site.gateway, site.device.clone()));
        (newer(self.gateways.get(&site.gateway), site.gateway_link), newer(device, site.device_link))
    }

    /// Whether ingest, the gateway and the device are all heard.
    pub(crate) fn is_linked(&self, client: ClientId, site: &Site) -> bool {
        let (gateway, device) = self.links(site);
        // A device that was never reported is as its gateway.
        is_live(gateway.as_ref(), confirmed_since(&self.leases(), client, &site.gateway_code)) && device.is_none_or(|device| device.online)
    }
}
