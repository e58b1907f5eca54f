//! Signing in and renewing, over the sessions that the store keeps.

use std::net::IpAddr;
use std::time::Instant;

use auth::Principal;
use grid::{Level, Micros, NodeId};
use store::people::{MemberRecord, NewSession, Rotated, Rotation};
use store::registry::NodeRecord;
use wire::bus::BusMessage;
use wire::people::Login;
use wire::time::iso;

use crate::error::Error;
use crate::field::Field;
use crate::state::Services;

/// The password of the demo's logins. It is published, so it signs nobody in unless the program runs as the demo (trust.md S2).
pub const DEMO_PASSWORD: &str = "switchyard-demo";

const REFUSED: &str = "User name or password is not right";
const ENDED: &str = "Your session has ended, sign in again";

/// Checks a password and begins a session. An unknown name takes as long and is told the same as a wrong password.
pub(crate) async fn begin(services: &Services, username: &str, password: &str, from: IpAddr) -> Result<Login, Error> {
    let throttle = &services.0.throttle;
    if let Some(wait) = throttle.wait(username, from, Instant::now()) {
        return Err(Error::TooMany { retry_after_s: wait.as_secs() + 1 });
    }
    let member = services.store().member_by_username(username.trim()).await?;
    let hash = member.as_ref().map(|member| member.password_hash.clone());
    let proven = auth::verify_password(password.to_owned(), hash).await;
    let published = password == DEMO_PASSWORD && !services.0.deps.demo_logins;
    let Some(member) = member.filter(|member| proven && !member.disabled && !published) else {
        throttle.failed(username, from, Instant::now());
        metrics::counter!("api_sign_in_total", "outcome" => "refused").increment(1);
        return Err(Error::Forbidden(REFUSED));
    };
    throttle.succeeded(username, from);
    metrics::counter!("api_sign_in_total", "outcome" => "accepted").increment(1);
    let pair = Pair::new(services);
    let idle_ms = services.0.deps.lifetimes.idle_ms;
    let Rotation { access_hash, access_until, refresh_hash, refresh_until, now } = pair.hashes;
    let session = NewSession { member: member.id, access_hash, access_until, refresh_hash, refresh_until, idle_ms, now };
    services.store().insert_session(&session).await?;
    login(services, &member, pair).await
}

/// Exchanges a refresh secret for new tokens. It takes the secret itself, never an old token or a name (trust.md S6).
pub(crate) async fn renew(services: &Services, secret: &str) -> Result<Login, Error> {
    let pair = Pair::new(services);
    match services.store().rotate_session(&auth::hash_token(secret), &pair.hashes).await? {
        Rotated::Ok(session) => login(services, &session.member, pair).await,
        Rotated::Reused(member) => {
            tracing::warn!(%member, "a used refresh secret was presented again; the session has been ended");
            metrics::counter!("api_refresh_reuse_total").increment(1);
            Err(Error::Forbidden(ENDED))
        }
        Rotated::Unknown => Err(Error::Forbidden(ENDED)),
    }
}

/// Ends the caller's session, and tells the hubs to close its sockets.
pub(crate) async fn end(services: &Services, principal: &Principal) -> Result<(), Error> {
    services.store().end_session(principal.session, Services::now()).await?;
    let ended = BusMessage::Session { client: principal.client.0, session: principal.session };
    services.0.deps.bus.publish(ended);
    Ok(())
}

/// Two new secrets: what the client gets, and what is stored of them.
struct Pair {
    access: String,
    refresh: String,
    hashes: Rotation,
}

impl Pair {
    fn new(services: &Services) -> Self {
        let lifetimes = services.0.deps.lifetimes;
        let now = Services::now();
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

async fn login(services: &Services, member: &MemberRecord, pair: Pair) -> Result<Login, Error> {
    let field = services.field(member.client).await?;
    let own = member.node.and_then(|id| field.node(id));
    Ok(answer(member, &field, own, pair.access, pair.refresh, pair.hashes.access_until))
}

/// The login answer of specification 1, section 3.
fn answer(member: &MemberRecord, field: &Field, own: Option<&NodeRecord>, token: String, refresh: String, until: Micros) -> Login {
    let client = field.client();
    let config = client.map(|client| &client.config);
    let text = |key: &str| config.and_then(|config| config.get(key)).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let flag =
        |key: &str, otherwise: bool| config.and_then(|config| config.get(key)).and_then(serde_json::Value::as_bool).unwrap_or(otherwise);
    let level = |level: Level| own.and_then(|own| field.above(own, level)).map(|node| node.id).map(|NodeId(id)| id);
    let client_name = client.map(|client| client.name.clone()).unwrap_or_default();
    Login {
        id: member.id.0,
        f_name: member.first_name.clone(),
        l_name: member.last_name.clone(),
        profile_picture_path: String::new(),
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
        app_brand: config.and_then(|config| config.get("appBrand")).and_then(|brand| brand.as_str()).unwrap_or("Switchyard").to_owned(),
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
        time_zone: client.map_or_else(|| "UTC".to_owned(), |client| client.time_zone.clone()),
        can_operate: member.can_operate,
        demo: member.demo,
        client_name,
    }
}

#[cfg(test)]
mod tests {
    use grid::{ClientId, MemberId};

    use super::*;
    use crate::example::field;

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
            demo: false,
            disabled: false,
        };
        let login = answer(&member, &field, field.node(NodeId(2)), "t".into(), "r".into(), Micros(0));
        assert_eq!((login.circle_id, login.division_id, login.town_id, login.substation_id), (Some(1), Some(2), None, None));
        let above = answer(&member, &field, None, "t".into(), "r".into(), Micros(0));
        assert_eq!((above.circle_id, above.division_id), (None, None));
    }
}
