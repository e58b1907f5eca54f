//! Reports of events, faults, users and outages, compared with rows computed by hand; permissions, and files.

use grid::fault::{Fault, FaultRecord};
use grid::{Micros, Ordinal, Quality, Reading};
use serde_json::{Value, json};
use store::writer::{Batch, NewEvent};
use store::{Store, Writer};

use crate::field::{feed, reading};
use crate::reliability::{at, fed, happen, march};
use crate::server::{Answer, Server};

pub(crate) fn question(report: &str, level: &str, id: i64, frequency: i64, value: &str) -> Value {
    json!({ "report": report, "level": level, "levelId": id, "frequency": frequency, "frequencyValue": value })
}

pub(crate) async fn show(server: &Server, token: &str, question: &Value) -> Answer {
    server.json_as(token, "POST", "/api/reports/show", question).await
}

pub(crate) async fn rows(server: &Server, token: &str, question: &Value) -> Value {
    let answer = show(server, token, question).await;
    assert_eq!(answer.status, 200, "{question}: {answer:?}");
    answer.json()["result"]["rows"].clone()
}

/// Compares the cells of two rows, numbers to a millionth.
pub(crate) fn same(found: &Value, expected: &Value) -> bool {
    let (Some(found), Some(expected)) = (found.as_array(), expected.as_array()) else { return false };
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
            _ => found == expected,
        })
}

