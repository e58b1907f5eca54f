//! Members and their sessions. Tokens are never stored, only their SHA-256.

use grid::{ClientId, MemberId, Micros, NodeId};

use crate::{Result, Store};

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
        let _ = username;
        todo!()
    }

    /// Begins a session and returns its id.
    pub async fn insert_session(&self, session: &NewSession) -> Result<i64> {
        let _ = session;
        todo!()
    }

    /// The session of an access token, if it is good at `now`: not ended, not expired, not idle too long, member not disabled.
    pub async fn session_by_access(&self, access_hash: &[u8; 32], now: Micros) -> Result<Option<SessionRecord>> {
        let _ = (access_hash, now);
        todo!()
    }

    /// Exchanges a refresh secret for new tokens. Each secret works once.
    pub async fn rotate_session(&self, refresh_hash: &[u8; 32], next: &Rotation) -> Result<Rotated> {
        let _ = (refresh_hash, next);
        todo!()
    }

    /// Ends a session; ending it again changes nothing.
    pub async fn end_session(&self, session: i64, now: Micros) -> Result<()> {
        let _ = (session, now);
        todo!()
    }

    /// Ends all sessions of a member and returns how many there were.
    pub async fn end_sessions_of(&self, member: MemberId, now: Micros) -> Result<u64> {
        let _ = (member, now);
        todo!()
    }

    /// Marks a session as used. Callers need not do so more than once a minute.
    pub async fn touch_session(&self, session: i64, now: Micros) -> Result<()> {
        let _ = (session, now);
        todo!()
    }
}
