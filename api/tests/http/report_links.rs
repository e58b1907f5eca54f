//! Links to files of reports: valid for anyone who has one, until they expire or are withdrawn. Items of other users get the same answer as
//! missing ones.

use serde_json::{Value, json};

use crate::field::{feed, reading};
use crate::report_schedules_field::{Clock, Minder, SETTLES_MS, ended, get, instant, nightly, schedule, until};
use crate::server::{Answer, Server};

/// Starts a server with a file of an administrator's schedule; returns the token, the schedule and the run.
pub(crate) async fn made() -> (Server, String, Value, i64) {
    let server = Server::start().await;
    let at = crate::energy_field::now().0 / 1_000;
    feed(server.database.url(), &server.one, &[reading(1.0, at - 2), reading(2.0, at - 1)], &[]).await;
    let token = server.sign_in("one-admin").await;
    let schedule = schedule(&server, &token, &nightly(&server)).await;
    let clock = Clock::of_now();
    clock.set(instant(&schedule["nextDue"]).plus_millis(SETTLES_MS));
    let minder = Minder::start(&server, &clock).await;
    let runs = until(&server, &token, &schedule, ended).await;
    minder.kill().await;
    assert_eq!(runs[0]["state"], "done", "{runs:?}");
    let run = runs[0]["id"].as_i64().expect("a number");
    (server, token, schedule, run)
}

pub(crate) async fn link(server: &Server, token: &str, run: i64, days: i64) -> Answer {
    server.json_as(token, "POST", &format!("/api/reports/runs/{run}/links"), &json!({ "days": days })).await
}

/// Returns the path of a link without the host, and its id.
pub(crate) fn path(answer: &Answer) -> (String, i64) {
    let result = answer.json()["result"].clone();
    let url = result["url"].as_str().unwrap_or_else(|| panic!("{answer:?}"));
    (url.strip_prefix("https://portal.example").expect("our own address").to_owned(), result["id"].as_i64().expect("a number"))
}

/// Returns an error without the parts that differ between requests.
fn alike(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    body["correlationId"] = Value::Null;
    (answer.status, body)
}

#[tokio::test]
async fn a_link_opens_its_file_until_it_expires_or_is_withdrawn() {
    let (server, token, _, run) = made().await;
    for days in [0, 31, -1] {
        let refused = link(&server, &token, run, days).await;
        assert!(refused.status == 400 && refused.body.contains("between 1 and 30"), "{refused:?}");
    }
    let (first, second) = (link(&server, &token, run, 1).await, link(&server, &token, run, 30).await);
    let ((one, one_id), (other, other_id)) = (path(&first), path(&second));
    assert_eq!(one.rsplit('/').next().map(str::len), Some(64), "256 bits");
    let file = get(&server, &token, &format!("runs/{run}/file")).await;
    for path in [&one, &other] {
        let opened = server.get(path).await;
        assert_eq!((opened.status, &opened.body), (200, &file.body));
        assert!(
            opened.head.contains("content-disposition: attachment") && opened.head.contains("cache-control: no-store"),
            "{}",
            opened.head
        );
    }
    let listed = get(&server, &token, &format!("runs/{run}/links")).await;
    assert!(!listed.body.contains("http"), "what they carry is told once: {listed:?}");
    let ids: Vec<Value> = listed.json()["result"].as_array().expect("links").iter().map(|link| link["id"].clone()).collect();
    assert_eq!(ids, [json!(other_id), json!(one_id)]);
    let missing = alike(&server.get(&format!("/api/reports/file/{}", "0".repeat(64))).await);
    assert_eq!(missing.0, 404);
    let withdrawn = server.json_as(&token, "DELETE", &format!("/api/reports/links/{one_id}"), &Value::Null).await;
    assert_eq!(withdrawn.status, 200, "{withdrawn:?}");
    assert_eq!(alike(&server.get(&one).await), missing, "withdrawn");
    let client = server.database.client().await;
    client.batch_execute("UPDATE report_link SET expires = now() - interval '1 ms'").await.expect("over");
    assert_eq!(alike(&server.get(&other).await), missing, "expired");
    client.batch_execute("UPDATE report_link SET expires = now() + interval '1 day'").await.expect("good");
    assert_eq!(server.get(&other).await.status, 200);
    client.batch_execute("UPDATE member SET disabled = true WHERE username = 'one-admin'").await.expect("disabled");
    assert_eq!(alike(&server.get(&other).await), missing, "signing in is refused to who made it");
    for wrong in ["x", &"x".repeat(5_000), "%00", "..%2f..%2fetc%2fpasswd"] {
        assert_eq!(alike(&server.get(&format!("/api/reports/file/{wrong}")).await), missing, "{wrong:.20}");
    }
    let kept: bool = client
        .query_one("SELECT count(*) > 0 FROM report_link WHERE encode(token_hash, 'hex') = $1", &[&other.rsplit('/').next()])
        .await
        .expect("an answer")
        .get(0);
    assert!(!kept, "the token itself is nowhere");
    let actions = server.audited(server.one.client).await;
    for action in ["report_link_made", "report_link_used", "report_link_withdrawn"] {
        assert!(
            actions.iter().any(|(entered, subject)| entered == action && *subject == format!("report run {run}")),
            "{action}: {actions:?}"
        );
    }
}

