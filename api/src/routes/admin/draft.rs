//! Validation of the data that an administrator enters about a member.

use auth::Principal;
use grid::{Level, NodeId};
use lettre::Address;
use registry::Field;
use serde_json::Value;
use store::brand::is_own_path;
use store::people::{MemberDraft, MemberRecord};
use wire::admin::{MemberChange, MemberFlags, NewMember};

use crate::error::Error;
use crate::routes::role::NAMES;

const SUPER_USER: i32 = 1;
/// Roles from this number on are confined to a node of their level.
const CIRCLE_ADMIN: i32 = 3;
const NAME_MAX: usize = 100;
/// The maximum length of a mail address, bytes (RFC 5321, section 4.5.3.1, and its erratum 1690).
const EMAIL_MAX: usize = 254;
/// The key of the profile image in a member's document; the session reads it too.
const PICTURE: &str = "profilePicturePath";
const USERNAME: std::ops::RangeInclusive<usize> = 3..=64;

/// Validates a new member and returns the name and the rest.
pub(super) fn added(new: NewMember, field: &Field) -> Result<(String, MemberDraft), Error> {
    let NewMember { username, first_name, last_name, email, role_id, node_id, can_operate, flags, disabled, profile_picture_path } = new;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
    if !USERNAME.contains(&username.len()) || !username.bytes().all(is_plain) {
        return Err(bad(format!("username must have {} to {} letters, digits, `.`, `_`, `-` or `@`", USERNAME.start(), USERNAME.end())));
    }
    let rest = MemberChange { first_name, last_name, email, role_id, node_id, can_operate, flags, disabled, profile_picture_path };
    let draft = changed(rest, field)?;
    Ok((username, draft))
}

/// Validates a change of a member.
pub(super) fn changed(change: MemberChange, field: &Field) -> Result<MemberDraft, Error> {
    let MemberChange { first_name, last_name, email, role_id, node_id, can_operate, flags, disabled, profile_picture_path } = change;
    let (first_name, last_name, email) = (first_name.trim(), last_name.trim(), email.trim());
    for (key, name, least) in [("firstName", first_name, 1), ("lastName", last_name, 0)] {
        if !(least..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(bad(format!("{key} must have {least} to {NAME_MAX} characters without control characters")));
        }
    }
    if email.len() > EMAIL_MAX || email.parse::<Address>().is_err() {
        return Err(bad(format!("email must be an address such as name@example.org, of at most {EMAIL_MAX} bytes")));
    }
    if !profile_picture_path.is_empty() && !is_own_path(&profile_picture_path) {
        return Err(bad(
            "profilePicturePath must be a path on this site such as /users/name.jpg, one line of up to 200 characters, or empty".to_owned(),
        ));
    }
    let role_name = usize::try_from(role_id).ok().and_then(|id| NAMES.get(id.checked_sub(1)?));
    let role_name = role_name.ok_or_else(|| bad(format!("roleId must lie between 1 and {}", NAMES.len())))?;
    Ok(MemberDraft {
        first_name: first_name.to_owned(),
        last_name: last_name.to_owned(),
        email: email.to_owned(),
        role_id,
        role_name: (*role_name).to_owned(),
        node: place(role_id, role_name, node_id, field)?,
        can_operate,
        flags: stored(flags, profile_picture_path),
        disabled,
    })
}

/// Returns the document with a member's flags and profile image.
fn stored(flags: MemberFlags, picture: String) -> Value {
    let Ok(Value::Object(mut document)) = serde_json::to_value(flags) else { return Value::Object(serde_json::Map::default()) };
    if !picture.is_empty() {
        document.insert(PICTURE.to_owned(), picture.into());
    }
    Value::Object(document)
}

/// Returns the flags and the profile image of a member's document. Flags that no longer exist are ignored.
pub(super) fn shown(mut document: Value) -> (MemberFlags, String) {
    let picture = document.as_object_mut().and_then(|document| document.remove(PICTURE));
    let picture = picture.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    (serde_json::from_value(document).unwrap_or_default(), picture)
}

/// Returns the node of a member: none for the whole utility, else a node of the role's level.
fn place(role_id: i32, role_name: &str, node_id: Option<i64>, field: &Field) -> Result<Option<NodeId>, Error> {
    let level = u8::try_from(role_id - CIRCLE_ADMIN + 1).ok().and_then(Level::from_code);
    match (level, node_id) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(bad(format!("nodeId must be null: {role_name} stands for the whole utility"))),
        (Some(level), node) => {
            let found = node.and_then(|id| field.node(NodeId(id))).filter(|node| node.level == level);
            // A node of another utility is reported as missing.
            let found = found.ok_or_else(|| bad(format!("nodeId must be a {} of this utility for {role_name}", level.as_str())))?;
            Ok(Some(found.id))
        }
    }
}

/// Checks that the administrator may make this change to the member.
pub(super) fn permitted(actor: &Principal, before: &MemberRecord, draft: &MemberDraft) -> Result<(), Error> {
    if before.demo {
        return Err(Error::Forbidden("the demo user stays as it is"));
    }
    if before.id == actor.member
        && (before.role_id, before.node, before.can_operate, before.disabled)
            != (draft.role_id, draft.node, draft.can_operate, draft.disabled)
    {
        return Err(Error::Forbidden("You cannot change your own rights. Ask another administrator."));
    }
    appoints(actor, before.role_id)?;
    appoints(actor, draft.role_id)
}

/// Checks that the administrator may manage members of a role.
pub(super) fn appoints(actor: &Principal, role_id: i32) -> Result<(), Error> {
    if role_id == SUPER_USER && actor.role_id != SUPER_USER {
        return Err(Error::Forbidden("only a super user decides about super users"));
    }
    Ok(())
}

fn bad(message: String) -> Error {
    Error::BadRequest(message)
}
