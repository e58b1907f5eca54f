//! Stopped runs: no file is kept, mailed or created again, and a user without permission gets "not found".

use serde_json::{Value, json};
use store::Store;
use store::report::{Appended, Finished, ReportPermissions};

use crate::energy_field::now;
use crate::field::{feed, reading};
use crate::report_schedules_field::{Clock, DAY_MS, Minder, SETTLES_MS, ended, get, instant, nightly, runs, schedule, until, until_stored};
use crate::server::{Answer, Server};

/// Starts a server with a recent change of the position, an administrator, and a schedule for midnight whose files are mailed.
async fn scheduled() -> (Server, String, Value) {
    let server = Server::start().await;
    feed(server.database.url(), &server.one, &[reading(1.0, now().0 / 1_000 - 1)], &[]).await;
    let token = server.sign_in("one-admin").await;
    let mut entry = nightly(&server);
    entry["mailTo"] = json!(["one-admin@example.org"]);
    let schedule = schedule(&server, &token, &entry).await;
    (server, token, schedule)
}

async fn ask(server: &Server, token: &str, schedule: &Value) -> Value {
    let answer = server.json_as(token, "POST", &format!("/api/reports/schedules/{}/run", schedule["id"]), &Value::Null).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

async fn stop(server: &Server, token: &str, run: &Value) -> Answer {
    server.json_as(token, "POST", &format!("/api/reports/runs/{}/stop", run["id"]), &Value::Null).await
}

/// Returns the actions on runs in the audit, in order.
async fn done(server: &Server) -> Vec<String> {
    let of_runs = ["report_run_stopped", "report_made", "report_failed", "report_mailed", "report_run_withdrawn"];
    let entered = server.audited(server.one.client).await.into_iter().map(|(action, _)| action);
    entered.filter(|action| of_runs.contains(&action.as_str())).collect()
}

/// Asserts that a run was stopped and has no file.
fn assert_stopped(run: &Value, by: &str) {
    let nothing = (&Value::Null, &Value::Null, &Value::Null, &Value::Null, &json!(false));
    assert_eq!((&run["rows"], &run["bytes"], &run["fileName"], &run["expires"], &run["mailed"]), nothing, "{run}");
    assert_eq!((&run["state"], &run["message"]), (&json!("failed"), &json!(format!("Stopped by {by}."))), "{run}");
    assert!(instant(&run["finished"]).0 > 0, "{run}");
}

/// Returns an error without the parts that differ between requests.
fn alike(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    body["correlationId"] = Value::Null;
    (answer.status, body)
}

#[tokio::test]
async fn one_that_waits_is_not_made() {
    let (server, token, schedule) = scheduled().await;
    let run = ask(&server, &token, &schedule).await;
    let stopped = stop(&server, &token, &run).await;
    assert_eq!(stopped.status, 200, "{stopped:?}");
    let result = stopped.json()["result"].clone();
    assert_stopped(&result, "A B");
    assert_eq!(result["id"], run["id"]);
    let again = stop(&server, &token, &run).await;
    assert!(again.status == 409 && again.body.contains("There is nothing to stop any more. Stopped by A B."), "{again:?}");
    // Another run can be started at once, and is the only one that is created.
    let second = ask(&server, &token, &schedule).await;
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    let all = until(&server, &token, &schedule, ended).await;
    assert_eq!(all.iter().map(|run| &run["id"]).collect::<Vec<_>>(), [&run["id"], &second["id"]]);
    assert_eq!((&all[0], &all[1]["state"]), (&result, &json!("empty")));
    let late = stop(&server, &token, &second).await;
    assert!(late.status == 409 && late.body.contains("There were no rows."), "{late:?}");
    assert_eq!(runs(&server, &token, &schedule).await[1]["state"], "empty", "who comes too late changes nothing");
    until_stored(&server, "SELECT attempts = 0 FROM report_run ORDER BY id LIMIT 1").await;
    let audited = server.database.client().await;
    let audited = audited.query("SELECT before, after FROM audit WHERE action = 'report_run_stopped'", &[]).await.expect("rows");
    let audited: Vec<(Value, Value)> = audited.iter().map(|row| (row.get(0), row.get(1))).collect();
    let was = json!({ "run": run["id"], "state": "waiting" });
    assert_eq!(audited, [(was, json!({ "run": run["id"], "state": "failed", "message": "Stopped by A B." }))]);
}

#[tokio::test]
async fn one_that_is_made_ends_and_what_its_worker_still_enters_counts_for_nothing() {
    let (server, token, schedule) = scheduled().await;
    let run = ask(&server, &token, &schedule).await;
    let worker = Store::connect(server.database.url(), 2).await.expect("connected");
    let soon = now().plus_millis(1_000);
    let (next, _) = worker.next_report_run(soon, &[]).await.expect("an answer").expect("ours");
    let claimed = worker.claim_report_run(next, soon, false).await.expect("an answer").expect("ours");
    assert_eq!((json!(claimed.id), claimed.to_mail), (run["id"].clone(), true));
    let keep = async |number| worker.append_report_piece(&claimed, number, b"rows", (1_000, 1_000)).await.expect("an answer");
    assert_eq!(keep(0).await, Appended::Kept);
    // The next piece is stored while the run is being stopped: the run ends, whichever is first.
    let (stopped, _) = tokio::join!(stop(&server, &token, &run), keep(1));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    assert_stopped(&stopped.json()["result"], "A B");
    let left = "SELECT (SELECT count(*) FROM report_piece) = 0 AND (SELECT count(*) FROM report_run WHERE kept) = 0";
    assert!(server.database.client().await.query_one(left, &[]).await.expect("an answer").get::<_, bool>(0));
    assert_eq!(keep(2).await, Appended::Lost);
    let end = Finished::Done {
        rows: Some(3),
        made_as: ReportPermissions { node: None, role: 2 },
        file_name: "late.csv".to_owned(),
        media_type: "text/csv".to_owned(),
        expires: now().plus_millis(DAY_MS),
        message: String::new(),
    };
    assert!(!worker.finish_report_run(&claimed, &end, now()).await.expect("an answer"));
    assert_eq!(worker.claim_report_mail().await.expect("an answer"), None);
    assert_stopped(&runs(&server, &token, &schedule).await[0], "A B");
    assert_eq!(get(&server, &token, &format!("runs/{}/file", run["id"])).await.status, 404);
    assert_eq!(done(&server).await, ["report_run_stopped"]);
    // A process that takes over later finds no unfinished run.
    let left = worker.take_up_report_runs(now(), "left", (&[], &[])).await.expect("an answer");
    assert_eq!(left, store::report::UnfinishedWork::default());
}

#[tokio::test]
async fn a_worker_in_the_middle_goes_on_to_the_next_run() {
    let (server, token, schedule) = scheduled().await;
    let clock = Clock::of_now();
    clock.set(instant(&schedule["nextDue"]).plus_millis(SETTLES_MS));
    let client = server.database.client().await;
    // While the table of events is locked, the run is in progress.
    client.batch_execute("BEGIN; LOCK TABLE event IN ACCESS EXCLUSIVE MODE").await.expect("held");
    let _minder = Minder::start(&server, &clock).await;
    let made = until(&server, &token, &schedule, |runs| runs.len() == 1 && runs[0]["state"] == "running").await;
    assert_eq!(stop(&server, &token, &made[0]).await.status, 200);
    // It no longer holds a slot: another due report is created while the worker of the first still waits for its rows.
    let mut entry = nightly(&server);
    entry["question"] = json!({ "report": "USER_LOGIN", "level": "client", "levelId": server.one.client.0 });
    let other = self::schedule(&server, &token, &entry).await;
    until(&server, &token, &other, ended).await;
    client.batch_execute("ROLLBACK").await.expect("let go");
    clock.set(instant(&schedule["nextDue"]).plus_millis(SETTLES_MS + DAY_MS));
    let all = until(&server, &token, &schedule, |runs| runs.len() == 2 && ended(runs)).await;
    assert_stopped(&all[0], "A B");
    assert_eq!(all[1]["state"], "empty", "the schedule goes on");
    until_stored(&server, "SELECT count(*) = 0 FROM report_piece p JOIN report_run r ON r.id = p.run_id WHERE r.state <> 'done'").await;
}

#[tokio::test]
async fn one_that_waits_for_its_figures_is_not_begun_anew() {
    let (server, token, schedule) = scheduled().await;
    let clock = Clock::of_now();
    clock.set(instant(&schedule["nextDue"]));
    let _minder = Minder::start(&server, &clock).await;
    let waits = until(&server, &token, &schedule, |runs| runs.len() == 1).await;
    assert_eq!(waits[0]["state"], "waiting");
    assert_eq!(stop(&server, &token, &waits[0]).await.status, 200);
    // Once one has been made and then another, everything that is to be decided by this clock has been.
    let other = self::schedule(&server, &token, &nightly(&server)).await;
    for _ in 0..2 {
        let answer = ask(&server, &token, &other).await["id"].clone();
        let has_ended = |runs: &[Value]| runs.iter().any(|run| run["id"] == answer && run["state"] == "empty");
        until(&server, &token, &other, has_ended).await;
        clock.set(instant(&schedule["nextDue"]).plus_millis(1));
    }
    clock.set(instant(&schedule["nextDue"]).plus_millis(SETTLES_MS + DAY_MS));
    let all = until(&server, &token, &schedule, |runs| runs.len() == 2 && ended(runs)).await;
    assert_eq!(all[0]["id"], waits[0]["id"]);
    assert_stopped(&all[0], "A B");
    assert!(!done(&server).await.contains(&"report_run_withdrawn".to_owned()));
}

#[tokio::test]
async fn stopped_run_leaves_the_queue_of_slots() {
    let (server, token, schedule) = scheduled().await;
    let clock = Clock::of_now();
    let minder = Minder::start(&server, &clock).await;
    let slots = minder.take_slots().await;
    let first = ask(&server, &token, &schedule).await;
    minder.until_queued().await;
    assert_stopped(&stop(&server, &token, &first).await.json()["result"], "A B");
    minder.until_not_queued().await;
    let second = ask(&server, &token, &schedule).await;
    minder.until_queued().await;
    drop(slots);
    let all = until(&server, &token, &schedule, ended).await;
    assert_eq!((&all[1]["id"], &all[1]["state"]), (&second["id"], &json!("empty")));
    until_stored(&server, "SELECT array_agg(attempts ORDER BY id) = '{0,1}' FROM report_run").await;
}

#[tokio::test]
async fn only_owner_and_administrators_stop_a_run() {
    let (server, admin, _) = scheduled().await;
    for name in ["owner", "colleague"] {
        server.enter(name, 4, Some(server.one.division)).await;
    }
    let (owner, colleague, stranger) =
        (server.sign_in("owner").await, server.sign_in("colleague").await, server.sign_in("two-admin").await);
    let mut entry = nightly(&server);
    (entry["question"]["level"], entry["question"]["levelId"]) = (json!("division"), json!([server.one.division.0]));
    let own = schedule(&server, &owner, &entry).await;
    let run = ask(&server, &owner, &own).await;
    for token in [&colleague, &stranger] {
        let (theirs, missing) = (stop(&server, token, &run).await, stop(&server, token, &json!({ "id": 999_999_999 })).await);
        assert_eq!((theirs.status, alike(&theirs)), (404, alike(&missing)));
    }
    for wrong in ["x", "-1", "99999999999999999999"] {
        let path = format!("/api/reports/runs/{wrong}/stop");
        assert_eq!(server.json_as(&owner, "POST", &path, &Value::Null).await.status, 404, "{wrong}");
    }
    let grants = |is_readonly: bool| json!([{ "pageId": 901, "isReadonly": is_readonly, "showInTab": true }]);
    assert_eq!(server.json_as(&admin, "PUT", "/api/admin/pageaccess/4", &grants(true)).await.status, 200);
    assert_eq!(stop(&server, &owner, &run).await.status, 403, "a page that is read-only stops nothing");
    assert_eq!(runs(&server, &owner, &own).await[0]["state"], "waiting");
    assert_eq!(done(&server).await, [""; 0]);
    assert_eq!(server.json_as(&admin, "PUT", "/api/admin/pageaccess/4", &grants(false)).await.status, 200);
    assert_stopped(&stop(&server, &owner, &run).await.json()["result"], "A B");
    let next = ask(&server, &owner, &own).await;
    server
        .database
        .client()
        .await
        .batch_execute("UPDATE member SET first_name = 'Asha', last_name = 'Rao' WHERE username = 'one-admin'")
        .await
        .expect("named");
    assert_stopped(&stop(&server, &admin, &next).await.json()["result"], "Asha Rao");
    assert_eq!(done(&server).await, ["report_run_stopped"; 2]);
}

#[tokio::test]
async fn a_file_that_is_there_stays_with_its_links() {
    let (server, token, schedule) = scheduled().await;
    let clock = Clock::of_now();
    clock.set(instant(&schedule["nextDue"]).plus_millis(SETTLES_MS));
    let minder = Minder::start(&server, &clock).await;
    let made = until(&server, &token, &schedule, |runs| ended(runs) && runs[0]["mailed"] == true).await;
    minder.kill().await;
    let link = server.json_as(&token, "POST", &format!("/api/reports/runs/{}/links", made[0]["id"]), &json!({ "days": 1 })).await.json();
    let late = stop(&server, &token, &made[0]).await;
    assert!(late.status == 409 && late.body.contains("There is nothing to stop any more. The report is made."), "{late:?}");
    assert_eq!(runs(&server, &token, &schedule).await, made);
    assert_eq!(get(&server, &token, &format!("runs/{}/file", made[0]["id"])).await.status, 200);
    let (_, path) = link["result"]["url"].as_str().expect("an address").split_once("portal.example").expect("ours");
    assert_eq!(server.get(path).await.status, 200);
}
