//! `switchyard simulate`: the RTUs of the demo, or a recorded data set, over MQTT.

use std::path::Path;

use anyhow::{Context, bail};
use config::{Config, File, FileFormat};
use simulators::SimulateConfig;
use simulators::replay::{Map, ReplayConfig};
use tokio_util::sync::CancellationToken;

use crate::cli::SimulateArgs;
use crate::console::{say, without_password};
use crate::settings::Settings;

/// Runs until a signal, or until the recorded data set has been sent and acknowledged.
pub(crate) async fn run(mut settings: Settings, arguments: SimulateArgs) -> anyhow::Result<()> {
    if settings.mqtt.url.is_empty() {
        // The broker of `all` on this machine.
        settings.mqtt.url = format!("mqtt://{}", settings.mqtt.listen);
    }
    let shutdown = crate::shutdown::on_signal()?;
    let (Some(file), Some(map)) = (arguments.replay, arguments.map) else {
        settings.simulate.speed = arguments.speed.unwrap_or(settings.simulate.speed);
        if !(settings.simulate.speed > 0.0 && settings.simulate.speed <= 3_600.0) {
            bail!("--speed must lie above 0 and up to 3600 for the demo's physics");
        }
        say(&format!("The demo's field speaks to {}. Ctrl-C stops it.", without_password(&settings.mqtt.url)));
        return demo_field(&settings, arguments.large, shutdown).await;
    };
    let speed = arguments.speed.unwrap_or(0.0);
    if !(0.0..=1e9).contains(&speed) {
        bail!("--speed must not be negative");
    }
    let config = ReplayConfig { mqtt_url: settings.mqtt.url, file, map: read_map(&map)?, speed };
    let rows = simulators::replay::run(config, shutdown).await?;
    say(&format!("{rows} rows sent and acknowledged."));
    Ok(())
}

/// Runs the RTUs of the demo, with `is_large` also those of the large utility, until `shutdown`.
pub(crate) fn demo_field(
    settings: &Settings,
    is_large: bool,
    shutdown: CancellationToken,
) -> impl Future<Output = anyhow::Result<()>> + Send + 'static + use<> {
    let folder = settings.state.dir.join("rtu");
    let (key, defects) = (&settings.simulate.command_key, settings.simulate.defects());
    let config = defects.map(|defects| SimulateConfig {
        mqtt_url: settings.mqtt.url.clone(),
        seed: settings.simulate.seed,
        speed: settings.simulate.speed,
        is_large,
        trips_per_hour: settings.simulate.trips_per_hour,
        outbox: Some(folder.join("outbox.redb")),
        journals: Some(folder.join("journal")),
        command_key: (!key.is_empty()).then(|| key.clone()),
        defects,
    });
    async move { simulators::run(config?, shutdown).await.context("the demo's field (does another one run in this folder?)") }
}

fn read_map(path: &Path) -> anyhow::Result<Map> {
    let read = Config::builder().add_source(File::from(path).format(FileFormat::Toml)).build();
    read.and_then(Config::try_deserialize).with_context(|| path.display().to_string())
}
