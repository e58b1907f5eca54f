//! Sign-in and renewal of sessions, over the sessions in the database.

use std::sync::atomic::Ordering;

use auth::{CallerClass, Principal};
use grid::{ClientId, Level, Micros, NodeId};
use registry::Field;
use serde_json::json;
use store::audit::{Entry, Origin};
pub use store::people::SecretHolder;
use store::people::{Ended, MemberRecord, NewDevice, NewSession, PresentedSecret, Rotated, Rotation};
use store::registry::NodeRecord;
use wire::bus::BusMessage;
use wire::people::Login;
use wire::second_factor::SecondFactorReason;
use wire::time::iso;

use crate::error::Error;
use crate::request_origin::RequestOrigin;
use crate::second_factor::{self, Verdict};
use crate::{Identity, throttle};

/// The password of the demo logins. It is published, so it signs nobody in unless the program runs as the demo (OWASP ASVS 5.0, 6.3.2).
pub const DEMO_PASSWORD: &str = "switchyard-demo";

/// Maximum number of users for whom one browser is a known device. Beyond the limit, the user with the oldest sign-in is removed.
pub const DEVICES_MAX: usize = 8;

const REFUSED: &str = "User name or password is not right";
const ENDED: &str = "Your session has ended, sign in again";

/// Credentials submitted by a client.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    /// The user name as typed.
    pub username: &'a str,
    /// The password as typed.
    pub password: &'a str,
    /// The code of the second factor, if one was typed.
    pub otp: Option<&'a str>,
}

/// A new session and the device secrets that the browser stores.
pub struct StartedSession {
    /// The answer to the sign-in.
    pub login: Login,
    /// Device secrets of the users who signed in on the browser, the latest first.
    pub devices: Vec<String>,
}

/// Verifies the credentials and creates a session. An unknown user name takes the same time and returns the same error as a wrong password.
pub async fn sign_in(
    identity: &Identity,
    credentials: Credentials<'_>,
    devices: Vec<String>,
    trail: RequestOrigin,
) -> Result<StartedSession, Error> {
    let (username, password) = (credentials.username.trim(), credentials.password);
    let now = wire::time::now();
    let since = now.plus_millis(-identity.settings.lifetimes.device_ms);
    let hashes: Vec<[u8; 32]> = devices.iter().map(|secret| auth::hash_token(secret)).collect();
    let known = if hashes.is_empty() { None } else { identity.store.device(&hashes, username, since).await? };
    // Attempts are counted under the stored name: the typed name may differ in ways that the database ignores, such as letter case.
    let member = identity.store.member_by_username(username).await?;
    let account = member.as_ref().map(|member| member.username.clone());
    let asker = if known.is_some() { CallerClass::Known } else { CallerClass::Unknown };
    let attempt = throttle::password(&identity.store, account.as_deref().unwrap_or(username), trail.from, known).await?;
    let member = match prove(identity, member, password, asker, &trail, "sign_in_refused").await {
        Ok(Some(member)) => member,
        Ok(None) => {
            attempt.failed(account.as_deref().unwrap_or("an unknown name"));
            metrics::counter!("api_sign_in_total", "outcome" => "refused").increment(1);
            return Err(Error::Forbidden(REFUSED));
        }
        // The password could not be checked. That is neither a failure nor a success.
        Err(error) => {
            attempt.take_back(&identity.store).await?;
            return Err(error);
        }
    };
    let verdict = match second_factor::check(identity, &member, credentials.otp, known, &trail, "sign_in_refused").await {
        Ok(Verdict::Missing) => {
            // A sign-in without its second factor is neither a failure nor a success.
            attempt.take_back(&identity.store).await?;
            return Err(Error::SecondFactor(SecondFactorReason::SecondFactorRequired));
        }
        Ok(Verdict::Wrong) => {
            attempt.failed(&member.username);
            metrics::counter!("api_sign_in_total", "outcome" => "refused").increment(1);
            return Err(Error::SecondFactor(SecondFactorReason::SecondFactorWrong));
        }
        Ok(verdict) => verdict,
        Err(error) => {
            attempt.take_back(&identity.store).await?;
            return Err(error);
        }
    };
    let is_limited = verdict == Verdict::None && identity.settings.second_factor.requires(&member);
    attempt.settle(&identity.store).await?;
    metrics::counter!("api_sign_in_total", "outcome" => "accepted").increment(1);
    // The device secret is new at each sign-in and belongs to this user only. A secret that was copied, or planted by another user, is
    // worthless from now on.
    let (secret, hash) = auth::new_token();
    let device = NewDevice { hash, replaces: known };
    let others = devices.into_iter().zip(hashes).filter(|(_, hash)| Some(*hash) != known).map(|(secret, _)| secret);
    let devices = std::iter::once(secret).chain(others).take(DEVICES_MAX).collect();
    let pair = Pair::new(identity);
    let idle_ms = identity.settings.lifetimes.idle_ms;
    let Rotation { access_hash, access_until, refresh_hash, refresh_until, now } = pair.hashes;
    let session = NewSession { member: member.id, access_hash, access_until, refresh_hash, refresh_until, idle_ms, now };
    let origin = Origin { client: Some(member.client), actor: Some(member.id), ..trail.origin };
    // The password may have been changed while this one was checked.
    let begun = identity.store.begin_session(&session, member.generation, &device, &origin).await?;
    let begun = begun.ok_or(Error::Forbidden(REFUSED))?;
    if is_limited {
        // No client has the token before this limit is stored.
        identity.store.limit_session(begun).await?;
    }
    let mut login = login(identity, &member, pair, access_until).await?;
    login.second_factor_setup = is_limited;
    Ok(StartedSession { login, devices })
}

