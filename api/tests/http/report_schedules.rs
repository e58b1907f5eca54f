//! Schedules of reports: each due time runs once despite stops, clock changes and a second process, with the present rights of the owner;
//! mailing, storage and deletion.

use grid::Micros;
use serde_json::{Value, json};

use crate::energy_field::now;
use crate::field::{feed, reading};
use crate::report_schedules_field::{Clock, DAY_MS, Minder, SETTLES_MS, ended, get, instant, nightly, runs, schedule, until, until_stored};
use crate::server::Server;

/// Starts a server with three recent changes of the position, an administrator, and a schedule for midnight.
async fn scheduled(change: impl FnOnce(&mut Value)) -> (Server, String, Value) {
    let server = Server::start().await;
    let at = now().0 / 1_000;
    let changes: Vec<_> = (0..3).map(|nth: i64| reading((1 + nth % 2) as f64, at - 3 + nth)).collect();
    feed(server.database.url(), &server.one, &changes, &[]).await;
    let token = server.sign_in("one-admin").await;
    let mut entry = nightly(&server);
    change(&mut entry);
    let schedule = schedule(&server, &token, &entry).await;
    (server, token, schedule)
}

fn due(schedule: &Value) -> Micros {
    instant(&schedule["nextDue"])
}

/// Returns when the first report is created.
fn ready(schedule: &Value) -> Micros {
    due(schedule).plus_millis(SETTLES_MS)
}

async fn count(server: &Server, action: &str) -> usize {
    server.audited(server.one.client).await.iter().filter(|(entered, _)| entered == action).count()
}

/// Decodes base64 (RFC 4648, section 4).
fn unpacked(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> = text
        .bytes()
        .filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte))
        .map(|at| u32::try_from(at).expect("small"))
        .collect();
    let of = |four: &[u32]| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(of).collect()
}

#[tokio::test]
async fn what_is_due_is_made_kept_and_mailed_with_its_file() {
    let (server, token, schedule) = scheduled(|entry| entry["mailTo"] = json!(["ONE-division@example.org"])).await;
    assert_eq!((&schedule["mine"], &schedule["lastRun"], &schedule["keepDays"]), (&json!(true), &Value::Null, &json!(90)));
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    // A moment before it is due, the schedule does not run, but a run that a user starts does.
    clock.set(Micros(due(&schedule).0 - 1));
    let other = self::schedule(&server, &token, &nightly(&server)).await;
    let answer = server.json_as(&token, "POST", &format!("/api/reports/schedules/{}/run", other["id"]), &Value::Null).await;
    assert_eq!((answer.status, &answer.json()["result"]["state"]), (200, &json!("waiting")));
    until(&server, &token, &other, ended).await;
    assert_eq!(runs(&server, &token, &schedule).await, Vec::<Value>::new());
    // When it is due, it waits for the figures of its day. A run that a user starts does not wait, although it is started later.
    clock.set(due(&schedule));
    until(&server, &token, &schedule, |runs| runs.len() == 1).await;
    until(&server, &token, &other, |runs| runs.len() == 2).await;
    let answer = server.json_as(&token, "POST", &format!("/api/reports/schedules/{}/run", other["id"]), &Value::Null).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let has_ended = |runs: &[Value]| runs.iter().any(|run| run["id"] == answer.json()["result"]["id"] && run["state"] == "empty");
    until(&server, &token, &other, has_ended).await;
    assert_eq!(runs(&server, &token, &schedule).await[0]["state"], "waiting");
    clock.set(ready(&schedule));
    let made = until(&server, &token, &schedule, |runs| ended(runs) && runs[0]["mailed"] == true).await;
    let run = &made[0];
    assert_eq!(instant(&run["expires"]), ready(&schedule).plus_millis(90 * DAY_MS));
    assert_eq!((made.len(), &run["state"], &run["rows"], &run["message"]), (1, &json!("done"), &json!(3), &json!("")), "{run}");
    assert_eq!(instant(&run["due"]), due(&schedule));
    let day = wire::time::iso(due(&schedule).plus_millis(-DAY_MS + 19_800_000))[..10].to_owned();
    assert_eq!(run["period"], json!(format!("{day},{day}")), "the day that is over, by the utility's clock");
    let file = get(&server, &token, &format!("runs/{}/file", run["id"])).await;
    assert_eq!(file.status, 200, "{file:?}");
    let name = run["fileName"].as_str().expect("a name").to_owned();
    assert!(name.starts_with("Event_Log_") && name.rsplit('.').next() == Some("csv"), "{name}");
    assert!(file.head.contains(&format!("filename=\"{}\"", name.to_lowercase())) && file.head.contains("text/csv"), "{}", file.head);
    assert_eq!((json!(file.body.len()), file.body.matches("one F1CB").count()), (run["bytes"].clone(), 3), "{}", file.body);
    let mail = server.mail().await;
    assert!(mail.contains("To: ONE-division@example.org") && mail.contains(&day) && mail.contains("Rows: 3"), "{mail}");
    let (_, attached) = mail.split_once("Content-Disposition: attachment").expect("a file");
    assert!(attached.contains(&format!(" name=\"{name}\"")), "{attached}");
    let packed = attached.split_once("\n\n").expect("a body").1.split("--").next().expect("a part");
    assert_eq!(String::from_utf8(unpacked(packed)).expect("text"), file.body, "the very file");
    let actions: Vec<String> = server.audited(server.one.client).await.into_iter().map(|(action, _)| action).collect();
    for action in ["report_schedule_added", "report_made", "report_mailed", "report_file_fetched", "report_run_asked"] {
        assert!(actions.iter().any(|entered| entered == action), "{action}: {actions:?}");
    }
    let result = get(&server, &token, "schedules").await.json()["result"].clone();
    let result = result.as_array().expect("schedules").iter().find(|result| result["id"] == schedule["id"]).expect("ours").clone();
    assert_eq!((&result["lastRun"]["id"], instant(&result["nextDue"])), (&run["id"], due(&schedule).plus_millis(DAY_MS)));
}

