//! Saved requests and schedules: validation, errors and limits.

use serde_json::{Value, json};

use crate::report_schedules_field::{get, nightly, schedule};
use crate::reports::question;
use crate::server::Server;

#[tokio::test]
async fn a_saved_question_is_its_persons_own_and_can_be_asked_again() {
    let server = Server::start().await;
    let (token, division) = (server.sign_in("one-admin").await, server.sign_in("one-division").await);
    let request = question("HIGH_ACTIVITY_BREAKER", "location", server.one.location.0, 2, "2026-03");
    let entry = json!({ "name": " Busy breakers ", "question": request, "format": "XLSX" });
    let saved = server.json_as(&token, "POST", "/api/reports/selections", &entry).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    let saved = saved.json()["result"].clone();
    assert_eq!((&saved["name"], &saved["format"], &saved["question"]), (&json!("Busy breakers"), &json!("xlsx"), &request));
    assert_eq!(get(&server, &token, "selections").await.json()["result"], json!([saved]));
    assert_eq!(server.json_as(&token, "POST", "/api/reports/show", &saved["question"]).await.status, 200);
    assert_eq!(get(&server, &division, "selections").await.json()["result"], json!([]));
    let path = format!("/api/reports/selections/{}", saved["id"]);
    let theirs = question("HIGH_ACTIVITY_BREAKER", "location", server.one.other_location.0, 2, "2026-03");
    let theirs = json!({ "name": "Mine", "question": theirs, "format": "csv" });
    for (method, body) in [("PUT", &theirs), ("DELETE", &Value::Null)] {
        assert_eq!(server.json_as(&division, method, &path, body).await.status, 404, "{method}");
    }
    let mut changed = entry.clone();
    (changed["name"], changed["question"]["limit"]) = (json!("Busier breakers"), json!(7));
    let answer = server.json_as(&token, "PUT", &path, &changed).await.json()["result"].clone();
    assert_eq!((&answer["name"], &answer["question"]["limit"], &answer["id"]), (&json!("Busier breakers"), &json!(7), &saved["id"]));
    assert_eq!(server.json_as(&token, "DELETE", &path, &Value::Null).await.status, 200);
    assert_eq!(server.json_as(&token, "DELETE", &path, &Value::Null).await.status, 404);
    let actions: Vec<String> = server.audited(server.one.client).await.into_iter().map(|(action, _)| action).collect();
    for action in ["report_selection_added", "report_selection_changed", "report_selection_removed"] {
        assert_eq!(actions.iter().filter(|entered| *entered == action).count(), 1, "{action}: {actions:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_taken_says_what_and_changes_nothing() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let refused = async |path: &str, entry: &Value, says: &str| {
        let answer = server.json_as(&token, "POST", &format!("/api/reports/{path}"), entry).await;
        assert!(answer.status == 400 && answer.body.contains(says), "{says}: {answer:?}");
    };
    let saved = json!({ "name": "a", "question": question("EVENT_LOG", "location", server.one.location.0, 2, "2026-03"), "format": "csv" });
    for (at, value, says) in [
        ("/name", json!(""), "name must have 1 to 200 characters"),
        ("/name", json!("x".repeat(201)), "name must have"),
        ("/name", json!("a\nb"), "control character"),
        ("/format", json!("docx"), "PDF, XLSX, XLS and CSV"),
        ("/question", json!([]), "question must be an object"),
        ("/question/report", json!("NOTHING"), "there is no report of that key"),
        ("/question/frequencyValue", json!("2026-13"), "YYYY-MM"),
        ("/question/level", json!("planet"), "level must be client"),
    ] {
        let mut entry = saved.clone();
        *entry.pointer_mut(at).expect("a field") = value;
        refused("selections", &entry, says).await;
    }
    for (key, value, says) in [
        ("period", json!("year"), "period must be day, week, month, quarter or financialYear"),
        ("every", json!("hour"), "every must be day"),
        ("every", json!("week"), "week with weekday"),
        ("weekday", json!(1), "nothing else of these"),
        ("dayOfMonth", json!(29), "every must be"),
        ("time", json!("24:00"), "time must be HH:MM"),
        ("keepDays", json!(0), "keepDays must lie between 1 and 365"),
        ("keepDays", json!(366), "keepDays"),
        ("mailTo", json!(["two-admin@example.org"]), "number 1 is none of a person of this utility"),
        ("mailTo", json!(["one-admin@example.org", "nobody@example.org"]), "number 2"),
        ("mailTo", json!(vec!["one-admin@example.org"; 21]), "up to 20 addresses"),
        ("mailTo", json!(["a@b.c\r\nBcc: x@y.z"]), "control character"),
        ("format", json!("docx"), "PDF"),
        ("color", json!("red"), "color"),
        (
            "question",
            json!({ "report": "EVENT_LOG", "level": "client", "levelId": server.one.client.0, "frequency": 2 }),
            "frequency is not asked",
        ),
        ("question", json!({ "report": "EVENT_LOG", "level": "client", "levelId": server.one.client.0, "limit": 2 }), "limit is no input"),
        ("question", json!({ "report": "MONTHLY_NOTHING", "level": "client", "levelId": server.one.client.0 }), "no report of that key"),
    ] {
        let mut entry = nightly(&server);
        entry[key] = value;
        refused("schedules", &entry, says).await;
    }
    for id in [server.two.client.0, 999_999_999] {
        let mut entry = nightly(&server);
        entry["question"]["levelId"] = json!(id);
        assert_eq!(server.json_as(&token, "POST", "/api/reports/schedules", &entry).await.status, 404);
    }
    for path in ["selections", "schedules"] {
        assert_eq!(get(&server, &token, path).await.json()["result"], json!([]), "{path}");
    }
}

#[tokio::test]
async fn there_are_only_so_many_and_a_change_counts_from_then_on() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let client = server.database.client().await;
    let entry = nightly(&server);
    let mut weekly = entry.clone();
    (weekly["every"], weekly["weekday"], weekly["time"], weekly["period"]) = (json!("week"), json!(1), json!("06:30"), json!("week"));
    let first = schedule(&server, &token, &weekly).await;
    let next = wire::time::parse_iso(first["nextDue"].as_str().expect("a time")).expect("a time");
    assert_eq!(first["time"], "06:30");
    assert!(first["nextDue"].as_str().is_some_and(|next| next.ends_with("T01:00:00.000Z")), "by the clock of Kolkata: {first}");
    let path = format!("/api/reports/schedules/{}", first["id"]);
    // With another name it is due as before; disabled it is not due at all; with another time it counts from now.
    client
        .batch_execute("UPDATE report_schedule SET settled = settled - interval '3 days', since = since - interval '3 days'")
        .await
        .expect("set");
    weekly["name"] = json!("Another name");
    let renamed = server.json_as(&token, "PUT", &path, &weekly).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
    let settled = "SELECT settled < now() - interval '2 days' FROM report_schedule";
    assert!(client.query_one(settled, &[]).await.expect("a row").get::<_, bool>(0), "what went by meanwhile is still due");
    weekly["enabled"] = json!(false);
    let off = server.json_as(&token, "PUT", &path, &weekly).await.json()["result"].clone();
    assert_eq!((&off["nextDue"], &off["enabled"]), (&Value::Null, &json!(false)));
    weekly["enabled"] = json!(true);
    let on = server.json_as(&token, "PUT", &path, &weekly).await.json()["result"].clone();
    assert_eq!(wire::time::parse_iso(on["nextDue"].as_str().expect("a time")), Some(next));
    assert!(!client.query_one(settled, &[]).await.expect("a row").get::<_, bool>(0), "what went by while it was off is not made up for");
    let many = format!(
        "INSERT INTO report_schedule (
             client_id, member_id, name, question, period, format, every, at_minute, mail_to, keep_days, enabled, created, since, settled, zone)
         SELECT {one}, {admin}, 'x', '{{}}', 'day', 'csv', 'day', 0, '{{}}', 1, false, now(), now(), now(), '' FROM generate_series(2, 50);
         INSERT INTO report_selection (client_id, member_id, name, question, format, created)
         SELECT {one}, {admin}, 'x', '{{}}', 'csv', now() FROM generate_series(1, 100)",
        one = server.one.client,
        admin = server.one.admin
    );
    client.batch_execute(&many).await.expect("entered");
    let full = server.json_as(&token, "POST", "/api/reports/schedules", &entry).await;
    assert!(full.status == 422 && full.body.contains("50 schedules"), "{full:?}");
    let saved = json!({ "name": "a", "question": question("EVENT_LOG", "location", server.one.location.0, 2, "2026-03"), "format": "csv" });
    let full = server.json_as(&token, "POST", "/api/reports/selections", &saved).await;
    assert!(full.status == 422 && full.body.contains("100 selections"), "{full:?}");
    // A schedule has one run at a time, and accepts at most ten requests in a minute.
    let run = format!("{path}/run");
    assert_eq!(server.json_as(&token, "POST", &run, &Value::Null).await.json()["result"]["state"], "waiting");
    let again = server.json_as(&token, "POST", &run, &Value::Null).await;
    assert!(again.status == 422 && again.body.contains("already"), "{again:?}");
    for _ in 2..10 {
        assert_eq!(server.json_as(&token, "POST", &run, &Value::Null).await.status, 422);
    }
    assert_eq!(server.json_as(&token, "POST", &run, &Value::Null).await.status, 429);
}
