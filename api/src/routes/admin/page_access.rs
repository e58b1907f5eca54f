//! GET, PUT and DELETE /api/admin/pageaccess/{roleId}: the pages of a role in the caller's utility, each writable or read-only.

use std::collections::{HashMap, HashSet};

use auth::Principal;
use axum::Json;
use axum::extract::{Path, State};
use identity::RequestOrigin;
use store::access::Page;
use wire::Envelope;
use wire::access::{PageChoice, PageGrant, RoleAccess};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Page as _, Writes};
use crate::routes::admin::{Administrator, draft};
use crate::routes::role::NAMES;
use crate::state::Services;

/// The last role that administers a utility.
const CLIENT_ADMIN: i32 = 2;

/// Returns every page, with the access of a role.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/pageaccess/{roleId}", tag = "admin", operation_id = "pageAccess", security(("bearer" = [])),
    params(("roleId" = i32, Path, description = "1 to 8")),
    responses(
        (status = 200, description = "Pages by application and sequence", body = Envelope<RoleAccess>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
        (status = 404, description = "There is no such role", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn get(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Path(role): Path<String>,
) -> Result<Json<Envelope<RoleAccess>>, Error> {
    let role = role_of(&role)?;
    let catalogue = services.store().page_catalogue().await?;
    let access = services.store().role_access(principal.client, role).await?;
    Ok(Json(Envelope::ok(answer(role, catalogue, &access))))
}

/// Replaces the pages of a role by those of the list.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/pageaccess/{roleId}", tag = "admin", operation_id = "changePageAccess", security(("bearer" = [])),
    request_body = Vec<PageGrant>, params(("roleId" = i32, Path, description = "1 to 8")),
    responses(
        (status = 200, description = "The pages that the role has now", body = Envelope<RoleAccess>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such role", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(role): Path<String>,
    Body(grants): Body<Vec<PageGrant>>,
) -> Result<Json<Envelope<RoleAccess>>, Error> {
    let role = role_of(&role)?;
    draft::appoints(&principal, role)?;
    let catalogue = services.store().page_catalogue().await?;
    let grants = checked(&principal, role, &grants, &catalogue)?;
    let access = services.store().change_page_access(principal.client, role, &grants, &trail.origin).await?;
    Ok(Json(Envelope::ok(answer(role, catalogue, &access))))
}

/// Restores the default pages of a role.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/admin/pageaccess/{roleId}", tag = "admin", operation_id = "resetPageAccess", security(("bearer" = [])),
    params(("roleId" = i32, Path, description = "1 to 8")),
    responses(
        (status = 200, description = "The pages that the role has now", body = Envelope<RoleAccess>),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such role", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn reset(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(role): Path<String>,
) -> Result<Json<Envelope<RoleAccess>>, Error> {
    let role = role_of(&role)?;
    draft::appoints(&principal, role)?;
    let catalogue = services.store().page_catalogue().await?;
    let access = services.store().change_page_access(principal.client, role, &[], &trail.origin).await?;
    Ok(Json(Envelope::ok(answer(role, catalogue, &access))))
}

fn role_of(text: &str) -> Result<i32, Error> {
    let is_role = |id: &i32| usize::try_from(*id).is_ok_and(|id| (1..=NAMES.len()).contains(&id));
    text.parse().ok().filter(is_role).ok_or(Error::NotFound)
}

/// Validates the list and returns it in its stored form. The error is the message for the user.
fn checked(actor: &Principal, role: i32, grants: &[PageGrant], catalogue: &[Page]) -> Result<Vec<store::access::PageGrant>, Error> {
    let bad = |message: String| Err(Error::BadRequest(message));
    if grants.is_empty() {
        return bad("the list must name at least one page; DELETE gives the role the defaults again".to_owned());
    }
    let pages: HashMap<i32, &Page> = catalogue.iter().map(|page| (page.id, page)).collect();
    let mut named = HashSet::new();
    let mut checked = Vec::new();
    for (at, grant) in grants.iter().enumerate() {
        let id = grant.page_id;
        let Some(page) = pages.get(&id) else {
            return bad(format!("[{at}].pageId: there is no page {id}; GET /api/admin/pageaccess/{role} lists those that there are"));
        };
        if !named.insert(id) {
            return bad(format!("[{at}].pageId: page {id} is named twice, once is allowed"));
        }
        if page.tab_key == Administration::KEY && role > CLIENT_ADMIN {
            return bad(format!("[{at}].pageId: page {id} is the administration, which roles 1 and 2 alone can have"));
        }
        let PageGrant { is_readonly, show_in_tab, .. } = *grant;
        checked.push(store::access::PageGrant { tab_key: page.tab_key.clone(), is_readonly, show_in_tab });
    }
    // Administrators who took this page from their own role could not restore it.
    let keeps = |grant: &store::access::PageGrant| grant.tab_key == Administration::KEY && !grant.is_readonly && grant.show_in_tab;
    if role == actor.role_id && !checked.iter().any(keeps) {
        return bad("your own role must keep the administration: shown, and not only to look at".to_owned());
    }
    Ok(checked)
}

fn answer(role_id: i32, catalogue: Vec<Page>, access: &store::access::RoleAccess) -> RoleAccess {
    let had: HashMap<i32, (bool, bool)> =
        access.pages.iter().map(|access| (access.page.id, (access.is_readonly, access.show_in_tab))).collect();
    let pages = catalogue.into_iter().map(|page| {
        let has = had.get(&page.id);
        let (is_readonly, show_in_tab) = has.copied().unwrap_or((true, false));
        PageChoice {
            page_id: page.id,
            app_name: page.app_name,
            tab_name: page.tab_name,
            tab_key: page.tab_key,
            granted: has.is_some(),
            is_readonly,
            show_in_tab,
        }
    });
    RoleAccess { role_id, is_default: !access.is_own, pages: pages.collect() }
}
