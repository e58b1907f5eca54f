//! The history beside the services: keeps its buckets worked out and lets go what is too old, and makes up that of the demo.

mod day;
mod events;
mod fill;
mod keep;

use tokio::task::JoinHandle;

use crate::commands::role::Role;

pub(crate) use fill::{Demo, Pace};
pub(crate) use keep::now;

/// What must be there before anybody listens: the demo's past events, which get their places in the stream before those that follow.
pub(crate) async fn demo(role: &Role) -> anyhow::Result<()> {
    let settings = &role.settings;
    if settings.history.demo_days > 0 {
        Demo::begin(&role.store, &settings.database.url, settings.simulate.seed, settings.history.demo_days).await?;
    }
    Ok(())
}

/// Keeps the history until the end; where this process shows the demo, fills it up too.
pub(crate) fn start(role: &Role) -> JoinHandle<()> {
    let (settings, shutdown) = (role.settings.clone(), role.shutdown.clone());
    let store = role.store.clone();
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
