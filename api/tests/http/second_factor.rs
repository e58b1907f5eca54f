//! The second factor: setup, codes, single use of codes, and removal.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::field::PASSWORD;
use crate::server::{Answer, Server};
use crate::sign_in::device;

/// Returns the code of a secret, as the user's device computes it.
fn code(secret: &str) -> String {
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let secret = totp_rs::Secret::try_from_base32(secret).expect("base32");
    totp_rs::Builder::new().with_secret(secret).build().expect("a device").generate(now_s).to_string()
}

/// Returns a code that is certainly wrong.
fn wrong(secret: &str) -> String {
    let right: u32 = code(secret).parse().expect("digits");
    // Three codes are valid at a time, and these are far apart from each other.
    (1..4).map(|off| format!("{:06}", (right + off * 111_111) % 1_000_000)).find(|code| *code != self::code(secret)).expect("another")
}

async fn sign_in(server: &Server, username: &str, otp: &str) -> Answer {
    server.token(&format!("username={username}&password={}&otp={otp}&feui=1", PASSWORD.replace(' ', "+"))).await
}

async fn post(server: &Server, token: &str, what: &str, body: Value) -> Answer {
    server.json_as(token, "POST", &format!("/api/Member/SecondFactor/{what}"), &body).await
}

async fn state(server: &Server, token: &str) -> Value {
    server.get_as(token, "/api/member/secondfactor").await.json()["result"].clone()
}

fn refusal_of(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.json()["result"]["code"].clone())
}

/// Sets up a second factor; returns the secret and the recovery codes.
async fn set_up(server: &Server, token: &str) -> (String, Vec<String>) {
    let begun = post(server, token, "begin", json!({ "password": PASSWORD })).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let secret = begun.json()["result"]["secret"].as_str().expect("a secret").to_owned();
    let on = post(server, token, "confirm", json!({ "otp": code(&secret) })).await;
    assert_eq!(on.status, 200, "{on:?}");
    let codes = serde_json::from_value(on.json()["result"]["codes"].clone()).expect("codes");
    forget_steps(server).await;
    (secret, codes)
}

/// Resets the used time steps, as if time had passed, so that the present code is accepted again.
async fn forget_steps(server: &Server) {
    server.database.client().await.execute("UPDATE second_factor SET last_step = 0", &[]).await.expect("forgotten");
}

#[tokio::test]
async fn a_code_is_asked_for_once_it_is_confirmed_and_taken_once() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(state(&server, &token).await, json!({ "on": false, "offered": true, "required": false, "recoveryCodesLeft": 0 }));
    assert_eq!(post(&server, &token, "confirm", json!({ "otp": "123456" })).await.status, 400, "nothing was begun");
    assert_eq!(post(&server, &token, "begin", json!({ "password": "not it" })).await.status, 403);
    let begun = post(&server, &token, "begin", json!({ "password": PASSWORD })).await.json()["result"].clone();
    let secret = begun["secret"].as_str().expect("a secret");
    let uri = format!("otpauth://totp/Utility%20one:one-admin?secret={secret}&issuer=Utility%20one&algorithm=SHA1&digits=6&period=30");
    assert_eq!(begun, json!({ "secret": secret, "uri": uri, "digits": 6, "periodS": 30 }));
    server.sign_in("one-admin").await;
    let refused = post(&server, &token, "confirm", json!({ "otp": wrong(secret) })).await;
    assert_eq!(refusal_of(&refused), (400, json!("second_factor_wrong")));
    let first = code(secret);
    let on = post(&server, &token, "confirm", json!({ "otp": first })).await;
    assert_eq!((on.status, on.json()["result"]["codes"].as_array().map(Vec::len)), (200, Some(10)), "{on:?}");
    assert!(server.mail().await.contains("second factor is asked for"));
    assert_eq!(state(&server, &token).await, json!({ "on": true, "offered": true, "required": false, "recoveryCodesLeft": 10 }));
    assert_eq!(post(&server, &token, "begin", json!({ "password": PASSWORD })).await.status, 400, "there is one");
    let missing = sign_in(&server, "one-admin", "").await;
    assert_eq!(refusal_of(&missing), (401, json!("second_factor_required")), "{missing:?}");
    assert_eq!(
        refusal_of(&sign_in(&server, "one-admin", &first).await),
        (401, json!("second_factor_wrong")),
        "it was taken by the confirmation"
    );
    forget_steps(&server).await;
    let now = code(secret);
    assert_eq!(sign_in(&server, "one-admin", &now).await.status, 200);
    assert_eq!(refusal_of(&sign_in(&server, "one-admin", &now).await), (401, json!("second_factor_wrong")), "a code is taken once");
    let elsewhere = server.token(&format!("username=one-admin&password=not+it&otp={now}")).await;
    assert_eq!((elsewhere.status, elsewhere.json().get("result")), (403, None), "who does not know the password hears nothing of it");
    let kept = server.database.client().await;
    let row = kept.query_one("SELECT secret, (SELECT string_agg(t::text, '') FROM audit t) FROM second_factor", &[]).await.expect("kept");
    let raw = totp_rs::Secret::try_from_base32(secret).expect("base32");
    assert!(!row.get::<_, Vec<u8>>(0).windows(20).any(|part| part == raw.as_bytes()), "locked");
    let reported: String = row.get(1);
    assert!(!reported.contains(secret) && !reported.contains(&now) && reported.contains("second_factor_on"), "{reported}");
}

