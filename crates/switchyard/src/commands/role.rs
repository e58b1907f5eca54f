//! Common parts of long-running commands: connect to the servers, serve one listener, run until a signal, end in order.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use api::probes::{Check, Health, Probes};
use axum::Router;
use bus::{Bus, RemoteSettings};
use control::{Control, ControlSettings};
use identity::{Identity, IdentitySettings, Lifetimes};
use mail::Mailer;
use registry::{Fields, FirstRead, FollowSettings, Registry};
use reports::Reports;
use reports::schedule::{ScheduleSettings, mind_schedules};
use store::{ReadClass, Store};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::checkpoint::CheckpointWriter;
use crate::measure;
use crate::settings::{BusKind, Settings};

/// Time for the follower of the registry to end.
const FOLLOWER_ENDS_WITHIN: Duration = Duration::from_secs(5);

/// Maximum number of messages that wait for a subscriber of the bus. If a subscriber is slower, it reads the database
/// instead.
const BUS_CAPACITY: usize = 4_096;
const BUS_PATIENCE: Duration = Duration::from_millis(1_500);
/// Time for the core to answer the probe. If the core is slower, values do not count as live anyway.
const HUB_PATIENCE: Duration = Duration::from_secs(1);
const DATABASE_RETRY: Duration = Duration::from_secs(2);

/// Interval at which expired demand files are deleted. They cannot be downloaded after they expire.
const DEMAND_FILES_SWEPT: Duration = Duration::from_mins(15);

/// Intervals at which report schedules are checked and expired report files are deleted.
const SCHEDULES_POLLED: Duration = Duration::from_secs(2);
const REPORTS_SWEPT: Duration = Duration::from_mins(15);
/// Time limit of a scheduled report.
const REPORT_MADE_WITHIN: Duration = Duration::from_hours(1);

/// A hub in this process.
pub(crate) struct Hub {
    /// The routes of the hub.
    pub routes: Router,
    /// Checks whether it works.
    pub works: Check,
    /// Ends with the core of the hub. Without the core no value is live, so the process ends when the core ends.
    pub core: JoinHandle<anyhow::Result<()>>,
}

/// An ingest to run in this process.
pub(crate) struct Ingest<F> {
    /// Checks whether it receives telemetry.
    pub takes: Check,
    /// Runs until the shutdown.
    pub work: F,
}

/// The services of a command, and the token that ends it.
pub(crate) struct Role {
    /// All settings.
    pub settings: Settings,
    /// Cancelled by a signal, or by a part that has failed.
    pub shutdown: CancellationToken,
    /// The database. Each part works in the classes that fit it.
    pub store: Store,
    /// The bus.
    pub bus: Bus,
    listener: TcpListener,
    render: measure::Render,
    registry: Followed,
    /// The task that writes checkpoints of the audit, if this process has the api. It writes a last one at the
    /// shutdown.
    keeping: OnceLock<JoinHandle<()>>,
}

impl Role {
    /// Prepares a separate process with this `name`. The listener is opened first, so that a port in use is reported at
    /// once; then database and bus are connected.
    pub(crate) async fn separate(settings: Settings, name: &str) -> anyhow::Result<Self> {
        if settings.database.url.is_empty() || settings.mqtt.url.is_empty() {
            bail!("`switchyard {name}` needs DATABASE_URL and MQTT_URL; `switchyard all` brings its own servers");
        }
        if settings.bus.kind == BusKind::Local {
            bail!("bus.kind = \"local\" works within `switchyard all` only; leave it empty");
        }
        let listener = api::listen(settings.http.listen).await?;
        let shutdown = crate::shutdown::on_signal()?;
        let render = measure::start()?;
        let store = connect(&settings, &shutdown).await?;
        let bus = remote_bus(&settings, name)?;
        Ok(Self { settings, shutdown, store, bus, listener, render, registry: Followed::default(), keeping: OnceLock::new() })
    }

    /// Prepares the process of `all`, whose servers are running.
    pub(crate) async fn joined(settings: Settings, listener: TcpListener, shutdown: CancellationToken) -> anyhow::Result<Self> {
        let render = measure::start()?;
        let store = connect(&settings, &shutdown).await?;
        let bus = if settings.bus.kind == BusKind::Mqtt { remote_bus(&settings, "all")? } else { Bus::local(BUS_CAPACITY) };
        Ok(Self { settings, shutdown, store, bus, listener, render, registry: Followed::default(), keeping: OnceLock::new() })
    }

    /// Returns a handle to the database for work without a user.
    pub(crate) fn background(&self) -> Store {
        self.store.in_class(ReadClass::Background)
    }

