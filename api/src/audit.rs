//! The origin of a request, for the audit.

use std::net::IpAddr;

use auth::Principal;
use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::Extensions;
use axum::http::request::Parts;
use identity::{RequestOrigin, throttle};
use store::audit::{Entry, Origin};

use crate::correlate::CallId;
use crate::error::Error;
use crate::peer::ClientAddress;
use crate::state::Services;

/// Maximum number of refusals per session and minute in the audit. So an attacker who tries many routes is visible in the audit, but cannot fill the disk.
const REFUSALS_PER_MINUTE: i64 = 20;
/// Maximum number of refused operations without a command per session and minute in the audit. Further ones are only counted.
const ATTEMPTS_PER_MINUTE: i64 = 30;

impl FromRequestParts<Services> for RequestOrigin {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let ClientAddress(from) = ClientAddress::from_request_parts(parts, services).await?;
        Ok(Self { origin: origin(from, &parts.extensions, parts.extensions.get::<Principal>()), from })
    }
}

/// Builds the origin of a request from what the layers have added to it.
pub(crate) fn origin(from: IpAddr, extensions: &Extensions, principal: Option<&Principal>) -> Origin {
    Origin {
        client: principal.map(|principal| principal.client),
        actor: principal.map(|principal| principal.member),
        session: principal.map(|principal| principal.session),
        from: from.to_canonical().to_string(),
        correlation: extensions.get::<CallId>().map(|CallId(id)| id.clone()).unwrap_or_default(),
    }
}

/// Enters in the audit that a signed-in user was refused.
pub(crate) async fn refused(services: &Services, origin: &Origin, route: &MatchedPath) {
    let entered = async {
        let session = origin.session.unwrap_or_default();
        throttle::by_minute(services.store(), "refusals", session, REFUSALS_PER_MINUTE).await?;
        services.store().audit(&Entry::new(origin, "access_refused", route.as_str())).await.map_err(Error::from)
    };
    match entered.await {
        Ok(()) | Err(Error::TooMany { .. }) => {}
        Err(error) => tracing::warn!(%error, "a refusal could not be entered into the audit"),
    }
}

/// Enters in the audit that a user tried to operate a device without permission, or a device that does not exist.
pub(crate) async fn attempted(services: &Services, origin: &Origin, asset: i64, after: serde_json::Value) {
    let entered = async {
        let session = origin.session.unwrap_or_default();
        throttle::by_minute(services.store(), "attempts", session, ATTEMPTS_PER_MINUTE).await?;
        let entry = Entry::new(origin, "command_refused", format!("asset {asset}")).changing(None, Some(after));
        services.store().audit(&entry).await.map_err(Error::from)
    };
    match entered.await {
        Ok(()) => {}
        Err(Error::TooMany { .. }) => metrics::counter!("control_attempts_not_audited_total").increment(1),
        Err(error) => tracing::warn!(%error, "a refused attempt to operate could not be entered into the audit"),
    }
}
