//! Actions of users are entered in the audit, with origin and user, and without passwords or tokens.

use serde_json::{Value, json};
use store::Store;

use crate::field::PASSWORD;
use crate::server::Server;

#[tokio::test]
async fn signing_in_and_out_and_refusals_are_entered_with_their_origin_and_no_secret() {
    let server = Server::start().await;
    let form = format!("username=one-admin&password={}&feui=1", PASSWORD.replace(' ', "+"));
    server.token_from("203.0.113.9", "", "username=one-admin&password=hunter2hunter2").await;
    let login = server.token_from("192.0.2.7", "", &form).await.json();
    let token = login["token"].as_str().expect("a token");
    server.get_as(token, "/api/feedback").await;
    server.get_as(token, &format!("/api/member/logout/{}", server.one.admin)).await;
    let token = server.sign_in("one-admin").await;
    let rows = server.get_as(&token, "/api/Audit").await.json()["result"].clone();
    let rows = rows.as_array().expect("rows");
    let actions: Vec<&str> = rows.iter().rev().filter_map(|row| row["action"].as_str()).collect();
    assert_eq!(actions, ["sign_in_refused", "sign_in", "access_refused", "sign_out", "sign_in"]);
    let oldest = &rows[4];
    assert_eq!(
        (&oldest["from"], &oldest["actor"], &oldest["subject"]),
        (&json!("203.0.113.9"), &Value::Null, &json!(format!("member {}", server.one.admin)))
    );
    assert_eq!((&rows[3]["from"], &rows[3]["actor"]), (&json!("192.0.2.7"), &json!("one-admin")));
    assert_eq!(rows[2]["subject"], "/api/feedback");
    assert!(rows.iter().all(|row| row["correlationId"].as_str().is_some_and(|id| id.len() == 16)), "{rows:?}");
    let all = serde_json::to_string(rows).expect("text");
    for secret in ["hunter2", PASSWORD, token.as_str(), login["ref"].as_str().expect("a secret")] {
        assert!(!all.contains(secret), "{secret}");
    }
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    assert!(store.verify_audit(&[]).await.expect("verdicts").iter().all(|verdict| verdict.broken.is_none()));
}

#[tokio::test]
async fn pages_go_back_and_nobody_reads_the_audit_of_another_utility() {
    let server = Server::start().await;
    for _ in 0..3 {
        server.sign_in("two-admin").await;
    }
    let (admin, other, division) =
        (server.sign_in("two-admin").await, server.sign_in("one-admin").await, server.sign_in("two-division").await);
    let rows = async |token: &str, query: &str| {
        let answer = server.get_as(token, &format!("/api/audit{query}")).await.json();
        answer["result"].as_array().expect("rows").iter().map(|row| row["seq"].as_i64().expect("a place")).collect::<Vec<_>>()
    };
    assert_eq!(rows(&admin, "?limit=2").await, [5, 4]);
    assert_eq!(rows(&admin, "?limit=2&before=4").await, [3, 2]);
    assert_eq!(rows(&other, "").await, [1]);
    assert_eq!(server.get_as(&division, "/api/audit").await.status, 403);
    for query in ["?limit=0", "?limit=1001", "?limit=all", "?before=x"] {
        assert_eq!(server.get_as(&admin, &format!("/api/audit{query}")).await.status, 400, "{query}");
    }
}

#[tokio::test]
async fn one_session_cannot_fill_the_audit_with_refusals() {
    let server = Server::start().await;
    let division = server.sign_in("one-division").await;
    for _ in 0..30 {
        assert_eq!(server.get_as(&division, "/api/audit").await.status, 403);
    }
    let refused = server.audited(server.one.client).await.into_iter().filter(|(action, _)| action == "access_refused").count();
    assert_eq!(refused, 20);
}

#[tokio::test]
async fn an_unknown_name_is_not_written_down_for_it_may_be_a_password() {
    let server = Server::start().await;
    server.token("username=correct+horse+battery&password=x").await;
    let client = server.database.client().await;
    let row = client.query_one("SELECT subject, client_id FROM audit WHERE action = 'sign_in_refused'", &[]).await.expect("a row");
    assert_eq!((row.get::<_, &str>(0), row.get::<_, Option<i64>>(1)), ("an unknown name", None));
}