#[tokio::test]
async fn a_recovery_code_stands_in_once_and_password_and_code_take_all_of_it_away() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (secret, codes) = set_up(&server, &token).await;
    assert_eq!(sign_in(&server, "one-admin", &codes[0].to_lowercase().replace('-', "+")).await.status, 200);
    assert_eq!(refusal_of(&sign_in(&server, "one-admin", &codes[0]).await), (401, json!("second_factor_wrong")));
    assert_eq!(state(&server, &token).await["recoveryCodesLeft"], 9);
    let replaced = post(&server, &token, "codes", json!({ "password": PASSWORD, "otp": code(&secret) })).await;
    let others: Vec<String> = serde_json::from_value(replaced.json()["result"]["codes"].clone()).expect("codes");
    assert_eq!(refusal_of(&sign_in(&server, "one-admin", &codes[1]).await), (401, json!("second_factor_wrong")), "replaced");
    assert_eq!(sign_in(&server, "one-admin", &others[0]).await.status, 200);
    let other = server.sign_in("one-division").await;
    let (_, theirs) = set_up(&server, &other).await;
    assert_eq!(refusal_of(&sign_in(&server, "one-admin", &theirs[0]).await), (401, json!("second_factor_wrong")), "somebody else's");
    for (what, body) in [("remove", json!({ "password": "not it" })), ("codes", json!({ "password": "not it" }))] {
        assert_eq!(post(&server, &token, what, body).await.status, 403, "{what}");
    }
    assert_eq!(post(&server, &token, "remove", json!({ "password": PASSWORD, "otp": others[1] })).await.status, 200);
    assert_eq!(post(&server, &token, "remove", json!({ "password": PASSWORD })).await.status, 400, "there is none any more");
    assert_eq!(
        server
            .database
            .client()
            .await
            .query("SELECT FROM recovery_code WHERE member_id = $1", &[&server.one.admin])
            .await
            .expect("rows")
            .len(),
        0
    );
    server.sign_in("one-admin").await;
    let (again, _) = set_up(&server, &token).await;
    assert_ne!(again, secret);
    let actions: Vec<String> = server.audited(server.one.client).await.into_iter().map(|(action, _)| action).collect();
    for (action, times) in [
        ("second_factor_begun", 3),
        ("second_factor_on", 3),
        ("recovery_code_used", 3),
        ("recovery_codes_replaced", 1),
        ("second_factor_removed", 1),
        ("second_factor_refused", 2),
        ("sign_in_refused", 3),
    ] {
        assert_eq!(actions.iter().filter(|found| *found == action).count(), times, "{action}: {actions:?}");
    }
}

