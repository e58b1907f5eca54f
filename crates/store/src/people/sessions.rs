//! Sessions: from sign-in to sign-out, their tokens changing underneath.

use deadpool_postgres::{GenericClient, Transaction};
use grid::{ClientId, MemberId, Micros};
use serde_json::json;
use tokio_postgres::Row;

use super::{MemberRecord, member};
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Error, Result, Store};

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

/// What a browser is known by from a sign-in on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDevice {
    /// SHA-256 of its secret.
    pub hash: [u8; 32],
    /// That of the one whose place it takes.
    pub replaces: Option<[u8; 32]>,
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
    /// When it was last used, to the nearest [`Store::touch_session`].
    pub last_seen: Micros,
    /// Whether it is good for setting up a second factor alone; then the member is shown without a role.
    pub limited: bool,
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

/// A session that has been ended, to be told to the hubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The session.
    pub session: i64,
    /// The utility that it was in.
    pub client: ClientId,
}

/// When a session ended or will, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionEnds {
    /// The session.
    pub session: i64,
    /// When its person signed out.
    pub signed_out: Option<Micros>,
    /// When it was ended, by whomever.
    pub ended: Option<Micros>,
    /// When it is over unless it is used meanwhile.
    pub idle_at: Option<Micros>,
    /// When it is over in any case.
    pub until: Option<Micros>,
}

/// What came of presenting a refresh secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotated {
    /// The session goes on with the new tokens; the old ones are worth nothing.
    Ok(Box<SessionRecord>),
    /// The secret had been used before: somebody has a copy. The session has been ended by this.
    Reused(MemberId, Ended),
    /// No session, an ended one, one past its time or renewed too often, or a disabled member.
    Unknown,
}

impl Store {
    /// Begins a session and returns its id.
    pub async fn insert_session(&self, session: &NewSession) -> Result<i64> {
        let inserted = insert(&self.pool.get().await?, session, None).await?;
        inserted.ok_or_else(|| Error::Data(format!("member {} does not exist or may not sign in", session.member)))
    }

    /// Begins a session on a device, which is known from now on, and enters both into the audit. Returns the session's id; `None` when
    /// the person may not sign in, or all their sessions were ended since they were read with this `generation`. Forgets a few sessions that are past
    /// their time, whoever's they are.
    pub async fn begin_session(&self, session: &NewSession, generation: i64, device: &NewDevice, origin: &Origin) -> Result<Option<i64>> {
        self.execute(sql!("people/sweep_sessions"), &[&Stamp(session.now)]).await?;
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let Some(id) = insert(&transaction, session, Some(generation)).await? else { return Ok(None) };
        let know = transaction.prepare_cached(sql!("people/know_device")).await?;
        transaction
            .execute(
                &know,
                &[
                    &device.hash.as_slice(),
                    &session.member.0,
                    &Stamp(session.now),
                    &id,
                    &device.replaces.as_ref().map(<[u8; 32]>::as_slice),
                ],
            )
            .await?;
        let origin = Origin { session: Some(id), ..origin.clone() };
        enter(&transaction, &Entry::new(&origin, "sign_in", format!("session {id}"))).await?;
        transaction.commit().await?;
        Ok(Some(id))
    }

    /// The session of an access token, if it is good at `now`: not ended, not expired, not idle too long, member not disabled.
    pub async fn session_by_access(&self, access_hash: &[u8; 32], now: Micros) -> Result<Option<SessionRecord>> {
        let row = self.query_opt(sql!("people/session_by_access"), &[&[access_hash.as_slice()].as_slice(), &Stamp(now)]).await?;
        row.as_ref().map(session_record).transpose()
    }

    /// The sessions of many access tokens, as [`Store::session_by_access`] has each; those that are not good are left out.
    pub async fn sessions_by_access(&self, access_hashes: &[[u8; 32]], now: Micros) -> Result<Vec<([u8; 32], SessionRecord)>> {
        let hashes: Vec<&[u8]> = access_hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let rows = self.query(sql!("people/session_by_access"), &[&hashes, &Stamp(now)]).await?;
        let session = |row: &Row| {
            let hash = row.try_get::<_, &[u8]>("access_hash")?.try_into();
            let hash = hash.map_err(|_| Error::Data("the hash of an access token has not 32 bytes".to_owned()))?;
            Ok((hash, session_record(row)?))
        };
        rows.iter().map(session).collect()
    }

    /// Exchanges a refresh secret for new tokens. Each secret works once; for a minute once more where it comes with the secret of the device that signed
    /// in (one of `devices`, SHA-256): then the pair that it gave before is worth nothing, since its answer was lost.
    pub async fn rotate_session(&self, refresh_hash: &[u8; 32], devices: &[[u8; 32]], next: &Rotation) -> Result<Rotated> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let now = Stamp(next.now);
        let find = transaction.prepare_cached(sql!("people/find_refresh")).await?;
        let devices: Vec<&[u8]> = devices.iter().map(<[u8; 32]>::as_slice).collect();
        let Some(found) = transaction.query_opt(&find, &[&refresh_hash.as_slice(), &now, &devices]).await? else {
            return Ok(Rotated::Unknown);
        };
        let id: i64 = found.try_get("session_id")?;
        let is_again = found.try_get::<_, Option<bool>>("again")?.unwrap_or(false);
        if found.try_get::<_, Option<Stamp>>("used")?.is_some() && !is_again {
            // Of a session that is over a copy is worth nothing, and presenting it for ever must change nothing.
            if transaction.execute(sql!("people/end_session"), &[&id, &now]).await? == 0 {
                return Ok(Rotated::Unknown);
            }
            transaction.commit().await?;
            let ended = Ended { session: id, client: ClientId(found.try_get("client_id")?) };
            return Ok(Rotated::Reused(MemberId(found.try_get("member_id")?), ended));
        }
        if !found.try_get::<_, bool>("good")? {
            return Ok(Rotated::Unknown);
        }
        if is_again {
            transaction.execute(sql!("people/drop_unused_refresh"), &[&id]).await?;
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
        let rotated = read(&transaction, &next.access_hash, next.now).await?;
        transaction.commit().await?;
        Ok(rotated.map_or(Rotated::Unknown, |session| Rotated::Ok(Box::new(session))))
    }

