//! The network that a command reads: from a file, or a stored version of a utility.

use anyhow::{Context, bail};
use grid::ClientId;
use network::Description;
use store::Store;
use store::audit::Origin;
use store::network::VersionNumber;
use store::registry::ClientRecord;

use super::files;
use crate::cli::NetworkSourceArgs;
use crate::console::note;
use crate::progress;
use crate::settings::Settings;

/// Reads the network that the arguments name.
pub(super) async fn read(settings: &Settings, arguments: NetworkSourceArgs) -> anyhow::Result<Description> {
    match arguments.file {
        Some(file) => files::read(vec![file]).await,
        None => Ok(read_stored(settings, arguments).await?.network),
    }
}

/// A stored network, and where it is stored.
pub(super) struct StoredNetwork {
    pub(super) store: Store,
    pub(super) utility: ClientRecord,
    pub(super) network: Description,
}

/// Reads the stored version that the arguments name.
pub(super) async fn read_stored(settings: &Settings, arguments: NetworkSourceArgs) -> anyhow::Result<StoredNetwork> {
    let store = crate::commands::store(settings).await?;
    let utility = utility(&store, arguments.utility.as_deref()).await?;
    let version = match arguments.version {
        Some(version) => VersionNumber(version),
        None => present(&store, &utility).await?,
    };
    let found = progress::of(&format!("reading version {version}"), store.network(utility.id, version)).await?;
    let network = found
        .with_context(|| format!("{} has no version {version} of its network; `switchyard network versions` lists them", utility.name))?;
    Ok(StoredNetwork { store, utility, network })
}

/// Returns the active version, or the newest if none is active.
async fn present(store: &Store, utility: &ClientRecord) -> anyhow::Result<VersionNumber> {
    if let Some(active) = store.active_network(utility.id, wire::time::now()).await? {
        return Ok(active.version);
    }
    let newest = store.newest_network(utility.id).await?;
    let newest = newest
        .with_context(|| format!("{} has no network yet: store one with `switchyard network import`, or name a --file", utility.name))?;
    note(&format!("No version is active. This is version {newest}, the newest."));
    Ok(newest)
}

/// Returns the utility with a code, or the only one.
pub(super) async fn utility(store: &Store, code: Option<&str>) -> anyhow::Result<ClientRecord> {
    let mut utilities = store.clients().await?;
    if let Some(code) = code {
        return utilities.into_iter().find(|utility| utility.code == code).with_context(|| format!("there is no utility {code:?}"));
    }
    if utilities.len() > 1 {
        let codes: Vec<&str> = utilities.iter().map(|utility| utility.code.as_str()).collect();
        bail!("there are several utilities: name one with --utility. Their codes: {}", codes.join(", "));
    }
    utilities.pop().context("there is no utility yet")
}

/// Returns the origin of changes at the console.
pub(super) fn origin(utility: ClientId) -> Origin {
    Origin { client: Some(utility), from: "console".to_owned(), ..Origin::default() }
}
