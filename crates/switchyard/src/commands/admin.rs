//! `switchyard admin`: the first administrator of a utility, made at the console because nobody can sign in yet.

use anyhow::Context;
use store::seed::MemberSeed;

use crate::cli::AdminCommand;
use crate::console::say;
use crate::settings::Settings;

/// The role of a utility's administrator (specification 1, section 3).
const ADMIN_ROLE: i32 = 2;

/// Creates or resets an administrator. The password is random, shown once and stored as a hash only.
pub(crate) async fn run(settings: Settings, command: AdminCommand) -> anyhow::Result<()> {
    let AdminCommand::Create { client, username, email } = command;
    let store = super::store(&settings).await?;
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
