//! Applies bus messages to the process image. Pure.

use grid::{GatewayId, Micros, Ordinal, PointId, Reading};
use store::registry::Links;
use tokio::time::Instant;
use wire::bus::BusMessage;
use wire::from_grid::{lease, link_state};

use crate::image::{Image, reading_of};
use crate::leases::ValidLeases;
use crate::losses::Losses;

/// The changes that a message caused.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Points with a new reading, each with the number of the reading in the order of the gateway.
    pub(crate) readings: Vec<(PointId, Ordinal)>,
    /// Points with a new quality.
    pub(crate) qualities: Vec<PointId>,
    /// Gateways whose state was reported.
    pub(crate) gateways: Vec<GatewayId>,
    /// The set of gateways with a valid lease changed.
    pub(crate) everything: bool,
}

/// Applies a message of ingest at `now`, when the wall clock shows `time`. Messages of other services change nothing.
pub(crate) fn apply(message: &BusMessage, image: &mut Image, leases: &mut ValidLeases, now: Instant, time: Micros) -> News {
    let mut news = News::default();
    match message {
        BusMessage::Changes { changes, .. } => {
            for change in changes {
                let point = PointId(change.point);
                image.note_message(point, Micros(change.received));
                // The reading of a point that the registry does not have yet is kept until a Registry message describes
                // the point.
                if let Some(reading) = reading_of(change).filter(|reading| image.take(point, *reading, time)) {
                    news.readings.push((point, reading.ordinal));
                }
            }
        }
        BusMessage::Gateway { gateway, online, since, order, .. } => {
            news.gateways.push(GatewayId(*gateway));
            news.qualities = image.set_link(GatewayId(*gateway), link_state(*online, *since, *order));
        }
        BusMessage::Device { gateway, device, online, since, order, .. } => {
            news.qualities = image.set_device(GatewayId(*gateway), device, link_state(*online, *since, *order));
        }
        BusMessage::Alive { ingest, clients, share, since } => {
            let is_new = lease(clients, *share, *since).is_some_and(|lease| leases.renew(ingest, lease, now));
            news.everything = is_new && image.set_leases(leases.held(now));
        }
        _ => {}
    }
    news
}

/// Applies readings of the database, and then link states. In this order, a gateway becomes live only after the values
/// from before its confirmation were applied.
///
/// This adds the messages that the bus has lost. It also adds those that were published before this hub subscribed and
/// stored after it had read the database.
pub(crate) fn compare(latest: Vec<(PointId, Reading)>, links: Links, image: &mut Image, time: Micros) -> News {
    let mut news = News::default();
    for (point, reading) in latest {
        if image.take(point, reading, time) {
            news.readings.push((point, reading.ordinal));
        }
    }
    for (gateway, link) in links.gateways {
        let changed = image.set_link(gateway, link);
        if !changed.is_empty() {
            news.gateways.push(gateway);
        }
        news.qualities.extend(changed);
    }
    for (gateway, device, link) in links.devices {
        news.qualities.extend(image.set_device(gateway, &device, link));
    }
    news
}

/// Ends expired leases, and applies whether losses are unread. Returns whether the set of confirmed gateways changed.
pub(crate) fn expire(image: &mut Image, leases: &mut ValidLeases, losses: &Losses, now: Instant) -> bool {
    leases.expire(losses, now) && image.set_leases(leases.held(now))
}
