//! GET /api/powerbi/getembedinfo: the token and the address of the embedded report.

use axum::Json;
use axum::extract::State;
use embed::{Grant, POWER_BI_SETTINGS};
use serde::Serialize;
use wire::Envelope;
use wire::time::iso;

use crate::error::Error;
use crate::extract::Caller;
use crate::page::{EmbeddedReport, PageAccess};
use crate::state::Services;

/// The data for embedding the report.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmbedInfo {
    /// The token that opens the report, restricted to the rows of the caller's utility.
    access_token: String,
    /// The address of the report.
    embed_url: String,
    /// The id of the report.
    report_id: String,
    /// The filter that is shown as locked; null for none. It is only for display: the token restricts the rows.
    filter: Option<EmbedFilter>,
    /// When the token expires; ISO 8601 UTC.
    expires: String,
}

/// The column with the client id.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct EmbedFilter {
    table: String,
    column: String,
}

impl From<Grant> for EmbedInfo {
    fn from(Grant { access_token, embed_url, report_id, filter, expires }: Grant) -> Self {
        let filter = filter.map(|(table, column)| EmbedFilter { table, column });
        Self { access_token, embed_url, report_id, filter, expires: iso(expires) }
    }
}

/// Returns the address of the report, and a token for the caller's utility that is valid for some minutes.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/powerbi/getembedinfo", tag = "reports", operation_id = "embedInfo", security(("bearer" = [])),
    responses(
        (status = 200, description = "What the frame needs to show the report", body = Envelope<EmbedInfo>),
        (status = 403, description = "The caller's role does not have the page", body = wire::envelope::Failure),
        (status = 404, description = "No report is configured; the message names the settings, and the code is `not-configured`", body = wire::envelope::Failure),
        (status = 502, description = "The other server did not answer, or refused", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Caller(principal): Caller,
    _: PageAccess<EmbeddedReport>,
) -> Result<Json<Envelope<EmbedInfo>>, Error> {
    let granted = services.0.embedding.grant(principal.client, Services::now).await;
    let granted =
        granted.ok_or_else(|| Error::NotConfigured(format!("Power BI is not configured: set {}", POWER_BI_SETTINGS.join(", "))))?;
    Ok(Json(Envelope::ok(granted.map_err(|trouble| Error::Elsewhere(trouble.to_string()))?.into())))
}
