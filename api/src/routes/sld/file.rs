//! GET /api/sld/substationsldfile/{id}.

use analysis::served_drawing::resolve;
use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::sld::SldFile;

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// Returns the single-line diagram of a substation, with the ids of its assets and points.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/sld/substationsldfile/{id}", tag = "sld", operation_id = "substationSldFile", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "The diagram as JSON text (schema Drawing); empty without a drawing", body = Envelope<SldFile>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<SldFile>>, Error> {
    let Location(location) = &scoped.target;
    let drawing = services.store().drawing_record(scoped.view.principal.client, location.id).await?;
    Ok(Json(match drawing {
        Some(record) => {
            let (drawing, wiring) = services.0.wirings.of(record).await?;
            Envelope::ok(SldFile { sld_file_contents: resolve(drawing, &wiring, &scoped.view.field, location.id).to_string() })
        }
        None => Envelope::ok(SldFile { sld_file_contents: String::new() }).with_message("SLD is not available"),
    }))
}
