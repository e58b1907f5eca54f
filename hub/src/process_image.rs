//! A process image by itself, without database, bus and clients: what a hub shows, for simulations.

use std::sync::Arc;
use std::time::Duration;

use grid::{GatewayId, Micros, PointId, Reading};
use store::Registry;
use store::registry::Links;
use tokio::time::Instant;
use wire::bus::BusMessage;

use crate::image::Image;
use crate::losses::Losses;
use crate::news;
use crate::vouched::Vouched;

/// The process image of a hub, and what keeps it true. Times count from its start.
#[derive(Debug)]
pub struct ProcessImage {
    image: Image,
    vouched: Vouched,
    losses: Losses,
    start: Instant,
}

impl Default for ProcessImage {
    fn default() -> Self {
        Self { image: Image::default(), vouched: Vouched::default(), losses: Losses::default(), start: Instant::now() }
    }
}

impl ProcessImage {
    /// Takes a message of the bus at `now`, at which the hub's clock says `time`.
    pub fn take(&mut self, message: &BusMessage, now: Duration, time: Micros) {
        news::apply(message, &mut self.image, &mut self.vouched, self.start + now, time);
    }

    /// Notes that messages of the bus were lost.
    pub fn note_loss(&mut self, now: Duration) {
        self.losses.note(self.start + now);
    }

    /// Notes the time; returns whether the database is to be read again.
    pub fn tick(&mut self, now: Duration) -> bool {
        news::expire(&mut self.image, &mut self.vouched, &self.losses, self.start + now);
        self.losses.take_due(self.start + now)
    }

    /// Takes what was read from the database, by a read that `began` then.
    pub fn load(&mut self, registry: Registry, latest: &[(PointId, Reading)], began: Duration, now: Duration, time: Micros) {
        let links = registry.links();
        self.image.describe(Arc::new(registry.into()));
        self.reconcile(links, latest, time);
        self.losses.note_read(self.start + began, self.start + now);
    }

    /// Takes readings and link states of the database, as the periodic comparison does.
    pub fn reconcile(&mut self, links: Links, latest: &[(PointId, Reading)], time: Micros) {
        news::compare(latest.to_vec(), links, &mut self.image, time);
    }

    /// Returns a point's reading as it is shown; `None` if there has never been one.
    pub fn shown(&self, point: PointId) -> Option<Reading> {
        self.image.shown(point)
    }

    /// Returns whether a gateway is shown as online; `None` for one that is not described.
    pub fn is_online(&self, gateway: GatewayId) -> Option<bool> {
        self.image.is_online(gateway)
    }
}
