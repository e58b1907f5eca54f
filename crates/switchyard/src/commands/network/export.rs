//! `switchyard network export`: writes a network for another tool.

use std::path::Path;

use anyhow::{Context, bail};
use network::Description;
use network_files::cim::{self, ExportedFiles, Version};
use network_files::own_csv::CsvFile;
use network_files::{Exported, Positions, own_csv, pandapower, power_grid_model};

use super::{files, source};
use crate::cli::{NetworkExportArgs, NetworkFormat};
use crate::console::print;
use crate::progress;
use crate::settings::Settings;

/// Writes the network to a file, a folder or standard output, and prints the notes about data that were left out.
pub(super) async fn run(settings: &Settings, arguments: NetworkExportArgs) -> anyhow::Result<()> {
    let NetworkExportArgs { source, format, output } = arguments;
    let description = source::read(settings, source).await?;
    let ExportedFiles { files, notes } = progress::of_computation("writing", move || exported(&description, format)).await??;
    files::print_notes(&notes);
    match (files.as_slice(), output) {
        ([file], Some(path)) => std::fs::write(&path, &file.text).with_context(|| path.display().to_string()),
        ([file], None) => {
            print(&format!("{}\n", file.text));
            Ok(())
        }
        (files, Some(folder)) => write_all(&folder, files),
        (_, None) => bail!("this format has several files: name a folder with --output"),
    }
}

fn exported(description: &Description, format: NetworkFormat) -> anyhow::Result<ExportedFiles> {
    let positions = Positions::normal(description);
    let one = |Exported { text, notes }| ExportedFiles { files: vec![CsvFile { name: "network.json".to_owned(), text }], notes };
    Ok(match format {
        NetworkFormat::Pandapower => one(pandapower::export(description, &positions)?),
        NetworkFormat::Pgm => one(power_grid_model::export(description, &positions)?),
        NetworkFormat::Json => one(Exported { text: serde_json::to_string(description)?, notes: Vec::new() }),
        NetworkFormat::Csv => ExportedFiles { files: own_csv::export(description, &positions), notes: Vec::new() },
        NetworkFormat::Cgmes => cim::export(description, &positions, Version::V3, "network")?,
    })
}

/// Writes files to a folder, which may not exist yet. Files of the same names are replaced.
fn write_all(folder: &Path, files: &[CsvFile]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for file in files {
        let path = folder.join(&file.name);
        std::fs::write(&path, &file.text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
