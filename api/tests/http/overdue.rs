//! A database that is too slow: the caller gets an error and may retry.

use serde_json::json;

use crate::server::Server;

#[tokio::test]
async fn who_waits_too_long_for_a_row_is_told_to_try_again() {
    for limit in ["statement_timeout", "lock_timeout"] {
        let database = testkit::database().await;
        let joint = if database.url().contains('?') { '&' } else { '?' };
        let url = format!("{}{joint}options=-c%20{limit}%3D300ms", database.url());
        let server = Server::start_over(database, &url, false).await;
        let token = server.sign_in("one-admin").await;
        let mut holder = server.database.client().await;
        let holding = holder.transaction().await.expect("begun");
        holding.execute("SELECT FROM member WHERE id = $1 FOR UPDATE", &[&server.one.admin]).await.expect("held");
        let path = format!("/api/admin/members/{}", server.one.admin);
        let body = json!({
            "firstName": "Other", "lastName": "B", "email": "a@example.org", "roleId": 2, "nodeId": null, "canOperate": false, "flags": {},
            "disabled": false
        });
        let answer = server.json_as(&token, "PUT", &path, &body).await;
        assert_eq!(answer.status, 503, "{limit}: {answer:?}");
        let failure = answer.json();
        assert_eq!(failure["statusCode"], 503);
        assert!(failure["message"].as_str().is_some_and(|message| message.contains("try again in a moment")), "{failure}");
        holding.rollback().await.expect("let go");
        let before = server.get_as(&token, "/api/admin/members").await;
        assert!(!before.body.contains("Other"), "nothing was changed: {before:?}");
        assert_eq!(server.json_as(&token, "PUT", &path, &body).await.status, 200, "and now there is time for it");
    }
}

#[tokio::test]
async fn interactive_read_over_its_time_limit_is_refused() {
    let database = testkit::database().await;
    let joint = if database.url().contains('?') { '&' } else { '?' };
    let url = format!("{}{joint}options=-c%20statement_timeout%3D500ms", database.url());
    let server = Server::start_over(database, &url, false).await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/monitoring/dieventlog/{}", server.one.location.0);
    let mut holder = server.database.client().await;
    let held = holder.transaction().await.expect("started");
    held.batch_execute("LOCK TABLE event IN ACCESS EXCLUSIVE MODE").await.expect("held");
    let answer = server.get_as(&token, &path).await;
    assert_eq!(answer.status, 422, "{answer:?}");
    assert_eq!(answer.json()["message"], "This period takes too long. Choose a shorter period.");
    held.rollback().await.expect("released");
    assert_eq!(server.get_as(&token, &path).await.status, 200);
}
