//! Password resets: handles for e-mail addresses, single-use links, and the new password. Only hashes of secrets are stored.

use grid::{ClientId, MemberId, Micros};
use tokio_postgres::Row;

use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, sql};
use crate::people::{Ended, MemberRecord, member};
use crate::{Result, Store};

/// A link that was created for a member, to be sent by mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Index of its hash among the given hashes.
    pub place: usize,
    /// Id of the member whose password it sets.
    pub member: MemberId,
    /// Id of the member's utility.
    pub client: ClientId,
    /// Sign-in name of the member.
    pub username: String,
    /// Stored e-mail address of the member.
    pub email: String,
}

/// A link that was created for one member, to be sent by mail or shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneLink {
    /// Sign-in name of the member.
    pub username: String,
    /// Stored e-mail address of the member.
    pub email: String,
    /// Whether it sets the first password, so that [`Until::first`] applies.
    pub is_first: bool,
}

/// When a link expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Until {
    /// The longer validity, for a member who has never set a password. Such a link cannot be used to take over an account that is in use.
    pub first: Micros,
    /// For all other members.
    pub again: Micros,
}

impl Store {
    /// Stores a handle for an address, whether or not a member has this address, and deletes expired handles.
    pub async fn put_reset_handle(&self, hash: &[u8; 32], email: &str, until: Micros, now: Micros) -> Result<()> {
        self.execute(sql!("reset/sweep"), &[&Stamp(now)]).await?;
        self.execute(sql!("reset/put_handle"), &[&hash.as_slice(), &email, &Stamp(until)]).await?;
        Ok(())
    }

    /// Returns the address of a handle. A handle can be used once.
    pub async fn use_reset_handle(&self, hash: &[u8; 32], now: Micros) -> Result<Option<String>> {
        let row = self.query_opt(sql!("reset/use_handle"), &[&hash.as_slice(), &Stamp(now)]).await?;
        Ok(row.map(|row| row.try_get("email")).transpose()?)
    }

    /// Stores links for the members with an address, at most one for each hash, and adds audit entries. Returns no links if no member has the address.
    pub async fn put_reset_links(&self, email: &str, hashes: &[[u8; 32]], until: Micros, origin: &Origin) -> Result<Vec<Link>> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let hashes: Vec<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let put = transaction.prepare_cached(sql!("reset/put_links")).await?;
        let rows = transaction.query(&put, &[&email, &hashes, &Stamp(until)]).await?;
        let links: Vec<Link> = rows.iter().map(link).collect::<Result<_>>()?;
        // Ordered by utility, so that two simultaneous resets lock the audit chains in the same order.
        let mut ordered: Vec<&Link> = links.iter().collect();
        ordered.sort_by_key(|link| (link.client, link.member));
        for link in ordered {
            let origin = Origin { client: Some(link.client), ..origin.clone() };
            enter(&transaction, &Entry::new(&origin, "reset_asked", format!("member {}", link.member))).await?;
        }
        transaction.commit().await?;
        Ok(links)
    }

    /// Stores a link for one member and adds an audit entry with `action`. `None` if there is no such member, or the member is disabled.
    pub async fn put_link(
        &self,
        hash: &[u8; 32],
        member: MemberId,
        until: Until,
        action: &str,
        origin: &Origin,
    ) -> Result<Option<OneLink>> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let put = transaction.prepare_cached(sql!("reset/put_link")).await?;
        let Until { first, again } = until;
        let row = transaction.query_opt(&put, &[&hash.as_slice(), &member.0, &Stamp(first), &Stamp(again)]).await?;
        let Some(row) = row else { return Ok(None) };
        let link = OneLink { username: row.try_get("username")?, email: row.try_get("email")?, is_first: row.try_get("is_first")? };
        enter(&transaction, &Entry::new(origin, action, format!("member {member}"))).await?;
        transaction.commit().await?;
        Ok(Some(link))
    }

    /// Returns the member whose password a valid link sets.
    pub async fn member_by_link(&self, hash: &[u8; 32], now: Micros) -> Result<Option<MemberRecord>> {
        let row = self.query_opt(sql!("reset/find_link"), &[&hash.as_slice(), &Stamp(now)]).await?;
        row.as_ref().map(member).transpose()
    }

    /// Sets the password with a link, which can be used once. All sessions, links and known devices of the member become invalid; the ended sessions are
    /// returned. `None` if the link is not valid any more; then nothing is changed.
    pub async fn set_password(&self, link: &[u8; 32], password_hash: &str, now: Micros, origin: &Origin) -> Result<Option<Vec<Ended>>> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let stamp = Stamp(now);
        let set = transaction.prepare_cached(sql!("reset/use_link")).await?;
        let Some(row) = transaction.query_opt(&set, &[&link.as_slice(), &stamp, &password_hash]).await? else { return Ok(None) };
        let (member, home): (i64, i64) = (row.try_get("id")?, row.try_get("client_id")?);
        transaction.execute(sql!("reset/void_links"), &[&member, &stamp]).await?;
        transaction.execute(sql!("reset/forget_devices"), &[&member]).await?;
        let ended = crate::people::end_all(&transaction, MemberId(member), now).await?;
        let origin = Origin { client: Some(ClientId(home)), actor: Some(MemberId(member)), ..origin.clone() };
        enter(&transaction, &Entry::new(&origin, "password_set", format!("member {member}"))).await?;
        transaction.commit().await?;
        Ok(Some(ended))
    }
}

fn link(row: &Row) -> Result<Link> {
    Ok(Link {
        place: usize::try_from(row.try_get::<_, i32>("place")?).unwrap_or_default(),
        member: MemberId(row.try_get("member_id")?),
        client: ClientId(row.try_get("client_id")?),
        username: row.try_get("username")?,
        email: row.try_get("email")?,
    })
}