#[tokio::test]
async fn a_stop_between_due_and_done_is_made_good_once() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let clock = Clock::of_now();
    clock.set(ready(&schedule));
    let client = server.database.client().await;
    let running = "SELECT count(*) = 1 FROM report_run WHERE state = 'running' AND attempts = ";
    // While pieces cannot be stored, the run is in progress.
    let held = "CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
         CREATE TRIGGER held BEFORE INSERT ON report_piece FOR EACH ROW EXECUTE FUNCTION held();
         SELECT pg_advisory_lock(42)";
    client.batch_execute(held).await.expect("held");
    let first = Minder::start(&server, &clock).await;
    until_stored(&server, &format!("{running} 1")).await;
    first.kill().await;
    client.batch_execute("SELECT pg_advisory_unlock(42)").await.expect("let go");
    let second = Minder::start(&server, &clock).await;
    let made = until(&server, &token, &schedule, ended).await;
    assert_eq!((made.len(), &made[0]["state"], &made[0]["rows"]), (1, &json!("done"), &json!(3)), "{made:?}");
    let file = get(&server, &token, &format!("runs/{}/file", made[0]["id"])).await;
    assert_eq!(
        (json!(file.body.len()), file.body.matches("one F1CB").count()),
        (made[0]["bytes"].clone(), 3),
        "nothing of the first is left in it"
    );
    assert_eq!(count(&server, "report_made").await, 1);
    second.kill().await;
    // The process ends in the middle of the next run, at its second attempt.
    clock.set(ready(&schedule).plus_millis(DAY_MS));
    feed(server.database.url(), &server.one, &[reading(2.0, now().0 / 1_000 + DAY_MS)], &[]).await;
    client.batch_execute("SELECT pg_advisory_lock(42)").await.expect("held");
    let third = Minder::start(&server, &clock).await;
    until_stored(&server, &format!("{running} 1")).await;
    third.kill().await;
    client.batch_execute("SELECT pg_advisory_unlock(42)").await.expect("let go");
    client.batch_execute("UPDATE report_run SET attempts = 2 WHERE state = 'running'").await.expect("as if it was the second time");
    let _fourth = Minder::start(&server, &clock).await;
    let made = until(&server, &token, &schedule, |runs| runs.len() == 2 && ended(runs)).await;
    assert_eq!((&made[1]["state"], &made[1]["fileName"], &made[1]["bytes"]), (&json!("failed"), &Value::Null, &Value::Null));
    assert!(made[1]["message"].as_str().is_some_and(|why| why.contains("stopped twice")), "{made:?}");
    assert_eq!((count(&server, "report_made").await, count(&server, "report_failed").await), (1, 1));
}

