//! Each reason against an operation refuses it on the server with its cause, and nothing is published to the gateway.

use field::sparkplug::{Metric, MetricValue};
use serde_json::json;

use super::gateway::{Manner, now_ms, pos};
use super::rig::{CLOSED, OPEN, Rig};

/// An SQL statement that creates the reason, the cause of the refusal, and a statement that removes the reason.
type Case = (&'static str, &'static str, (u16, i64), &'static str);

#[tokio::test]
async fn what_the_database_says_refuses() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    let cases: [Case; 4] = [
        (
            "control is off",
            "UPDATE client SET config = jsonb_set(config, '{control,enabled}', 'false')",
            (409, 8),
            "UPDATE client SET config = jsonb_set(config, '{control,enabled}', 'true') WHERE code = 'one'",
        ),
        (
            "no direct operate",
            "UPDATE asset SET control_asset_req = false WHERE class_name = 'breaker'",
            (409, 18),
            "UPDATE asset SET control_asset_req = true WHERE class_name = 'breaker'",
        ),
        (
            "not from here",
            "UPDATE asset SET control_asset_req = false, is_sbo_supported = false WHERE class_name = 'breaker'",
            (422, 1),
            "UPDATE asset SET control_asset_req = true, is_sbo_supported = true WHERE class_name = 'breaker'",
        ),
        (
            "an inhibit",
            "INSERT INTO tag (client_id, location_id, scope, asset_id, kind, holder, holder_id, reason, placed_at)
             SELECT client_id, location_id, 'device', id, 'inhibit', 'A. Nair', 1, 'men at work', now() FROM asset WHERE class_name = 'breaker'",
            (409, 24),
            "UPDATE tag SET removed_at = now()",
        ),
    ];
    for (what, make, expected, undo) in cases {
        rig.sql(make).await;
        assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, expected, "{what}");
        let status = rig.status(&token).await;
        if what != "no direct operate" {
            assert_eq!((&status["operable"], &status["refusals"][0]["addCause"]), (&json!(false), &json!(expected.1)), "{what}: {status}");
            assert_eq!(status["displayMsg"], status["refusals"][0]["message"]);
        }
        rig.sql(undo).await;
    }
    rig.sql("UPDATE asset SET is_sbo_supported = false WHERE class_name = 'breaker'").await;
    assert_eq!(rig.refused(&token, "isSelect", CLOSED, OPEN).await, (422, 1), "no select before operate");
    assert!(rig.gateway.actions().is_empty());
    assert_eq!(rig.count("command WHERE state = 'REFUSED'").await, 5, "each is on record");
    assert_eq!(rig.count("audit WHERE action = 'command_refused'").await, 5, "and in the audit");
    assert_eq!(rig.count("reservation").await, 0);
}

#[tokio::test]
async fn from_position_must_equal_live_position() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    for (what, from, to, expected) in [
        ("a stale screen", OPEN, CLOSED, (409, 26)),
        ("already there", CLOSED, CLOSED, (409, 5)),
        ("intermediate cannot be ordered", CLOSED, 0, (409, 26)),
        ("nor bad", CLOSED, 3, (409, 26)),
        ("from nowhere", 3, OPEN, (409, 26)),
    ] {
        assert_eq!(rig.refused(&token, "directOperate", from, to).await, expected, "{what}");
    }
    for (scheduled, expected) in [("2020-01-01T00:00:00Z", 409), ("2999-01-01T00:00:00Z", 409), ("tomorrow", 400)] {
        let mut body = rig.order("directOperate", CLOSED, OPEN);
        body["scheduledTime"] = scheduled.into();
        assert_eq!(rig.post(&token, &body).await.status, expected, "{scheduled}");
    }
    assert_eq!(rig.refused(&token, "isExecute", CLOSED, OPEN).await, (409, 18), "nothing is selected");
    let mut both = rig.order("directOperate", CLOSED, OPEN);
    both["isSelect"] = 1.into();
    let mut none = both.clone();
    (none["directOperate"], none["isSelect"]) = (0.into(), 0.into());
    let mut no_id = rig.order("isExecute", CLOSED, OPEN);
    no_id["commandId"] = "1".into();
    let mut long = rig.order("directOperate", CLOSED, OPEN);
    long["reason"] = "x".repeat(201).into();
    for body in [both, none, no_id, long, json!({}), json!([1])] {
        let status = rig.post(&token, &body).await.status;
        assert!([400, 422].contains(&status), "{status}: {body}");
    }
    assert!(rig.gateway.actions().is_empty());
}

