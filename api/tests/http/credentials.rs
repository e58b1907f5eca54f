//! Credentials before an operation: only the caller's own, throttled like a sign-in, for a ticket that works once.

use serde_json::{Value, json};

use crate::field::PASSWORD;
use crate::server::{Answer, Server};

async fn check(server: &Server, token: &str, body: &Value) -> Answer {
    server.json_as(token, "POST", "/api/sld/ValidateCredentialsForDOControl", body).await
}

/// Returns the unused tickets: the asset of each, and whether it is valid for about 60 s.
async fn tickets(server: &Server) -> Vec<(Option<i64>, bool)> {
    let rows = server
        .database
        .client()
        .await
        .query(
            "SELECT asset_id, until BETWEEN now() + interval '50 s' AND now() + interval '60 s' FROM control_ticket WHERE used IS NULL",
            &[],
        )
        .await
        .expect("rows");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

#[tokio::test]
async fn the_callers_own_credentials_leave_one_ticket() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let answer = check(&server, &token, &json!({ "Email": "One-Admin@example.org", "Password": PASSWORD })).await;
    assert_eq!((answer.status, answer.json()["result"].clone()), (200, json!({ "ticket": true, "validForS": 60 })), "{answer:?}");
    assert_eq!(tickets(&server).await, [(None, true)]);
    let breaker = server.one.breaker.0;
    let of_asset = check(&server, &token, &json!({ "Email": "one-admin", "Password": PASSWORD, "assetId": breaker })).await;
    assert_eq!(of_asset.status, 200, "{of_asset:?}");
    assert_eq!(tickets(&server).await, [(Some(breaker), true)], "a newer takes the place of the one before");
    let foreign = check(&server, &token, &json!({ "Email": "one-admin", "Password": PASSWORD, "assetId": server.two.breaker.0 })).await;
    let missing = check(&server, &token, &json!({ "Email": "one-admin", "Password": PASSWORD, "assetId": 999_999 })).await;
    assert_eq!((foreign.status, missing.status), (404, 404));
    let elsewhere = server.sign_in("one-division").await;
    let unseen = check(&server, &elsewhere, &json!({ "Email": "one-division", "Password": PASSWORD, "assetId": breaker })).await;
    assert_eq!(unseen.status, 404, "an asset of another division");
}

#[tokio::test]
async fn others_and_wrong_ones_are_refused_in_the_words_of_the_specification_and_entered() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    for (email, password) in [("one-admin", "guess"), ("one-division@example.org", PASSWORD), ("two-admin", PASSWORD), ("nobody", PASSWORD)]
    {
        let answer = check(&server, &token, &json!({ "Email": email, "Password": password })).await;
        assert_eq!((answer.status, answer.json()["message"].clone()), (403, json!("Invalid Credential...")), "{email}");
    }
    assert!(tickets(&server).await.is_empty());
    let refused = server.audited(server.one.client).await.into_iter().filter(|(action, _)| action == "credential_check_refused").count();
    assert_eq!(refused, 4);
    for (body, message) in [
        (json!({}), "Please enter username"),
        (json!({ "Email": " ", "Password": "x" }), "Please enter username"),
        (json!({ "Email": "one-admin" }), "Please enter password"),
    ] {
        let answer = check(&server, &token, &body).await;
        assert_eq!((answer.status, answer.json()["message"].as_str()), (400, Some(message)), "{body}");
    }
    assert_eq!(check(&server, &token, &json!({ "Email": "one-admin", "Password": PASSWORD })).await.status, 200, "and the right ones work");
}

#[tokio::test]
async fn failures_count_together_with_those_of_signing_in_on_the_device() {
    let server = Server::start().await;
    let form = format!("username=one-admin&password={}&feui=1", PASSWORD.replace(' ', "+"));
    let answer = server.token(&form).await;
    let cookie = answer
        .head
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .and_then(|line| line.split(';').next())
        .expect("a cookie")
        // Headers are compared in lower case here, but the name of a cookie is case-sensitive.
        .replace("__secure-", "__Secure-");
    let token = answer.json()["token"].as_str().expect("a token").to_owned();
    for _ in 0..3 {
        assert_eq!(check(&server, &token, &json!({ "Email": "one-admin", "Password": "guess" })).await.status, 403);
    }
    for _ in 0..2 {
        assert_eq!(server.token_from("127.0.0.1", &cookie, "username=one-admin&password=guess").await.status, 403);
    }
    let slowed = check(&server, &token, &json!({ "Email": "one-admin", "Password": PASSWORD })).await;
    assert_eq!(slowed.status, 429, "{slowed:?}");
    assert!(tickets(&server).await.is_empty());
    // Attempts of strangers do not prevent an operator from operating.
    let operator = server.sign_in("two-admin").await;
    for number in 0..12 {
        server.token_from(&format!("203.0.113.{number}"), "", "username=two-admin&password=guess").await;
    }
    assert_eq!(check(&server, &operator, &json!({ "Email": "two-admin", "Password": PASSWORD })).await.status, 200);
}
