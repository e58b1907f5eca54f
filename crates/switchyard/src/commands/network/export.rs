//! `switchyard network export`: writes a network for another tool.

use anyhow::Context;
use network_files::{Exported, Positions, pandapower};

use super::{files, progress, source};
use crate::cli::{NetworkExportArgs, NetworkFormat};
use crate::console::print;
use crate::settings::Settings;

/// Writes the network to a file or to standard output, and prints what was left out.
pub(super) async fn run(settings: &Settings, arguments: NetworkExportArgs) -> anyhow::Result<()> {
    let NetworkExportArgs { source, format, output } = arguments;
    let description = source::read(settings, source).await?;
    let exported = progress::of_computation("writing", move || match format {
        NetworkFormat::Pandapower => Ok(pandapower::export(&description, &Positions::normal(&description))),
        NetworkFormat::Json => serde_json::to_string(&description).map(|text| Exported { text, notes: Vec::new() }),
    });
    let Exported { text, notes } = exported.await??;
    files::print_notes(&notes);
    match output {
        Some(file) => std::fs::write(&file, text).with_context(|| file.display().to_string()),
        None => {
            print(&format!("{text}\n"));
            Ok(())
        }
    }
}
