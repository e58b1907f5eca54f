//! The embedded servers, started if none are configured: a private PostgreSQL and a broker in process. They are for
//! installations on one machine; larger installations configure separate servers.

mod account;
mod cluster;
mod lock;
mod pidfile;
mod postgres;
mod programs;

use std::path::Path;

use broker::Broker;
use tokio_util::sync::CancellationToken;

use crate::settings::Settings;

/// The embedded servers, with the URLs to use instead of the configured ones.
pub(crate) struct Embedded {
    /// URL of the database, embedded or not.
    pub database_url: String,
    /// URL of the broker, embedded or not.
    pub mqtt_url: String,
    postgres: Option<postgres::Postgres>,
    broker: Option<Broker>,
    _lock: Option<lock::Lock>,
}

impl Embedded {
    /// Starts the servers that are not configured. `failed` is cancelled when one of them cannot be kept running.
    pub(crate) async fn start(settings: &Settings, failed: &CancellationToken) -> anyhow::Result<Self> {
        let wants_postgres = settings.database.url.is_empty();
        let wants_broker = settings.mqtt.url.is_empty();
        let lock = if wants_postgres { Some(lock::Lock::take(&settings.state.dir)?) } else { None };
        // Start the broker first: a used port is reported at once, before the database has started.
        let broker = if wants_broker { Some(Broker::start(settings.mqtt.listen).await?) } else { None };
        let postgres = if wants_postgres { Some(postgres::Postgres::start(settings, failed.clone()).await?) } else { None };
        Ok(Self {
            database_url: postgres.as_ref().map_or_else(|| settings.database.url.clone(), postgres::Postgres::url),
            mqtt_url: broker.as_ref().map_or_else(|| settings.mqtt.url.clone(), Broker::url),
            postgres,
            broker,
            _lock: lock,
        })
    }

    /// Returns the folder of the embedded database; `None` if another database is configured.
    pub(crate) fn data(&self) -> Option<&Path> {
        self.postgres.as_ref().map(postgres::Postgres::data)
    }

    /// Stops them; the database last, when all writers have ended.
    pub(crate) async fn stop(self) {
        if let Some(broker) = self.broker {
            broker.stop().await;
        }
        if let Some(postgres) = self.postgres {
            postgres.stop().await;
        }
    }
}