#[tokio::test]
async fn events_operations_and_indices_of_a_month_by_hand() {
    let (server, feeders, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let token = server.sign_in("one-admin").await;
    let location = server.one.location.0;
    let month = |report: &str| question(report, "location", location, 2, "2026-03");

    let events = rows(&server, &token, &month("EVENT_LOG")).await;
    let events = events.as_array().expect("rows");
    assert_eq!(events.len(), 9, "April has the last closing");
    let first = json!(["2026-03-05T04:30:00.000Z", "D1 location", "one F1CB", "Position", "OPEN", 1.0, "Good", "2026-03-05T04:30:00.100Z"]);
    assert!(same(&events[0], &first), "{}", events[0]);
    assert_eq!((&events[8][0], &events[8][2]), (&json!("2026-03-31T18:20:00.000Z"), &json!("one F2CB")));

    let mut active = month("HIGH_ACTIVITY_BREAKER");
    assert_eq!(rows(&server, &token, &active).await, json!([]), "nothing was moved five times");
    active["limit"] = json!(3);
    let found = rows(&server, &token, &active).await;
    let expected = [
        json!(["D1 location", "one F1CB", 4.0, 2.0, 2.0, "2026-03-05T04:30:00.000Z", "2026-03-11T18:40:00.000Z"]),
        json!(["D1 location", "one F2CB", 3.0, 2.0, 1.0, "2026-03-10T04:30:00.000Z", "2026-03-31T18:20:00.000Z"]),
    ];
    let expected_bay = expected[0].clone();
    assert!(found.as_array().is_some_and(|found| found.len() == 2) && (0..2).all(|nth| same(&found[nth], &expected[nth])), "{found}");

    // The switching of a feeder is that of the breaker in its bay only.
    let of_asset = |report: &str| question(report, "asset", feeders[0].0, 2, "2026-03");
    let found = rows(&server, &token, &of_asset("EVENT_LOG")).await;
    let times: Vec<&Value> = found.as_array().expect("rows").iter().map(|row| &row[0]).collect();
    let expected = ["2026-03-05T04:30", "2026-03-05T05:30", "2026-03-11T18:30", "2026-03-11T18:40"].map(|time| format!("{time}:00.000Z"));
    assert!(json!(times) == json!(expected) && found[0][2] == "one F1CB", "{found}");
    let mut active_bay = of_asset("HIGH_ACTIVITY_BREAKER");
    active_bay["limit"] = json!(3);
    let found = rows(&server, &token, &active_bay).await;
    assert!(found.as_array().is_some_and(|found| found.len() == 1) && same(&found[0], &expected_bay), "{found}");

    // 200 customers for 60 and 10 minutes, 300 for 30 and 70, and 500 for 4, which are momentary: 44,000 of 1,000.
    let indices = rows(&server, &token, &month("RELIABILITY_INDICES")).await;
    let total = indices.as_array().expect("rows").last().expect("a total").clone();
    let (asai, remarks) = (total[9].clone(), total[12].clone());
    let expected = json!(["D1 location", "Total", 1000.0, 44.0, 1.0, 44.0, 2.0, 88.0, 0.5, asai, 1000.0, 44_000.0, remarks]);
    assert!(same(&total, &expected), "{total}");
    // 60 of the 70 minutes of the last outage are in April.
    let within = 1.0 - (44_000.0 - 300.0 * 60.0) / (1_000.0 * 31.0 * 1_440.0);
    assert!(asai.as_f64().is_some_and(|asai| (asai - within).abs() < 1e-9), "{asai} {within}");
    assert_eq!(indices.as_array().expect("rows").len(), 4, "a row a feeder, and their total");

    // Five outages, of which the one of four minutes is momentary.
    for (excluded, maifi, momentary) in [(json!(true), Value::Null, Value::Null), (json!(false), json!(0.5), json!(1.0))] {
        let mut request = question("SAIDI_SAIFI", "location", location, 6, "2026-02-15,2026-03-31");
        request["excludeMomentary"] = excluded;
        let found = rows(&server, &token, &request).await;
        let march = json!(["D1 location", "2026-03", 1000.0, 44.0, 1.0, 44.0, maifi, 4.0, momentary, remarks]);
        assert!(same(&found[1], &march) && found[0][1] == "2026-02" && found[0][3] == json!(0.0), "{found}");
        // After the months the row of both together, from their sums.
        let both = json!(["D1 location", "2026-02 to 2026-03", 1000.0, 44.0, 1.0, 44.0, maifi, 4.0, momentary, found[0][9]]);
        assert!(same(&found[2], &both) && found.as_array().map(Vec::len) == Some(3), "{found}");
    }

    // There are no data before February, and in February only from its tenth day on.
    for (month, remark) in [("2026-01", "Nothing is known"), ("2026-02", "Known in part")] {
        let found = rows(&server, &token, &question("SAIDI_SAIFI", "location", location, 2, month)).await;
        assert!(found[0][9].as_str().is_some_and(|reported| reported.contains(remark)), "{month}: {found}");
    }

    // The specification's own calls answer with the same.
    let path = format!("/api/report/dailyeventlogbydaterange/location:{location}:2026-03-01_2026-03-31");
    let answer = server.get_as(&token, &path).await.json();
    assert_eq!((&answer["result"][0][0], &answer["result"][1]), (&json!("Event time"), &json!(events)));
    let path = format!("/api/report/dailyeventlogbydate/location:{location}:2026-03-12");
    assert_eq!(server.get_as(&token, &path).await.json()["result"][1].as_array().map(Vec::len), Some(2));
    let request = json!({ "level": "location", "levelId": [location], "frequency": 2, "frequencyValue": "2026-03", "limit": 4 });
    let answer = server.json_as(&token, "POST", "/api/pfcreport/highactivitycb", &request).await.json();
    assert_eq!(answer["result"][1].as_array().map(Vec::len), Some(1), "{answer}");
}

#[tokio::test]
async fn what_a_switch_says_again_is_no_operation() {
    const BETWEEN: f64 = 0.0;
    const OPEN: f64 = 1.0;
    const CLOSED: f64 = 2.0;
    let server = Server::start().await;
    let (client, point) = (server.one.client, server.one.position);
    let reported = [
        // Open before the day, and then reported open again, once as invalid.
        ("2026-03-04T10:00:00Z", Some(OPEN), Quality::Good),
        ("2026-03-05T10:00:00Z", Some(OPEN), Quality::Good),
        ("2026-03-05T10:01:00Z", Some(OPEN), Quality::Invalid),
        ("2026-03-05T10:02:00Z", Some(OPEN), Quality::Good),
        // Closed. In between, the position was doubtful once and not reported for a while.
        ("2026-03-05T11:00:00Z", Some(BETWEEN), Quality::Good),
        ("2026-03-05T11:00:01Z", Some(CLOSED), Quality::Questionable),
        ("2026-03-05T11:01:00Z", Some(OPEN), Quality::CommLost),
        ("2026-03-05T11:02:00Z", None, Quality::Good),
        ("2026-03-05T11:03:00Z", Some(CLOSED), Quality::Good),
        // Began to move and came back; then opened.
        ("2026-03-05T12:00:00Z", Some(BETWEEN), Quality::Good),
        ("2026-03-05T12:00:02Z", Some(CLOSED), Quality::Good),
        ("2026-03-05T13:00:00Z", Some(OPEN), Quality::Good),
    ];
    let event = |(nth, (when, value, quality)): (usize, &(&str, Option<f64>, Quality))| NewEvent {
        point,
        client,
        index: 0,
        reading: Reading {
            value: *value,
            quality: *quality,
            source: at(when),
            received: at(when).plus_millis(100),
            ordinal: Ordinal { epoch: 1, seq: nth as i64 },
        },
    };
    let mut writer = Writer::connect(server.database.url()).await.expect("a writer");
    writer.commit(&Batch { events: reported.iter().enumerate().map(event).collect(), ..Batch::default() }).await.expect("stored");
    let token = server.sign_in("one-admin").await;
    let of_day = async |day: &str| {
        let mut request = question("HIGH_ACTIVITY_BREAKER", "location", server.one.location.0, 7, day);
        request["limit"] = json!(1);
        rows(&server, &token, &request).await
    };
    let found = of_day("2026-03-05").await;
    let row = json!(["D1 location", "one F1CB", 2.0, 1.0, 1.0, "2026-03-05T11:00:01.000Z", "2026-03-05T13:00:00.000Z"]);
    assert!(found.as_array().is_some_and(|found| found.len() == 1) && same(&found[0], &row), "{found}");
    let first = of_day("2026-03-04").await;
    assert_eq!((&first[0][2], &first[0][3]), (&json!(1.0), &json!(1.0)), "of the first it is not known how it stood before");
    assert_eq!(of_day("2026-03-06").await, json!([]));
}

#[tokio::test]
async fn faults_and_trips_by_hand() {
    let server = Server::start().await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let fault = |from: &str, minutes: i64, trips: i32, lockout: bool| FaultRecord {
        client: one.client,
        id: 0,
        breaker: one.position,
        asset: one.feeder,
        asset_name: String::new(),
        location: one.location,
        location_name: String::new(),
        customers: 150,
        fault: Fault {
            start: at(from),
            end: Some(at(from).plus_millis(minutes * 60_000)),
            opened: at(from),
            trips,
            reclosed: !lockout,
            lockout,
            currents: [Some(3_000.0), Some(90.0), None],
        },
        offset: 0,
    };
    let faults = [fault("2026-03-05T10:00:00+05:30", 3, 1, false), fault("2026-03-20T23:00:00+05:30", 90, 3, true)];
    for record in faults {
        store.enter_alarms(one.client, None, (&[], &[one.position]), |ledger| ledger.put_fault(record.clone())).await.expect("entered");
    }
    let token = server.sign_in("one-admin").await;
    let found = rows(&server, &token, &question("FAULT_DATA", "division", one.division.0, 2, "2026-03")).await;
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
    let second = &found[1];
    let seen: Vec<&Value> = [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12].iter().map(|at| &second[*at]).collect();
    let expected = json!([
        "D1 location",
        "one F1",
        "2026-03-20T17:30:00.000Z",
        "2026-03-20T19:00:00.000Z",
        5_400,
        3.0,
        3_000.0,
        90.0,
        null,
        "No",
        150.0
    ]);
    assert!(same(&json!(seen), &expected), "{second}");
    assert_eq!((&found[0][11], &found[0][4]), (&json!("Yes"), &json!(180)));
    let tripped = rows(&server, &token, &question("CB_TRIPPING", "asset", one.feeder.0, 4, "2025-2026")).await;
    let expected = json!(["D1 location", "one F1", 4.0, 2.0, 1.0, 1.0, 5_580, "2026-03-05T04:30:00.000Z", "2026-03-20T17:30:00.000Z"]);
    assert!(same(&tripped[0], &expected), "{tripped}");
    // With a threshold of one minute, an interruption of three minutes is sustained, as in the indices.
    let mut configuration = server.get_as(&token, "/api/admin/configuration").await.json()["result"].clone();
    configuration["reliability"]["momentaryThresholdMin"] = json!(1);
    assert_eq!(server.json_as(&token, "PUT", "/api/admin/configuration", &configuration).await.status, 200);
    let found = rows(&server, &token, &question("FAULT_DATA", "division", one.division.0, 2, "2026-03")).await;
    assert_eq!((&found[0][11], &found[1][11]), (&json!("No"), &json!("No")), "{found}");
    let tripped = rows(&server, &token, &question("CB_TRIPPING", "asset", one.feeder.0, 4, "2025-2026")).await;
    assert_eq!((&tripped[0][3], &tripped[0][4]), (&json!(2.0), &json!(0.0)), "{tripped}");
    let nothing = rows(&server, &token, &question("FAULT_DATA", "division", one.other_division.0, 2, "2026-03")).await;
    assert_eq!(nothing, json!([]));
}

#[tokio::test]
async fn who_signed_in_is_for_administrators() {
    let server = Server::start().await;
    let client = server.one.client.0;
    let refused = server.token("username=one-admin&password=not+this+one&feui=1").await;
    assert_ne!(refused.status, 200);
    let first = server.sign_in("one-admin").await;
    let gone = server
        .send("POST", &format!("/api/member/logout/{}", server.one.admin), &[("Authorization", &format!("Bearer {first}"))], "")
        .await;
    assert_eq!(gone.status, 200, "{gone:?}");
    let token = server.sign_in("one-admin").await;
    let request = json!({ "level": "client", "levelId": client, "frequency": 6, "frequencyValue": "2026-01-01,2035-12-31" });
    let answer = server.json_as(&token, "POST", "/api/pfcreport/user24x7", &request).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    let seen: Vec<(&str, &str)> = answer["result"][1]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (row[1].as_str().unwrap_or(""), row[2].as_str().expect("a word")))
        .collect();
    let expected = [("", "Refused"), ("one-admin", "Signed in"), ("one-admin", "Signed out"), ("one-admin", "Signed in")];
    assert_eq!(seen, expected, "{answer}");
    // How the sessions ended: the first by sign-out, even after the session itself was deleted; the second continues until it is idle for
    // too long.
    let statement = format!("DELETE FROM session WHERE client_id = {client} AND ended IS NOT NULL");
    server.database.client().await.batch_execute(&statement).await.expect("swept");
    let other = server.sign_in("one-admin").await;
    let statement = format!(
        "UPDATE session SET last_seen = begun + interval '1 ms', idle_ms = 1 WHERE id = (SELECT max(id) FROM session WHERE client_id = {client})"
    );
    server.database.client().await.batch_execute(&statement).await.expect("idle");
    assert_eq!(server.get_as(&other, "/api/pfcreport/reportslist").await.status, 401, "it is over");
    let answer = server.json_as(&token, "POST", "/api/pfcreport/user24x7", &request).await.json();
    let found = &answer["result"][1];
    let how: Vec<&Value> = found.as_array().expect("rows").iter().map(|row| &row[6]).collect();
    assert_eq!(json!(how), json!([null, "Signed out", null, null, "Idle"]), "{answer}");
    assert_eq!((&found[1][5], &found[3][5], &found[3][7]), (&found[2][0], &Value::Null, &Value::Null), "{answer}");
    assert!(found[4][5].is_string() && found[4][7].is_number() && found[1][7].is_number(), "{answer}");
    let division = server.sign_in("one-division").await;
    assert_eq!(server.json_as(&division, "POST", "/api/pfcreport/user24x7", &request).await.status, 403);
    let keys = |answer: &Answer| answer.json()["result"].to_string();
    assert!(keys(&server.get_as(&token, "/api/pfcreport/reportslist").await).contains("USER_LOGIN"));
    assert!(!keys(&server.get_as(&division, "/api/pfcreport/reportslist").await).contains("USER_LOGIN"));
    assert_eq!(server.get_as(&division, "/api/pfcreport/reportdetails/5").await.status, 404);
}

