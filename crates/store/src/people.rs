//! Members and their sessions. Tokens are never stored, only their SHA-256.

mod devices;
mod members;
mod second_factor;
mod sessions;

use grid::{ClientId, MemberId, NodeId};
use serde_json::Value;
use tokio_postgres::Row;

use crate::convert::sql;
use crate::{Result, Store};

pub use members::{Changed, MemberDraft};
pub use second_factor::{Confirmed, SecondFactorRecord};
pub(crate) use sessions::end_all;
pub use sessions::{Ended, NewDevice, NewSession, Rotated, Rotation, SessionEnds, SessionRecord};

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRecord {
    /// The member.
    pub id: MemberId,
    /// The utility; of a session's member that which the session is in, where a super user may be in another than their own.
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
    /// Switches of the utility's configuration that are otherwise for this person: an object.
    pub flags: Value,
    /// Whether this is the demo user, who only looks.
    pub demo: bool,
    /// Whether signing in is refused.
    pub disabled: bool,
    /// Goes up whenever all their sessions end.
    pub generation: i64,
}

impl Store {
    /// The member with a username, case ignored, of whatever utility.
    pub async fn member_by_username(&self, username: &str) -> Result<Option<MemberRecord>> {
        let row = self.query_opt(sql!("people/member_by_username"), &[&username]).await?;
        row.as_ref().map(member).transpose()
    }

    /// Whose a session is, while it lasts.
    pub async fn member_of_session(&self, session: i64) -> Result<Option<MemberRecord>> {
        let row = self.query_opt(sql!("people/member_of_session"), &[&session]).await?;
        row.as_ref().map(member).transpose()
    }

    /// Keeps a password under a newer hash of the same, unless it was changed meanwhile.
    pub async fn rehash(&self, member: &MemberRecord, hash: &str) -> Result<()> {
        self.execute(sql!("people/rehash"), &[&member.id.0, &member.password_hash, &hash]).await?;
        Ok(())
    }
}

pub(crate) fn member(row: &Row) -> Result<MemberRecord> {
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
        flags: row.try_get("flags")?,
        demo: row.try_get("demo")?,
        disabled: row.try_get("disabled")?,
        generation: row.try_get("generation")?,
    })
}
