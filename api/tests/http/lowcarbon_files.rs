//! Demand files: which are accepted, the scope and lifetime of handles, and that a defective or hostile file leaves nothing behind.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};
use store::Store;
use tokio_util::sync::CancellationToken;

use crate::energy_field::now;
use crate::lowcarbon_field::{DEVICE, RUN, SlowUpload, alike, change, count, enter, entry, handle, refused, run, send_form, upload};
use crate::server::Server;

const GONE: &str = "That file is not there any more. Please choose it again.";

#[tokio::test]
async fn a_file_is_read_and_its_handle_is_good_for_a_day() {
    let server = Server::start().await;
    enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let before = now();
    let mut rows = String::new();
    for (day, slot) in (0..3).flat_map(|day| (0..48).map(move |slot| (day, slot))) {
        writeln!(rows, "2026-06-{:02} {:02}:{:02},{}", 20 + day, slot / 2, slot % 2 * 30, 30 + day).expect("a string takes everything");
    }
    let answer = upload(&server, &token, DEVICE, rows.as_bytes()).await;
    let taken = answer.json()["result"].clone();
    assert_eq!((answer.status, &taken["days"], &taken["values"]), (200, &json!(3), &json!(144)));
    let handle = taken["handle"].as_str().expect("a handle");
    assert!(handle.len() == 32 && handle.bytes().all(|byte| byte.is_ascii_hexdigit()), "128 bits: {handle}");
    let expires = wire::time::parse_iso(taken["expires"].as_str().expect("a time")).expect("a time");
    let hours = expires.millis_since(before) as f64 / 3_600_000.0;
    assert!((24.0..24.1).contains(&hours), "{hours}");
    let plan = run(&server, &token, &json!({ "demandFile": handle })).await;
    assert_eq!((&plan["demandFrom"], &plan["issued"]), (&json!("file"), &Value::Null));
    assert!(
        plan["results"]["Base_Demand_Kw"].as_array().expect("rows").iter().all(|kw| *kw == json!(31.0)),
        "the mean of the days: {plan}"
    );
    let kept: Vec<u8> = server.database.client().await.query_one("SELECT handle_hash FROM demand_file", &[]).await.expect("a file").get(0);
    assert_eq!(kept, auth::hash_token(handle), "the handle itself is nowhere");
    let audit = server.database.client().await;
    let after: Value =
        audit.query_one("SELECT after FROM audit WHERE action = 'demand_file_uploaded'", &[]).await.expect("an entry").get(0);
    assert_eq!(after, json!({ "bytes": rows.len(), "days": 3, "values": 144 }));
}

#[tokio::test]
async fn a_handle_of_somebody_else_or_something_else_answers_like_a_missing_one() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    let admin = server.sign_in("one-admin").await;
    let theirs = handle(&server, &admin, 50.0).await;
    server.enter("colleague", 2, None).await;
    let colleague = server.sign_in("colleague").await;
    let other_site = server.json_as(&admin, "PUT", "/api/admin/lowcarbonsite/7", &entry(&server, &meters)).await;
    assert_eq!(other_site.status, 200, "{other_site:?}");
    let ask =
        async |token: &str, path: &str, handle: &str| alike(&server.json_as(token, "POST", path, &json!({ "demandFile": handle })).await);
    let missing = ask(&admin, RUN, "00000000000000000000000000000000").await;
    assert_eq!((missing.0, &missing.1["message"]), (404, &json!(GONE)));
    assert_eq!(ask(&colleague, RUN, &theirs).await, missing, "another person");
    assert_eq!(ask(&admin, "/api/optimisebattery/7", &theirs).await, missing, "another site");
    assert_eq!(ask(&admin, RUN, &"x".repeat(10_000)).await, missing, "none at all");
    // The same user and site in the other utility.
    let two = server.sign_in("two-admin").await;
    let client = server.database.client().await;
    let (one, other, location) = (server.one.client.0, server.two.client.0, server.two.location.0);
    let copied = format!(
        "CREATE TEMP TABLE copied AS SELECT * FROM low_carbon_site WHERE client_id = {one} AND device_id = {DEVICE};
         UPDATE copied SET client_id = {other}, location_id = {location}, site_point_id = NULL, solar_point_id = NULL, battery_point_id = NULL,
             grid_point_id = NULL, storage_point_id = NULL;
         INSERT INTO low_carbon_site SELECT * FROM copied;
         UPDATE demand_file SET member_id = {}", server.two.admin
    );
    client.batch_execute(&copied).await.expect("copied");
    assert_eq!(ask(&two, RUN, &theirs).await, missing, "another utility, even if it was the same person's");
    client.batch_execute(&format!("UPDATE demand_file SET member_id = {}", server.one.admin)).await.expect("given back");
    assert_eq!(ask(&admin, RUN, &theirs).await.0, 200);
    client.batch_execute("UPDATE demand_file SET expires = now() - interval '1 ms'").await.expect("over");
    assert_eq!(ask(&admin, RUN, &theirs).await, missing, "its time is over, whether or not it has gone");
}

