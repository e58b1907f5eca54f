//! `switchyard admin first-administrator`: creates the first administrator, before any user can sign in.

use anyhow::{Context, bail};
use grid::{MemberId, Micros};
use store::Store;
use store::audit::Origin;
use store::people::MemberDraft;
use store::reset::Until;

use crate::console::say;

/// Roles that administer a utility (specification 1, section 6).
const SUPER_USER: (i32, &str) = (1, "SuperUser");
const ADMIN: (i32, &str) = (2, "ClientAdmin");

/// Lifetime of a link for a first password, ms. It is long, because the user must be informed first.
const FIRST_MS: i64 = 24 * 3_600_000;
/// Lifetime of a link that replaces a password, ms.
const AGAIN_MS: i64 = 10 * 60_000;

/// The administrator to create.
#[derive(Debug)]
pub(super) struct First {
    pub(super) client: String,
    pub(super) username: String,
    pub(super) email: String,
    pub(super) super_user: bool,
}

impl First {
    /// Adds the member, unless it exists, and prints the link. Before the link is used, the member has no usable
    /// password. Only the hash of the link is stored.
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
        let now = Micros(jiff::Timestamp::now().as_microsecond());
        let until = Until { first: now.plus_millis(FIRST_MS), again: now.plus_millis(AGAIN_MS) };
        let link = store.put_link(&hash, member, until, "first_administrator", &origin).await?;
        let link = link.with_context(|| format!("signing in is refused to {}", self.username))?;
        let within = if link.is_first { "a day" } else { "ten minutes" };
        say(&format!("{} of {} sets a password within {within} at\n{public_url}/setpassword#{token}", self.username, client.name));
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
        // A random password that is never shown.
        let hash = auth::hash_password(auth::new_token().0).await?;
        let client = origin.client.context("a utility")?;
        let added = store.add_member(client, &self.username, &hash, &draft, origin).await?;
        Ok(added.with_context(|| format!("the name {} is taken", self.username))?.id)
    }
}