    /// Returns the routes of the api. They work as soon as the registry has been read.
    pub(crate) fn api(&self) -> anyhow::Result<Router> {
        let session = self.settings.session;
        let minutes = |minutes: u32| i64::from(minutes) * 60_000;
        let signing_key = self.settings.control.signing_key()?;
        let control = ControlSettings { mqtt_url: self.settings.mqtt.url.clone(), signing_key };
        let control = Control::start(control, &self.store, self.bus.clone(), self.shutdown.clone()).context("control")?;
        let mail = self.settings.mail.settings(&self.settings.state.dir);
        if mail.smtp.is_none() {
            tracing::info!(folder = %mail.folder.display(), "no mail server is set: mails are kept in this folder");
        }
        for network in self.settings.http.wide_proxies()? {
            tracing::warn!(%network, "http.proxies contains a large network. Every client in it can forge its address. List the proxies only.");
        }
        let keeper = CheckpointWriter::new(&self.settings)?;
        self.keeping.get_or_init(|| tokio::spawn(keeper.keep(self.background(), self.shutdown.clone())));
        tokio::spawn(api::sweep_demand_files(self.background(), DEMAND_FILES_SWEPT, crate::clock::now, self.shutdown.clone()));
        let mail = Mailer::start(&mail).context("mail")?;
        let leases = control.clone();
        let fields = Fields::new(self.registry(), &self.store, move || leases.leases());
        let sign_in = IdentitySettings {
            lifetimes: Lifetimes {
                access_ms: minutes(session.access_min),
                idle_ms: minutes(session.idle_min),
                absolute_ms: minutes(session.absolute_h * 60),
                device_ms: minutes(session.device_days * 24 * 60),
            },
            demo_logins: self.settings.demo.logins,
            second_factor: self.settings.auth.second_factor.of_identity(),
            public_url: self.settings.http.public_url(),
        };
        let report_settings =
            self.settings.reports.of_reports(&self.settings.state.dir, self.settings.http.web.clone(), self.settings.http.public_url())?;
        let reports = Reports::new(&self.store, fields.clone(), mail.clone(), report_settings);
        let deps = api::Deps {
            store: self.store.clone(),
            bus: self.bus.clone(),
            identity: Identity::new(&self.store, fields.clone(), self.bus.clone(), mail.clone(), sign_in),
            fields,
            control,
            reports: reports.clone(),
            mail,
            map_hosts: self.settings.http.map_hosts()?,
            embed: embedded(&self.settings)?,
            proxies: self.settings.http.proxies()?,
        };
        let begun = std::time::Instant::now();
        let schedules = ScheduleSettings {
            database_url: self.settings.database.url.clone(),
            kept_bytes_max: self.settings.reports.kept_bytes_max()?,
            poll: SCHEDULES_POLLED,
            made_within: REPORT_MADE_WITHIN,
            sweep: REPORTS_SWEPT,
            clock: Arc::new(crate::clock::now),
            counter: Arc::new(move || begun.elapsed()),
        };
        let (registry, shutdown) = (self.registry(), self.shutdown.clone());
        tokio::spawn(async move {
            // A report before that would fail.
            if registry.loaded().await {
                mind_schedules(schedules, reports, shutdown).await;
            }
        });
        Ok(api::router(deps))
    }

    /// Returns the registry of this process, which is followed from the first call on. It may not have been read yet. When
    /// its follower ends, the process ends.
    pub(crate) fn registry(&self) -> Registry {
        self.registry.get(self.background(), FollowSettings::new(self.settings.database.url.as_str()), &self.shutdown)
    }

    /// Starts the hub. Pass its routes and its check to [`Role::serve`]; await its core at the end.
    pub(crate) fn hub(&self) -> anyhow::Result<Hub> {
        let limits = self.settings.hub;
        let config = hub::HubConfig {
            origins: self.settings.http.origins(),
            sockets_max: limits.sockets_max,
            sockets_per_session: limits.sockets_per_session,
            sockets_per_member: limits.sockets_per_member,
            sockets_unauthenticated_per_address: limits.sockets_unauthenticated_per_address,
            proxies: self.settings.http.proxies()?,
            ..hub::HubConfig::default()
        };
        let deps = hub::Deps { store: self.store.clone(), registry: self.registry(), bus: self.bus.clone() };
        let hub::Running { routes, probe, core } = hub::start(config, deps, self.shutdown.clone());
        let works = check("hub", move || {
            let probe = probe.clone();
            async move { probe.works(HUB_PATIENCE).await.into() }
        });
        let shutdown = self.shutdown.clone();
        let core = watch(&self.shutdown, async move {
            core.await.context("the core of the hub")?;
            // The bus is closed only after the listener.
            ensure!(shutdown.is_cancelled(), "the bus has ended");
            Ok(())
        });
        Ok(Hub { routes, works, core })
    }

