//! Seeds the network of a utility: version 1, active from before the demo's history.

use anyhow::{Context, ensure};
use grid::{ClientId, Micros};
use network::changes::ChangeSet;
use simulators::utility::Client;
use store::Store;
use store::audit::Origin;
use store::network::VersionNumber;

use crate::settings::history::DEMO_DAYS_MAX;

const DAY_MS: i64 = 86_400_000;
/// The note of the version, by which an interrupted seed is recognised.
const NOTE: &str = "Network of the demo";

/// Stores the network as version 1 and activates it from before the longest history that can be generated. Does nothing if the utility has a network
/// already. A database of a former release gets its network in this way too. Returns whether it was activated.
pub(super) async fn write(store: &Store, client: ClientId, from: &Client) -> anyhow::Result<bool> {
    let origin = Origin { client: Some(client), from: "console".to_owned(), ..Origin::default() };
    let now = wire::time::now();
    let version = match store.network_versions(client, None, 1).await?.pop() {
        None => {
            let plan = store.plan_network(client, Some(0), ChangeSet::Whole(simulators::utility::network(from))).await?;
            ensure!(plan.findings().permit_activation(), "the network of {} has errors", from.name);
            store.apply_network(client, &plan, NOTE, now, &origin).await?.context("the network is empty")?
        }
        // An earlier seed was interrupted before it activated the version.
        Some(newest) if newest.number == VersionNumber(1) && newest.activations.is_empty() && newest.note == NOTE => newest.number,
        Some(_) => return Ok(false),
    };
    let since = Micros::from_millis(now.millis() - (i64::from(DEMO_DAYS_MAX) + 1) * DAY_MS);
    store.activate_network(client, version, since, now, &origin).await?;
    Ok(true)
}
