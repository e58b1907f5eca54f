//! /api/member/secondfactor: the second factor of the signed-in user. Setting one up requires the password. Enabling it requires a first correct code. Changing
//! or removing it requires the password and a code.

use auth::CallerClass;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use identity::second_factor::{self, SecondFactor, Verdict, open, step, whose};
use identity::{RequestOrigin, session, throttle};
use mail::Mail;
use store::people::{Confirmed, MemberRecord};
use url::form_urlencoded::byte_serialize;
use wire::Envelope;
use wire::second_factor::{Otp, OwnPassword, OwnProof, RecoveryCodes, SecondFactorReason, SecondFactorSecret, SecondFactorState};

use crate::body::Body;
use crate::error::Error;
use crate::extract::Caller;
use crate::state::Services;

/// Number of recovery codes of a user.
const CODES: usize = 10;
/// Limit of first codes per minute.
const CONFIRMATIONS_PER_MINUTE: i64 = 10;
/// Maximum length of the input, bytes. Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 256;
/// The action under which a refusal is entered in the audit.
const ACTION: &str = "second_factor_refused";
const NOT_RIGHT: &str = "The password is not right";

/// Returns whether the caller has a second factor, can have one, and must have one.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/member/secondfactor", tag = "member", operation_id = "secondFactor", security(("bearer" = [])),
    responses((status = 200, description = "The caller's second factor", body = Envelope<SecondFactorState>))
))]
pub(crate) async fn state(State(services): State<Services>, Caller(principal): Caller) -> Result<Json<Envelope<SecondFactorState>>, Error> {
    let member = services.store().member_of_session(principal.session).await?.ok_or(Error::Unauthorised)?;
    let factor = services.store().second_factor(member.id).await?.filter(|factor| factor.is_on);
    let setting = services.identity().settings().second_factor;
    Ok(Json(Envelope::ok(SecondFactorState {
        on: factor.is_some(),
        offered: setting != SecondFactor::Off && !member.demo,
        required: setting.requires(&member),
        recovery_codes_left: factor.map_or(0, |factor| factor.codes),
    })))
}