#[tokio::test]
async fn who_guesses_links_has_to_wait() {
    let server = Server::start().await;
    let from = [("X-Forwarded-For", "192.0.2.9")];
    for _ in 0..20 {
        assert_eq!(server.send("GET", "/api/reports/file/0123", &from, "").await.status, 404);
    }
    assert_eq!(server.send("GET", "/api/reports/file/0123", &from, "").await.status, 429);
    assert_eq!(server.send("GET", "/api/reports/file/0123", &[("X-Forwarded-For", "192.0.2.10")], "").await.status, 404);
}

#[tokio::test]
async fn what_is_anothers_answers_like_what_is_not_there() {
    let (server, token, schedule, run) = made().await;
    let (_, link) = path(&link(&server, &token, run, 1).await);
    let schedule = schedule["id"].as_i64().expect("a number");
    let entry = nightly(&server);
    server.enter("colleague", 4, Some(server.one.division)).await;
    let (colleague, stranger) = (server.sign_in("colleague").await, server.sign_in("two-admin").await);
    let body = |token: &str| {
        let mut own = entry.clone();
        let client = if *token == *stranger { server.two.client.0 } else { server.one.client.0 };
        own["question"]["levelId"] = json!(client);
        own
    };
    for token in [&colleague, &stranger] {
        for (method, path, id, body) in [
            ("PUT", "schedules/{}", schedule, body(token)),
            ("DELETE", "schedules/{}", schedule, Value::Null),
            ("GET", "schedules/{}/runs", schedule, Value::Null),
            ("POST", "schedules/{}/run", schedule, Value::Null),
            ("GET", "runs/{}/file", run, Value::Null),
            ("GET", "runs/{}/links", run, Value::Null),
            ("POST", "runs/{}/links", run, json!({ "days": 1 })),
            ("DELETE", "links/{}", link, Value::Null),
        ] {
            let ask = async |id: i64| {
                let path = format!("/api/reports/{}", path.replace("{}", &id.to_string()));
                alike(&server.json_as(token, method, &path, &body).await)
            };
            let (theirs, missing) = (ask(id).await, ask(999_999_999).await);
            assert_eq!((theirs.0, &theirs), (404, &missing), "{method} {path}");
        }
        assert_eq!(get(&server, token, "schedules").await.json()["result"], json!([]));
    }
    // Another administrator of the utility sees all of it.
    server.enter("deputy", 2, None).await;
    let deputy = server.sign_in("deputy").await;
    let result = get(&server, &deputy, "schedules").await.json()["result"].clone();
    assert_eq!((&result[0]["id"], &result[0]["mine"], &result[0]["createdBy"]), (&json!(schedule), &json!(false), &json!("A B")));
    assert_eq!(get(&server, &deputy, &format!("runs/{run}/file")).await.status, 200);
    // A user whose page is read-only can see links and change nothing.
    let grants = json!([{ "pageId": 901, "isReadonly": true, "showInTab": true }]);
    assert_eq!(server.json_as(&token, "PUT", "/api/admin/pageaccess/4", &grants).await.status, 200);
    let mut own = entry.clone();
    (own["question"]["level"], own["question"]["levelId"]) = (json!("division"), json!(server.one.division.0));
    assert_eq!(server.json_as(&colleague, "POST", "/api/reports/schedules", &own).await.status, 403);
    assert_eq!(get(&server, &colleague, "schedules").await.status, 200);
    assert_eq!(server.json_as(&token, "DELETE", "/api/admin/pageaccess/4", &Value::Null).await.status, 200);
    assert_eq!(server.json_as(&colleague, "POST", "/api/reports/schedules", &own).await.status, 200);
    let removed = server.json_as(&token, "DELETE", &format!("/api/reports/schedules/{schedule}"), &Value::Null).await;
    assert_eq!(removed.status, 200);
    let left = server.database.client().await;
    let left: i64 = left
        .query_one(
            "SELECT (SELECT count(*) FROM report_run) + (SELECT count(*) FROM report_piece) + (SELECT count(*) FROM report_link)",
            &[],
        )
        .await
        .expect("a sum")
        .get(0);
    assert_eq!(left, 0, "all of it goes with the schedule");
}

