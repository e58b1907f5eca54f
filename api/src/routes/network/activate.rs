//! POST /api/network/version/{number}/activate: makes a version the network of the utility, now or later.

use axum::Json;
use axum::extract::{Path, State};
use identity::RequestOrigin;
use store::ReadClass;
use store::manual_entry::REASON_CHARACTERS_MAX;
use store::network::VersionNumber;
use wire::Envelope;
use wire::network::{NetworkActivate, NetworkVersion};
use wire::time::parse_iso;

use super::answers::version;
use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::routes::alarms::text;
use crate::state::Services;

/// Activates a version from a time on; for roles 1 and 2. Activations that are planned for that time or later are removed.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/version/{number}/activate", tag = "network", operation_id = "activateNetwork", security(("bearer" = [])),
    params(("number" = i32, Path, description = "The number of the version")), request_body = NetworkActivate,
    responses(
        (status = 200, description = "The version", body = Envelope<NetworkVersion>),
        (status = 409, description = "The time is in the past, and a version is active", body = wire::envelope::Failure),
        (status = 422, description = "The network has errors, or temporary changes do not fit it; `result` has the findings", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(number): Path<i32>,
    Body(NetworkActivate { since, unfit_reason }): Body<NetworkActivate>,
) -> Result<Json<Envelope<NetworkVersion>>, Error> {
    let now = Services::now();
    let since = match since {
        Some(text) => parse_iso(&text).ok_or_else(|| Error::BadRequest("since must be a time such as 2026-12-01T05:00:00Z".to_owned()))?,
        None => now,
    };
    // A standby may not have the version yet.
    let store = services.store().in_class(ReadClass::Background);
    let (client, number) = (principal.client, VersionNumber(number));
    match unfit_reason {
        Some(reason) => {
            let reason = text(&reason, REASON_CHARACTERS_MAX).ok_or_else(|| {
                Error::BadRequest(format!("unfitReason must have 1 to {REASON_CHARACTERS_MAX} characters without control characters"))
            })?;
            store.activate_network_despite_unfit(client, number, since, now, &reason, &trail.origin).await?
        }
        None => store.activate_network(client, number, since, now, &trail.origin).await?,
    };
    let found = store.network_version(client, number).await?.ok_or(Error::NotFound)?;
    Ok(Json(Envelope::ok(version(found))))
}