#[tokio::test]
async fn a_clock_that_jumps_makes_nothing_twice_and_leaves_nothing_out() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    let nth = |days: i64| due(&schedule).plus_millis(days * DAY_MS);
    clock.jump(nth(9).plus_millis(SETTLES_MS));
    let found = until(&server, &token, &schedule, |runs| runs.len() == 10 && ended(runs)).await;
    let dues: Vec<Micros> = found.iter().map(|run| instant(&run["due"])).collect();
    assert_eq!(dues, (0..10).map(nth).collect::<Vec<_>>(), "each is told of");
    assert_eq!(found[9]["state"], "empty", "the newest is made, of a day without events");
    for run in &found[..9] {
        assert_eq!(run["state"], "failed");
        assert!(run["message"].as_str().is_some_and(|why| why.starts_with("Not run")) && run["started"].is_null(), "{run}");
    }
    // The clock was wrong: it is set back to the day after the first, and continues from there.
    for (back, noted) in [(0, 8), (1, 7), (2, 6)] {
        clock.jump(nth(back).plus_millis(SETTLES_MS + 5));
        let now_noted =
            |runs: &[Value]| runs.iter().filter(|run| run["message"].as_str().is_some_and(|why| why.starts_with("Not run"))).count();
        let found = until(&server, &token, &schedule, |runs| now_noted(runs) == noted && ended(runs)).await;
        assert_eq!(found.len(), 9, "what was made of a day to come is gone: {found:?}");
        assert_eq!(found[0]["state"], "done", "the day of the events is made when its time comes");
    }
    feed(server.database.url(), &server.one, &[reading(2.0, nth(9).0 / 1_000 - 1)], &[]).await;
    clock.jump(nth(9).plus_millis(SETTLES_MS + 9));
    until_stored(&server, "SELECT settled = next_due - interval '1 day' AND next_due > now() + interval '9 days' FROM report_schedule")
        .await;
    let found = until(&server, &token, &schedule, ended).await;
    let started = found.iter().filter(|run| !run["started"].is_null()).count();
    assert_eq!((found.len(), started), (10, 4), "{found:?}");
    assert_eq!((&found[9]["state"], &found[9]["rows"]), (&json!("done"), &json!(1)), "the last is made anew, of a day that is over");
    assert_eq!((count(&server, "report_made").await, count(&server, "report_runs_missed").await), (5, 1));
    assert_eq!(count(&server, "report_run_withdrawn").await, 1);
}

#[tokio::test]
async fn runs_made_by_a_fast_clock_are_repeated() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    clock.jump(ready(&schedule));
    let early = until(&server, &token, &schedule, ended).await;
    assert_eq!((&early[0]["state"], &early[0]["rows"]), (&json!("done"), &json!(3)));
    let link = server.json_as(&token, "POST", &format!("/api/reports/runs/{}/links", early[0]["id"]), &json!({ "days": 1 })).await;
    assert_eq!(link.status, 200, "{link:?}");
    // It was due, but its data were not complete.
    clock.jump(due(&schedule).plus_millis(60_000));
    feed(server.database.url(), &server.one, &[reading(2.0, due(&schedule).0 / 1_000 - 1)], &[]).await;
    let waiting = until(&server, &token, &schedule, |runs| runs[0]["state"] == "waiting").await;
    assert_eq!((waiting.len(), &waiting[0]["id"], &waiting[0]["bytes"]), (1, &early[0]["id"], &Value::Null));
    let file = get(&server, &token, &format!("runs/{}/file", early[0]["id"])).await;
    assert_eq!(file.status, 404, "{file:?}");
    until_stored(&server, "SELECT count(*) = 0 FROM report_piece").await;
    until_stored(&server, "SELECT count(*) = 0 FROM report_link").await;
    clock.set(ready(&schedule));
    let made = until(&server, &token, &schedule, ended).await;
    assert_eq!((made.len(), &made[0]["state"], &made[0]["rows"]), (1, &json!("done"), &json!(4)));
}

