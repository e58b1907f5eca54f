//! Setting a password anew: handles that stand for an address, single-use links, and the change itself. Only hashes of secrets are kept.

use grid::{ClientId, MemberId, Micros};
use tokio_postgres::Row;

use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, sql};
use crate::people::{Ended, MemberRecord, member};
use crate::{Result, Store};

/// A link that was made for somebody, to be mailed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Which of the given hashes it has.
    pub place: usize,
    /// Whose password it sets.
    pub member: MemberId,
    /// Their utility.
    pub client: ClientId,
    /// Their sign-in name.
    pub username: String,
    /// Their address as it is on file.
    pub email: String,
}

/// A link that was made for one member, to be mailed or told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneLink {
    /// Their sign-in name.
    pub username: String,
    /// Their address as it is on file.
    pub email: String,
    /// Whether it sets their first password, and is good until the later time.
    pub is_first: bool,
}

/// Until when a link is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Until {
    /// For somebody who has never set a password: there is nothing yet that the link could take over.
    pub first: Micros,
    /// For everybody else.
    pub again: Micros,
}

impl Store {
    /// Keeps a handle for an address, whether anybody has it or not, and forgets what is past its time.
    pub async fn put_reset_handle(&self, hash: &[u8; 32], email: &str, until: Micros, now: Micros) -> Result<()> {
        self.execute(sql!("reset/sweep"), &[&Stamp(now)]).await?;
        self.execute(sql!("reset/put_handle"), &[&hash.as_slice(), &email, &Stamp(until)]).await?;
        Ok(())
    }

    /// The address that a handle stands for. A handle works once.
    pub async fn use_reset_handle(&self, hash: &[u8; 32], now: Micros) -> Result<Option<String>> {
        let row = self.query_opt(sql!("reset/use_handle"), &[&hash.as_slice(), &Stamp(now)]).await?;
        Ok(row.map(|row| row.try_get("email")).transpose()?)
    }

    /// Keeps links for the people with an address, as many as there are hashes, and enters that into the audit. None when nobody has it.
    pub async fn put_reset_links(&self, email: &str, hashes: &[[u8; 32]], until: Micros, origin: &Origin) -> Result<Vec<Link>> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let hashes: Vec<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let put = transaction.prepare_cached(sql!("reset/put_links")).await?;
        let rows = transaction.query(&put, &[&email, &hashes, &Stamp(until)]).await?;
        let links: Vec<Link> = rows.iter().map(link).collect::<Result<_>>()?;
        // By utility, so that two resets at once lock the chains in one order.
        let mut ordered: Vec<&Link> = links.iter().collect();
        ordered.sort_by_key(|link| (link.client, link.member));
        for link in ordered {
            let origin = Origin { client: Some(link.client), ..origin.clone() };
            enter(&transaction, &Entry::new(&origin, "reset_asked", format!("member {}", link.member))).await?;
        }
        transaction.commit().await?;
        Ok(links)
    }

    /// Keeps a link for one member and enters `action` into the audit. `None` when there is no such member, or signing in is refused to them.
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

    /// Whose password a link sets, while it is good.
    pub async fn member_by_link(&self, hash: &[u8; 32], now: Micros) -> Result<Option<MemberRecord>> {
        let row = self.query_opt(sql!("reset/find_link"), &[&hash.as_slice(), &Stamp(now)]).await?;
        row.as_ref().map(member).transpose()
    }

    /// Sets the password by a link, which works once. All sessions, links and known devices of the person end with it; answers the sessions.
    /// `None` when the link is good no more; then nothing has changed.
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
