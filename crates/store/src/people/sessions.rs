//! Sessions of users, from sign-in to sign-out, with tokens that are renewed.

use deadpool_postgres::{GenericClient, Transaction};
use grid::{ClientId, MemberId, Micros};
use serde_json::json;
use tokio_postgres::Row;

use super::{MemberRecord, member};
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Error, Result, Store};

/// A session to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The member who signs in.
    pub member: MemberId,
    /// SHA-256 of the access token.
    pub access_hash: [u8; 32],
    /// When the access token expires.
    pub access_until: Micros,
    /// SHA-256 of the refresh secret.
    pub refresh_hash: [u8; 32],
    /// When the refresh secret expires.
    pub refresh_until: Micros,
    /// Time without use after which the session ends, ms.
    pub idle_ms: i64,
    /// The time now.
    pub now: Micros,
}

/// The secret by which a browser is recognised after a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDevice {
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// SHA-256 of the secret that it replaces.
    pub replaces: Option<[u8; 32]>,
}

/// A valid session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Id of the session.
    pub id: i64,
    /// The member, as stored now.
    pub member: MemberRecord,
    /// When the access token expires.
    pub access_until: Micros,
    /// When the session was last used, with the resolution of [`Store::touch_session`].
    pub last_seen: Micros,
    /// Whether the session can only set up a second factor. Then `member` has no role.
    pub limited: bool,
}

/// The next tokens of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    /// SHA-256 of the new access token.
    pub access_hash: [u8; 32],
    /// When the access token expires.
    pub access_until: Micros,
    /// SHA-256 of the new refresh secret.
    pub refresh_hash: [u8; 32],
    /// When the refresh secret expires.
    pub refresh_until: Micros,
    /// The time now.
    pub now: Micros,
}

/// A refresh secret as a client presents it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresentedSecret<'a> {
    /// SHA-256 of the secret.
    pub hash: &'a [u8; 32],
    /// SHA-256 of the device secrets of the browser.
    pub devices: &'a [[u8; 32]],
    /// Who holds the secret.
    pub holder: SecretHolder,
}

/// Who holds a refresh secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretHolder {
    /// One program, which sends one request at a time.
    Program,
    /// A browser, in a cookie. Its tabs share the session and can renew it at the same time.
    Browser,
}

/// How long the previous access token of a browser stays valid after a renewal, ms. Other tabs may have sent requests with it.
const FORMER_ACCESS_MS: i64 = 60_000;
/// A request of another tab can arrive at most this long after a renewal with a newer secret, s.
const OVERTAKEN_S: i64 = 10;

/// A session that was ended, to be reported to the hubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Id of the session.
    pub session: i64,
    /// The utility of the session.
    pub client: ClientId,
}

/// The known times at which a session ended or will end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionEnds {
    /// Id of the session.
    pub session: i64,
    /// When the user signed out.
    pub signed_out: Option<Micros>,
    /// When it was ended, by a user or by the system.
    pub ended: Option<Micros>,
    /// When it ends if it is not used again.
    pub idle_at: Option<Micros>,
    /// When it ends at the latest.
    pub until: Option<Micros>,
}

/// The result of presenting a refresh secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotated {
    /// The session continues with the new tokens; the old ones are invalid.
    Ok(Box<SessionRecord>),
    /// The secret was used before, so another person may have a copy. Therefore the session was ended.
    Reused(MemberId, Ended),
    /// There is no such session, it has ended or expired, it was renewed too often, or the member is disabled.
    Unknown,
}

impl Store {
    /// Creates a session and returns its id.
    pub async fn insert_session(&self, session: &NewSession) -> Result<i64> {
        let inserted = insert(&self.pool.get().await?, session, None).await?;
        inserted.ok_or_else(|| Error::Data(format!("member {} does not exist or may not sign in", session.member)))
    }

    /// Creates a session on a device, remembers the device, and adds an audit entry for each. Returns the id of the session. `None` if the member is disabled,
    /// or if all sessions of the member were ended since `generation` was read. Also deletes a few expired sessions of any member.
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