#[tokio::test]
async fn an_older_file_opens_to_nobody_who_sees_less_now() {
    let server = Server::start().await;
    let at = crate::energy_field::now().0 / 1_000;
    feed(server.database.url(), &server.one, &[reading(1.0, at - 1)], &[]).await;
    server.enter("owner", 4, Some(server.one.division)).await;
    let token = server.sign_in("owner").await;
    let entry = nightly(&server);
    let schedule = schedule(&server, &token, &entry).await;
    let clock = Clock::of_now();
    clock.set(instant(&schedule["nextDue"]).plus_millis(SETTLES_MS));
    let minder = Minder::start(&server, &clock).await;
    let runs = until(&server, &token, &schedule, ended).await;
    minder.kill().await;
    assert_eq!(runs[0]["state"], "done", "{runs:?}");
    let run = runs[0]["id"].as_i64().expect("a number");
    let (by_link, _) = path(&link(&server, &token, run, 1).await);
    let client = server.database.client().await;
    let (division, other, circle) = (server.one.division, server.one.other_division, server.one.circle);
    // The answers for the owner and for clients with the owner's link.
    for (change, own, linked, why) in [
        (format!("node_id = {division}"), 200, 200, "as it was"),
        (format!("node_id = {other}"), 404, 404, "moved"),
        (format!("node_id = {division}, role_id = 5"), 404, 404, "demoted"),
        (format!("node_id = {circle}, role_id = 3"), 200, 404, "sees it and more, though the link was made with other rights"),
        (format!("node_id = {division}, role_id = 4"), 200, 200, "as it was again"),
    ] {
        client.batch_execute(&format!("UPDATE member SET {change} WHERE username = 'owner'")).await.expect("changed");
        for path in ["file", "links"] {
            assert_eq!(get(&server, &token, &format!("runs/{run}/{path}")).await.status, own, "{why}: {path}");
        }
        assert_eq!(server.get(&by_link).await.status, linked, "{why}");
        if own == 404 {
            assert_eq!(link(&server, &token, run, 1).await.status, 404, "{why}");
        }
    }
    client.batch_execute("UPDATE member SET demo = true WHERE username = 'owner'").await.expect("changed");
    assert_eq!(server.get(&by_link).await.status, 404, "the demo user has no schedules");
    client.batch_execute("UPDATE member SET demo = false WHERE username = 'owner'").await.expect("changed");
    assert_eq!(server.get(&by_link).await.status, 200);
    // After the owner has moved to another area, changing the request of the schedule does not give access to an older file.
    client.batch_execute(&format!("UPDATE member SET node_id = {other} WHERE username = 'owner'")).await.expect("moved");
    let mut theirs = entry.clone();
    (theirs["question"]["level"], theirs["question"]["levelId"]) = (json!("division"), json!([other.0]));
    let changed = server.json_as(&token, "PUT", &format!("/api/reports/schedules/{}", schedule["id"]), &theirs).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(get(&server, &token, &format!("runs/{run}/file")).await.status, 404);
}