/// Returns the member if the password is correct and the member may sign in. A refusal is entered in the audit under `action`. A hash with older parameters is
/// replaced by a hash with the present parameters.
pub async fn prove(
    identity: &Identity,
    member: Option<MemberRecord>,
    password: &str,
    asker: CallerClass,
    trail: &RequestOrigin,
    action: &str,
) -> Result<Option<MemberRecord>, Error> {
    let hash = member.as_ref().map(|member| member.password_hash.clone());
    let proven = auth::verify_password(password.to_owned(), hash, asker).await?;
    let published = password == DEMO_PASSWORD && !identity.settings.demo_logins;
    let Some(member) = member else {
        unknown(identity, &trail.origin, action).await?;
        return Ok(None);
    };
    if !proven || member.disabled || published {
        let client = trail.origin.client.or(Some(member.client));
        let origin = Origin { client, ..trail.origin.clone() };
        identity.store.audit(&Entry::new(&origin, action, format!("member {}", member.id))).await?;
        return Ok(None);
    }
    if !auth::is_current(&member.password_hash)
        && let Ok(hash) = auth::hash_password(password.to_owned()).await
    {
        identity.store.rehash(&member, &hash).await?;
    }
    Ok(Some(member))
}

/// Enters an attempt with an unknown user name in the audit. The typed name is left out, because it may be a password.
///
/// Audit rows cannot be deleted, and anyone can type unknown names. Attempts without a session therefore get at most one row per minute,
/// which has the number of attempts since the previous row.
async fn unknown(identity: &Identity, origin: &Origin, action: &str) -> Result<(), Error> {
    let entry = Entry::new(origin, action, "an unknown name");
    if origin.session.is_some() {
        return Ok(identity.store.audit(&entry).await?);
    }
    let unreported = &identity.unknown_names;
    unreported.fetch_add(1, Ordering::Relaxed);
    match throttle::by_minute(&identity.store, "unknown-names", "", 1).await {
        Ok(_) => {}
        Err(Error::TooMany { .. }) => return Ok(()),
        Err(error) => return Err(error),
    }
    let tries = unreported.swap(0, Ordering::Relaxed);
    Ok(identity.store.audit(&entry.changing(None, Some(json!({ "tries": tries })))).await?)
}