#[tokio::test]
async fn runs_of_ended_process_are_taken_over() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    clock.set(due(&schedule));
    until(&server, &token, &schedule, |runs| runs.len() == 1).await;
    // Like a process that has lost the leadership without noticing: it takes a run and ends.
    let client = server.database.client().await;
    client.batch_execute("UPDATE report_run SET state = 'running', attempts = 1, started = now()").await.expect("taken");
    until(&server, &token, &schedule, |runs| runs[0]["state"] == "waiting").await;
    clock.set(ready(&schedule));
    let made = until(&server, &token, &schedule, ended).await;
    assert_eq!((made.len(), &made[0]["state"], &made[0]["rows"]), (1, &json!("done"), &json!(3)));
    client.batch_execute("UPDATE report_run SET mail = 'sending', message = 'The file is cut.'").await.expect("as if it was being mailed");
    until_stored(&server, "SELECT mail = 'failed' AND message LIKE 'The file is cut. The mail was under way%' FROM report_run").await;
    assert_eq!((count(&server, "report_made").await, count(&server, "report_mail_failed").await), (1, 1));
}

#[tokio::test]
async fn run_without_slot_waits_and_uses_no_attempt() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let clock = Clock::of_now();
    let untouched = "SELECT state = 'waiting' AND attempts = 0 AND started IS NULL FROM report_run";
    // More processes than attempts end while the run waits for a slot.
    for is_first in [true, false, false] {
        let minder = Minder::start(&server, &clock).await;
        let _slots = minder.take_slots().await;
        if is_first {
            clock.set(ready(&schedule));
        }
        minder.until_queued().await;
        assert!(server.database.client().await.query_one(untouched, &[]).await.expect("a run").get::<_, bool>(0));
        assert_eq!(runs(&server, &token, &schedule).await[0]["state"], "waiting");
        minder.kill().await;
    }
    let minder = Minder::start(&server, &clock).await;
    let slots = minder.take_slots().await;
    minder.until_queued().await;
    drop(slots);
    let made = until(&server, &token, &schedule, ended).await;
    assert_eq!((made.len(), &made[0]["state"], &made[0]["rows"]), (1, &json!("done"), &json!(3)), "{made:?}");
    until_stored(&server, "SELECT attempts = 1 FROM report_run").await;
}

#[tokio::test]
async fn a_run_that_waits_is_what_its_schedule_was_and_goes_to_whom_it_was_for() {
    let (server, token, schedule) = scheduled(|entry| entry["mailTo"] = json!(["ONE-division@example.org"])).await;
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    clock.set(due(&schedule));
    until(&server, &token, &schedule, |runs| runs.len() == 1).await;
    let mut other = nightly(&server);
    (other["name"], other["format"], other["mailTo"]) = (json!("Of others"), json!("xlsx"), json!(["one-admin@example.org"]));
    let changed = server.json_as(&token, "PUT", &format!("/api/reports/schedules/{}", schedule["id"]), &other).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    clock.set(ready(&schedule));
    let made = until(&server, &token, &schedule, |runs| ended(runs) && runs[0]["mailed"] == true).await;
    assert!(made[0]["fileName"].as_str().is_some_and(|name| name.to_lowercase().ends_with(".csv")), "{made:?}");
    let mail = server.mail().await;
    assert!(mail.contains("To: ONE-division@example.org") && mail.contains("Subject: Events of the day"), "{mail}");
    assert!(server.no_mail().await, "nobody else gets it");
    let reported = server.audited(server.one.client).await;
    let order: Vec<&str> =
        reported.iter().map(|(action, _)| action.as_str()).filter(|action| ["report_mailing", "report_mailed"].contains(action)).collect();
    assert_eq!(order, ["report_mailing", "report_mailed"], "it is entered before it leaves");
}

#[tokio::test]
async fn a_clock_that_goes_back_makes_nothing_anew() {
    let (server, token, schedule) = scheduled(|entry| entry["time"] = json!("06:00")).await;
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    let due = due(&schedule);
    clock.set(due);
    until_stored(&server, &format!("SELECT settled = to_timestamp({}) FROM report_schedule", due.0 / 1_000_000)).await;
    let made = until(&server, &token, &schedule, ended).await;
    // The clock is set back by a second, by an hour, and to 2000 as after a loss of power; each time it is then corrected.
    for back in [due.plus_millis(-1_000), due.plus_millis(-3_600_000), Micros(946_684_800_000_000)] {
        for at in [back, due] {
            clock.jump(at);
            until_stored(&server, &format!("SELECT settled = to_timestamp({}) FROM report_schedule", at.0 as f64 / 1e6)).await;
        }
    }
    assert_eq!(runs(&server, &token, &schedule).await, made, "nothing was missed before there was a schedule, and nothing is made twice");
    assert_eq!((count(&server, "report_made").await, count(&server, "report_run_withdrawn").await), (1, 0));
}

