//! GET and POST /api/admin/members, PUT /api/admin/members/{id}: the members of the caller's utility and their permissions.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Path, Query, State};
use grid::MemberId;
use identity::{RequestOrigin, reset, session};
use serde::Deserialize;
use store::people::MemberRecord;
use wire::Envelope;
use wire::admin::{MemberChange, MemberRow, NewMember};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::{Administrator, draft};
use crate::state::Services;

const LIMIT_DEFAULT: i64 = 200;
const LIMIT_MAX: i64 = 1_000;

/// The page of the list.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Page {
    /// Maximum of rows; default 200, at most 1000.
    limit: Option<i64>,
    /// The id of the last row of the previous page.
    after: Option<i64>,
}

/// Returns the members of the caller's utility by id; for roles 1 and 2.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/members", tag = "admin", operation_id = "members", security(("bearer" = [])), params(Page),
    responses(
        (status = 200, description = "Members", body = Envelope<Vec<MemberRow>>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Query(page): Query<Page>,
) -> Result<Json<Envelope<Vec<MemberRow>>>, Error> {
    let limit = page.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Error::BadRequest(format!("limit must lie between 1 and {LIMIT_MAX}")));
    }
    let members = services.store().members(principal.client, page.after.unwrap_or(0), limit).await?;
    Ok(Json(Envelope::ok(members.into_iter().map(row).collect())))
}

/// Adds a member. The member can sign in after an invitation and a first password.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/admin/members", tag = "admin", operation_id = "addMember", security(("bearer" = [])), request_body = NewMember,
    responses(
        (status = 200, description = "The member", body = Envelope<MemberRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn add(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Body(new): Body<NewMember>,
) -> Result<Json<Envelope<MemberRow>>, Error> {
    let (username, draft) = draft::added(new, &*services.field(principal.client).await?)?;
    draft::appoints(&principal, draft.role_id)?;
    // No user knows this random password. Verifying against it takes as long as against any other.
    let hash = auth::hash_password(auth::new_token().0).await?;
    let added = services.store().add_member(principal.client, &username, &hash, &draft, &trail.origin).await?;
    let added = added.ok_or_else(|| Error::BadRequest(format!("username {username} is taken")))?;
    Ok(Json(Envelope::ok(row(added))))
}

/// Changes a member. A change of rights ends the member's sessions at once.
///
/// A change of rights or of the address makes earlier links invalid, and the previous address is notified.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/members/{id}", tag = "admin", operation_id = "changeMember", security(("bearer" = [])), request_body = MemberChange,
    params(("id" = i64, Path, description = "A member of the caller's utility")),
    responses(
        (status = 200, description = "The member", body = Envelope<MemberRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such member", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn change(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(change): Body<MemberChange>,
) -> Result<Json<Envelope<MemberRow>>, Error> {
    let id = id.parse().map(MemberId).map_err(|_| Error::NotFound)?;
    let store = services.store();
    // A member of another utility is not found, whatever else is wrong with the request.
    store.member(principal.client, id).await?.ok_or(Error::NotFound)?;
    let draft = draft::changed(change, &*services.field(principal.client).await?)?;
    let now = Services::now();
    let changed = store
        .change_member(principal.client, id, &draft, now, &trail.origin, |before| draft::permitted(&principal, before, &draft))
        .await?
        .ok_or(Error::NotFound)??;
    session::publish_ended(services.identity(), &changed.ended);
    if let Some(former) = changed.former_email {
        reset::mail_former_address(services.identity(), former, &changed.member.username);
    }
    Ok(Json(Envelope::ok(row(changed.member))))
}

fn row(member: MemberRecord) -> MemberRow {
    let (flags, profile_picture_path) = draft::shown(member.flags);
    MemberRow {
        id: member.id.0,
        username: member.username,
        first_name: member.first_name,
        last_name: member.last_name,
        email: member.email,
        role_id: member.role_id,
        role: member.role_name,
        node_id: member.node.map(|node| node.0),
        can_operate: member.can_operate,
        flags,
        profile_picture_path,
        disabled: member.disabled,
        demo: member.demo,
    }
}
