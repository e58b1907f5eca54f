//! Members, as administrators read and change them.

use grid::{ClientId, MemberId, Micros, NodeId};
use serde_json::{Value, json};

use super::sessions::{Ended, end_all};
use super::{MemberRecord, member};
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, sql};
use crate::tenant::{bind, release};
use crate::{Result, Store};

/// The properties of a member that an administrator sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberDraft {
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// E-mail address.
    pub email: String,
    /// Role number.
    pub role_id: i32,
    /// Name of the role.
    pub role_name: String,
    /// The node to whose area the member is limited; it belongs to the member's utility.
    pub node: Option<NodeId>,
    /// Whether the member has the permission to operate devices.
    pub can_operate: bool,
    /// Flags of this member: a JSON object.
    pub flags: Value,
    /// Whether the member is disabled and cannot sign in.
    pub disabled: bool,
}

/// A member after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The member after the change.
    pub member: MemberRecord,
    /// Sessions that ended because the member's permissions changed.
    pub ended: Vec<Ended>,
    /// The previous e-mail address, if it changed.
    pub former_email: Option<String>,
}

impl Store {
    /// Returns members of a utility with ids greater than `after`, ordered by id.
    pub async fn members(&self, client: ClientId, after: i64, limit: i64) -> Result<Vec<MemberRecord>> {
        let rows = self.query_bound(client, sql!("member/rows", "member/list"), &[&client.0, &after, &limit]).await?;
        rows.iter().map(member).collect()
    }

    /// Returns a member of a utility.
    pub async fn member(&self, client: ClientId, id: MemberId) -> Result<Option<MemberRecord>> {
        let rows = self.query_bound(client, sql!("member/rows", "member/get"), &[&client.0, &id.0]).await?;
        rows.first().map(member).transpose()
    }

    /// Adds a member and an audit entry. `None` if a member of any utility has the username.
    pub async fn add_member(
        &self,
        client: ClientId,
        username: &str,
        password_hash: &str,
        draft: &MemberDraft,
        origin: &Origin,
    ) -> Result<Option<MemberRecord>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let MemberDraft { first_name, last_name, email, role_id, role_name, node, can_operate, flags, disabled } = draft;
        let node = node.map(|node| node.0);
        let insert = transaction.prepare_cached(sql!("member/insert")).await?;
        let row = transaction
            .query_opt(
                &insert,
                &[
                    &client.0,
                    &username,
                    email,
                    first_name,
                    last_name,
                    role_id,
                    role_name,
                    &password_hash,
                    &node,
                    can_operate,
                    flags,
                    disabled,
                ],
            )
            .await?;
        let Some(row) = row else { return Ok(None) };
        let added = member(&row)?;
        release(&transaction).await?;
        let entry = Entry::new(origin, "member_added", format!("member {}", added.id)).changing(None, Some(audit_value(&added)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(added))
    }

    /// Changes a member and adds an audit entry. `permitted` gets the locked member and can refuse; then nothing is changed.
    ///
    /// If the permissions change, the member's sessions end. If the permissions or the address change, links in earlier mails become invalid, because another
    /// person may read those mails. `None` if the utility has no such member.
    pub async fn change_member<R>(
        &self,
        client: ClientId,
        id: MemberId,
        draft: &MemberDraft,
        now: Micros,
        origin: &Origin,
        permitted: impl FnOnce(&MemberRecord) -> Result<(), R>,
    ) -> Result<Option<Result<Changed, R>>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("member/rows", "member/lock")).await?;
        let Some(row) = transaction.query_opt(&lock, &[&client.0, &id.0]).await? else { return Ok(None) };
        let before = member(&row)?;
        if let Err(refused) = permitted(&before) {
            return Ok(Some(Err(refused)));
        }
        let MemberDraft { first_name, last_name, email, role_id, role_name, node, can_operate, flags, disabled } = draft;
        let node = node.map(|node| node.0);
        let update = transaction.prepare_cached(sql!("member/update")).await?;
        let row = transaction
            .query_one(&update, &[&client.0, &id.0, email, first_name, last_name, role_id, role_name, &node, can_operate, flags, disabled])
            .await?;
        let after = member(&row)?;
        let rights = |member: &MemberRecord| (member.role_id, member.node, member.can_operate, member.disabled);
        let (has_other_rights, has_moved) = (rights(&before) != rights(&after), before.email != after.email);
        if has_other_rights || has_moved {
            let void = transaction.prepare_cached(sql!("reset/void_links")).await?;
            transaction.execute(&void, &[&id.0, &Stamp(now)]).await?;
        }
        release(&transaction).await?;
        let ended = if has_other_rights { end_all(&transaction, id, now).await? } else { Vec::new() };
        let entry =
            Entry::new(origin, "member_changed", format!("member {id}")).changing(Some(audit_value(&before)), Some(audit_value(&after)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(Ok(Changed { member: after, ended, former_email: has_moved.then_some(before.email) })))
    }
}

/// Returns the properties of a member for the audit: all except the password.
fn audit_value(member: &MemberRecord) -> Value {
    json!({
        "username": member.username,
        "email": member.email,
        "firstName": member.first_name,
        "lastName": member.last_name,
        "roleId": member.role_id,
        "nodeId": member.node.map(|node| node.0),
        "canOperate": member.can_operate,
        "flags": member.flags,
        "disabled": member.disabled,
    })
}
