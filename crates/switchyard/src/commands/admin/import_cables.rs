//! `switchyard admin import-cable-health`: imports cable sections, their condition and faults, or plant from a CSV
//! file, all rows or none.

use std::path::Path;

use anyhow::{Context, bail};
use store::Store;
use store::audit::Origin;
use store::cable::CableFileKind;

use super::import::read;
use crate::console::say;

/// Imports a file, or prints what importing it would change.
pub(crate) async fn run(store: &Store, (kind, file): (&str, &Path), client: &str, dry_run: bool) -> anyhow::Result<()> {
    let kind = CableFileKind::parse(kind).with_context(|| format!("there is no kind {kind:?}"))?;
    let name = file.display();
    let csv = read(file).with_context(|| name.to_string())?;
    let clients = store.clients().await?;
    let client = clients.iter().find(|record| record.code == client).with_context(|| format!("there is no utility {client:?}"))?;
    let origin = Origin { client: Some(client.id), from: "console".to_owned(), ..Origin::default() };
    let today = jiff::Timestamp::now().in_tz(&client.time_zone)?.date().to_string();
    let imported = store.import_cable_health(client.id, (kind, &csv), &today, dry_run, &origin).await?;
    for fault in &imported.faults {
        say(&format!("{name}: {fault}"));
    }
    if imported.faults.is_empty() {
        let done = if dry_run { "This would be stored" } else { "Stored" };
        let (added, changed, same) = (imported.added, imported.changed, imported.same);
        say(&format!("{done} for {}: {added} new, {changed} changed, {same} as before.", client.name));
        for (column, rows) in &imported.columns {
            say(&format!("Column {column}: {rows} changed."));
        }
        return Ok(());
    }
    let listed = imported.faults.len();
    let first = if listed < imported.faults_total { format!(", of which these are the first {listed}") } else { String::new() };
    bail!("{name} has {} faults{first}; nothing is stored", imported.faults_total);
}