#[tokio::test]
async fn two_who_mind_one_database_make_each_once() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let clock = Clock::of_now();
    let minders = [Minder::start(&server, &clock).await, Minder::start(&server, &clock).await, Minder::start(&server, &clock).await];
    for day in 0..3 {
        clock.set(ready(&schedule).plus_millis(day * DAY_MS));
        until(&server, &token, &schedule, |runs| i64::try_from(runs.len()) == Ok(day + 1) && ended(runs)).await;
    }
    assert_eq!(count(&server, "report_made").await, 3);
    until_stored(&server, "SELECT max(attempts) = 1 FROM report_run").await;
    drop(minders);
}

#[tokio::test]
async fn it_is_made_with_the_rights_that_its_owner_has_then() {
    let server = Server::start().await;
    let admin = server.sign_in("one-admin").await;
    let client = server.database.client().await;
    let changes = [reading(1.0, now().0 / 1_000 - 2)];
    feed(server.database.url(), &server.one, &changes, &[]).await;
    for (name, node) in [("gone", server.one.division), ("moved", server.one.division), ("paged", server.one.division)] {
        server.enter(name, if name == "paged" { 5 } else { 4 }, Some(node)).await;
    }
    let mut all = Vec::new();
    for name in ["gone", "moved", "paged"] {
        let token = server.sign_in(name).await;
        let mut entry = nightly(&server);
        (entry["question"]["level"], entry["question"]["levelId"]) = (json!("division"), json!([server.one.division.0]));
        all.push(schedule(&server, &token, &entry).await);
    }
    let statements = format!(
        "UPDATE member SET disabled = true WHERE username = 'gone';
         UPDATE member SET node_id = {} WHERE username = 'moved';",
        server.one.other_division
    );
    client.batch_execute(&statements).await.expect("changed");
    let grants = json!([{ "pageId": 111, "isReadonly": true, "showInTab": true }]);
    assert_eq!(server.json_as(&admin, "PUT", "/api/admin/pageaccess/5", &grants).await.status, 200);
    let clock = Clock::of_now();
    clock.set(ready(&all[0]));
    let _minder = Minder::start(&server, &clock).await;
    for (schedule, why) in all.iter().zip(["may not sign in", "may not see it now", "does not have the page"]) {
        let made = until(&server, &admin, schedule, ended).await;
        assert_eq!(made[0]["state"], "failed", "{why}");
        assert!(made[0]["message"].as_str().is_some_and(|message| message.contains(why)), "{why}: {made:?}");
    }
}

