//! `switchyard admin`: manages users, the registry and the audit.

mod audit;
mod first;
mod import;
mod import_cables;
mod second_factor;

use crate::cli::{AdminCommand, AuditCommand, SecondFactorCommand};
use crate::settings::Settings;

/// Runs one of its subcommands.
pub(crate) async fn run(settings: Settings, command: AdminCommand) -> anyhow::Result<()> {
    let store = super::store(&settings).await?;
    match command {
        AdminCommand::FirstAdministrator { client, username, email, super_user } => {
            let first = first::First { client, username, email, super_user };
            first.run(&store, &settings.http.public_url()).await
        }
        AdminCommand::Audit(AuditCommand::Verify { expect, checkpoints, key }) => {
            let kept = audit::kept(&settings, expect.as_deref(), &checkpoints, key.as_deref())?;
            audit::verify(&store, &kept).await
        }
        AdminCommand::SecondFactor(SecondFactorCommand::Remove { username }) => second_factor::remove(&settings, &store, &username).await,
        AdminCommand::Audit(AuditCommand::Checkpoint) => audit::checkpoint(&store, &settings).await,
        AdminCommand::ImportCableHealth { kind, file, client, dry_run } => {
            import_cables::run(&store, (&kind, &file), &client, dry_run).await
        }
        AdminCommand::ImportHierarchy { file, client, dry_run } => import::run(&settings, &store, &file, &client, dry_run).await,
    }
}
