//! `switchyard admin`: work at the console on who may sign in, and on what stands where.

mod import;

use anyhow::Context;
use store::Store;
use store::seed::MemberSeed;

use crate::cli::AdminCommand;
use crate::console::say;
use crate::settings::Settings;

/// The role of a utility's administrator (specification 1, section 3).
const ADMIN_ROLE: i32 = 2;

/// Runs one of its subcommands.
pub(crate) async fn run(settings: Settings, command: AdminCommand) -> anyhow::Result<()> {
    let store = super::store(&settings).await?;
    match command {
        AdminCommand::Create { client, username, email } => create(&store, &client, username, email).await,
        AdminCommand::ImportHierarchy { file, client, dry_run } => import::run(&store, &file, &client, dry_run).await,
    }
}

/// Creates or resets the first administrator of a utility, because nobody can sign in yet. The password is random, shown once and stored as a hash
/// only.
async fn create(store: &Store, client: &str, username: String, email: String) -> anyhow::Result<()> {
    let registry = store.registry(None).await?;
    let client = registry.clients.iter().find(|record| record.code == client).with_context(|| format!("there is no utility {client:?}"))?;
    let password = format!("{:032x}", rand::random::<u128>());
    let member = MemberSeed {
        client: client.id,
        username: username.clone(),
        email,
        first_name: username.clone(),
        last_name: String::new(),
        role_id: ADMIN_ROLE,
        role_name: "ClientAdmin".to_owned(),
        password_hash: auth::hash_password(password.clone()).await?,
        node: None,
        can_operate: false,
        demo: false,
    };
    store.put_member(&member).await?;
    say(&format!("{username} of {} may sign in with the password {password}", client.name));
    Ok(())
}