#[tokio::test]
async fn files_go_when_their_time_is_over_and_no_utility_keeps_more_than_it_may() {
    let (server, token, schedule) = scheduled(|entry| entry["keepDays"] = json!(1)).await;
    let clock = Clock::of_now();
    clock.set(ready(&schedule));
    let minder = Minder::start(&server, &clock).await;
    let made = until(&server, &token, &schedule, ended).await;
    let run = made[0]["id"].clone();
    let link = server.json_as(&token, "POST", &format!("/api/reports/runs/{run}/links"), &json!({ "days": 30 })).await.json();
    let until_then = instant(&link["result"]["expires"]);
    assert!(until_then <= ready(&schedule).plus_millis(DAY_MS + 1), "no longer than the file is kept: {link}");
    clock.set(ready(&schedule).plus_millis(DAY_MS + 1));
    until_stored(&server, &format!("SELECT NOT kept FROM report_run WHERE id = {run}")).await;
    until_stored(&server, &format!("SELECT count(*) = 0 FROM report_piece WHERE run_id = {run}")).await;
    let gone = get(&server, &token, &format!("runs/{run}/file")).await;
    assert!(gone.status == 404 && gone.body.contains("not kept any more"), "{gone:?}");
    let (_, path) = link["result"]["url"].as_str().expect("an address").split_once("portal.example").expect("ours");
    assert_eq!(server.get(path).await.status, 404);
    let reported = runs(&server, &token, &schedule).await;
    assert_eq!(
        (&reported[0]["state"], &reported[0]["rows"], &reported[0]["fileName"]),
        (&json!("done"), &json!(3), &Value::Null),
        "that it was stays"
    );
    // The run of the next day is due by now as well. No other run can be requested while it is in progress.
    until(&server, &token, &schedule, |runs| runs.len() == 2 && ended(runs)).await;
    minder.kill().await;
    let _small = Minder::keeping(&server, &clock, 100).await;
    let request = format!("/api/reports/schedules/{}/run", schedule["id"]);
    // For yesterday, whose events were deleted: another report, which has rows for any day.
    let mut entry = nightly(&server);
    entry["question"] = json!({ "report": "USER_LOGIN", "level": "client", "levelId": server.one.client.0 });
    let path = format!("/api/reports/schedules/{}", schedule["id"]);
    assert_eq!(server.json_as(&token, "PUT", &path, &entry).await.status, 200);
    let client = server.database.client().await;
    let request = server.json_as(&token, "POST", &request, &Value::Null).await;
    assert_eq!(request.status, 200, "{request:?}");
    let found = until(&server, &token, &schedule, ended).await;
    let run = found.iter().find(|run| run["id"] == request.json()["result"]["id"]).expect("the one that was asked for").clone();
    assert_eq!(run["state"], "empty", "nobody signed in yesterday: {run}");
    // There are rows for today.
    let today = wire::time::iso(now().plus_millis(19_800_000))[..10].to_owned();
    let statement = format!(
        "INSERT INTO report_run (client_id, schedule_id, due, asked_by, name, question, period_word, period, format, mail_to, keep_days, state)
         SELECT client_id, id, now(), member_id, name, question, period, '{today},{today}', format, mail_to, keep_days, 'waiting' FROM report_schedule WHERE client_id = {} AND id = {}",
        server.one.client, schedule["id"]
    );
    client.batch_execute(&statement).await.expect("entered");
    let full = |runs: &[Value]| runs.iter().any(|run| run["message"].as_str().is_some_and(|why| why.contains("may keep")));
    let found = until(&server, &token, &schedule, |runs| ended(runs) && full(runs)).await;
    assert!(found.iter().filter(|run| run["state"] == "failed").all(|run| run["bytes"].is_null()), "{found:?}");
    until_stored(&server, "SELECT count(*) = 0 FROM report_piece").await;
}

#[tokio::test]
async fn a_mail_that_cannot_leave_loses_no_file_and_one_that_is_too_large_carries_a_link() {
    let (server, token, schedule) = scheduled(|entry| entry["mailTo"] = json!(["one-division@example.org", "one-admin@example.org"])).await;
    let client = server.database.client().await;
    client.batch_execute("UPDATE member SET email = 'elsewhere@example.org' WHERE username = 'one-division'").await.expect("changed");
    let clock = Clock::of_now();
    clock.set(ready(&schedule));
    let _minder = Minder::start(&server, &clock).await;
    let made = until(&server, &token, &schedule, |runs| ended(runs) && runs[0]["message"] != "").await;
    assert_eq!((&made[0]["state"], &made[0]["mailed"]), (&json!("done"), &json!(false)));
    assert_eq!(made[0]["message"], "Not mailed, as nobody of the utility has it: one-division@example.org.");
    assert_eq!(get(&server, &token, &format!("runs/{}/file", made[0]["id"])).await.status, 200);
    assert!(server.mail().await.contains("To: one-admin@example.org"), "who still has their address gets it");
    assert!(server.no_mail().await);
    // The same with nine pieces of a MiB.
    let large = format!(
        "UPDATE report_schedule SET mail_to = ARRAY['one-admin@example.org'];
         DELETE FROM report_piece;
         INSERT INTO report_piece (run_id, client_id, number, body)
         SELECT {run}, {client}, number, convert_to(repeat(number::text, 1048576), 'UTF8') FROM generate_series(0, 8) AS number;
         UPDATE report_run SET mail = 'waiting', message = '', bytes = 9 * 1048576 WHERE id = {run}",
        run = made[0]["id"],
        client = server.one.client
    );
    client.batch_execute(&large).await.expect("grown");
    let mail = server.mail().await;
    assert!(!mail.contains("Content-Disposition") && mail.contains("too large for a mail"), "{mail}");
    assert!(mail.contains("(Asia/Kolkata)") && !mail.contains("(UTC)"), "by the clock of the utility: {mail}");
    let (_, path) = mail.split_once("https://portal.example").expect("a link");
    let file = server.get(path.lines().next().expect("a line").trim()).await;
    assert_eq!((file.status, file.body.len()), (200, 9 << 20));
    let expected: String = (0..9).map(|number: i32| number.to_string().repeat(1 << 20)).collect();
    assert!(file.body == expected, "all pieces in their order");
}

