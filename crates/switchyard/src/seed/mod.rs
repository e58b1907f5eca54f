//! Seeds the demo: the utilities of the simulators, and their logins.

mod access;
mod alarms;
mod cables;
mod customers;
mod feeds;
mod geography;
mod logins;
mod network;
mod ratings;
mod relays;
mod sites;
mod utility;

use anyhow::Context;
use grid::ClientId;
use simulators::utility::{Client, Pace};
use store::Store;

use crate::console::say;
use crate::progress;

pub(crate) use logins::{LARGE_LOGINS, LOGINS};

/// Writes the utilities that are not complete yet. An interrupted seed is completed; a complete utility is not changed, except that it gets its network,
/// with the customers that follow from it, if it has none. With `is_large`, the large utility is one of them.
pub(crate) async fn demo(store: &Store, seed: u64, is_large: bool) -> anyhow::Result<()> {
    let clients = simulators::utility::utilities(seed, is_large);
    for (index, client) in clients.iter().enumerate() {
        if store.is_seeded(&client.code).await? {
            let stored = store.clients().await?.into_iter().find(|stored| stored.code == client.code);
            let stored = stored.with_context(|| format!("{} is not stored", client.name))?;
            if write_network(store, stored.id, client).await? {
                customers::update(store, stored.id, client).await.with_context(|| format!("the customers of {}", client.name))?;
            }
            continue;
        }
        let points: usize = client.substations.iter().map(|substation| substation.points.len()).sum();
        say(&format!("  seeding {}: {} substations, {points} points …", client.name, client.substations.len()));
        let written = progress::of(&format!("  storing {}", client.name), Box::pin(utility::write(store, client))).await?;
        geography::write(store, client, &written).await?;
        feeds::write(store, client, &written).await?;
        alarms::write(store, written.client, client).await?;
        write_network(store, written.client, client).await?;
        // The demo shows the first utility. The others prove that tenants are separate.
        if index == 0 {
            logins::write(store, &written, &LOGINS).await?;
            access::write(store, written.client, &client.name).await?;
            let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
            cables::write(store, client, &written, seed, &today).await?;
        }
        if client.pace == Pace::Slow {
            logins::write(store, &written, &LARGE_LOGINS).await?;
        }
        store.mark_seeded(written.client).await?;
    }
    Ok(())
}

/// Stores the network if the utility has none. Returns whether it was stored.
async fn write_network(store: &Store, id: ClientId, client: &Client) -> anyhow::Result<bool> {
    let writing = Box::pin(network::write(store, id, client));
    let written = progress::of(&format!("  storing the network of {}", client.name), writing).await;
    written.with_context(|| format!("the network of {}", client.name))
}
