//! What a message of the bus changes in the process image. Pure.

use grid::{GatewayId, Micros, Ordinal, PointId, Reading};
use store::registry::Links;
use tokio::time::Instant;
use wire::bus::BusMessage;
use wire::from_grid::{lease, link_state};

use crate::image::{Image, reading_of};
use crate::losses::Losses;
use crate::vouched::Vouched;

/// What has changed.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Points that have another reading, with its place in the gateway's order.
    pub(crate) readings: Vec<(PointId, Ordinal)>,
    /// Points that have another quality.
    pub(crate) qualities: Vec<PointId>,
    /// Gateways whose states were reported.
    pub(crate) gateways: Vec<GatewayId>,
    /// Other gateways are vouched for.
    pub(crate) everything: bool,
}

/// Takes a message of ingest at `now`, at which the clock says `time`. Messages of other services change nothing here.
pub(crate) fn apply(message: &BusMessage, image: &mut Image, vouched: &mut Vouched, now: Instant, time: Micros) -> News {
    let mut news = News::default();
    match message {
        BusMessage::Changes { changes, .. } => {
            for change in changes {
                let point = PointId(change.point);
                image.heard(point, Micros(change.received));
                // A point that was discovered since the registry was read keeps its reading until a Registry message has it described.
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
            let is_new = lease(clients, *share, *since).is_some_and(|lease| vouched.renew(ingest, lease, now));
            news.everything = is_new && image.set_leases(vouched.held(now));
        }
        _ => {}
    }
    news
}

/// Takes what the database has, after the readings the links: a gateway is live only with the values that came before its confirmation. Heals what the bus lost, and
/// what was on the bus before this hub listened and in the database after it had read.
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

/// Notes the time, and what was lost; returns whether other gateways are vouched for.
pub(crate) fn expire(image: &mut Image, vouched: &mut Vouched, losses: &Losses, now: Instant) -> bool {
    vouched.expire(losses, now) && image.set_leases(vouched.held(now))
}
