//! `switchyard admin import-hierarchy`: imports circles to assets from a CSV file, all rows or none.

use std::path::Path;

use anyhow::{Context, bail};
use store::Store;
use store::audit::Origin;
use store::import::{Count, FAULTS_MAX, FILE_MAX_BYTES, Imported};

use crate::commands::news;
use crate::console::say;
use crate::settings::Settings;

/// Imports a file, or prints what importing it would change.
pub(crate) async fn run(settings: &Settings, store: &Store, file: &Path, client: &str, dry_run: bool) -> anyhow::Result<()> {
    let name = file.display();
    let csv = read(file).with_context(|| name.to_string())?;
    let clients = store.clients().await?;
    let client = clients.iter().find(|record| record.code == client).with_context(|| format!("there is no utility {client:?}"))?;
    let origin = Origin { client: Some(client.id), from: "console".to_owned(), ..Origin::default() };
    match store.import_hierarchy(client.id, &csv, dry_run, &origin).await? {
        Imported::Done { nodes, assets, warnings } => {
            for warning in &warnings {
                say(&format!("{name}: warning: {warning}"));
            }
            let done = if dry_run { "This would be stored" } else { "Stored" };
            say(&format!("{done} for {}: nodes {}; assets {}.", client.name, counted(nodes), counted(assets)));
            if !dry_run {
                news::notify_hubs(settings, client.id).await;
            }
            Ok(())
        }
        Imported::Refused(faults) => {
            for fault in &faults {
                say(&format!("{name}: {fault}"));
            }
            let at_least = if faults.len() < FAULTS_MAX { "" } else { "at least " };
            bail!("{name} has {at_least}{} faults; nothing is stored", faults.len());
        }
    }
}

/// Reads a file up to the maximum size. The limit is needed because the path may name a device that never ends.
pub(super) fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(FILE_MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn counted(count: Count) -> String {
    format!("{} new, {} changed, {} as before", count.created, count.updated, count.unchanged)
}