#[tokio::test]
async fn wrong_codes_are_slowed_down_like_wrong_passwords_and_a_missing_one_is_no_failure() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (secret, codes) = set_up(&server, &token).await;
    for _ in 0..12 {
        assert_eq!(refusal_of(&sign_in(&server, "one-admin", "").await), (401, json!("second_factor_required")));
    }
    for _ in 0..5 {
        assert_eq!(sign_in(&server, "one-admin", &wrong(&secret)).await.status, 401);
    }
    for otp in [code(&secret), codes[0].clone(), String::new()] {
        assert_eq!(sign_in(&server, "one-admin", &otp).await.status, 429, "{otp:?}");
    }
}

#[tokio::test]
async fn administrators_who_must_have_one_can_do_nothing_before() {
    let database = testkit::database().await;
    let url = database.url().to_owned();
    let server = Server::start_with(database, &url, false, identity::SecondFactor::RequiredForAdministrators).await;
    assert_eq!(sign_in(&server, "one-division", "").await.json()["secondFactorSetup"], false, "another role");
    let login = sign_in(&server, "one-admin", "").await.json();
    assert_eq!((&login["secondFactorSetup"], &login["roleId"]), (&json!(true), &json!(2)));
    let renewed = server.token(&format!("ref={}", login["ref"].as_str().expect("a secret"))).await.json();
    assert_eq!(renewed["secondFactorSetup"], true, "renewing it makes it no better");
    let token = renewed["token"].as_str().expect("a token");
    for path in ["/api/iecgw/gethoststate", "/api/admin/members", "/api/role/rolepages/2"] {
        assert_eq!(refusal_of(&server.get_as(token, path).await), (403, json!("second_factor_setup")), "{path}");
    }
    let body = json!({ "Email": "one-admin", "Password": PASSWORD });
    assert_eq!(server.json_as(token, "POST", "/api/sld/validatecredentialsfordocontrol", &body).await.status, 403);
    // The hub uses the same check: the session has no role.
    let store = store::Store::connect(&url, 1).await.expect("connected");
    let now = grid::Micros(i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_micros()).expect("a time"));
    let session = store.session_by_access(&auth::hash_token(token), now).await.expect("asked").expect("a session");
    assert_eq!((session.limited, session.member.role_id), (true, 0));
    assert_eq!(state(&server, token).await["required"], true);
    let (secret, _) = set_up(&server, token).await;
    assert_eq!(server.get_as(token, "/api/admin/members").await.status, 200, "a whole session from now on");
    let refused = post(&server, token, "remove", json!({ "password": PASSWORD, "otp": code(&secret) })).await;
    assert!(refused.status == 403 && refused.body.contains("must have"), "{refused:?}");
    forget_steps(&server).await;
    assert_eq!(sign_in(&server, "one-admin", &code(&secret)).await.json()["secondFactorSetup"], false);
}

#[tokio::test]
async fn the_check_before_an_operation_takes_the_code_as_well() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (secret, _) = set_up(&server, &token).await;
    let check = async |otp: &str| {
        let body = json!({ "Email": "one-admin", "Password": PASSWORD, "otp": otp });
        server.json_as(&token, "POST", "/api/sld/validatecredentialsfordocontrol", &body).await
    };
    assert_eq!(refusal_of(&check("").await), (403, json!("second_factor_required")));
    assert_eq!(refusal_of(&check(&wrong(&secret)).await), (403, json!("second_factor_wrong")));
    let now = code(&secret);
    assert_eq!(check(&now).await.status, 200);
    assert_eq!(refusal_of(&check(&now).await), (403, json!("second_factor_wrong")), "taken");
}

