//! GET /api/appsconfig/client.

use axum::Json;
use axum::extract::State;
use identity::View;
use store::registry::ClientRecord;
use wire::Envelope;
use wire::access::ClientRow;

use crate::error::Error;
use crate::state::Services;

/// The role that may work in all utilities.
const SUPER_USER: i32 = 1;

/// Returns the utilities in which the caller can work: all of them for role 1, otherwise the caller's own.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/appsconfig/client", tag = "appsconfig", operation_id = "clients", security(("bearer" = [])),
    responses((status = 200, description = "Utilities by name", body = Envelope<Vec<ClientRow>>))
))]
pub(crate) async fn handle(State(services): State<Services>, view: View) -> Result<Json<Envelope<Vec<ClientRow>>>, Error> {
    let mut rows: Vec<ClientRow> = if view.principal.role_id == SUPER_USER {
        services.store().clients().await?.iter().map(row).collect()
    } else {
        vec![row(view.field.client())]
    };
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Json(Envelope::ok(rows)))
}

fn row(client: &ClientRecord) -> ClientRow {
    let logo = client.config.get("logo").and_then(|logo| logo.as_str()).unwrap_or_default();
    ClientRow { client_id: client.id.0, name: client.name.clone(), logo_path: logo.to_owned() }
}
