//! `switchyard network check`: lists what is wrong in a network, and where drawings differ from it.

use anyhow::bail;

use super::import::print_findings;
use super::source::StoredNetwork;
use super::{derive, files, source};
use crate::cli::NetworkSourceArgs;
use crate::console::say;
use crate::progress;
use crate::settings::Settings;

/// Prints the findings, and of a stored network the differences of drawings. Fails if the network cannot be activated.
pub(super) async fn run(settings: &Settings, arguments: NetworkSourceArgs) -> anyhow::Result<()> {
    let description = if let Some(file) = &arguments.file {
        files::read(vec![file.clone()]).await?
    } else {
        let StoredNetwork { store, utility, network } = source::read_stored(settings, arguments).await?;
        let differences = derive::print_differences(&store, utility.id, &network).await?;
        say(&format!("{differences} differences between drawings and the network."));
        network
    };
    let findings = progress::of_computation("checking", move || description.check()).await?;
    print_findings(&findings);
    if !findings.permit_activation() {
        bail!("the network has errors and cannot be activated");
    }
    Ok(())
}