#[tokio::test]
async fn what_cannot_be_answered_says_why() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let location = server.one.location.0;
    let with = |key: &str, value: Value| {
        let mut request = question("EVENT_LOG", "location", location, 7, "2026-03-05");
        request[key] = value;
        request
    };
    for (key, value, says) in [
        ("report", json!("NOTHING"), "there is no report of that key"),
        ("report", Value::Null, "report must be the key"),
        ("level", json!("planet"), "level must be client"),
        ("levelId", json!([]), "levelId must name a node"),
        ("levelId", json!((0..201).collect::<Vec<_>>()), "levelId must name up to 200 nodes"),
        ("frequency", json!(8), "frequency must be one of 1 (Daily)"),
        ("frequencyValue", json!("2026-02-29"), "must be YYYY-MM-DD"),
        ("limit", json!(5), "limit is no input of EVENT_LOG"),
        ("excludeMomentary", json!(true), "excludeMomentary is no input of EVENT_LOG"),
        ("reportType", json!("tomorrow"), "reportType must be historic for EVENT_LOG"),
        ("reportType", json!("realtime"), "reportType must be historic for EVENT_LOG"),
        ("frequency", Value::Null, "frequency must be one of 1 (Daily)"),
        ("quantity", json!("voltage"), "quantity is no input of EVENT_LOG"),
        ("sampleMinutes", json!(7), "sampleMinutes is no input of EVENT_LOG"),
        ("color", json!("red"), "color"),
    ] {
        let answer = show(&server, &token, &with(key, value)).await;
        assert_eq!(answer.status, 400, "{key}: {answer:?}");
        assert!(answer.body.contains(says), "{key}: {answer:?}");
    }
    let answer = show(&server, &token, &question("USER_LOGIN", "location", location, 7, "2026-03-05")).await;
    assert!(answer.status == 400 && answer.body.contains("level must be client"), "{answer:?}");
    for path in ["dailyeventlogbydate/1", "dailyeventlogbydate/location:x:2026-03-05", "dailyeventlogbydate/location:1:2026-03-05:5"] {
        let answer = server.get_as(&token, &format!("/api/report/{path}")).await;
        assert!(answer.status == 400 && answer.body.contains("level:ids:YYYY-MM-DD"), "{path}: {answer:?}");
    }
    // Items of other users, and places that are not below the caller's node, are not found.
    let division = server.sign_in("one-division").await;
    for (token, id) in [(&token, server.two.location.0), (&token, 999_999_999), (&division, location)] {
        for ids in [json!(id), json!([location, id])] {
            assert_eq!(show(&server, token, &with("levelId", ids)).await.status, 404, "{id}");
        }
    }
    let other = server.json_as(&token, "POST", "/api/reports/download?format=docx", &with("limit", Value::Null)).await;
    assert!(other.status == 400 && other.body.contains("PDF, XLSX, XLS and CSV"), "{other:?}");
    // A balance applies to a substation: the report is neither listed nor available for an asset.
    let listed = async |level: &str| {
        server.get_as(&token, &format!("/api/pfcreport/reportslistbyrole/{level}/{}", server.one.client)).await.json()["result"].to_string()
    };
    for (level, is_listed) in [("asset", false), ("9", false), ("location", true), ("client", true), ("8", true)] {
        let list = listed(level).await;
        assert!(list.contains("EVENT_LOG") && list.contains("SS_ENERGY_LOSS") == is_listed, "{level}: {list}");
    }
    let answer = show(&server, &token, &question("SS_ENERGY_LOSS", "asset", server.one.feeder.0, 7, "2026-03-05")).await;
    assert!(answer.status == 400 && answer.body.contains("level must be one above asset"), "{answer:?}");
    // For an asset, only the reports about its type are listed, each with its group.
    let of_asset = |asset: i64| format!("/api/pfcreport/reportslistbyrole/asset/{}?asset={asset}", server.one.client);
    let list = server.get_as(&token, &of_asset(server.one.feeder.0)).await.json()["result"].to_string();
    assert!(list.contains("EE_DAILY_FEEDER_DATA") && !list.contains("SS_TRANSFORMER_LOSS"), "{list}");
    assert!(list.contains(r#""purpose":"Energy and demand""#), "{list}");
    assert_eq!(server.get_as(&token, &of_asset(server.two.feeder.0)).await.status, 404);
    let list = format!("/api/pfcreport/reportslistbyrole/4/{}", server.two.client);
    assert_eq!(server.get_as(&token, &list).await.status, 404);
}

#[tokio::test]
async fn a_file_is_sent_cut_where_the_settings_say_and_entered_into_the_audit() {
    let server = Server::start().await;
    let changes: Vec<_> = (1..=130).map(|second| reading(f64::from(1 + second % 2), i64::from(second) * 1_000)).collect();
    feed(server.database.url(), &server.one, &changes, &[]).await;
    let token = server.sign_in("one-admin").await;
    let question_body = question("EVENT_LOG", "client", server.one.client.0, 7, "1970-01-01");
    let answer = server.json_as(&token, "POST", "/api/reports/download?format=csv", &question_body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.head.contains("cache-control: no-store") && answer.head.contains("content-type: text/csv"), "{}", answer.head);
    assert!(answer.head.contains("content-disposition: attachment; filename=\"event_log_"), "{}", answer.head);
    assert!(answer.body.contains("Cut after 100 rows") && answer.body.contains("1970-01-01 05:31:40.000"), "{}", answer.body);
    assert!(!answer.body.contains("05:31:41.000") && answer.body.contains("Asia/Kolkata"), "{}", answer.body);
    // The head of each file says for whom, of what and by whom it is.
    for line in ["Utility,Utility one", "Level,Utility", "Place,Utility one", "From,1970-01-01", "To,1970-01-01", "Made by,", "Made at,2"] {
        assert!(answer.body.contains(&format!("\r\n{line}")), "{line}: {}", answer.body);
    }
    // The state of now has the time of its making in place of a period.
    let now = json!({ "report": "RTU_HEALTH", "level": "client", "levelId": server.one.client.0, "reportType": "realtime" });
    let current = server.json_as(&token, "POST", "/api/reports/download?format=csv", &now).await;
    assert_eq!(current.status, 200, "{current:?}");
    assert!(current.body.contains("\r\nAs of,2") && !current.body.contains("\r\nFrom,"), "{current:?}");
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let entries = store.audit_rows(server.one.client, None, 4).await.expect("rows");
    let entries = &entries[2..];
    assert_eq!((entries[1].action.as_str(), entries[1].subject.as_str()), ("report_exported", "report EVENT_LOG"));
    let reported = entries[1].after.clone().expect("the state after");
    assert_eq!(
        (&reported["nodes"], &reported["format"], &reported["level"]),
        (&json!([server.one.client.0]), &json!("csv"), &json!("client"))
    );
    assert_eq!(
        (entries[0].action.as_str(), entries[0].after.clone()),
        ("report_sent", Some(json!({ "rows": 100, "cut": true, "complete": true })))
    );
    for (format, begins) in [("pdf", &b"%PDF-"[..]), ("xlsx", b"PK\x03\x04"), ("xls", b"\xD0\xCF\x11\xE0")] {
        let body = question_body.to_string();
        let request = format!(
            "POST /api/reports/download?format={format} HTTP/1.0\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = server.exchange(&request).await;
        let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        assert!(answer.starts_with(b"HTTP/1.0 200") && answer[head + 4..].starts_with(begins), "{format}");
    }
    let nothing = question("EVENT_LOG", "client", server.one.client.0, 7, "1999-01-01");
    let answer = server.json_as(&token, "POST", "/api/reports/download?format=csv", &nothing).await;
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    let shown = rows(&server, &token, &question_body).await;
    assert_eq!(shown.as_array().map(Vec::len), Some(130), "what is shown has no such limit");
    assert_eq!(shown[0][0], json!(wire::time::iso(Micros::from_millis(1_000))));
}
