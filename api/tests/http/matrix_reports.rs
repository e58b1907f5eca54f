//! Saved and scheduled reports for the matrix of routes and roles: rows of the other utility with the numbers that the requests use, and an
//! administrator's own requests.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::field::Utility;
use crate::server::{Answer, Server};

/// Stores saved requests, schedules, runs and links of a utility with these numbers, all marked.
pub(crate) async fn mark(server: &Server, utility: &Utility, ids: &[i64], mark: &str) {
    let Utility { client, admin, .. } = utility;
    let mut statements = String::new();
    for id in ids {
        write!(
            statements,
            "INSERT INTO report_selection (id, client_id, member_id, name, question, format, created)
             VALUES ({id}, {client}, {admin}, '{mark}', '{{}}', 'pdf', now()) ON CONFLICT DO NOTHING;
             INSERT INTO report_schedule (
                 id, client_id, member_id, name, question, period, format, every, at_minute, mail_to, keep_days, enabled, created, since, settled, zone)
             VALUES ({id}, {client}, {admin}, '{mark}', '{{}}', 'day', 'csv', 'day', 0, '{{}}', 90, true, now(), now(), now(), 'Asia/Kolkata')
             ON CONFLICT DO NOTHING;
             INSERT INTO report_run (
                 id, client_id, schedule_id, due, name, question, period_word, period, format, mail_to, keep_days, state, bytes, kept, expires, file_name, media_type,
                 message, finished, made_role)
             VALUES ({id}, {client}, {id}, now(), '{mark}', '{{}}', 'day', '', 'csv', '{{}}', 90, 'done', length('{mark}'), true, now() + interval '1 day', '{mark}.csv', 'text/csv', '{mark}', now(), 2)
             ON CONFLICT DO NOTHING;
             INSERT INTO report_piece (run_id, client_id, number, body) VALUES ({id}, {client}, 0, '{mark}') ON CONFLICT DO NOTHING;
             INSERT INTO report_link (id, client_id, run_id, member_id, role_id, token_hash, created, expires)
             VALUES ({id}, {client}, {id}, {admin}, 2, sha256('{id}'), now(), now() + interval '1 day') ON CONFLICT DO NOTHING;"
        )
        .expect("a string takes everything");
    }
    // The ids are far above those of other rows.
    for table in ["report_selection", "report_schedule", "report_run", "report_link"] {
        write!(statements, "SELECT setval(pg_get_serial_sequence('{table}', 'id'), 1000000);").expect("a string takes everything");
    }
    server.database.client().await.batch_execute(&statements).await.expect("entered");
}

/// Saves a request and a schedule, runs it, fetches the file and creates links, and removes everything; tries the same with the other
/// utility's. Returns each request with the expected and the actual result.
pub(crate) async fn worked(server: &Server, token: &str) -> Vec<(String, u16, Answer)> {
    let foreign = server.two.breaker.0;
    let place = json!({ "report": "EVENT_LOG", "level": "client", "levelId": server.one.client.0 });
    let mut question = place.clone();
    (question["frequency"], question["frequencyValue"]) = (json!(7), json!("2026-03-05"));
    let selection = json!({ "name": "mine", "question": question, "format": "csv" });
    let schedule = json!({
        "name": "mine", "question": place, "period": "day", "format": "csv", "every": "day", "time": "00:00", "mailTo": ["one-admin@example.org"]
    });
    let mut all = Vec::new();
    let mut ask = async |method: &str, path: String, body: &Value, status: u16| {
        let path = format!("/api/reports/{path}");
        let answer = server.json_as(token, method, &path, body).await;
        let id =
            serde_json::from_str::<Value>(&answer.body).map(|body| body["result"]["id"].as_i64().unwrap_or_default()).unwrap_or_default();
        all.push((format!("{method} {path}"), status, answer));
        id
    };
    let saved = ask("POST", "selections".into(), &selection, 200).await;
    for (id, status) in [(foreign, 404), (saved, 200)] {
        ask("PUT", format!("selections/{id}"), &selection, status).await;
        ask("DELETE", format!("selections/{id}"), &Value::Null, status).await;
    }
    let entered = ask("POST", "schedules".into(), &schedule, 200).await;
    let mut waiting = 0;
    for (id, status) in [(foreign, 404), (entered, 200)] {
        ask("PUT", format!("schedules/{id}"), &schedule, status).await;
        ask("GET", format!("schedules/{id}/runs"), &Value::Null, status).await;
        waiting = ask("POST", format!("schedules/{id}/run"), &Value::Null, status).await;
    }
    for (id, status) in [(foreign, 404), (waiting, 200), (waiting, 409)] {
        ask("POST", format!("runs/{id}/stop"), &Value::Null, status).await;
    }
    let run = made(server, entered).await;
    for (id, status) in [(foreign, 404), (run, 200)] {
        ask("GET", format!("runs/{id}/file"), &Value::Null, status).await;
        let link = ask("POST", format!("runs/{id}/links"), &json!({ "days": 1 }), status).await;
        ask("GET", format!("runs/{id}/links"), &Value::Null, status).await;
        ask("DELETE", format!("links/{}", if status == 200 { link } else { foreign }), &Value::Null, status).await;
    }
    for (id, status) in [(foreign, 404), (entered, 200)] {
        ask("DELETE", format!("schedules/{id}"), &Value::Null, status).await;
    }
    all
}

/// Ends the newest run of a schedule like the service would; returns its id.
async fn made(server: &Server, schedule: i64) -> i64 {
    let client = server.database.client().await;
    let ended = "UPDATE report_run SET state = 'done', kept = true, bytes = 3, rows = 1, file_name = 'a.csv', media_type = 'text/csv',
         expires = now() + interval '1 day', made_role = 2
         WHERE schedule_id = $1 RETURNING id";
    // Without separation of the utilities there may be no run; requests for it are then not found.
    let ended = client.query(ended, &[&schedule]).await.expect("ended");
    let Some(run) = ended.first().map(|row| row.get::<_, i64>(0)) else { return 0 };
    let piece = "INSERT INTO report_piece (run_id, client_id, number, body) VALUES ($1, $2, 0, 'abc')";
    client.execute(piece, &[&run, &server.one.client.0]).await.expect("a piece");
    run
}