    /// Returns the session of an access token if it is valid at `now`: not ended, not expired, not idle for too long, member not disabled.
    pub async fn session_by_access(&self, access_hash: &[u8; 32], now: Micros) -> Result<Option<SessionRecord>> {
        let row = self.query_opt(sql!("people/session_by_access"), &[&[access_hash.as_slice()].as_slice(), &Stamp(now)]).await?;
        row.as_ref().map(session_record).transpose()
    }

    /// Returns the valid sessions of many access tokens, as [`Store::session_by_access`] does for one.
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

    /// Exchanges a refresh secret for new tokens. Each secret can be used once.
    ///
    /// If the answer was lost, it can be used once more within a minute, together with the secret of the device that signed in. Then the tokens of the first
    /// use become invalid. They stay valid in a browser, because another tab may have made the first use.
    pub async fn rotate_session(&self, presented: PresentedSecret<'_>, next: &Rotation) -> Result<Rotated> {
        let PresentedSecret { hash: refresh_hash, devices, holder } = presented;
        let (late_s, former_ms) = match holder {
            SecretHolder::Program => (0, 0),
            SecretHolder::Browser => (OVERTAKEN_S, FORMER_ACCESS_MS),
        };
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let now = Stamp(next.now);
        let find = transaction.prepare_cached(sql!("people/find_refresh")).await?;
        let devices: Vec<&[u8]> = devices.iter().map(<[u8; 32]>::as_slice).collect();
        let Some(found) = transaction.query_opt(&find, &[&refresh_hash.as_slice(), &now, &devices, &late_s]).await? else {
            return Ok(Rotated::Unknown);
        };
        let id: i64 = found.try_get("session_id")?;
        let is_again = found.try_get::<_, Option<bool>>("again")?.unwrap_or(false);
        if found.try_get::<_, Option<Stamp>>("used")?.is_some() && !is_again {
            // A copied secret of a session that has ended is harmless, so presenting it changes nothing.
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
        if is_again && holder == SecretHolder::Program {
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
                    &Stamp(next.now.plus_millis(former_ms)),
                ],
            )
            .await?;
        let rotated = read(&transaction, &next.access_hash, next.now).await?;
        transaction.commit().await?;
        Ok(rotated.map_or(Rotated::Unknown, |session| Rotated::Ok(Box::new(session))))
    }

    /// Ends a super user's session and creates one in another utility, which expires no later than the old one. `None` if the session has ended, the user is
    /// not a super user, or the utility does not exist; then nothing is changed.
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

    /// Returns when sessions of a utility ended or will end. For a deleted session, only the sign-out is known.
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

    /// Ends a session. Ending it again changes nothing.
    pub async fn end_session(&self, session: i64, now: Micros) -> Result<()> {
        self.execute(sql!("people/end_session"), &[&session, &Stamp(now)]).await?;
        Ok(())
    }

    /// Returns the open session of a refresh secret that is not used yet.
    pub async fn session_of_refresh(&self, refresh_hash: &[u8; 32]) -> Result<Option<Ended>> {
        let row = self.query_opt(sql!("people/session_of_refresh"), &[&refresh_hash.as_slice()]).await?;
        row.map(|row| Ok(Ended { session: row.try_get("session_id")?, client: ClientId(row.try_get("client_id")?) })).transpose()
    }

    /// Ends a session because its user signed out, with an audit entry.
    pub async fn sign_out(&self, session: i64, now: Micros, origin: &Origin) -> Result<()> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        transaction.execute(sql!("people/end_session"), &[&session, &Stamp(now)]).await?;
        enter(&transaction, &Entry::new(origin, "sign_out", format!("session {session}"))).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Records that a session is used. It is enough to call it once a minute.
    pub async fn touch_session(&self, session: i64, now: Micros) -> Result<()> {
        self.execute(sql!("people/touch_session"), &[&session, &Stamp(now)]).await?;
        Ok(())
    }
}

/// Ends all sessions of a member within the given transaction, including sessions that are being created at the same time.
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