#[tokio::test]
async fn what_the_device_reports_refuses() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    for position in [0, 3] {
        rig.gateway.report(pos(position)).await;
        let status = rig.until_status(&token, |status| status["currentDIStatus"] == position).await;
        assert_eq!(
            (&status["operable"], &status["changeDIStatus"], &status["refusals"][0]["addCause"]),
            (&json!(false), &json!(null), &json!(4))
        );
        assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 4), "{position}");
    }
    let bad = Metric { quality: Some(0), ..pos(CLOSED) };
    rig.gateway.report(bad).await;
    rig.until_status(&token, |status| status["quality"] == 4).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 4), "not valid by its own word");
    rig.gateway.report(pos(CLOSED).at(now_ms() + 240_000)).await;
    rig.until_status(&token, |status| status["quality"] == 2).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 4), "its clock is ahead");
    rig.gateway.report(pos(CLOSED)).await;
    rig.until_status(&token, |status| status["operable"] == true).await;

    // The station's local/remote switch is on local; its point is discovered.
    rig.gateway.report(Metric::new("STN/Loc", MetricValue::Int32(1)).at(now_ms())).await;
    rig.until_status(&token, |status| status["refusals"][0]["addCause"] == 2).await;
    assert_eq!(rig.refused(&token, "isSelect", CLOSED, OPEN).await, (409, 2));
    rig.gateway.report(Metric::new("STN/Loc", MetricValue::Int32(0)).at(now_ms())).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    // A local/remote switch without a certain value does not count as remote.
    rig.gateway.report(Metric { quality: Some(0), ..Metric::new("STN/Loc", MetricValue::Int32(0)).at(now_ms()) }).await;
    rig.until_status(&token, |status| status["refusals"][0]["addCause"] == 2).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 2), "not valid by its own word");
    rig.gateway.report(Metric::new("STN/Loc", MetricValue::Int32(0)).at(now_ms())).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    rig.sql(
        "INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, encoding, quantity, unit, decimals)
         SELECT client_id, gateway_id, asset_id, 'F1', 'F1CB/Loc', 'Loc', 'signal', 'status', '', 0 FROM point WHERE metric = 'F1CB/Pos' AND client_id = (SELECT id FROM client WHERE code = 'one')",
    )
    .await;
    rig.until_status(&token, |status| status["refusals"][0]["addCause"] == 2).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 2), "never heard");
    rig.gateway.report(Metric::new("F1CB/Loc", MetricValue::Int32(0)).at(now_ms())).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    // Each further point is discovered with a value that refuses. Without a certain value it refuses as well.
    for (metric, refusing, permitting, cause) in [("STN/Test", 1, 0, 8), ("F1CB/Test", 1, 0, 8), ("F1CB/BlkOpn", 1, 0, 13)] {
        let report = |value| Metric::new(metric, MetricValue::Int32(value)).at(now_ms());
        for (value, quality) in [(refusing, None), (permitting, Some(0))] {
            rig.gateway.report(Metric { quality, ..report(value) }).await;
            rig.until_status(&token, |status| status["refusals"][0]["addCause"] == cause).await;
            assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, cause), "{metric}");
            rig.gateway.report(report(permitting)).await;
            rig.until_status(&token, |status| status["operable"] == true).await;
        }
    }
    // A synchronism check refuses closing alone.
    let synchronism = |value| Metric::new("F1CB/Syn", MetricValue::Int32(value)).at(now_ms());
    rig.gateway.report(pos(OPEN)).await;
    rig.until_status(&token, |status| status["currentDIStatus"] == 1 && status["operable"] == true).await;
    rig.gateway.report(synchronism(0)).await;
    rig.until_status(&token, |status| status["refusals"][0]["addCause"] == 11).await;
    assert_eq!(rig.refused(&token, "directOperate", OPEN, CLOSED).await, (409, 11), "out of step");
    rig.gateway.report(Metric { quality: Some(0), ..synchronism(1) }).await;
    assert_eq!(rig.refused(&token, "directOperate", OPEN, CLOSED).await, (409, 11), "not known");
    rig.gateway.report(synchronism(1)).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    rig.gateway.report(synchronism(0)).await;
    rig.gateway.report(pos(CLOSED)).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    // The gateway's control model restricts what the registry allows.
    rig.gateway.report(Metric::new("F1CB/Ctl/Model", MetricValue::Int32(2)).at(now_ms())).await;
    rig.until_status(&token, |status| status["direct"] == false && status["sbo"] == true).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 18), "it must be selected before");
    assert!(rig.gateway.actions().is_empty());
}

