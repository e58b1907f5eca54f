//! Members and their sessions. Tokens are never stored, only their SHA-256.

use grid::{ClientId, MemberId, Micros, NodeId};

use tokio_postgres::Row;

use crate::convert::{Stamp, micros, sql};
use crate::{Error, Result, Store};

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRecord {
    /// The member.
    pub id: MemberId,
    /// The utility.
    pub client: ClientId,
    /// What they sign in with; unique across utilities, case ignored.
    pub username: String,
    /// Where they are written to.
    pub email: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Role number (specification 1, section 3).
    pub role_id: i32,
    /// Its name.
    pub role_name: String,
    /// Argon2 hash in PHC form.
    pub password_hash: String,
    /// The node they are confined to; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Whether they may operate.
    pub can_operate: bool,
    /// Whether this is the demo user, who only looks.
    pub demo: bool,
    /// Whether signing in is refused.
    pub disabled: bool,
}

/// A session to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Who signs in.
    pub member: MemberId,
    /// SHA-256 of the access token.
    pub access_hash: [u8; 32],
    /// Until when it is good.
    pub access_until: Micros,
    /// SHA-256 of the refresh secret.
    pub refresh_hash: [u8; 32],
    /// Until when it is good.
    pub refresh_until: Micros,
    /// The session ends after so long without use, ms.
    pub idle_ms: i64,
    /// The time now.
    pub now: Micros,
}

/// A session that is good now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The session.
    pub id: i64,
    /// Whose it is, as they are now.
    pub member: MemberRecord,
    /// Until when the access token is good.
    pub access_until: Micros,
    /// When it was last used, to the nearest [`Store::touch`].
    pub last_seen: Micros,
}

/// The next pair of tokens of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    /// SHA-256 of the new access token.
    pub access_hash: [u8; 32],
    /// Until when it is good.
    pub access_until: Micros,
    /// SHA-256 of the new refresh secret.
    pub refresh_hash: [u8; 32],
    /// Until when it is good.
    pub refresh_until: Micros,
    /// The time now.
    pub now: Micros,
}

/// What came of presenting a refresh secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotated {
    /// The session goes on with the new tokens; the old ones are worth nothing.
    Ok(Box<SessionRecord>),
    /// The secret had been used before: somebody has a copy. The session has been ended.
    Reused(MemberId),
    /// No session, an ended one, one past its time, or a disabled member.
    Unknown,
}

impl Store {
    /// The member with a username, case ignored, of whatever utility.
    pub async fn member_by_username(&self, username: &str) -> Result<Option<MemberRecord>> {
        let row = self.query_opt(sql!("people/member_by_username"), &[&username]).await?;
        row.as_ref().map(member).transpose()
    }

    /// Begins a session and returns its id.
    pub async fn insert_session(&self, session: &NewSession) -> Result<i64> {
        let row = self
            .query_opt(
                sql!("people/insert_session"),
                &[
                    &session.member.0,
                    &session.access_hash.as_slice(),
                    &Stamp(session.access_until),
                    &session.refresh_hash.as_slice(),
                    &Stamp(session.refresh_until),
                    &session.idle_ms,
                    &Stamp(session.now),
                ],
            )
            .await?;
        let row = row.ok_or_else(|| Error::Data(format!("member {} does not exist or may not sign in", session.member)))?;
        Ok(row.try_get("id")?)
    }

    /// The session of an access token, if it is good at `now`: not ended, not expired, not idle too long, member not disabled.
    pub async fn session_by_access(&self, access_hash: &[u8; 32], now: Micros) -> Result<Option<SessionRecord>> {
        let row = self.query_opt(sql!("people/session_by_access"), &[&access_hash.as_slice(), &Stamp(now)]).await?;
        row.as_ref().map(session_record).transpose()
    }

    /// Exchanges a refresh secret for new tokens. Each secret works once.
    pub async fn rotate_session(&self, refresh_hash: &[u8; 32], next: &Rotation) -> Result<Rotated> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let now = Stamp(next.now);
        let find = transaction.prepare_cached(sql!("people/find_refresh")).await?;
        let Some(found) = transaction.query_opt(&find, &[&refresh_hash.as_slice(), &now]).await? else {
            return Ok(Rotated::Unknown);
        };
        let id: i64 = found.try_get("session_id")?;
        if found.try_get::<_, Option<Stamp>>("used")?.is_some() {
            transaction.execute(sql!("people/end_session"), &[&id, &now]).await?;
            transaction.commit().await?;
            return Ok(Rotated::Reused(MemberId(found.try_get("member_id")?)));
        }
        if !found.try_get::<_, bool>("good")? {
            return Ok(Rotated::Unknown);
        }
        let exchange = transaction.prepare_cached(sql!("people/use_refresh")).await?;
        transaction
            .execute(
                &exchange,
                &[
                    &refresh_hash.as_slice(),
                    &next.access_hash.as_slice(),
                    &Stamp(next.access_until),
                    &next.refresh_hash.as_slice(),
                    &Stamp(next.refresh_until),
                    &now,
                ],
            )
            .await?;
        let read = transaction.prepare_cached(sql!("people/session_by_access")).await?;
        let row = transaction.query_opt(&read, &[&next.access_hash.as_slice(), &now]).await?;
        let rotated = row.as_ref().map(session_record).transpose()?;
        transaction.commit().await?;
        Ok(rotated.map_or(Rotated::Unknown, |session| Rotated::Ok(Box::new(session))))
    }

    /// Ends a session; ending it again changes nothing.
    pub async fn end_session(&self, session: i64, now: Micros) -> Result<()> {
        self.execute(sql!("people/end_session"), &[&session, &Stamp(now)]).await?;
        Ok(())
    }

    /// Ends all sessions of a member and returns how many there were.
    pub async fn end_sessions_of(&self, member: MemberId, now: Micros) -> Result<u64> {
        self.execute(sql!("people/end_sessions_of"), &[&member.0, &Stamp(now)]).await
    }

    /// Marks a session as used. Callers need not do so more than once a minute.
    pub async fn touch_session(&self, session: i64, now: Micros) -> Result<()> {
        self.execute(sql!("people/touch_session"), &[&session, &Stamp(now)]).await?;
        Ok(())
    }
}

fn member(row: &Row) -> Result<MemberRecord> {
    Ok(MemberRecord {
        id: MemberId(row.try_get("member_id")?),
        client: ClientId(row.try_get("client_id")?),
        username: row.try_get("username")?,
        email: row.try_get("email")?,
        first_name: row.try_get("first_name")?,
        last_name: row.try_get("last_name")?,
        role_id: row.try_get("role_id")?,
        role_name: row.try_get("role_name")?,
        password_hash: row.try_get("password_hash")?,
        node: row.try_get::<_, Option<i64>>("node_id")?.map(NodeId),
        can_operate: row.try_get("can_operate")?,
        demo: row.try_get("demo")?,
        disabled: row.try_get("disabled")?,
    })
}

fn session_record(row: &Row) -> Result<SessionRecord> {
    Ok(SessionRecord {
        id: row.try_get("session_id")?,
        member: member(row)?,
        access_until: micros(row, "access_until")?,
        last_seen: micros(row, "last_seen")?,
    })
}
