//! `switchyard admin first-administrator`: made at the console because nobody can sign in yet.

use anyhow::{Context, bail};
use grid::{MemberId, Micros};
use store::Store;
use store::audit::Origin;
use store::people::MemberDraft;

use crate::console::say;

/// Roles that administer a utility (specification 1, section 6).
const SUPER_USER: (i32, &str) = (1, "SuperUser");
const ADMIN: (i32, &str) = (2, "ClientAdmin");

/// The link waits for somebody who is told of it, not for a mail.
const LINK_MS: i64 = 24 * 3_600_000;

/// Who is to be the administrator of what.
#[derive(Debug)]
pub(super) struct First {
    pub(super) client: String,
    pub(super) username: String,
    pub(super) email: String,
    pub(super) super_user: bool,
}

impl First {
    /// Adds the member, unless they are there, and prints the link. No password exists before it is used, and only its hash is kept.
    pub(super) async fn run(self, store: &Store, public_url: &str) -> anyhow::Result<()> {
        let registry = store.registry(None).await?;
        let code = &self.client;
        let client =
            registry.clients.iter().find(|record| record.code == *code).with_context(|| format!("there is no utility {code:?}"))?;
        let origin = Origin { client: Some(client.id), from: "console".to_owned(), ..Origin::default() };
        let member = match store.member_by_username(&self.username).await? {
            Some(known) if known.client != client.id => bail!("the name {} is taken by another utility", self.username),
            Some(known) if ![SUPER_USER.0, ADMIN.0].contains(&known.role_id) => bail!("{} is a {} already", self.username, known.role_name),
            Some(known) => known.id,
            None => self.add(store, &origin).await?,
        };
        let (token, hash) = auth::new_token();
        let until = Micros(jiff::Timestamp::now().as_microsecond()).plus_millis(LINK_MS);
        if !store.put_link(&hash, member, until, "first_administrator", &origin).await? {
            bail!("signing in is refused to {}", self.username);
        }
        say(&format!("{} of {} sets a password within a day at\n{public_url}/setpassword#{token}", self.username, client.name));
        Ok(())
    }

    async fn add(&self, store: &Store, origin: &Origin) -> anyhow::Result<MemberId> {
        let (role_id, role_name) = if self.super_user { SUPER_USER } else { ADMIN };
        let draft = MemberDraft {
            first_name: self.username.clone(),
            last_name: String::new(),
            email: self.email.clone(),
            role_id,
            role_name: role_name.to_owned(),
            node: None,
            can_operate: false,
            flags: serde_json::json!({}),
            disabled: false,
        };
        // Nobody knows this one.
        let hash = auth::hash_password(auth::new_token().0).await?;
        let client = origin.client.context("a utility")?;
        let added = store.add_member(client, &self.username, &hash, &draft, origin).await?;
        Ok(added.with_context(|| format!("the name {} is taken", self.username))?.id)
    }
}