#[tokio::test]
async fn interlocks_of_the_bay_refuse() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.sql(
        "INSERT INTO asset (client_id, location_id, code, name, type_id, class_name, device, control_asset_req, is_sbo_supported)
         SELECT client_id, location_id, 'F1ES', 'F1 earth switch', 6, 'isolator', 'F1', true, true FROM asset WHERE id = (SELECT min(id) FROM asset WHERE class_name = 'breaker');
         INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, encoding, quantity, unit, decimals)
         SELECT a.client_id, g.id, a.id, 'F1', 'F1ES/Pos', 'Pos', 'double', 'status', '', 0 FROM asset a JOIN gateway g ON g.client_id = a.client_id WHERE a.code = 'F1ES';
         UPDATE drawing SET body = jsonb_set(body, '{elements,2}', '{\"id\": \"e\", \"class\": \"isolator\", \"category\": \"earthSwitchDown\", \"asset\": \"F1ES\"}')",
    )
    .await;
    rig.gateway.report(pos(OPEN)).await;
    rig.gateway.report(Metric::new("F1ES/Pos", MetricValue::Int32(CLOSED)).at(now_ms())).await;
    // Before the report of the earth switch arrives, the refusal says that its position is not known.
    let earthed = |status: &serde_json::Value| {
        let message = status["refusals"][0]["message"].as_str().unwrap_or_default();
        status["currentDIStatus"] == OPEN && status["refusals"][0]["addCause"] == 10 && message.contains("F1 earth switch is closed")
    };
    let status = rig.until_status(&token, earthed).await;
    assert_eq!(status["interlocks"][0]["rule"], "breaker-not-onto-earth");
    assert_eq!(status["interlocks"][0]["fulfilled"], false);
    assert_eq!(rig.refused(&token, "directOperate", OPEN, CLOSED).await, (409, 10));
    rig.gateway.report(Metric::new("F1ES/Pos", MetricValue::Int32(OPEN)).at(now_ms())).await;
    rig.until_status(&token, |status| status["operable"] == true).await;

    // The outcome of a command of its own is unknown since its last report, so it may have moved. Only later reports count.
    rig.sql(
        "INSERT INTO command (id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status, to_status,
             simulated, from_address, correlation_id, state, requested_at, changed_at, issued, sent_at, due, \"offset\", owner)
         SELECT gen_random_uuid()::text, p.client_id, a.location_id, a.id, p.id, p.gateway_id, 1, 1, 'A. Nair', 'direct', 1, 2,
             true, '', '', 'NO_FEEDBACK', now(), clock_timestamp(), now(), now(), now(), 0, 'x' FROM point p JOIN asset a ON a.id = p.asset_id WHERE p.metric = 'F1ES/Pos'",
    )
    .await;
    let status = rig.status(&token).await;
    assert_eq!((&status["interlocks"][0]["fulfilled"], &status["refusals"][0]["addCause"]), (&json!(false), &json!(10)), "{status}");
    assert_eq!(rig.refused(&token, "directOperate", OPEN, CLOSED).await, (409, 10));
    rig.gateway.report(Metric::new("F1ES/Pos", MetricValue::Int32(OPEN)).at(now_ms())).await;
    rig.until_status(&token, |status| status["operable"] == true).await;

    // A switch that is drawn without a category may be an earth switch.
    rig.gateway.report(Metric::new("F1ES/Pos", MetricValue::Int32(CLOSED)).at(now_ms())).await;
    rig.until_status(&token, |status| status["operable"] == false).await;
    for change in ["SET body = body #- '{elements,2,category}'", "SET body = body #- '{elements,2}'"] {
        rig.sql(&format!("UPDATE drawing {change}")).await;
        assert_eq!(rig.refused(&token, "directOperate", OPEN, CLOSED).await, (409, 10), "{change}");
    }
    // An isolator that is not an earth switch does not matter here.
    rig.sql("UPDATE drawing SET body = jsonb_set(body, '{elements,2}', '{\"class\": \"isolator\", \"category\": \"isolator\", \"asset\": \"F1ES\"}')").await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    rig.gateway.report(Metric::new("F1ES/Pos", MetricValue::Int32(OPEN)).at(now_ms())).await;

    // One operation a bay: while the breaker is selected, its earth switch is not operated.
    assert_eq!(rig.state(&token, "isSelect", OPEN, CLOSED).await, "SELECTED");
    let client = rig.server.database.client().await;
    let row = client
        .query_one("SELECT p.id, p.asset_id FROM point p WHERE metric = 'F1ES/Pos' AND client_id = $1", &[&rig.server.one.client.0])
        .await;
    let (point, asset): (i64, i64) = row.map(|row| (row.get(0), row.get(1))).expect("the earth switch");
    let mut body = rig.order("directOperate", OPEN, CLOSED);
    (body["asset2DiSettingId"], body["assetId"]) = (point.into(), asset.into());
    let busy = rig.post(&token, &body).await;
    assert_eq!((busy.status, &busy.json()["result"]["addCause"]), (409, &json!(14)), "{busy:?}");
    assert_eq!(rig.gateway.actions().len(), 1);
}