    /// Returns the future of ingest, which runs until `shutdown`. Pass its check to [`Role::serve`].
    pub(crate) fn ingest(&self, shutdown: CancellationToken) -> Ingest<impl Future<Output = anyhow::Result<()>> + Send + 'static + use<>> {
        let config = self.settings.ingest.config(&self.settings.mqtt.url, &self.settings.state.dir);
        let readiness = ingest::Readiness::default();
        let (database_url, store, bus) = (self.settings.database.url.clone(), self.background(), self.bus.clone());
        let (registry, reported) = (self.registry(), readiness.clone());
        let takes = check("ingest", move || std::future::ready(readiness.is_ready().into()));
        let work = async move {
            if !registry.loaded().await {
                return Ok(());
            }
            let deps = ingest::Deps { database_url, store, registry, bus, readiness: reported };
            ingest::run(config?, deps, shutdown).await.context("ingest")
        };
        Ingest { takes, work }
    }

    /// Returns the future of the alarm service, which runs until `shutdown`.
    pub(crate) fn alarms(&self, shutdown: CancellationToken) -> impl Future<Output = anyhow::Result<()>> + Send + 'static + use<> {
        let config = self.settings.alarms.config();
        let (database_url, store, bus) = (self.settings.database.url.clone(), self.background(), self.bus.clone());
        let registry = self.registry();
        async move {
            if !registry.loaded().await {
                return Ok(());
            }
            let deps = alarms::Deps { database_url, store, registry, bus };
            alarms::run(config?, deps, shutdown).await;
            Ok(())
        }
    }

    /// Returns the future of the analytics, which runs until `shutdown`.
    pub(crate) fn analytics(&self, shutdown: CancellationToken) -> impl Future<Output = anyhow::Result<()>> + Send + 'static + use<> {
        let (config, forecast) = (self.settings.analytics.config(), self.settings.forecast.config());
        let (database_url, store) = (self.settings.database.url.clone(), self.background());
        let registry = self.registry();
        async move {
            if !registry.loaded().await {
                return Ok(());
            }
            let deps = analytics::Deps { database_url, store, registry, clock: crate::clock::now };
            analytics::run(analytics::AnalyticsConfig { forecast, ..config? }, deps, shutdown).await;
            Ok(())
        }
    }

    /// Serves `routes` and the probes until the shutdown. Sockets get a moment to receive the `ended` message. `more`
    /// are checks in addition to database and bus.
    pub(crate) async fn serve(self, routes: Router, more: impl IntoIterator<Item = Check>) -> anyhow::Result<()> {
        let (store, bus) = (self.store.clone(), self.bus.clone());
        let mut checks = vec![
            check("database", move || {
                let store = store.clone();
                async move { store.ping().await.is_ok().into() }
            }),
            check("bus", move || {
                let bus = bus.clone();
                async move { bus.ready(BUS_PATIENCE).await.into() }
            }),
        ];
        checks.extend(self.registry.check());
        checks.extend(more);
        let site = routes.merge(api::probes::router(Probes { checks, metrics: self.render }));
        let site = api::shell::wrap(site, api::templates(), &embedded(&self.settings)?.hosts(), &self.settings.http.map_hosts()?);
        let stop = CancellationToken::new();
        let (shutdown, farewell) = (self.shutdown.clone(), stop.clone());
        tokio::spawn(async move {
            shutdown.cancelled().await;
            tokio::time::sleep(hub::FAREWELL).await;
            farewell.cancel();
        });
        let served = api::serve(self.listener, site, stop).await.context("serving");
        self.shutdown.cancel();
        if let Some(keeping) = self.keeping.into_inner() {
            // It has a time limit, and the database is available until this returns.
            let _ = keeping.await;
        }
        let followed = self.registry.finish().await;
        self.bus.close().await;
        served.and(followed)
    }
}

/// The registry of a process, followed from its first use on. Clones share it.
#[derive(Clone, Default)]
struct Followed(Arc<OnceLock<(Registry, Ending)>>);

/// The task that ends the process when the follower ends, until it is awaited.
type Ending = Mutex<Option<JoinHandle<anyhow::Result<()>>>>;

impl Followed {
    fn get(&self, store: Store, settings: FollowSettings, shutdown: &CancellationToken) -> Registry {
        let start = || {
            let registry = registry::start_following(store, settings, shutdown.clone());
            let ending = end_with(registry.clone(), shutdown);
            (registry, Mutex::new(Some(ending)))
        };
        self.0.get_or_init(start).0.clone()
    }

    /// Returns the readiness check for the first read; `None` in a process that does not follow the registry.
    fn check(&self) -> Option<Check> {
        let registry = self.0.get()?.0.clone();
        Some(check("registry", move || std::future::ready(health(&registry.first_read()))))
    }