    /// Ends a super user's session and begins one in another utility, good no longer than the old one would have been. `None` when the session is
    /// over, the person is no super user, or there is no such utility; then nothing has changed.
    pub async fn switch_session(
        &self,
        session: i64,
        to: ClientId,
        idle_ms: i64,
        next: &Rotation,
        origin: &Origin,
    ) -> Result<Option<SessionRecord>> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let switch = transaction.prepare_cached(sql!("people/switch_session")).await?;
        let begun = transaction
            .query_opt(
                &switch,
                &[
                    &session,
                    &to.0,
                    &next.access_hash.as_slice(),
                    &Stamp(next.access_until),
                    &next.refresh_hash.as_slice(),
                    &idle_ms,
                    &Stamp(next.now),
                ],
            )
            .await?;
        let Some(begun) = begun else { return Ok(None) };
        let Some(record) = read(&transaction, &next.access_hash, next.now).await? else { return Ok(None) };
        let from: i64 = begun.try_get("from_client")?;
        let origin = Origin { client: Some(to), session: Some(record.id), ..origin.clone() };
        let entry = Entry::new(&origin, "client_switch", format!("client {to}"))
            .changing(Some(json!({ "client": from, "session": session })), Some(json!({ "client": to.0, "session": record.id })));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(record))
    }

    /// How sessions of a utility ended or will; of one that is not kept any more it is known whether its person signed out.
    pub async fn session_ends(&self, client: ClientId, sessions: &[i64]) -> Result<Vec<SessionEnds>> {
        let rows = self.query_bound(client, sql!("people/ends_of_sessions"), &[&client.0, &sessions]).await?;
        let ends = |row: &Row| {
            Ok(SessionEnds {
                session: row.try_get("id")?,
                signed_out: micros_or_null(row, "signed_out")?,
                ended: micros_or_null(row, "ended")?,
                idle_at: micros_or_null(row, "idle_at")?,
                until: micros_or_null(row, "until")?,
            })
        };
        rows.iter().map(ends).collect()
    }

    /// Ends a session; ending it again changes nothing.
    pub async fn end_session(&self, session: i64, now: Micros) -> Result<()> {
        self.execute(sql!("people/end_session"), &[&session, &Stamp(now)]).await?;
        Ok(())
    }

    /// The same at the wish of its person, which is entered into the audit.
    pub async fn sign_out(&self, session: i64, now: Micros, origin: &Origin) -> Result<()> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        transaction.execute(sql!("people/end_session"), &[&session, &Stamp(now)]).await?;
        enter(&transaction, &Entry::new(origin, "sign_out", format!("session {session}"))).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Marks a session as used. Callers need not do so more than once a minute.
    pub async fn touch_session(&self, session: i64, now: Micros) -> Result<()> {
        self.execute(sql!("people/touch_session"), &[&session, &Stamp(now)]).await?;
        Ok(())
    }
}

/// Ends all sessions of a member, those that begin at this moment too, within the change that is the reason.
pub(crate) async fn end_all(transaction: &Transaction<'_>, member: MemberId, now: Micros) -> Result<Vec<Ended>> {
    let rows = transaction.query(sql!("people/end_sessions_of"), &[&member.0, &Stamp(now)]).await?;
    rows.iter().map(|row| Ok(Ended { session: row.try_get("id")?, client: ClientId(row.try_get("client_id")?) })).collect()
}

async fn insert(client: &impl GenericClient, session: &NewSession, generation: Option<i64>) -> Result<Option<i64>> {
    let statement = client.prepare_cached(sql!("people/insert_session")).await?;
    let row = client
        .query_opt(
            &statement,
            &[
                &session.member.0,
                &session.access_hash.as_slice(),
                &Stamp(session.access_until),
                &session.refresh_hash.as_slice(),
                &Stamp(session.refresh_until),
                &session.idle_ms,
                &Stamp(session.now),
                &generation,
            ],
        )
        .await?;
    Ok(row.map(|row| row.try_get("id")).transpose()?)
}

async fn read(transaction: &Transaction<'_>, access_hash: &[u8; 32], now: Micros) -> Result<Option<SessionRecord>> {
    let statement = transaction.prepare_cached(sql!("people/session_by_access")).await?;
    let row = transaction.query_opt(&statement, &[&[access_hash.as_slice()].as_slice(), &Stamp(now)]).await?;
    row.as_ref().map(session_record).transpose()
}

fn session_record(row: &Row) -> Result<SessionRecord> {
    Ok(SessionRecord {
        id: row.try_get("session_id")?,
        member: member(row)?,
        access_until: micros(row, "access_until")?,
        last_seen: micros(row, "last_seen")?,
        limited: row.try_get("limited")?,
    })
}