#[tokio::test]
async fn administrator_removes_second_factor_of_member() {
    let database = testkit::database().await;
    let url = database.url().to_owned();
    let server = Server::start_over(database, &url, false).await;
    let (admin, division) = (server.sign_in("one-admin").await, server.sign_in("one-division").await);
    set_up(&server, &division).await;
    let row =
        server.database.client().await.query_one("SELECT id FROM member WHERE username = 'one-division'", &[]).await.expect("a member");
    let path = |id: i64| format!("/api/admin/members/{id}/secondfactor");
    let remove = async |token: &str, id: i64| server.json_as(token, "DELETE", &path(id), &Value::Null).await.status;
    let id: i64 = row.get(0);
    assert_eq!(
        (remove(&division, id).await, remove(&admin, server.two.admin).await, remove(&admin, server.one.admin).await),
        (403, 404, 403)
    );
    assert!(server.mail().await.contains("asked for"));
    assert_eq!((remove(&admin, id).await, remove(&admin, id).await), (200, 400));
    assert!(server.mail().await.contains("An administrator has removed"));
    server.sign_in("one-division").await;
    drop(server);
    let database = testkit::database().await;
    let url = database.url().to_owned();
    let server = Server::start_with(database, &url, false, identity::SecondFactor::Off).await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(state(&server, &token).await["offered"], false);
    assert_eq!(post(&server, &token, "begin", json!({ "password": PASSWORD })).await.status, 403);
}

#[tokio::test]
async fn a_session_and_the_password_alone_change_nothing_of_a_second_factor() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (secret, _) = set_up(&server, &token).await;
    assert!(server.mail().await.contains("is asked for"));
    for what in ["codes", "remove"] {
        for (otp, wants) in [(Value::Null, "second_factor_required"), ("".into(), "second_factor_required")] {
            let refused = post(&server, &token, what, json!({ "password": PASSWORD, "otp": otp })).await;
            assert_eq!(refusal_of(&refused), (403, json!(wants)), "{what}");
        }
        assert_eq!(refusal_of(&post(&server, &token, what, json!({ "password": PASSWORD })).await), (403, json!("second_factor_required")));
        let refused = post(&server, &token, what, json!({ "password": PASSWORD, "otp": wrong(&secret) })).await;
        assert_eq!(refusal_of(&refused), (403, json!("second_factor_wrong")), "{what}");
    }
    assert_eq!(state(&server, &token).await, json!({ "on": true, "offered": true, "required": false, "recoveryCodesLeft": 10 }));
    let now = code(&secret);
    assert_eq!(post(&server, &token, "codes", json!({ "password": PASSWORD, "otp": now })).await.status, 200);
    assert!(server.mail().await.contains("new recovery codes"));
    let again = post(&server, &token, "remove", json!({ "password": PASSWORD, "otp": now })).await;
    assert_eq!(refusal_of(&again), (403, json!("second_factor_wrong")), "a code is taken once, whatever for");
    forget_steps(&server).await;
    assert_eq!(post(&server, &token, "remove", json!({ "password": PASSWORD, "otp": code(&secret) })).await.status, 200);
    assert!(server.mail().await.contains("not asked for any more"));
}

#[tokio::test]
async fn wrong_codes_here_are_counted_though_the_password_beside_them_is_right() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (secret, _) = set_up(&server, &token).await;
    for _ in 0..5 {
        assert_eq!(post(&server, &token, "codes", json!({ "password": PASSWORD, "otp": wrong(&secret) })).await.status, 403);
    }
    assert_eq!(post(&server, &token, "codes", json!({ "password": PASSWORD, "otp": code(&secret) })).await.status, 429);
}

