//! `switchyard admin second-factor remove`: for a sole administrator who has lost both device and recovery codes.

use anyhow::{Context, ensure};
use store::Store;
use store::audit::Origin;

use crate::console::say;
use crate::settings::Settings;

/// Removes the second factor of a user and notifies the user by mail. If the role requires one, the next sign-in only
/// allows setting up a new one.
pub(super) async fn remove(settings: &Settings, store: &Store, username: &str) -> anyhow::Result<()> {
    let member = store.member_by_username(username).await?.with_context(|| format!("there is nobody with the name {username:?}"))?;
    let origin = Origin { client: Some(member.client), from: "console".to_owned(), ..Origin::default() };
    let removed = store.remove_second_factor((member.client, member.id), &origin).await?;
    ensure!(removed, "{} has no second factor", member.username);
    say(&format!("The second factor of {} has been removed: the password alone signs them in.", member.username));
    let mail = settings.mail.settings(&settings.state.dir);
    // The second factor is already removed, so a failed mail is only reported.
    match identity::second_factor::mail_console_removal(&mail, &member).await {
        Ok(()) => say("They have been told by mail."),
        Err(error) => say(&format!("They could not be told by mail, so tell them: {error}")),
    }
    Ok(())
}
