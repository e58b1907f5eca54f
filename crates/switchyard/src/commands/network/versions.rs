//! `switchyard network versions` and `activate`: the stored versions, and which one is active.

use anyhow::{Context, ensure};
use grid::Micros;
use store::Store;
use store::manual_entry::REASON_CHARACTERS_MAX;
use store::network::{VersionNumber, VersionRecord};
use store::registry::ClientRecord;
use wire::time::{iso, now, parse_iso};

use super::source;
use crate::console::say;
use crate::progress;
use crate::settings::Settings;

/// Number of versions that are listed.
const VERSIONS_MAX: i64 = 1_000;

/// Prints the versions of a utility's network, newest first.
pub(super) async fn list(settings: &Settings, utility: Option<&str>) -> anyhow::Result<()> {
    let store = crate::commands::store(settings).await?;
    let utility = source::utility(&store, utility).await?;
    let versions = store.network_versions(utility.id, None, VERSIONS_MAX).await?;
    if versions.is_empty() {
        say(&format!("{} has no network yet.", utility.name));
    }
    for version in versions {
        say(&line(&version));
    }
    Ok(())
}

fn line(version: &VersionRecord) -> String {
    let span = |since: Micros, until: Option<Micros>| match until {
        Some(until) => format!("active from {} to {}", iso(since), iso(until)),
        None => format!("active from {}", iso(since)),
    };
    let spans: Vec<String> = version.activations.iter().map(|activation| span(activation.since, activation.until)).collect();
    let active = if spans.is_empty() { "never active".to_owned() } else { spans.join(", ") };
    let counts = version.counts;
    format!(
        "{}: made {}, {active}; {} nodes, {} pieces of equipment, {} measurements. {}",
        version.number,
        iso(version.created),
        counts.nodes,
        counts.equipment,
        counts.measurements,
        version.note
    )
}

/// Activates a version.
pub(super) async fn activate(
    settings: &Settings,
    version: i32,
    [at, unfit_reason]: [Option<&str>; 2],
    utility: Option<&str>,
) -> anyhow::Result<()> {
    let since =
        at.map(|text| parse_iso(text).with_context(|| format!("{text:?} is no time; write it as 2026-12-01T05:00:00Z"))).transpose()?;
    let is_reason = |text: &str| !text.trim().is_empty() && text.chars().count() <= REASON_CHARACTERS_MAX;
    ensure!(unfit_reason.is_none_or(is_reason), "--unfit-reason must have 1 to {REASON_CHARACTERS_MAX} characters");
    let store = crate::commands::store(settings).await?;
    let utility = source::utility(&store, utility).await?;
    activate_from(&store, &utility, VersionNumber(version), since, unfit_reason).await
}

/// Activates a version from a time on; default: now. `unfit_reason`: why, although temporary changes do not fit it.
pub(super) async fn activate_from(
    store: &Store,
    utility: &ClientRecord,
    version: VersionNumber,
    since: Option<Micros>,
    unfit_reason: Option<&str>,
) -> anyhow::Result<()> {
    let (now, origin) = (now(), source::origin(utility.id));
    let since = since.unwrap_or(now);
    let activation = async {
        match unfit_reason {
            Some(reason) => store.activate_network_despite_unfit(utility.id, version, since, now, reason, &origin).await,
            None => store.activate_network(utility.id, version, since, now, &origin).await,
        }
    };
    let activated = progress::of("checking and activating", activation).await?;
    for replaced in &activated.replaced {
        say(&format!("Version {} is no longer planned for {}.", replaced.version, iso(replaced.since)));
    }
    say(&format!("Version {version} is the network of {} from {} on.", utility.name, iso(activated.active.since)));
    Ok(())
}