#[tokio::test]
async fn without_a_link_nothing_is_operated() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.gateway.die();
    rig.until_status(&token, |status| status["refusals"][0]["addCause"] == 23).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 23), "the gateway has gone");

    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.stop_ingest();
    rig.until_status(&token, |status| status["operable"] == false).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 23), "nobody hears the gateway");
    assert!(rig.gateway.actions().is_empty());

    let mut rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.broker.kill();
    rig.until_status(&token, |status| status["operable"] == false).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 23), "no order could leave");
}

#[tokio::test]
async fn users_without_permission_cannot_operate() {
    let rig = Rig::start().await;
    let server = &rig.server;
    let watcher = rig.person("watcher", 2, None, false).await;
    let elsewhere = rig.person("elsewhere", 4, Some(server.one.other_division), true).await;
    rig.sql("INSERT INTO page_access (client_id, role_id, page_id, is_readonly) SELECT id, 5, 111, true FROM client WHERE code = 'one'")
        .await;
    let reader = rig.person("reader", 5, Some(server.one.division), true).await;
    let order = rig.order("directOperate", CLOSED, OPEN);
    assert_eq!(rig.refused(&watcher, "directOperate", CLOSED, OPEN).await, (403, 20));
    assert_eq!(rig.status(&watcher).await["refusals"][0]["addCause"], 20);
    assert_eq!(rig.post(&reader, &order).await.status, 403, "a page that is read-only");
    assert_eq!(rig.post(&elsewhere, &order).await.status, 404, "not theirs to see");
    assert_eq!(server.get_as(&elsewhere, &rig.status_path()).await.status, 404);
    // Each attempt is in the audit, with its subject.
    let tried = format!("audit WHERE action = 'command_refused' AND subject = 'asset {}'", server.one.breaker.0);
    assert_eq!(rig.count(&tried).await, 3);
    assert_eq!(rig.count(&format!("{tried} AND after->>'cause' = 'no right to operate it'")).await, 1);

    // A device of another utility gets the same answer as a missing one.
    let admin = rig.operator("second", 2).await;
    let (two, missing) = (&server.two, 999_999_999_i64);
    for (asset, gateway, point) in [
        (two.breaker.0, two.gateway.0, two.position.0),
        (missing, missing, missing),
        (server.one.feeder.0, server.one.gateway.0, server.one.position.0),
        (server.one.breaker.0, two.gateway.0, server.one.position.0),
    ] {
        let mut body = order.clone();
        (body["assetId"], body["productId"], body["asset2DiSettingId"]) = (asset.into(), gateway.into(), point.into());
        let answer = rig.post(&admin, &body).await;
        assert_eq!((answer.status, &answer.json()["message"]), (404, &json!("not found")), "{answer:?}");
    }
    assert_eq!(rig.count("audit WHERE action = 'command_refused' AND after->>'cause' LIKE 'not there%'").await, 5);
    for _ in 0..40 {
        assert_eq!(rig.post(&elsewhere, &order).await.status, 404);
    }
    let entered = rig.count("audit WHERE action = 'command_refused' AND after->>'cause' LIKE 'not there%'").await - 4;
    assert!((30..=40).contains(&entered), "{entered} of 41: at most 30 a minute");
    let foreign = server.sign_in("two-admin").await;
    let selected = rig.post(&admin, &rig.order("isSelect", CLOSED, OPEN)).await.json()["result"]["commandId"].clone();
    let path = format!("/api/digiops/command/{}", selected.as_str().expect("an id"));
    assert_eq!((server.get_as(&admin, &path).await.status, server.get_as(&foreign, &path).await.status), (200, 404));
    assert_eq!(server.get_as(&foreign, &format!("/api/digiops/commands/{}", server.one.location.0)).await.status, 404);
    assert_eq!(rig.count("command WHERE state = 'REFUSED'").await, 0, "who may not leaves no command");
    rig.gateway.behave(Manner::Good);
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn operation_that_cannot_be_stored_is_refused() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION full_disk()",
    )
    .await;
    for flag in ["directOperate", "isSelect"] {
        assert_eq!(rig.refused(&token, flag, CLOSED, OPEN).await, (503, 13), "{flag}");
    }
    assert_eq!((rig.count("command").await, rig.count("reservation").await, rig.count("control_request").await), (0, 0, 0));
    rig.sql("DROP TRIGGER full_disk ON audit").await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    assert_eq!(rig.gateway.actions().len(), 1, "nothing left for the gateway before");
}

