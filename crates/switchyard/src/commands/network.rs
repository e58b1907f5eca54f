//! `switchyard network`: stores, checks, activates and exports the network model, and answers questions about it.

mod check;
mod derive;
mod export;
mod files;
mod import;
mod islands;
mod source;
mod versions;

use crate::cli::NetworkCommand;
use crate::settings::Settings;

/// Runs one of its subcommands.
pub(crate) async fn run(settings: Settings, command: NetworkCommand) -> anyhow::Result<()> {
    match command {
        NetworkCommand::Import(arguments) => import::run(&settings, arguments).await,
        NetworkCommand::Derive(arguments) => derive::run(&settings, arguments).await,
        NetworkCommand::Check(arguments) => check::run(&settings, arguments).await,
        NetworkCommand::Islands(arguments) => islands::run(&settings, arguments).await,
        NetworkCommand::Export(arguments) => export::run(&settings, arguments).await,
        NetworkCommand::Versions { utility } => versions::list(&settings, utility.as_deref()).await,
        NetworkCommand::Activate { version, at, unfit_reason, utility } => {
            versions::activate(&settings, version, [at, unfit_reason].each_ref().map(Option::as_deref), utility.as_deref()).await
        }
    }
}