/// Exchanges a refresh secret for new tokens (rotation as in RFC 9700, section 4.14.2). It accepts the secret only, never an old token or a user name. Failed
/// attempts of others from the same address never delay a valid secret. An invalid secret counts as a failed attempt. `devices` are the device secrets of the
/// browser.
pub async fn renew(
    identity: &Identity,
    secret: &str,
    devices: &[String],
    holder: SecretHolder,
    trail: RequestOrigin,
) -> Result<Login, Error> {
    let pair = Pair::new(identity);
    let devices: Vec<[u8; 32]> = devices.iter().map(|secret| auth::hash_token(secret)).collect();
    let presented = PresentedSecret { hash: &auth::hash_token(secret), devices: &devices, holder };
    match identity.store.rotate_session(presented, &pair.hashes).await? {
        Rotated::Ok(session) => {
            let mut login = login(identity, &session.member, pair, session.access_until).await?;
            login.second_factor_setup = session.limited;
            Ok(login)
        }
        Rotated::Reused(member, ended) => {
            tracing::warn!(%member, "a used refresh secret was presented again; the session has been ended");
            metrics::counter!("api_refresh_reuse_total").increment(1);
            publish_ended(identity, &[ended]);
            let origin = Origin { client: Some(ended.client), session: Some(ended.session), ..trail.origin };
            identity.store.audit(&Entry::new(&origin, "session_stolen", format!("member {member}"))).await?;
            Err(Error::Forbidden(ENDED))
        }
        Rotated::Unknown => {
            throttle::secret(&identity.store, trail.from).await?;
            Err(Error::Forbidden(ENDED))
        }
    }
}

/// Ends the caller's session and informs the hubs, which close its sockets.
pub async fn end(identity: &Identity, principal: &Principal, origin: &Origin) -> Result<(), Error> {
    identity.store.sign_out(principal.session, wire::time::now(), origin).await?;
    publish_ended(identity, &[Ended { session: principal.session, client: principal.client }]);
    Ok(())
}

/// Ends the session of a refresh secret if the session is open. It is no longer used, because its browser has signed in again, and all tabs of the browser use
/// the new session.
pub async fn end_former(identity: &Identity, secret: &str, origin: &Origin) -> Result<(), Error> {
    let Some(former) = identity.store.session_of_refresh(&auth::hash_token(secret)).await? else { return Ok(()) };
    let origin = Origin { client: Some(former.client), session: Some(former.session), ..origin.clone() };
    identity.store.sign_out(former.session, wire::time::now(), &origin).await?;
    publish_ended(identity, &[former]);
    Ok(())
}

/// Ends a super user's session and creates one in another utility. `NotFound` if the utility does not exist.
pub async fn switch(identity: &Identity, principal: &Principal, to: ClientId, origin: &Origin) -> Result<Login, Error> {
    let pair = Pair::new(identity);
    let idle_ms = identity.settings.lifetimes.idle_ms;
    let begun = identity.store.switch_session(principal.session, to, idle_ms, &pair.hashes, origin).await?.ok_or(Error::NotFound)?;
    publish_ended(identity, &[Ended { session: principal.session, client: principal.client }]);
    login(identity, &begun.member, pair, begun.access_until).await
}

/// Informs the hubs about ended sessions, so that they close the sockets.
pub fn publish_ended(identity: &Identity, ended: &[Ended]) {
    for Ended { session, client } in ended {
        identity.bus.publish(BusMessage::Session { client: client.0, session: *session });
    }
}

/// Two new secrets: in plain text for the client, as hashes for the database.
struct Pair {
    access: String,
    refresh: String,
    hashes: Rotation,
}

impl Pair {
    fn new(identity: &Identity) -> Self {
        let lifetimes = identity.settings.lifetimes;
        let now = wire::time::now();
        let ((access, access_hash), (refresh, refresh_hash)) = (auth::new_token(), auth::new_token());
        let hashes = Rotation {
            access_hash,
            access_until: now.plus_millis(lifetimes.access_ms),
            refresh_hash,
            refresh_until: now.plus_millis(lifetimes.absolute_ms),
            now,
        };
        Self { access, refresh, hashes }
    }
}