    /// Waits for the end of the follower, if there is one. Returns an error if the follower ended before the shutdown.
    async fn finish(&self) -> anyhow::Result<()> {
        let ending = self.0.get().and_then(|(_, ending)| ending.lock().unwrap_or_else(PoisonError::into_inner).take());
        match ending {
            Some(ending) => finish("registry", ending, FOLLOWER_ENDS_WITHIN).await,
            None => Ok(()),
        }
    }
}

fn health(first_read: &FirstRead) -> Health {
    match first_read {
        FirstRead::Done => Health::Works,
        FirstRead::Reading => Health::broken("not ready: the registry is being read"),
        FirstRead::Failed(error) => {
            Health::broken(format!("not ready: the registry cannot be read: {error}; it is tried again every second"))
        }
    }
}

/// Ends the process when the follower of the registry ends, because the registry would become outdated.
fn end_with(registry: Registry, shutdown: &CancellationToken) -> JoinHandle<anyhow::Result<()>> {
    let is_shutdown = shutdown.clone();
    watch(shutdown, async move {
        registry.ended().await;
        ensure!(is_shutdown.is_cancelled(), "the registry is not followed any more");
        Ok(())
    })
}

/// Runs a part of the process. When it ends or panics, the process ends.
pub(crate) fn watch(
    shutdown: &CancellationToken,
    part: impl Future<Output = anyhow::Result<()>> + Send + 'static,
) -> JoinHandle<anyhow::Result<()>> {
    let shutdown = shutdown.clone().drop_guard();
    tokio::spawn(async move {
        let _shutdown = shutdown;
        let ended = part.await;
        if let Err(error) = &ended {
            tracing::error!("{error:#}");
        }
        ended
    })
}

/// Waits for the end of a part that is shutting down.
pub(crate) async fn finish(name: &str, mut part: JoinHandle<anyhow::Result<()>>, patience: Duration) -> anyhow::Result<()> {
    if let Ok(ended) = tokio::time::timeout(patience, &mut part).await {
        return ended.with_context(|| name.to_owned())?;
    }
    part.abort();
    tracing::warn!("{name} did not end within {} s", patience.as_secs());
    Ok(())
}

fn check<F: Future<Output = Health> + Send + 'static>(name: &'static str, probe: impl Fn() -> F + Send + Sync + 'static) -> Check {
    Check { name, probe: Arc::new(move || Box::pin(probe())) }
}

/// Returns the settings of pages from other servers.
fn embedded(settings: &Settings) -> anyhow::Result<embed::EmbedSettings> {
    Ok(embed::EmbedSettings { frame_hosts: settings.http.frame_hosts()?, power_bi: settings.powerbi.of_api()? })
}

/// Returns the bus over the configured broker.
pub(super) fn remote_bus(settings: &Settings, name: &str) -> anyhow::Result<Bus> {
    // Several processes of one role may share the broker.
    let client_id = format!("switchyard-{name}-{:08x}", rand::random::<u32>());
    Bus::mqtt(RemoteSettings::new(&settings.mqtt.url, client_id), BUS_CAPACITY).context("bus")
}

/// Returns the pool. Waits for an unavailable database, because services may start in any order.
async fn connect(settings: &Settings, shutdown: &CancellationToken) -> anyhow::Result<Store> {
    loop {
        match Store::connect_sized(&settings.database.url, settings.database.replica(), settings.database.pool_sizes()).await {
            Ok(store) => return Ok(store),
            Err(error) if error.is_connection() => tracing::warn!("waiting for the database: {error}"),
            Err(error) => return Err(error).context("database"),
        }
        tokio::select! {
            () = shutdown.cancelled() => bail!("stopped while waiting for the database"),
            () = tokio::time::sleep(DATABASE_RETRY) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_of_a_part_shuts_everything_down() {
        let shutdown = CancellationToken::new();
        let part = watch(&shutdown, async { panic!("a bug") });
        shutdown.cancelled().await;
        assert!(finish("part", part, Duration::from_secs(5)).await.is_err());
    }

    #[tokio::test]
    async fn end_of_the_follower_of_the_registry_shuts_everything_down() {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 2).await.expect("connected");
        let (shutdown, follower) = (CancellationToken::new(), CancellationToken::new());
        let settings = FollowSettings::new(database.url());
        let registry = registry::follow(store, settings, follower.clone()).await.expect("followed");
        let part = end_with(registry, &shutdown);
        // As if the task panicked: the follower ends before a shutdown.
        follower.cancel();
        shutdown.cancelled().await;
        assert!(finish("registry", part, Duration::from_secs(5)).await.is_err());
    }
}
