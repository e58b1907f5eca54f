//! Background tasks of the main loop: reading link states, and looking for events that were committed but not published.

use std::collections::HashMap;
use std::time::Duration;

use grid::{ClientId, GatewayId, Point, PointId, Reading};
use store::Store;
use store::registry::Links;
use store::writer::CommittedEvents;
use tokio_util::sync::CancellationToken;

use super::dependencies::Deps;
use crate::host::Host;
use crate::node_index::NodeIndex;

/// Pause between two attempts.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Maximum number of missed events in one read. Hubs detect the gap and read the rest themselves.
const MISSED: i64 = 10_000;

/// Results of background tasks. At most one of each kind runs, so the queue stays short.
pub enum Background {
    /// The result of a discovery.
    Discovered(NodeIndex, Result<(GatewayId, Vec<Point>), String>),
    /// The stored link states.
    Links(Links),
    /// The link states could not be read.
    NoLinks,
    /// Events that were committed and possibly not published.
    Missed(Vec<CommittedEvents>),
}

/// Loads the registry and latest readings into the host, repeating until it succeeds. Returns the last offset of each
/// event stream; `None` on shutdown.
pub(super) async fn load(deps: &Deps, host: &mut Host, shutdown: &CancellationToken) -> Option<HashMap<ClientId, i64>> {
    loop {
        match shutdown.run_until_cancelled(try_load(deps, host)).await? {
            Ok(tops) => return Some(tops),
            Err(error) => tracing::warn!(%error, "waiting for the database"),
        }
        if tokio::time::timeout(PAUSE, shutdown.cancelled()).await.is_ok() {
            return None;
        }
    }
}

async fn try_load(Deps { store, registry, .. }: &Deps, host: &mut Host) -> store::Result<HashMap<ClientId, i64>> {
    // What a former leader has just discovered is known.
    registry.refresh().await;
    let image = registry.image();
    let links = store.links(None).await?;
    let mut latest: HashMap<PointId, Reading> = HashMap::with_capacity(image.points_len());
    let mut tops = HashMap::new();
    for client in image.clients() {
        latest.extend(store.latest_of(client, None).await?);
        tops.insert(client, store.event_stream(client).await?.1);
    }
    tracing::info!(gateways = image.gateways().count(), points = image.points_len(), "the registry is taken over");
    host.load(image, &links, &latest);
    Ok(tops)
}

/// Returns the events of each utility after the last published event. Events that cannot be read here are read by the
/// hubs.
pub(super) async fn missed(store: &Store, published: HashMap<ClientId, i64>) -> Vec<CommittedEvents> {
    let mut all = Vec::new();
    for (client, from) in published {
        let found = async {
            let (epoch, top) = store.event_stream(client).await?;
            let rows = if top > from { store.events_after(client, None, from, MISSED).await? } else { Vec::new() };
            Ok::<_, store::Error>((epoch, rows))
        };
        match found.await {
            Ok((epoch, rows)) => {
                if let Some(offset) = rows.last().map(|row| row.offset) {
                    all.push(CommittedEvents { client, epoch, from, offset, rows });
                }
            }
            Err(error) => tracing::debug!(%error, %client, "missed events are not read"),
        }
    }
    all
}