#[tokio::test]
async fn who_confirms_lifts_their_own_session_alone_and_those_that_wait_elsewhere_end() {
    let database = testkit::database().await;
    let url = database.url().to_owned();
    let server = Server::start_with(database, &url, false, identity::SecondFactor::RequiredForAdministrators).await;
    let (thief, own) = (server.sign_in("one-admin").await, server.sign_in("one-admin").await);
    let other = server.sign_in("two-admin").await;
    let mut messages = server.bus_messages();
    set_up(&server, &own).await;
    assert_eq!(server.get_as(&own, "/api/admin/members").await.status, 200);
    assert_eq!(server.get_as(&thief, "/api/member/secondfactor").await.status, 401, "it is over");
    assert_eq!(server.get_as(&other, "/api/member/secondfactor").await.status, 200, "somebody else's goes on waiting");
    let store = store::Store::connect(&url, 1).await.expect("connected");
    let row = "SELECT session_id FROM session_access WHERE hash = $1";
    let thief = server.database.client().await.query_one(row, &[&auth::hash_token(&thief).as_slice()]).await.expect("kept");
    let message = messages.next().await;
    let wire::bus::BusMessage::Session { client, session } = *message else { panic!("{message:?}") };
    assert_eq!((client, session), (server.one.client.0, thief.get::<_, i64>(0)));
    let rows = store.audit_rows(server.one.client, None, 10).await.expect("rows");
    let entry = rows.iter().find(|row| row.action == "second_factor_on").expect("entered");
    assert_eq!(entry.after, Some(json!({ "endedSessions": [session] })));
}

/// Tries a code from an unknown device, each time from another network.
async fn from_elsewhere(server: &Server, place: usize, cookies: &str, otp: &str) -> Answer {
    let form = format!("username=one-admin&password={}&otp={otp}&feui=1", PASSWORD.replace(' ', "+"));
    server.token_from(&format!("2001:db8:{place:x}::1"), cookies, &form).await
}

#[tokio::test]
async fn wrong_codes_count_for_the_person_from_wherever_and_a_known_device_goes_on() {
    let server = Server::start().await;
    let form = format!("username=one-admin&password={}&feui=1", PASSWORD.replace(' ', "+"));
    let known = server.token_from("192.0.2.1", "", &form).await;
    let cookie = device(&known);
    let token = known.json()["token"].as_str().expect("a token").to_owned();
    let (secret, codes) = set_up(&server, &token).await;
    assert!(server.mail().await.contains("is asked for"));
    for place in 0..9 {
        assert_eq!(from_elsewhere(&server, place, "", &wrong(&secret)).await.status, 401, "{place}");
    }
    // A correct code does not reset the nine wrong ones.
    server.database.client().await.execute("UPDATE throttle SET recent = '{}'", &[]).await.expect("a minute later");
    assert_eq!(from_elsewhere(&server, 9, "", &code(&secret)).await.status, 200);
    forget_steps(&server).await;
    assert!(server.no_mail().await);
    assert_eq!(from_elsewhere(&server, 10, "", &wrong(&secret)).await.status, 401);
    assert!(server.mail().await.contains("10 wrong codes"));
    server.database.client().await.execute("UPDATE throttle SET recent = '{}'", &[]).await.expect("a minute later");
    for otp in [wrong(&secret), code(&secret), codes[0].clone()] {
        let held = from_elsewhere(&server, 11, "", &otp).await;
        assert_eq!(held.status, 429, "{held:?}");
    }
    let on_device = from_elsewhere(&server, 12, &cookie, &code(&secret)).await;
    assert_eq!(on_device.status, 200, "{on_device:?}");
}

#[tokio::test]
async fn wrong_codes_on_a_known_device_are_limited_there_wherever_it_is() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (secret, _) = set_up(&server, &token).await;
    let check = async |place: usize, otp: &str| {
        let body = json!({ "Email": "one-admin", "Password": PASSWORD, "otp": otp }).to_string();
        let (from, bearer) = (format!("2001:db8:{place:x}::1"), format!("Bearer {token}"));
        let headers = [("Content-Type", "application/json"), ("X-Forwarded-For", &from), ("Authorization", &bearer)];
        server.send("POST", "/api/sld/validatecredentialsfordocontrol", &headers, &body).await.status
    };
    for place in 0..10 {
        assert_eq!(check(place, &wrong(&secret)).await, 403, "{place}");
    }
    assert_eq!(check(10, &code(&secret)).await, 429);
}
