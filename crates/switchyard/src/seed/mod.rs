//! The demo in the database: the utilities of the simulators as rows, and the logins that come with them.

mod access;
mod alarms;
mod cables;
mod feeds;
mod geography;
mod logins;
mod ratings;
mod relays;
mod sites;
mod utility;

use simulators::utility::World;
use store::Store;

use crate::console::say;

pub(crate) use logins::LOGINS;

/// Writes what is not there yet. What a cut-short start left is completed; what is complete is left alone.
pub(crate) async fn demo(store: &Store, seed: u64) -> anyhow::Result<()> {
    let World { clients } = simulators::utility::demo(seed);
    for (index, client) in clients.iter().enumerate() {
        if store.is_seeded(&client.code).await? {
            continue;
        }
        let points: usize = client.substations.iter().map(|substation| substation.points.len()).sum();
        say(&format!("  seeding {}: {} substations, {points} points …", client.name, client.substations.len()));
        let written = utility::write(store, client).await?;
        geography::write(store, client, &written).await?;
        feeds::write(store, client, &written).await?;
        alarms::write(store, written.client, client).await?;
        // The demo shows the first utility; the others are there so that nobody sees them.
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