async fn login(identity: &Identity, member: &MemberRecord, pair: Pair, until: Micros) -> Result<Login, Error> {
    let field = identity.fields.get(member.client).await?;
    let own = member.node.and_then(|id| field.node(id));
    Ok(answer(member, &field, own, pair.access, pair.refresh, until))
}

/// Builds the answer to a sign-in (specification 1, section 3).
fn answer(member: &MemberRecord, field: &Field, own: Option<&NodeRecord>, token: String, refresh: String, until: Micros) -> Login {
    let client = field.client();
    let config = &client.config;
    let text = |key: &str| config.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    // A flag of the user takes precedence over that of the utility.
    let flag = |key: &str, otherwise: bool| {
        let set = [&member.flags, config].into_iter().find_map(|flags| flags.get(key)?.as_bool());
        set.unwrap_or(otherwise)
    };
    let level = |level: Level| own.and_then(|own| field.above(own, level)).map(|node| node.id).map(|NodeId(id)| id);
    let client_name = client.name.clone();
    Login {
        id: member.id.0,
        f_name: member.first_name.clone(),
        l_name: member.last_name.clone(),
        profile_picture_path: member.flags.get("profilePicturePath").and_then(|path| path.as_str()).unwrap_or_default().to_owned(),
        client_log_path: text("logo"),
        username: member.username.clone(),
        email: member.email.clone(),
        role: member.role_name.clone(),
        role_id: member.role_id,
        token,
        alive_till: iso(until),
        client_id: member.client.0,
        circle_id: level(Level::Circle),
        section_id: level(Level::Section),
        division_id: level(Level::Division),
        sub_division_id: level(Level::Subdivision),
        substation_id: level(Level::Substation),
        town_id: level(Level::Town),
        app_brand: config.get("appBrand").and_then(|brand| brand.as_str()).unwrap_or("Switchyard").to_owned(),
        show_title: flag("showTitle", true),
        member_access_lvl_msg: own.map_or_else(|| client_name.clone(), |own| own.name.clone()),
        show_rtu_health_tab: flag("showRTUHealthTab", true),
        show_asset_tab: flag("showAssetTab", true),
        show_outage_tab: flag("showOutageTab", true),
        show_network_tab: flag("showNetworkTab", true),
        show_gds_data: flag("showGDSData", false),
        show_pq_data: flag("showPQData", true),
        show_substation_health_tab: flag("showSubstationHealthTab", true),
        refresh,
        time_zone: client.time_zone.clone(),
        can_operate: member.can_operate,
        demo: member.demo,
        second_factor_setup: false,
        client_name,
    }
}

#[cfg(test)]
mod tests {
    use grid::{ClientId, MemberId};

    use super::*;
    use testkit::example::field;

    #[test]
    fn a_person_has_the_ids_of_their_own_node_and_what_is_above_it() {
        let field = field();
        let member = MemberRecord {
            id: MemberId(5),
            client: ClientId(1),
            username: "division".into(),
            email: String::new(),
            first_name: "D".into(),
            last_name: String::new(),
            role_id: 4,
            role_name: "DivisionAdmin".into(),
            password_hash: String::new(),
            node: Some(NodeId(2)),
            can_operate: false,
            flags: serde_json::json!({ "showAssetTab": false, "showGDSData": true, "showPQData": "no" }),
            demo: false,
            disabled: false,
            generation: 0,
        };
        let login = answer(&member, &field, field.node(NodeId(2)), "t".into(), "r".into(), Micros(0));
        assert_eq!((login.circle_id, login.division_id, login.town_id, login.substation_id), (Some(1), Some(2), None, None));
        let above = answer(&member, &field, None, "t".into(), "r".into(), Micros(0));
        assert_eq!((above.circle_id, above.division_id), (None, None));
        let flags = (login.show_asset_tab, login.show_gds_data, login.show_pq_data, login.show_outage_tab);
        assert_eq!(flags, (false, true, true, true), "the person's own switches where they are switches");
    }
}
