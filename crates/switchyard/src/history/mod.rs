//! Maintains the history, in addition to the services: computes rollups, deletes old history, and generates the history
//! of the demo.

mod day;
mod events;
mod fill;
mod keep;

use tokio::task::JoinHandle;

use crate::commands::role::Role;

pub(crate) use fill::{Demo, Pace};

/// Enters the past events of the demo. Call it before other services start, because the past events must get lower
/// offsets than later events.
pub(crate) async fn demo(role: &Role) -> anyhow::Result<()> {
    let settings = &role.settings;
    if settings.history.demo_days > 0 {
        Demo::begin(&role.background(), &settings.database.url, settings.simulate.seed, settings.history.demo_days).await?;
    }
    Ok(())
}

/// Maintains the history until the shutdown. If this process runs the demo, it also generates the history of the demo.
pub(crate) fn start(role: &Role) -> JoinHandle<()> {
    let (settings, shutdown) = (role.settings.clone(), role.shutdown.clone());
    let store = role.background();
    tokio::spawn(async move {
        let filled = async {
            match Demo::resume(&store, settings.simulate.seed, settings.history.demo_days).await {
                Ok(Some(demo)) => demo.fill(Pace::Modest, &shutdown).await,
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            }
        };
        let filled = async {
            if settings.demo.logins
                && settings.history.demo_days > 0
                && let Err(error) = filled.await
            {
                tracing::error!("the demo's history goes on at the next start: {error:#}");
            }
        };
        tokio::join!(filled, keep::run(settings.history, &settings.database.url, &shutdown));
    })
}
