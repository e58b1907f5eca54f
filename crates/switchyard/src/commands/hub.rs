//! `switchyard hub`: live values over Socket.IO, in a separate process.

use std::time::Duration;

use anyhow::bail;

use super::role::{Role, finish};
use crate::cli::HubArgs;
use crate::console::say;
use crate::settings::Settings;

/// Runs until a signal.
pub(crate) async fn run(settings: Settings, arguments: HubArgs) -> anyhow::Result<()> {
    if arguments.conformance {
        return conformance(settings).await;
    }
    let role = Role::separate(settings, "hub").await?;
    let hub = role.hub()?;
    let served = role.serve(hub.routes, [hub.works]).await;
    served.and(finish("the hub", hub.core, Duration::from_secs(3)).await)
}

/// Serves the test suites of the protocols. It needs no database, broker or sign-in, so it listens on loopback only.
async fn conformance(settings: Settings) -> anyhow::Result<()> {
    let address = settings.http.listen;
    if !address.ip().is_loopback() {
        bail!("--conformance asks nobody who they are: http.listen must be a loopback address, it is {address}");
    }
    let listener = api::listen(address).await?;
    let shutdown = crate::shutdown::on_signal()?;
    say(&format!("Engine.IO on http://{address}/engine.io/, Socket.IO on http://{address}/socket.io/. Ctrl-C stops it."));
    Ok(api::serve(listener, hub::conformance(&hub::conformance_config(), &shutdown), shutdown).await?)
}
