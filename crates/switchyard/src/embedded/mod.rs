//! The servers that are started when none are configured: a private PostgreSQL and a broker in process. For one machine; larger ones bring their own.

mod account;
mod cluster;
mod lock;
mod pidfile;
mod postgres;
mod programs;

use broker::Broker;
use tokio_util::sync::CancellationToken;

use crate::settings::Settings;

/// The servers of this process, with the addresses to use in place of the settings'.
pub(crate) struct Embedded {
    /// Where the database is, embedded or not.
    pub database_url: String,
    /// Where the broker is, embedded or not.
    pub mqtt_url: String,
    postgres: Option<postgres::Postgres>,
    broker: Option<Broker>,
    _lock: Option<lock::Lock>,
}

impl Embedded {
    /// Starts what no address is configured for. `failed` is cancelled when one of them cannot be kept running.
    pub(crate) async fn start(settings: &Settings, failed: &CancellationToken) -> anyhow::Result<Self> {
        let wants_postgres = settings.database.url.is_empty();
        let wants_broker = settings.mqtt.url.is_empty();
        let lock = if wants_postgres { Some(lock::Lock::take(&settings.state.dir)?) } else { None };
        // The broker first: a taken port is known at once, and nothing has to be taken down again.
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

    /// Stops them; the database last, when nobody writes any more.
    pub(crate) async fn stop(self) {
        if let Some(broker) = self.broker {
            broker.stop().await;
        }
        if let Some(postgres) = self.postgres {
            postgres.stop().await;
        }
    }
}