#[tokio::test]
async fn what_is_over_goes_by_itself_and_of_one_person_the_oldest_goes() {
    let server = Server::start().await;
    enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let mut handles = Vec::new();
    for number in 0..21 {
        handles.push(handle(&server, &token, f64::from(number)).await);
    }
    assert_eq!(count(&server, "demand_file").await, 20);
    let (status, message) = refused(&server, &token, &json!({ "demandFile": handles[0] })).await;
    assert_eq!((status, message.as_str()), (404, GONE));
    assert_eq!(run(&server, &token, &json!({ "demandFile": handles[1] })).await["stats"]["site"], json!(24.0));
    let client = server.database.client().await;
    client.batch_execute("UPDATE demand_file SET expires = now() - interval '1 s' WHERE kw[1] < 15").await.expect("over");
    let stop = CancellationToken::new();
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let job = tokio::spawn(api::sweep_demand_files(store, Duration::from_hours(1), now, stop.clone()));
    let begun = std::time::Instant::now();
    while count(&server, "demand_file").await > 6 {
        assert!(begun.elapsed() < Duration::from_secs(20), "what is over stays");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.cancel();
    job.await.expect("it ends");
    assert_eq!(count(&server, "demand_file").await, 6, "15 to 20 are good still");
    assert_eq!(refused(&server, &token, &json!({ "demandFile": handles[2] })).await.0, 404);
}

#[tokio::test]
async fn what_is_broken_or_hostile_is_told_line_by_line_and_leaves_nothing() {
    let server = Server::start().await;
    enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let mut many = "time,kW\n".to_owned();
    many.push_str(&"yesterday,much\n".repeat(80));
    let large = vec![b'1'; dispatch::FILE_MAX_BYTES + 1];
    let deep = "1,".repeat(300);
    for (file, line, column, what, faults) in [
        (b"".as_slice(), 1, "", "the file is empty; 48 values of kW", 1),
        (b"1\n2\n3\n".as_slice(), 1, "", "the file has 3 values; 48 without times", 1),
        (b"kW\n1\n-2\n".as_slice(), 3, "kW", "is \"-2\"; a number of kW from 0 to 1000000", 1),
        (b"kW\n1\nNaN\n".as_slice(), 3, "kW", "is \"NaN\"; a number", 1),
        (b"=cmd|'/C calc'!A0\n".as_slice(), 1, "kW", "a number of kW", 1),
        (b"\xff\xfe\x00\n".as_slice(), 1, "", "is not UTF-8", 1),
        (b"PK\x03\x04\x14\x00\x06\x00".as_slice(), 1, "", "the file is empty", 1),
        (many.as_bytes(), 2, "time", "is \"yesterday\"; local time of the site such as 2026-06-21 00:30", 100),
        (large.as_slice(), 1, "", "(5 MiB)", 1),
        (deep.as_bytes(), 1, "", "up to 256", 1),
        (b"2026-06-21 00:30,1\n2026-06-21 00:00,1\n".as_slice(), 2, "time", "times rise", 1),
    ] {
        let answer = upload(&server, &token, DEVICE, file).await;
        let body = answer.json();
        let fields = body["faults"].as_array().unwrap_or_else(|| panic!("{answer:?}"));
        assert_eq!((answer.status, body["statusCode"].as_u64(), body.get("result")), (400, Some(400), None));
        assert!(fields[0]["line"] == line && fields[0]["column"] == column, "{body}");
        assert!(fields[0]["what"].as_str().expect("a sentence").contains(what), "{body}");
        assert!(body["message"].as_str().expect("a sentence").contains(what), "{body}");
        assert!(fields.len() == faults || faults == 1, "{} faults", fields.len());
        assert!(fields.len() <= 100 && !answer.body.contains('\u{1b}'));
    }
    let path = format!("{RUN}/demandfile");
    let good = "1\n".repeat(48);
    for (parts, expected_message) in [
        (vec![], "the form has no part named file"),
        (vec![("lat", b"1".as_slice())], "the form has no part named file"),
        (vec![("file", good.as_bytes()), ("file", good.as_bytes())], "file is there twice"),
        (vec![("file", good.as_bytes()), ("member", b"1".as_slice())], "allowed: file, lat, lon"),
        (
            vec![("file", good.as_bytes()), ("lat", b"north".as_slice()), ("lon", b"1".as_slice())],
            "lat must be a number of degrees from -90 to 90",
        ),
        (
            vec![("file", good.as_bytes()), ("lat", b"1".as_slice()), ("lon", b"181".as_slice())],
            "lon must be a number of degrees from -180 to 180",
        ),
        (vec![("file", good.as_bytes()), ("lat", b"1".as_slice())], "lat and lon go together"),
    ] {
        let answer = send_form(&server, &token, &path, &parts, 0).await;
        let message = answer.json()["message"].as_str().expect("a message").to_owned();
        assert!(answer.status == 400 && message.contains(expected_message), "{expected_message}: {answer:?}");
    }
    let no_form = server.json_as(&token, "POST", &path, &json!({})).await;
    assert_eq!(no_form.status, 400, "{no_form:?}");
    let huge = vec![b'1'; dispatch::FILE_MAX_BYTES + 2_000_000];
    let cut = huge.len() - dispatch::FILE_MAX_BYTES - 16 * 1024;
    let answer = send_form(&server, &token, &path, &[("file", &huge)], cut).await;
    assert_eq!((answer.status, &answer.json()["message"]), (413, &json!("the file is too large; up to 5 MiB")));
    assert_eq!(count(&server, "demand_file").await, 0);
    let audited = server.audited(server.one.client).await;
    assert!(!audited.iter().any(|(action, _)| action == "demand_file_uploaded"), "{audited:?}");
}

#[tokio::test]
async fn who_may_only_look_sends_no_files_and_still_plans() {
    let server = Server::start().await;
    enter(&server).await;
    let client = server.database.client().await;
    let one = &server.one;
    server.enter("section", 6, Some(one.division)).await;
    for (who, before, after) in [("one-admin", 200, 403), ("section", 403, 403)] {
        let token = server.sign_in(who).await;
        let file = "50\n".repeat(48);
        assert_eq!(upload(&server, &token, DEVICE, file.as_bytes()).await.status, before, "{who}");
        client.execute("UPDATE member SET demo = true WHERE username = $1", &[&who]).await.expect("set");
        let answer = upload(&server, &token, DEVICE, file.as_bytes()).await;
        assert_eq!(
            (answer.status, &answer.json()["message"]),
            (after, &json!("your role may only look at this page")),
            "{who} of the demo"
        );
        assert_eq!(server.json_as(&token, "POST", RUN, &json!({ "demandFile": "none" })).await.status, 404, "{who} may run it");
    }
    assert_eq!(count(&server, "demand_file").await, 1, "the one from before");
    let audited = server.audited(one.client).await;
    assert_eq!(audited.iter().filter(|(action, _)| action == "demand_file_uploaded").count(), 1);
}

#[tokio::test]
async fn uploads_beyond_the_limit_return_429_before_the_body() {
    let server = Server::start().await;
    enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let mut slow = Vec::new();
    let refused = async |token: &str, expected_message: &str| {
        let answer = upload(&server, token, DEVICE, "50\n".repeat(48).as_bytes()).await;
        let message = answer.json()["message"].as_str().expect("a message").to_owned();
        assert!(answer.status == 429 && message.starts_with(expected_message), "{answer:?}");
        assert!(answer.head.contains("retry-after: 10"), "{answer:?}");
    };
    // One user sends two files; others can still send theirs.
    for _ in 0..2 {
        slow.push(SlowUpload::begin(&server, &token).await);
    }
    refused(&token, "Two of your demand files are coming in just now").await;
    // Other users reach the limit too. Uploads of another utility still have room.
    for number in 0..2 {
        let other = format!("other-{number}");
        server.enter(&other, 2, None).await;
        let other = server.sign_in(&other).await;
        for _ in 0..2 {
            slow.push(SlowUpload::begin(&server, &other).await);
        }
    }
    server.enter("late", 2, None).await;
    let late = server.sign_in("late").await;
    refused(&late, "Other demand files are coming in just now").await;
    for one in slow {
        assert_eq!(one.end().await, 200);
    }
    assert_eq!(upload(&server, &token, DEVICE, "50\n".repeat(48).as_bytes()).await.status, 200, "there is room again");
}

#[tokio::test]
async fn a_session_sends_so_many_files_in_a_minute() {
    let server = Server::start().await;
    enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let mut answers = Vec::new();
    for _ in 0..31 {
        answers.push(upload(&server, &token, DEVICE, b"broken").await.status);
    }
    assert_eq!((answers.iter().filter(|status| **status == 400).count(), answers[30]), (30, 429));
}

#[tokio::test]
async fn a_place_that_comes_with_the_file_is_nearer_than_that_of_the_site() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    change(&server, &meters, &json!({ "lat": null, "lon": null, "parameters": { "SolarCapacityKwp": 100 }, "importLimitKw": null })).await;
    let token = server.sign_in("one-admin").await;
    let file = "50\n".repeat(48);
    let sent = |lat: &'static str, lon: &'static str| vec![("file", file.as_bytes()), ("lat", lat.as_bytes()), ("lon", lon.as_bytes())];
    let mut found = Vec::new();
    for parts in [sent("17.6868", "83.2185"), sent("0", "0"), sent("", " ")] {
        let answer = send_form(&server, &token, &format!("{RUN}/demandfile"), &parts, 0).await;
        let handle = answer.json()["result"]["handle"].clone();
        let plan = run(&server, &token, &json!({ "demandFile": handle, "lat": 0, "lon": "0" })).await;
        found.push((plan["solarFrom"].clone(), plan["warnings"].as_array().expect("sentences").len()));
    }
    assert_eq!(found, [(json!("clear-sky"), 0), (json!("none"), 1), (json!("none"), 1)]);
}
