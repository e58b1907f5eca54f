//! `switchyard network check`: lists the findings about a network, and the differences between drawings and the
//! network.

use anyhow::bail;

use super::files::ReadNetwork;
use super::import::print_findings;
use super::source::StoredNetwork;
use super::{derive, files, source};
use crate::cli::NetworkSourceArgs;
use crate::console::say;
use crate::progress;
use crate::settings::Settings;

/// Prints the findings. For a stored network, also prints the differences between drawings and the network. Fails if
/// the network cannot be activated.
pub(super) async fn run(settings: &Settings, arguments: NetworkSourceArgs) -> anyhow::Result<()> {
    let (description, errors) = if let Some(file) = &arguments.file {
        let ReadNetwork { description, errors } = files::read_with_errors(vec![file.clone()]).await?;
        (description, errors)
    } else {
        let StoredNetwork { store, utility, network } = source::read_stored(settings, arguments).await?;
        let differences = derive::print_differences(&store, utility.id, &network).await?;
        say(&format!("{differences} differences between drawings and the network."));
        (network, 0)
    };
    let findings = progress::of_computation("checking", move || description.check()).await?;
    print_findings(&findings);
    if errors > 0 {
        bail!("the import of the file has {errors} errors");
    }
    if !findings.permit_activation() {
        bail!("the network has errors and cannot be activated");
    }
    Ok(())
}
