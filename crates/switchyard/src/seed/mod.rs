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
use simulators::utility::World;
use store::Store;

use crate::console::say;

pub(crate) use logins::LOGINS;

/// Writes the utilities that are not complete yet. An interrupted seed is completed; a complete utility is not changed, except that it gets its network,
/// with the customers that follow from it, if it has none.
pub(crate) async fn demo(store: &Store, seed: u64) -> anyhow::Result<()> {
    let World { clients } = simulators::utility::demo(seed);
    for (index, client) in clients.iter().enumerate() {
        if store.is_seeded(&client.code).await? {
            let stored = store.clients().await?.into_iter().find(|stored| stored.code == client.code);
            let stored = stored.with_context(|| format!("{} is not stored", client.name))?;
            if network::write(store, stored.id, client).await.with_context(|| format!("the network of {}", client.name))? {
                customers::update(store, stored.id, client).await.with_context(|| format!("the customers of {}", client.name))?;
            }
            continue;
        }
        let points: usize = client.substations.iter().map(|substation| substation.points.len()).sum();
        say(&format!("  seeding {}: {} substations, {points} points …", client.name, client.substations.len()));
        let written = utility::write(store, client).await?;
        geography::write(store, client, &written).await?;
        feeds::write(store, client, &written).await?;
        alarms::write(store, written.client, client).await?;
        network::write(store, written.client, client).await.with_context(|| format!("the network of {}", client.name))?;
        // The demo shows the first utility. The others prove that tenants are separate.
        if index == 0 {
            logins::write(store, &written).await?;
            access::write(store, written.client, &client.name).await?;
            let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
            cables::write(store, client, &written, seed, &today).await?;
        }
        store.mark_seeded(written.client).await?;
    }
    Ok(())
}