#[tokio::test]
async fn stale_position_refuses_operation() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    // It should report every second; the last report was a minute ago.
    rig.sql("UPDATE point SET expected_ms = 1000 WHERE code = 'Pos'").await;
    let server = &rig.server;
    let minute_ago = i64::try_from(now_ms()).expect("a time") - 60_000;
    crate::field::feed(server.database.url(), &server.two, &[crate::field::reading(2.0, minute_ago)], &[]).await;
    let foreign = server.sign_in("two-admin").await;
    let path = format!("/api/digiops/cbstatus/{}/{}", server.two.gateway.0, server.two.position.0);
    let status = server.get_as(&foreign, &path).await.json()["result"].clone();
    assert_eq!(status["quality"], 5, "no ingest takes that gateway: {status}");
    rig.until_status(&token, |status| status["quality"] == 0).await;
    tokio::time::timeout(std::time::Duration::from_mins(1), async {
        while rig.status(&token).await["quality"] != 3 {
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        }
    })
    .await
    .expect("stale after thirty seconds");
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 4));
    assert!(rig.gateway.actions().is_empty());
}

#[tokio::test]
async fn a_device_is_not_pumped() {
    let rig = Rig::start_with(json!({ "minIntervalSeconds": 10, "burstOperations": 1, "burstSeconds": 600 })).await;
    let token = rig.operator("second", 2).await;
    rig.state(&token, "directOperate", CLOSED, OPEN).await;
    rig.until_status(&token, |status| status["currentDIStatus"] == OPEN && status["reservation"].is_null()).await;
    let resting = rig.post(&token, &rig.order("directOperate", OPEN, CLOSED)).await.json();
    let wait = resting["result"]["waitSeconds"].as_i64();
    assert!(resting["result"]["addCause"] == 24 && wait.is_some_and(|wait| (1..=10).contains(&wait)), "{resting}");
    let status = rig.status(&token).await;
    assert!(status["waitSeconds"].as_i64().is_some_and(|wait| (1..=10).contains(&wait)), "the dialog shows it before: {status}");
    rig.until_status(&token, |status| status["operable"] == true).await;
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    // The limit is reached, and yet the feeder that is out may be closed. Only the next opening has to wait.
    let wait = |status: &serde_json::Value| status["waitSeconds"].as_i64();
    rig.until_status(&token, |status| status["currentDIStatus"] == CLOSED && wait(status).is_some_and(|wait| wait > 10)).await;
    let refused = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await.json();
    assert_eq!((&refused["statusCode"], &refused["result"]["addCause"]), (&json!(409), &json!(24)), "{refused}");
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(message.contains("wait ") && !message.contains("sign in"), "waiting is enough: {message}");
    let renewed = rig.server.sign_in("second").await;
    rig.until_status(&renewed, |status| status["operable"] == true).await;
    rig.state(&renewed, "directOperate", CLOSED, OPEN).await;
    assert_eq!(rig.gateway.moves(), 3);
}
