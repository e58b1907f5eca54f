//! Signing in, renewing, signing out.

use bus::Received;
use wire::bus::BusMessage;

use crate::field::PASSWORD;
use crate::server::Server;

const WRONG: &str = "username=one-admin&password=guess&feui=1";

#[tokio::test]
async fn the_answer_has_the_documented_fields_at_its_top() {
    let server = Server::start().await;
    let answer = server.token(&format!("username=ONE-admin&password={}&feui=1", PASSWORD.replace(' ', "%20"))).await;
    let login = answer.json();
    assert_eq!((answer.status, &login["clientName"], &login["roleId"]), (200, &"Utility one".into(), &2.into()), "{answer:?}");
    for field in [
        "fName",
        "lName",
        "clientLogPath",
        "aliveTill",
        "circleId",
        "showRTUHealthTab",
        "showGDSData",
        "memberAccessLvlMsg",
        "ref",
        "timeZone",
    ] {
        assert!(login.get(field).is_some(), "{field} is missing: {login}");
    }
    assert_eq!(login["appBrand"], "Brand of one");
    assert!(answer.head.contains("cache-control: no-store"), "{}", answer.head);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_are_told_the_same() {
    let server = Server::start().await;
    let wrong = server.token(WRONG).await;
    let unknown = server.token("username=nobody&password=guess&feui=1").await;
    assert_eq!((wrong.status, unknown.status), (403, 403));
    assert_eq!(wrong.json()["message"], unknown.json()["message"]);
    assert_eq!(wrong.json()["statusCode"], 403);
    assert_ne!(wrong.json()["correlationId"], unknown.json()["correlationId"]);
}

#[tokio::test]
async fn guessing_is_slowed_down() {
    let server = Server::start().await;
    for _ in 0..5 {
        assert_eq!(server.token(WRONG).await.status, 403);
    }
    let slowed = server.token(WRONG).await;
    assert_eq!(slowed.status, 429, "{slowed:?}");
    assert!(slowed.head.contains("retry-after: "), "{}", slowed.head);
    server.sign_in("two-admin").await;
}

#[tokio::test]
async fn a_refresh_secret_works_once_and_its_reuse_ends_the_session() {
    let server = Server::start().await;
    let form = format!("username=one-admin&password={}&feui=1", PASSWORD.replace(' ', "+"));
    let first = server.token(&form).await.json();
    let text = |login: &serde_json::Value, key: &str| login[key].as_str().expect("text").to_owned();
    let second = server.token(&format!("ref={}&feui=1", text(&first, "ref"))).await.json();
    let path = format!("/api/circle/circlesbyclient/{}", server.one.client);
    assert_eq!(server.get_as(&text(&second, "token"), &path).await.status, 200);
    assert_eq!(server.get_as(&text(&first, "token"), &path).await.status, 401, "the old access token is worth nothing");
    assert_eq!(server.token(&format!("ref={}&feui=1", text(&first, "ref"))).await.status, 403, "reuse");
    assert_eq!(server.get_as(&text(&second, "token"), &path).await.status, 401, "the session has been ended");
    assert_eq!(server.token(&format!("ref={}&feui=1", text(&second, "ref"))).await.status, 403);
}

#[tokio::test]
async fn signing_out_ends_the_callers_own_session_and_tells_the_hubs() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let mut heard = server.bus.subscribe();
    assert_eq!(server.get_as(&token, &format!("/api/member/logout/{}", server.two.admin)).await.status, 403);
    assert_eq!(server.get_as(&token, &format!("/api/Member/Logout/{}", server.one.admin)).await.status, 200);
    let Some(Received::Message(message)) = heard.next().await else { panic!("nothing on the bus") };
    assert!(matches!(*message, BusMessage::Session { client, .. } if client == server.one.client.0), "{message:?}");
    assert_eq!(server.get_as(&token, "/api/iecgw/gethoststate").await.status, 401);
}

#[tokio::test]
async fn the_published_password_signs_in_nowhere_but_in_the_demo() {
    for (demo, expected) in [(false, 403), (true, 200)] {
        let server = Server::start_as(demo).await;
        let hash = auth::hash_password(api::DEMO_PASSWORD.to_owned()).await.expect("hashed");
        let store = store::Store::connect(server.database.url(), 2).await.expect("connected");
        crate::field::enter(&store, "demo", &hash).await;
        let form = format!("username=demo-admin&password={}&feui=1", api::DEMO_PASSWORD);
        assert_eq!(server.token(&form).await.status, expected, "demo: {demo}");
    }
}

#[tokio::test]
async fn what_is_no_form_is_refused_without_a_fault() {
    let server = Server::start().await;
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let cases = [
        ("POST", "/api/token", &form[..], "x".repeat(300_000), 413),
        ("POST", "/api/token", &form[..], format!("username={}", "x".repeat(300)), 400),
        ("POST", "/api/token", &[], "{}".to_owned(), 415),
        ("GET", "/api/token", &form[..], String::new(), 405),
    ];
    for (method, path, headers, body, expected) in cases {
        let answer = server.send(method, path, headers, &body).await;
        assert_eq!(answer.status, expected, "{answer:?}");
        assert_eq!(answer.json()["statusCode"], expected, "{answer:?}");
    }
}
