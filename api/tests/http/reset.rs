//! Password resets by mail: the answers are the same for all addresses, and nothing changes until the link is used.

use serde_json::{Value, json};
use wire::bus::BusMessage;

use crate::field::PASSWORD;
use crate::server::{Answer, Server};

const NEW: &str = "seven kettles under a tram";

async fn handle(server: &Server, email: &str) -> String {
    let answer = server.get(&format!("/api/Member/MemberByEmail/{email}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"]["id"].as_str().expect("a handle").to_owned()
}

async fn ask(server: &Server, email: &str) -> Answer {
    let handle = handle(server, email).await;
    server.get(&format!("/api/member/generatepwd/{handle}")).await
}

async fn set(server: &Server, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password }).to_string();
    server.send("POST", "/api/member/setpassword", &[("Content-Type", "application/json")], &body).await
}

/// Returns the token of the link in a mail.
fn token(mail: &str) -> String {
    let (_, token) = mail.split_once("https://portal.example/setpassword#").unwrap_or_else(|| panic!("no link: {mail}"));
    token.lines().next().expect("a line").trim().to_owned()
}

/// Returns a sign-in form.
fn form(username: &str, password: &str) -> String {
    format!("username={username}&password={}&feui=1", password.replace(' ', "+"))
}

#[tokio::test]
async fn nobody_learns_whether_an_address_is_known() {
    let server = Server::start().await;
    let mut reported: Vec<Value> = Vec::new();
    for email in ["one-admin@example.org", "nobody@example.org", "no%20address", "%00", &"x".repeat(400)] {
        let handle = handle(&server, email).await;
        assert_eq!(handle.len(), 64, "{email}");
        let mut answer = server.get(&format!("/api/member/generatepwd/{handle}")).await.json();
        answer["correlationId"] = Value::Null;
        reported.push(answer);
    }
    reported.push({
        let mut answer = server.get("/api/member/generatepwd/no-handle-at-all").await.json();
        answer["correlationId"] = Value::Null;
        answer
    });
    assert!(reported.iter().all(|answer| *answer == reported[0]), "{reported:?}");
    assert_eq!(reported[0]["result"], "If this address belongs to an account, a link to set a new password is on its way.");
    let mail = server.mail().await;
    assert!(mail.contains("To: one-admin@example.org"), "{mail}");
}

#[tokio::test]
async fn a_link_sets_the_password_once_and_until_then_nothing_has_changed() {
    let server = Server::start().await;
    let session = server.sign_in("one-admin").await;
    let mut messages = server.bus_messages();
    assert_eq!(ask(&server, "ONE-Admin@example.org").await.status, 200);
    let mail = server.mail().await;
    assert!(mail.contains("user name one-admin") && mail.contains("From: Portal"), "{mail}");
    let link = token(&mail);
    assert_eq!(server.get_as(&session, "/api/iecgw/gethoststate").await.status, 200);
    assert_eq!(server.token(&form("one-admin", PASSWORD)).await.status, 200, "the old password stays good");

    for (password, word) in [
        ("short", "15 to 128"),
        (&*"x".repeat(129), "15 to 128"),
        ("passwordpassword", "tried first"),
        ("this is one-admin speaking", "user name"),
    ] {
        let refused = set(&server, &link, password).await;
        assert_eq!(refused.status, 400, "{password}");
        assert!(refused.json()["message"].as_str().is_some_and(|message| message.contains(word)), "{refused:?}");
    }
    assert_eq!(set(&server, &link[1..], NEW).await.status, 403, "another token");

    let done = set(&server, &link, NEW).await;
    assert_eq!(done.status, 200, "a refused password has not used the link up: {done:?}");
    assert_eq!(server.get_as(&session, "/api/iecgw/gethoststate").await.status, 401, "all sessions have ended");
    let message = messages.next().await;
    assert!(matches!(*message, BusMessage::Session { client, .. } if client == server.one.client.0), "{message:?}");
    assert_eq!(server.token(&form("one-admin", PASSWORD)).await.status, 403);
    assert_eq!(server.token(&form("one-admin", NEW)).await.status, 200);
    assert_eq!(set(&server, &link, "another kettle on a roof").await.status, 403, "a link works once");
    assert!(server.mail().await.contains("has been changed"), "the person is told");
    let actions: Vec<String> = server.audited(server.one.client).await.into_iter().map(|(action, _)| action).collect();
    for action in ["reset_asked", "password_set"] {
        assert!(actions.iter().any(|entered| entered == action), "{action}: {actions:?}");
    }
}

#[tokio::test]
async fn one_address_asks_ten_times_an_hour_and_one_mailbox_gets_three_mails() {
    let server = Server::start().await;
    for number in 0..4 {
        assert_eq!(ask(&server, "one-admin@example.org").await.status, 200, "{number}");
        if number < 3 {
            server.mail().await;
        }
    }
    assert_eq!(ask(&server, "two-admin@example.org").await.status, 200);
    let next = server.mail().await;
    assert!(next.contains("To: two-admin@example.org"), "the fourth mail to one mailbox was not sent: {next}");
    assert!(server.no_mail().await);
    for _ in 5..10 {
        handle(&server, "nobody@example.org").await;
    }
    let refused = server.get("/api/member/memberbyemail/nobody@example.org").await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let elsewhere = server.send("GET", "/api/member/memberbyemail/nobody@example.org", &[("X-Forwarded-For", "192.0.2.1")], "").await;
    assert_eq!(elsewhere.status, 200);
}

#[tokio::test]
async fn neither_the_demo_user_nor_a_disabled_one_gets_a_link() {
    let server = Server::start().await;
    let client = server.database.client().await;
    client.batch_execute("UPDATE member SET demo = true WHERE username = 'one-admin'").await.expect("set");
    client.batch_execute("UPDATE member SET disabled = true WHERE username = 'one-division'").await.expect("set");
    for email in ["one-admin@example.org", "one-division@example.org", "two-admin@example.org"] {
        assert_eq!(ask(&server, email).await.status, 200);
    }
    assert!(server.mail().await.contains("To: two-admin@example.org"));
    assert!(server.no_mail().await);
}