#[tokio::test]
async fn what_takes_too_long_is_given_up() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let clock = Clock::of_now();
    clock.set(ready(&schedule));
    let client = server.database.client().await;
    // While the table of events is locked, the run is in progress.
    client.batch_execute("BEGIN; LOCK TABLE event IN ACCESS EXCLUSIVE MODE").await.expect("held");
    let _minder = Minder::hurried(&server, &clock, std::time::Duration::from_secs(1)).await;
    let made = until(&server, &token, &schedule, ended).await;
    assert_eq!((&made[0]["state"], &made[0]["fileName"]), (&json!("failed"), &Value::Null));
    assert!(made[0]["message"].as_str().is_some_and(|why| why.contains("given up")), "{made:?}");
    client.batch_execute("ROLLBACK").await.expect("let go");
}

#[tokio::test]
async fn a_run_that_waits_stays_what_it_was_asked_for() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    feed(server.database.url(), &server.one, &[reading(1.0, now().0 / 1_000 - DAY_MS)], &[]).await;
    let path = format!("/api/reports/schedules/{}", schedule["id"]);
    assert_eq!(server.json_as(&token, "POST", &format!("{path}/run"), &Value::Null).await.status, 200);
    let mut entry = nightly(&server);
    entry["question"]["report"] = json!("USER_LOGIN");
    entry["period"] = json!("month");
    assert_eq!(server.json_as(&token, "PUT", &path, &entry).await.status, 200);
    let clock = Clock::of_now();
    let _minder = Minder::start(&server, &clock).await;
    let made = until(&server, &token, &schedule, ended).await;
    assert_eq!((&made[0]["state"], made[0]["message"].as_str()), (&json!("done"), Some("")), "{made:?}");
    assert!(made[0]["fileName"].as_str().is_some_and(|name| name.starts_with("Event_Log_")), "{made:?}");
}

#[tokio::test]
async fn a_member_asks_for_ten_runs_a_minute_in_whatever_sessions() {
    let (server, token, schedule) = scheduled(|_| ()).await;
    let (other, path) = (server.sign_in("one-admin").await, format!("/api/reports/schedules/{}/run", schedule["id"]));
    for nth in 0..10 {
        let answer = server.json_as(if nth % 2 == 0 { &token } else { &other }, "POST", &path, &Value::Null).await;
        assert_eq!(answer.status, if nth == 0 { 200 } else { 422 }, "{answer:?}");
    }
    for token in [&token, &other] {
        assert_eq!(server.json_as(token, "POST", &path, &Value::Null).await.status, 429);
    }
}

#[tokio::test]
async fn a_schedule_can_be_stopped_when_it_could_not_be_entered_any_more() {
    let (server, token, schedule) = scheduled(|entry| entry["mailTo"] = json!(["one-division@example.org"])).await;
    let client = server.database.client().await;
    client.batch_execute("UPDATE member SET email = 'elsewhere@example.org' WHERE username = 'one-division'").await.expect("changed");
    let path = format!("/api/reports/schedules/{}", schedule["id"]);
    let mut entry = nightly(&server);
    entry["mailTo"] = json!(["one-division@example.org"]);
    entry["enabled"] = json!(false);
    let mut renamed = entry.clone();
    renamed["name"] = json!("Another");
    assert_eq!(server.json_as(&token, "PUT", &path, &renamed).await.status, 400, "more than that is checked");
    let stopped = server.json_as(&token, "PUT", &path, &entry).await;
    assert_eq!((stopped.status, &stopped.json()["result"]["enabled"]), (200, &json!(false)), "{stopped:?}");
    assert_eq!(stopped.json()["result"]["nextDue"], Value::Null);
    entry["enabled"] = json!(true);
    assert_eq!(server.json_as(&token, "PUT", &path, &entry).await.status, 400, "and so is beginning again");
}
