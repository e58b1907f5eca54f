//! GET /api/role/rolepages/{roleId}.

use axum::Json;
use axum::extract::State;
use store::access::PageAccess;
use wire::Envelope;
use wire::access::RolePage;

use crate::error::Error;
use crate::routes::role::AskedRole;
use crate::state::Services;

/// Returns the pages of a role in the caller's utility. The flags of the sign-in answer can hide more.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/role/rolepages/{roleId}", tag = "role", operation_id = "rolePages", security(("bearer" = [])),
    params(("roleId" = i32, Path, description = "1 to 8: the caller's role or one below it; any for roles 1 and 2")),
    responses(
        (status = 200, description = "Pages by application and sequence", body = Envelope<Vec<RolePage>>),
        (status = 403, description = "The role is above the caller's", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(State(services): State<Services>, role: AskedRole) -> Result<Json<Envelope<Vec<RolePage>>>, Error> {
    let pages = services.store().page_access(role.client, role.id..=role.id).await?;
    Ok(Json(Envelope::ok(pages.into_iter().map(row).collect())))
}

fn row(access: PageAccess) -> RolePage {
    RolePage {
        app_id: access.page.app_id,
        app_name: access.page.app_name,
        is_readonly: access.is_readonly,
        id: access.id,
        page_id: access.page.id,
        show_in_tab: access.show_in_tab,
        tab_name: access.page.tab_name,
        view_name: access.page.view_name,
        tab_key: access.page.tab_key,
        tab_sequence_number: access.page.sequence,
        path: access.page.path,
    }
}
