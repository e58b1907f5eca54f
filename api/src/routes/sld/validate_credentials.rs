//! POST /api/sld/validatecredentialsfordocontrol: verifies the password again before an operation (OWASP ASVS 5.0, 7.5.3).

use auth::CallerClass;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use control::{TICKET_S, throw_of};
use grid::AssetId;
use identity::second_factor::{self, Verdict};
use identity::{RequestOrigin, View, session, throttle};
use store::audit::Entry;
use wire::Envelope;
use wire::admin::{CredentialCheck, Ticket};
use wire::second_factor::SecondFactorReason;

use crate::body::Body;
use crate::error::Error;
use crate::state::Services;

/// Maximum length of the input, bytes. Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 256;
const REFUSED: &str = "Invalid Credential...";

/// Verifies the caller's own credentials and stores a ticket for one operation within a minute. Credentials of another user are refused, correct or not.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/sld/validatecredentialsfordocontrol", tag = "sld", operation_id = "validateCredentialsForControl",
    security(("bearer" = [])), request_body = CredentialCheck,
    responses(
        (status = 200, description = "The server has stored the ticket", body = Envelope<Ticket>),
        (status = 400, description = "Something is missing or too long", body = wire::envelope::Failure),
        (status = 403, description = "The credentials are not the caller's; if a code is missing or wrong, `result` says so", body = wire::envelope::Failure),
        (status = 404, description = "There is no such asset", body = wire::envelope::Failure),
        (status = 429, description = "Too many failures; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    trail: RequestOrigin,
    Body(CredentialCheck { email, password, otp, asset_id, to_status }): Body<CredentialCheck>,
) -> Result<Json<Envelope<Ticket>>, Error> {
    for (text, message) in [(email.trim(), "Please enter username"), (&password, "Please enter password")] {
        if text.is_empty() {
            return Err(Error::BadRequest(message.to_owned()));
        }
    }
    if email.len() > INPUT_MAX_BYTES || password.len() > INPUT_MAX_BYTES {
        return Err(Error::BadRequest(format!("Email and Password may have {INPUT_MAX_BYTES} bytes")));
    }
    let asset = asset_id.map(|id| seen(&view, AssetId(id)).ok_or(Error::NotFound)).transpose()?;
    let direction = match (to_status, asset) {
        (None, _) => None,
        // The encoding of the position point defines the number: for a single point, 1 is closed.
        (Some(code), Some(asset)) => match throw_of(&view.field, asset, code) {
            Some(throw) => Some(throw),
            None => return Err(Error::BadRequest("toDIStatus must be open or closed, as the position of the asset is coded".to_owned())),
        },
        (Some(_), None) => return Err(Error::BadRequest("toDIStatus needs assetId".to_owned())),
    };
    let store = services.store();
    // The member is read from their own utility, because the session of a super user may be in another one.
    let own = store.member_of_session(view.principal.session).await?.ok_or(Error::Unauthorised)?;
    let device = store.device_of_session(view.principal.session).await?;
    let attempt = throttle::password(services.store(), &own.username, trail.from, device).await?;
    let named = email.trim().to_lowercase();
    let is_own = named == own.email.to_lowercase() || named == own.username.to_lowercase();
    // The password of another user is not verified, but the answer takes the same time.
    let (username, claimed) = (own.username.clone(), is_own.then_some(own));
    match session::prove(services.identity(), claimed, &password, CallerClass::Known, &trail, "credential_check_refused").await {
        Ok(Some(member)) => {
            match second_factor::check(services.identity(), &member, otp.as_deref(), device, &trail, "credential_check_refused").await {
                Ok(Verdict::None | Verdict::Good) => attempt.settle(services.store()).await?,
                Ok(Verdict::Missing) => {
                    attempt.take_back(services.store()).await?;
                    return Err(Error::wants(StatusCode::FORBIDDEN, SecondFactorReason::SecondFactorRequired));
                }
                Ok(Verdict::Wrong) => {
                    attempt.failed(&username);
                    return Err(Error::wants(StatusCode::FORBIDDEN, SecondFactorReason::SecondFactorWrong));
                }
                Err(error) => {
                    attempt.take_back(services.store()).await?;
                    return Err(error.into());
                }
            }
        }
        Ok(None) => {
            attempt.failed(&username);
            return Err(Error::Forbidden(REFUSED));
        }
        Err(error) => {
            attempt.take_back(services.store()).await?;
            return Err(error.into());
        }
    }
    services.control().put_ticket(view.principal.session, asset, direction).await?;
    let subject = asset.map_or_else(|| "any one operation".to_owned(), |asset| format!("asset {asset}"));
    store.audit(&Entry::new(&trail.origin, "credential_check", subject)).await?;
    Ok(Json(Envelope::ok(Ticket { ticket: true, valid_for_s: TICKET_S })))
}

fn seen(view: &View, id: AssetId) -> Option<AssetId> {
    let asset = view.field.asset(id)?;
    view.field.node(asset.location).filter(|location| view.sees(location)).map(|_| id)
}
