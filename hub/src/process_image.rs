//! A process image without database, bus and clients, for simulations of a hub.

use std::sync::Arc;
use std::time::Duration;

use grid::{GatewayId, Micros, PointId, Reading};
use store::Registry;
use store::registry::Links;
use tokio::time::Instant;
use wire::bus::BusMessage;

use crate::image::Image;
use crate::leases::ValidLeases;
use crate::losses::Losses;
use crate::news;

/// The process image of a hub with its leases and losses. Durations count from its start.
#[derive(Debug)]
pub struct ProcessImage {
    image: Image,
    leases: ValidLeases,
    losses: Losses,
    start: Instant,
}

impl Default for ProcessImage {
    fn default() -> Self {
        Self { image: Image::default(), leases: ValidLeases::default(), losses: Losses::default(), start: Instant::now() }
    }
}

impl ProcessImage {
    /// Applies a bus message at `now`, when the wall clock of the hub shows `time`.
    pub fn take(&mut self, message: &BusMessage, now: Duration, time: Micros) {
        news::apply(message, &mut self.image, &mut self.leases, self.start + now, time);
    }

    /// Records that bus messages were lost.
    pub fn note_loss(&mut self, now: Duration) {
        self.losses.note(self.start + now);
    }

    /// Ends expired leases. Returns whether the database must be read again.
    pub fn tick(&mut self, now: Duration) -> bool {
        news::expire(&mut self.image, &mut self.leases, &self.losses, self.start + now);
        self.losses.take_due(self.start + now)
    }

    /// Applies the result of a database read that started at `began`.
    pub fn load(&mut self, registry: Registry, latest: &[(PointId, Reading)], began: Duration, now: Duration, time: Micros) {
        let links = registry.links();
        self.image.describe(Arc::new(registry.into()));
        self.reconcile(links, latest, time);
        self.losses.note_read(self.start + began, self.start + now);
    }

    /// Applies readings and link states of the database, like the periodic comparison.
    pub fn reconcile(&mut self, links: Links, latest: &[(PointId, Reading)], time: Micros) {
        news::compare(latest.to_vec(), links, &mut self.image, time);
    }

    /// Returns the displayed reading of a point; `None` if there has never been one.
    pub fn shown(&self, point: PointId) -> Option<Reading> {
        self.image.shown(point)
    }

    /// Returns whether a gateway is shown as online; `None` if the registry does not have it.
    pub fn is_online(&self, gateway: GatewayId) -> Option<bool> {
        self.image.is_online(gateway)
    }
}
