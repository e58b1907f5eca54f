//! `switchyard all`: all services in one process, with embedded servers where none are configured.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use api::probes::Check;
use tokio_util::sync::CancellationToken;

use super::role::{Role, finish, watch};
use crate::cli::AllArgs;
use crate::console::{say, without_password};
use crate::embedded::Embedded;
use crate::settings::Settings;
use crate::{history, seed, site};

/// Interval of the checks whether all services work.
const LOOK: Duration = Duration::from_millis(50);

/// Runs until a signal, then ends in the order of the data: simulation, ingest, listener, servers.
pub(crate) async fn run(mut settings: Settings, arguments: AllArgs) -> anyhow::Result<()> {
    let started = Instant::now();
    let shutdown = crate::shutdown::on_signal()?;
    settings.demo.logins |= arguments.demo;
    say(if arguments.demo { "Switchyard, demo" } else { "Switchyard" });
    // Bind the listener first: a used port is reported before anything has been started.
    let listener = api::listen(settings.http.listen).await?;
    let embedded = match Embedded::start(&settings, &shutdown).await {
        Ok(embedded) => embedded,
        // Ctrl-C also ends npm; its error is expected.
        Err(_) if shutdown.is_cancelled() => return Ok(()),
        Err(error) => return Err(error),
    };
    settings.database.url.clone_from(&embedded.database_url);
    settings.mqtt.url.clone_from(&embedded.mqtt_url);
    let ran = tokio::select! {
        // Ctrl-C during the seed: what is stored remains, and the next start continues.
        () = shutdown.cancelled() => Ok(None),
        prepared = prepare(settings, listener, &shutdown, &arguments) => prepared.map(Some),
    };
    let ended = match ran {
        Ok(Some(role)) => serve(role, &arguments, started).await,
        Ok(None) => Ok(()),
        Err(error) => Err(with_folder(error, embedded.data())),
    };
    say("Stopping …");
    embedded.stop().await;
    say("Stopped.");
    ended
}

/// Adds the name of the folder to the error, so that the user can delete it, if the embedded database was created by a
/// version before the first release.
fn with_folder(error: anyhow::Error, data: Option<&Path>) -> anyhow::Error {
    match (error.downcast_ref(), data) {
        (Some(store::Error::FormerSchema), Some(data)) => {
            anyhow::anyhow!("{error:#}. Delete the folder {} for an empty database", data.display())
        }
        _ => error,
    }
}

async fn prepare(
    settings: Settings,
    listener: tokio::net::TcpListener,
    shutdown: &CancellationToken,
    arguments: &AllArgs,
) -> anyhow::Result<Role> {
    let engine = store::migrate(&settings.database.url).await.context("migrating the database")?;
    tracing::info!(?engine, "the schema is up to date");
    let role = Role::joined(settings, listener, shutdown.clone()).await?;
    if arguments.demo {
        seed::demo(&role.background(), role.settings.simulate.seed, arguments.large).await.context("seeding the demo")?;
        history::demo(&role).await.context("the demo's history")?;
    }
    Ok(role)
}

async fn serve(role: Role, arguments: &AllArgs, started: Instant) -> anyhow::Result<()> {
    let shutdown = role.shutdown.clone();
    let api = role.api()?;
    let history = history::start(&role);
    let (field_end, ingest_end) = (CancellationToken::new(), CancellationToken::new());
    let ingest = role.ingest(ingest_end.clone());
    let takes = ingest.takes;
    let ingest = watch(&shutdown, ingest.work);
    let alarms = watch(&shutdown, role.alarms(shutdown.clone()));
    let analytics = watch(&shutdown, role.analytics(shutdown.clone()));
    let field = arguments.demo.then(|| watch(&shutdown, super::simulate::demo_field(&role.settings, arguments.large, field_end.clone())));
    let hub = role.hub()?;
    let routes = api.merge(hub.routes).merge(site::router(&role.settings.http.web));
    let ready = [hub.works, takes];
    tokio::spawn(greet(ready.clone(), greeting(&role.settings, arguments), started, shutdown));
    let served = role.serve(routes, ready).await;
    let hub = finish("the hub", hub.core, Duration::from_secs(3)).await;
    field_end.cancel();
    let field = match field {
        Some(field) => finish("the field", field, Duration::from_secs(3)).await,
        None => Ok(()),
    };
    ingest_end.cancel();
    let ingest = finish("ingest", ingest, Duration::from_secs(12)).await;
    let alarms = finish("alarms", alarms, Duration::from_secs(3)).await;
    let analytics = finish("analytics", analytics, Duration::from_secs(3)).await;
    history.await.ok();
    served.and(hub).and(ingest).and(field).and(alarms).and(analytics)
}

/// Prints the greeting once all services work: the hub has loaded the registry, and ingest receives telemetry.
async fn greet(ready: [Check; 2], greeting: String, started: Instant, shutdown: CancellationToken) {
    let is_ready = async {
        for check in ready {
            while !(check.probe)().await.works() {
                tokio::time::sleep(LOOK).await;
            }
        }
    };
    if shutdown.run_until_cancelled(is_ready).await.is_some() {
        say(&format!("\n  Ready after {:.1} s: {greeting}", started.elapsed().as_secs_f64()));
    }
}

/// Returns the addresses of the services and how to sign in.
fn greeting(settings: &Settings, arguments: &AllArgs) -> String {
    let mut lines = vec![format!("http://{}", settings.http.listen), format!("  MQTT: {}", without_password(&settings.mqtt.url))];
    if settings.mail.smtp.is_empty() {
        lines.push(format!("  Mails are kept in {}", settings.mail.settings(&settings.state.dir).folder.display()));
    }
    if arguments.demo {
        let of_large = if arguments.large { seed::LARGE_LOGINS.as_slice() } else { &[] };
        let names: Vec<&str> = seed::LOGINS.iter().chain(of_large).map(|login| login.username).collect();
        lines.push(format!("  Sign in as {}; password {}", names.join(", "), identity::session::DEMO_PASSWORD));
    }
    lines.push("  Ctrl-C stops it.\n".to_owned());
    lines.join("\n")
}
