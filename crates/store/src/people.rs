//! Members and their sessions. The database stores only the SHA-256 of tokens.

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
pub use sessions::{Ended, NewDevice, NewSession, PresentedSecret, Rotated, Rotation, SecretHolder, SessionEnds, SessionRecord};

/// A member, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRecord {
    /// The member.
    pub id: MemberId,
    /// Id of the utility. For the member of a session: the utility of the session, which can be another one for super users.
    pub client: ClientId,
    /// Sign-in name, unique across utilities, case-insensitive.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Role number (specification 1, section 3).
    pub role_id: i32,
    /// Name of the role.
    pub role_name: String,
    /// Argon2 hash of the password in PHC format.
    pub password_hash: String,
    /// The node to whose area the member is limited; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Whether the member has the permission to operate devices.
    pub can_operate: bool,
    /// Flags of this member that override those of the utility: a JSON object.
    pub flags: Value,
    /// Whether this is the demo user, who has read access only.
    pub demo: bool,
    /// Whether the member is disabled and cannot sign in.
    pub disabled: bool,
    /// Increases whenever all sessions of the member are ended.
    pub generation: i64,
}

impl Store {
    /// Returns the member with a username of any utility, case-insensitive.
    pub async fn member_by_username(&self, username: &str) -> Result<Option<MemberRecord>> {
        let row = self.query_opt(sql!("member/rows", "people/member_by_username"), &[&username]).await?;
        row.as_ref().map(member).transpose()
    }

    /// Returns the member of a session that has not ended.
    pub async fn member_of_session(&self, session: i64) -> Result<Option<MemberRecord>> {
        let row = self.query_opt(sql!("people/member_of_session"), &[&session]).await?;
        row.as_ref().map(member).transpose()
    }

    /// Stores a newer hash of the same password, unless the password was changed since `member` was read.
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