/// Creates a secret for the caller's device. Signing in does not change until a first code is confirmed.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/member/secondfactor/begin", tag = "member", operation_id = "beginSecondFactor", security(("bearer" = [])),
    request_body = OwnPassword,
    responses(
        (status = 200, description = "The secret, which is shown only once", body = Envelope<SecondFactorSecret>),
        (status = 400, description = "The caller has a second factor already", body = wire::envelope::Failure),
        (status = 403, description = "The password is wrong, or second factors are disabled", body = wire::envelope::Failure),
        (status = 429, description = "Too many failures; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn begin(
    State(services): State<Services>,
    Caller(principal): Caller,
    trail: RequestOrigin,
    Body(OwnPassword { password }): Body<OwnPassword>,
) -> Result<Json<Envelope<SecondFactorSecret>>, Error> {
    if services.identity().settings().second_factor == SecondFactor::Off {
        return Err(Error::Forbidden("second factors are not offered here"));
    }
    let proof = OwnProof { password, otp: None };
    let VerifiedCaller { member, .. } = verify_caller(&services, principal.session, &proof, &trail, RequiredProof::Password).await?;
    let secret = auth::new_factor();
    let locked = auth::lock(&secret, member.id.0)?;
    if !services.store().begin_second_factor(whose(&member), &locked, Services::now(), &trail.origin).await? {
        return Err(Error::BadRequest("you have a second factor already: remove it before you set up another".to_owned()));
    }
    let field = services.field(member.client).await?;
    Ok(Json(Envelope::ok(SecondFactorSecret {
        secret: auth::base32(&secret),
        uri: uri(&field.client().name, &member.username, &auth::base32(&secret)),
        digits: auth::DIGITS,
        period_s: auth::STEP_S,
    })))
}

/// Enables the second factor with a first code. A session that was limited to the setup becomes complete: renew it. Other limited sessions of the user end.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/member/secondfactor/confirm", tag = "member", operation_id = "confirmSecondFactor", security(("bearer" = [])),
    request_body = Otp,
    responses(
        (status = 200, description = "Recovery codes, which are shown only once", body = Envelope<RecoveryCodes>),
        (status = 400, description = "The code is wrong, or no setup was started", body = wire::envelope::Failure),
        (status = 429, description = "More than ten in a minute; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn confirm(
    State(services): State<Services>,
    Caller(principal): Caller,
    trail: RequestOrigin,
    Body(Otp { otp }): Body<Otp>,
) -> Result<Json<Envelope<RecoveryCodes>>, Error> {
    throttle::by_minute(services.store(), "second-factor", principal.member, CONFIRMATIONS_PER_MINUTE).await?;
    let member = services.store().member_of_session(principal.session).await?.ok_or(Error::Unauthorised)?;
    let begun = services.store().second_factor(member.id).await?.filter(|factor| !factor.is_on);
    let begun = begun.ok_or_else(|| Error::BadRequest("there is nothing to confirm: begin first".to_owned()))?;
    let wrong = || Error::wants(StatusCode::BAD_REQUEST, SecondFactorReason::SecondFactorWrong);
    let step = step(&open(&begun, member.id)?, otp.trim()).ok_or_else(wrong)?;
    let (codes, hashes) = new_codes(&member);
    let now = Services::now();
    let confirmed = Confirmed { secret: begun.secret, step, codes: hashes, session: principal.session, now };
    let ended = services.store().confirm_second_factor(whose(&member), &confirmed, &trail.origin).await?.ok_or_else(wrong)?;
    session::publish_ended(services.identity(), &ended);
    mail_member(&services, &member, "A second factor is asked for from now on when you sign in");
    Ok(Json(Envelope::ok(RecoveryCodes { codes })))
}

/// Removes the second factor. A role that must have one cannot.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/member/secondfactor/remove", tag = "member", operation_id = "removeSecondFactor", security(("bearer" = [])),
    request_body = OwnProof,
    responses(
        (status = 200, description = "Removed", body = Envelope<String>),
        (status = 400, description = "There is no second factor", body = wire::envelope::Failure),
        (status = 403, description = "The password is wrong, or the caller's role must have a second factor; if a code is missing or wrong, `result` says so", body = wire::envelope::Failure),
        (status = 429, description = "Too many failures; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn remove(
    State(services): State<Services>,
    Caller(principal): Caller,
    trail: RequestOrigin,
    Body(proof): Body<OwnProof>,
) -> Result<Json<Envelope<String>>, Error> {
    let VerifiedCaller { member, has_factor } = verify_caller(&services, principal.session, &proof, &trail, RequiredProof::CodeToo).await?;
    if services.identity().settings().second_factor.requires(&member) {
        return Err(Error::Forbidden("your role must have a second factor"));
    }
    // A second factor that was enabled after this check, and whose code was therefore not required, is not removed.
    if !has_factor || !services.store().remove_second_factor(whose(&member), &trail.origin).await? {
        return Err(none());
    }
    mail_member(&services, &member, "The second factor is not asked for any more when you sign in");
    Ok(Json(Envelope::ok("Removed".to_owned())))
}

/// Returns new recovery codes. Earlier codes become invalid.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/member/secondfactor/codes", tag = "member", operation_id = "replaceRecoveryCodes", security(("bearer" = [])),
    request_body = OwnProof,
    responses(
        (status = 200, description = "Recovery codes, which are shown only once", body = Envelope<RecoveryCodes>),
        (status = 400, description = "There is no second factor", body = wire::envelope::Failure),
        (status = 403, description = "The password is wrong; if a code is missing or wrong, `result` says so", body = wire::envelope::Failure),
        (status = 429, description = "Too many failures; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn codes(
    State(services): State<Services>,
    Caller(principal): Caller,
    trail: RequestOrigin,
    Body(proof): Body<OwnProof>,
) -> Result<Json<Envelope<RecoveryCodes>>, Error> {
    let VerifiedCaller { member, has_factor } = verify_caller(&services, principal.session, &proof, &trail, RequiredProof::CodeToo).await?;
    let (codes, hashes) = new_codes(&member);
    if !has_factor || !services.store().replace_recovery_codes(whose(&member), &hashes, &trail.origin).await? {
        return Err(none());
    }
    mail_member(&services, &member, "There are new recovery codes, and the old ones are worth nothing, for signing in");
    Ok(Json(Envelope::ok(RecoveryCodes { codes })))
}

/// The proof that a request requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequiredProof {
    /// Only the password, because there is no second factor yet.
    Password,
    /// The password, and a code if there is a second factor. An attacker with the session and the password must not be able to remove it.
    CodeToo,
}

/// A caller whose proof is correct.
struct VerifiedCaller {
    member: MemberRecord,
    has_factor: bool,
}

/// Checks the caller's password and, if required, a code of the second factor. A session alone may be stolen, so it is not sufficient to set up or remove a
/// second factor. The attempt is counted as a failure unless everything is correct.
async fn verify_caller(
    services: &Services,
    session: i64,
    proof: &OwnProof,
    trail: &RequestOrigin,
    required: RequiredProof,
) -> Result<VerifiedCaller, Error> {
    let OwnProof { password, otp } = proof;
    if password.is_empty() || password.len() > INPUT_MAX_BYTES {
        return Err(Error::BadRequest(format!("password must have 1 to {INPUT_MAX_BYTES} bytes")));
    }
    let store = services.store();
    let own = store.member_of_session(session).await?.ok_or(Error::Unauthorised)?;
    if own.demo {
        return Err(Error::Forbidden("the demo user stays as it is"));
    }
    let device = store.device_of_session(session).await?;
    let attempt = throttle::password(services.store(), &own.username, trail.from, device).await?;
    let username = own.username.clone();
    let looked_at = async {
        let Some(member) = session::prove(services.identity(), Some(own), password, CallerClass::Known, trail, ACTION).await? else {
            return Ok(None);
        };
        let verdict = match required {
            RequiredProof::Password => Verdict::None,
            RequiredProof::CodeToo => second_factor::check(services.identity(), &member, otp.as_deref(), device, trail, ACTION).await?,
        };
        Ok(Some((member, verdict)))
    };
    match looked_at.await {
        Ok(Some((member, verdict @ (Verdict::None | Verdict::Good)))) => {
            attempt.settle(services.store()).await?;
            Ok(VerifiedCaller { member, has_factor: verdict == Verdict::Good })
        }
        Ok(Some((_, Verdict::Missing))) => {
            attempt.take_back(services.store()).await?;
            Err(Error::wants(StatusCode::FORBIDDEN, SecondFactorReason::SecondFactorRequired))
        }
        Ok(Some((_, Verdict::Wrong))) => {
            attempt.failed(&username);
            Err(Error::wants(StatusCode::FORBIDDEN, SecondFactorReason::SecondFactorWrong))
        }
        Ok(None) => {
            attempt.failed(&username);
            Err(Error::Forbidden(NOT_RIGHT))
        }
        Err(error) => {
            attempt.take_back(services.store()).await?;
            Err(error)
        }
    }
}

fn new_codes(member: &MemberRecord) -> (Vec<String>, Vec<[u8; 32]>) {
    let codes: Vec<String> = (0..CODES).map(|_| auth::new_recovery_code()).collect();
    let hashes = codes.iter().map(|code| auth::hash_recovery_code(code, member.id.0)).collect();
    (codes, hashes)
}

fn none() -> Error {
    Error::BadRequest("you have no second factor".to_owned())
}

/// Returns the content of the QR code (the key URI format of authenticator apps). Spaces are encoded as %20, because some apps show a plus
/// sign as it is.
fn uri(issuer: &str, username: &str, secret: &str) -> String {
    let plain = |text: &str| byte_serialize(text.replace(':', " ").as_bytes()).collect::<String>().replace('+', "%20");
    let (issuer, username) = (plain(issuer), plain(username));
    format!(
        "otpauth://totp/{issuer}:{username}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits={}&period={}",
        auth::DIGITS,
        auth::STEP_S
    )
}

/// Informs the user by mail, because only the user can notice a change that they did not make.
fn mail_member(services: &Services, member: &MemberRecord, what: &str) {
    let text = format!(
        "{what} as {}.\n\nIf it was not you who changed this, ask your administrator to disable the account at once.\n",
        member.username
    );
    services.0.deps.mail.post(Mail { to: member.email.clone(), subject: "Your second factor has been changed".to_owned(), text });
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn names_with_spaces_and_colons_stay_apart_in_the_uri() {
        assert_eq!(
            uri("North Grid: West", "asha@example", "GEZDGNBV"),
            "otpauth://totp/North%20Grid%20%20West:asha%40example?secret=GEZDGNBV&issuer=North%20Grid%20%20West&algorithm=SHA1&digits=6&period=30"
        );
    }
}
