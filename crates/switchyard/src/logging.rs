//! Log lines to standard error, as text or as JSON.

use std::io::IsTerminal;

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::settings::{Log, LogFormat};

/// Sets up logging for the process. `quiet` is for the demo, which prints its progress instead.
pub(crate) fn start(settings: &Log, quiet: bool) -> anyhow::Result<()> {
    let filter = match (settings.filter.as_str(), quiet) {
        ("", true) => "warn",
        // The broker in process reports each connection.
        ("", false) => "info,mqtt5=warn",
        (chosen, _) => chosen,
    };
    let filter = EnvFilter::try_new(filter).with_context(|| format!("log.filter {filter:?}"))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let started = if settings.format == LogFormat::Json { lines.json().try_init() } else { lines.with_target(true).compact().try_init() };
    started.map_err(|error| anyhow::anyhow!("logging: {error}"))
}
