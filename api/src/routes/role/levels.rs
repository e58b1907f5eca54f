//! GET /api/role/rolesbyroleidinclself/{roleId}.

use axum::Json;
use axum::extract::State;
use store::access::PageAccess;
use wire::Envelope;
use wire::access::RoleLevel;

use crate::error::Error;
use crate::routes::role::{AskedRole, LOWEST, NAMES};
use crate::state::Services;

/// Returns a role and those below it, each with its tabs in the caller's utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/role/rolesbyroleidinclself/{roleId}", tag = "role", operation_id = "roleLevels", security(("bearer" = [])),
    params(("roleId" = i32, Path, description = "1 to 8: the caller's role or one below it; any for roles 1 and 2")),
    responses(
        (status = 200, description = "Roles from the top down", body = Envelope<Vec<RoleLevel>>),
        (status = 403, description = "The role is above the caller's", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(State(services): State<Services>, role: AskedRole) -> Result<Json<Envelope<Vec<RoleLevel>>>, Error> {
    let pages = services.store().page_access(role.client, role.id..=LOWEST).await?;
    let levels = (1..).zip(NAMES).filter(|(id, _)| *id >= role.id);
    let rows = levels.map(|(id, name)| RoleLevel { level_name: name.to_owned(), role_id: id, tabs_list: tabs(&pages, id) });
    Ok(Json(Envelope::ok(rows.collect())))
}

/// Returns the names of the tabs of a role. Several applications can have a tab of the same name, which is listed once.
fn tabs(pages: &[PageAccess], role: i32) -> String {
    let mut names: Vec<&str> = Vec::new();
    for access in pages.iter().filter(|access| access.role_id == role && access.show_in_tab) {
        if !names.contains(&access.page.tab_name.as_str()) {
            names.push(&access.page.tab_name);
        }
    }
    names.join(",")
}
