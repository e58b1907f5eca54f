//! Imports of cables, their condition and faults, and plant. A refused file is answered with line and reason, and changes nothing.

use grid::ClientId;
use serde_json::{Value, json};
use store::seed::AssetSeed;

use crate::cable_health::{CONDITION, FAULTS, PLANT, REGISTER, import, imported};
use crate::server::Server;

const KINDS: [&str; 4] = ["register", "condition", "faults", "plant"];

/// Returns everything that imports write, with the number of imports in the audit, as one text.
async fn digest(server: &Server) -> String {
    let client = server.database.client().await;
    let mut all = String::new();
    for table in ["cable_section", "cable_condition", "cable_fault", "plant_state"] {
        let statement = format!("SELECT coalesce(string_agg(t::text, '|' ORDER BY t::text), '') FROM {table} t");
        all += client.query_one(&statement, &[]).await.expect("rows").get(0);
    }
    let entered = server.audited(server.one.client).await;
    all + &entered.iter().filter(|(action, _)| action == "cable_health_imported").count().to_string()
}

async fn feeder(server: &Server, client: ClientId, location: grid::NodeId, code: &str) {
    let store = store::Store::connect(server.database.url(), 1).await.expect("connected");
    let seed = AssetSeed { device: String::new(), ..AssetSeed::new(client, location, code, 1, "feeder") };
    store.put_assets(&[seed]).await.expect("a feeder");
}

fn section(code: &str) -> String {
    format!("{code},D1,F1,Cable,1,33,non_pressurised,,,2000,,1,,,,,")
}

#[tokio::test]
async fn a_template_comes_back_as_a_file_and_rows_are_known_again() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    for kind in KINDS {
        let template = server.get_as(&token, &format!("/api/admin/cablehealth/template/{kind}")).await;
        assert!(
            template.status == 200 && template.head.contains("content-type: text/csv") && template.head.contains("attachment"),
            "{template:?}"
        );
        let answer = import(&server, &token, kind, &template.body, false).await;
        assert_eq!((answer.status, &answer.json()["result"]["rows"]), (200, &json!(0)), "{answer:?}");
    }
    let file = format!("{REGISTER}\n{}\n{}\n", section("A"), section("B"));
    let before = digest(&server).await;
    let dry = import(&server, &token, "register", &file, true).await.json()["result"].clone();
    assert_eq!(
        dry,
        json!({ "kind": "register", "dryRun": true, "rows": 2, "added": 2, "changed": 0, "same": 0, "columns": [], "faults": [], "faultsTotal": 0 })
    );
    assert_eq!(digest(&server).await, before, "a dry run stores nothing");
    let counted = |result: &Value| ["added", "changed", "same"].map(|count| result[count].as_i64().expect("a count"));
    assert_eq!(counted(&imported(&server, &token, "register", REGISTER, &[section("A"), section("B")]).await), [2, 0, 0]);
    let longer = section("B").replace(",2000,,1,", ",2000,,2,");
    let again = [section("A"), longer, section("C")];
    assert_eq!(counted(&imported(&server, &token, "register", REGISTER, &again).await), [1, 1, 1]);
    for (kind, columns, rows) in [
        ("condition", CONDITION, ["A,2011,50,,pass,low,,1.1", "A,2012,50,,pass,low,,1.1"]),
        ("faults", FAULTS, ["X1,A,2011-05-05,dug up", "X2,A,2011-05-05,"]),
        ("plant", PLANT, ["D1,F1CB,,2011,breaker,11,1999,", "D1,F1CB,,2012,breaker,11,1999,"]),
    ] {
        let rows = rows.map(str::to_owned);
        assert_eq!(counted(&imported(&server, &token, kind, columns, &rows).await), [2, 0, 0], "{kind}");
        assert_eq!(counted(&imported(&server, &token, kind, columns, &rows).await), [0, 0, 2], "{kind}");
    }
    let entered = server.audited(server.one.client).await;
    let of_register = entered.iter().filter(|entry| **entry == ("cable_health_imported".to_owned(), "register".to_owned()));
    // The template, the first file and the second one; not the dry run.
    assert_eq!(of_register.count(), 3, "{entered:?}");
}

#[tokio::test]
async fn a_column_that_is_missing_stays_and_an_empty_cell_clears() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    imported(&server, &token, "register", REGISTER, &["A,D1,F1,Cable,1,33,oil,lead,,2000,2016,1,2005,,,7,83.1 17.2;83.2 17.3".to_owned()])
        .await;
    let short = "cable_object_id,substation,feeder,cable,section,voltage_kv,installed_year,length_km,consumers";
    let stored = async || {
        let client = server.database.client().await;
        client.query_one("SELECT to_jsonb(s) FROM cable_section s", &[]).await.expect("a row").get::<_, Value>(0)
    };
    let before = stored().await;
    let result = imported(&server, &token, "register", short, &["A,D1,F1,Cable,1,33,2000,2,".to_owned()]).await;
    assert_eq!(result["columns"], json!([{ "column": "consumers", "rows": 1 }, { "column": "length_km", "rows": 1 }]));
    let mut expected = before;
    (expected["length_km"], expected["consumers"]) = (json!(2), Value::Null);
    assert_eq!(stored().await, expected);
    // Rows that are not in the file are kept.
    let file = format!("{short}\nA,D1,F1,Cable,1,33,2017,2,\n");
    let answer = import(&server, &token, "register", &file, false).await;
    assert!(answer.status == 400 && answer.body.contains("it was taken out in 2016"), "{answer:?}");
    let audit = server.database.client().await;
    let kept: Value = audit
        .query_one("SELECT before FROM audit WHERE action = 'cable_health_imported' AND before IS NOT NULL", &[])
        .await
        .expect("an entry")
        .get(0);
    assert_eq!(kept, json!({ "rows": [{ "code": "A", "length_km": 1, "consumers": 7 }], "rowsLeftOut": 0 }));
}

#[tokio::test]
async fn a_file_with_anything_wrong_is_refused_with_line_and_reason_and_leaves_nothing() {
    let server = Server::start().await;
    let (token, other) = (server.sign_in("one-admin").await, server.sign_in("two-admin").await);
    // Both utilities have these codes, except for one feeder and one section that only the other one has.
    feeder(&server, server.two.client, server.two.location, "THEIRS").await;
    imported(&server, &other, "register", REGISTER, &[section("FOREIGN")]).await;
    imported(&server, &token, "register", REGISTER, &[section("OWN")]).await;
    let before = digest(&server).await;
    let good = section("GOOD");
    let with = |row: &str| format!("{REGISTER}\n{good}\n{row}\n");
    let many = |count: usize| {
        format!("{FAULTS}\n{}", (0..count).map(|number| format!("X{number},OWN,2015-01-01,")).collect::<Vec<_>>().join("\n"))
    };
    let cases: Vec<(&str, String, u64, &str, &str)> = vec![
        ("register", "cable_object_id;substation\n".to_owned(), 1, "", "is not known"),
        ("register", "cable_object_id,substation\n".to_owned(), 1, "feeder", "is missing"),
        ("register", String::new(), 1, "", "the file is empty"),
        ("register", with("BAD,D1,F1"), 3, "", "has 3 columns"),
        ("register", with(&section("N\0L")), 3, "cable_object_id", "no control characters"),
        ("register", with(&section("=HYPERLINK(1)")), 3, "cable_object_id", "starts with one of = + - @"),
        ("register", with("BAD,D1,F1,+1,1,33,,,,2000,,1,,,,,"), 3, "cable", "starts with one of = + - @"),
        ("register", with("BAD,D1,F1,Cable,1,33,,,,2000,,-1,,,,,"), 3, "length_km", "above 0 and up to 1000"),
        ("register", with("BAD,D1,F1,Cable,1,33,,,,2000,,1e999,,,,,"), 3, "length_km", "above 0 and up to 1000"),
        ("register", with("BAD,D1,F1,Cable,1,33,,,,2000,1999,1,,,,,"), 3, "removed_year", "not before it was laid"),
        ("register", with(&good), 3, "cable_object_id", "is already on line 2"),
        ("register", with("BAD,D1,THEIRS,Cable,1,33,,,,2000,,1,,,,,"), 3, "feeder", "there is no feeder or incoming line \"THEIRS\""),
        ("register", with("BAD,D1,F1CB,Cable,1,33,,,,2000,,1,,,,,"), 3, "feeder", "there is no feeder or incoming line \"F1CB\""),
        ("register", with("BAD,D9,F1,Cable,1,33,,,,2000,,1,,,,,"), 3, "substation", "there is no substation \"D9\""),
        ("condition", format!("{CONDITION}\nFOREIGN,2015,,,,,,\n"), 2, "cable_object_id", "there is no section \"FOREIGN\""),
        ("condition", format!("{CONDITION}\nOWN,1999,,,,,,\n"), 2, "year", "the section was laid in 2000"),
        ("condition", format!("{CONDITION}\nOWN,2015,-1,,,,,\n"), 2, "utilisation_percent", "from 0 to 1000"),
        ("condition", format!("{CONDITION}\nOWN,2015,,,,,,0.5\n"), 2, "reliability_factor", "from 0.6 to 1.5"),
        ("faults", format!("{FAULTS}\nX,FOREIGN,2015-01-01,\n"), 2, "cable_object_id", "there is no section \"FOREIGN\""),
        ("faults", format!("{FAULTS}\nX,OWN,2999-01-01,\n"), 2, "date", "a day from 1850-01-01 to"),
        ("faults", format!("{FAULTS}\nX,OWN,2015-01-01,=cmd|' /C calc'!A0\n"), 2, "cause", "starts with one of = + - @"),
        ("faults", many(20_001), 20_002, "", "the file may have 20000 rows"),
        ("plant", format!("{PLANT}\nD1,F1,,2015,transformer,33,2000,\n"), 2, "asset", "there is no transformer \"F1\""),
        ("plant", format!("{PLANT}\nD1,F1CB,tap_changer,2015,breaker,33,2000,\n"), 2, "part", "only a transformer"),
    ];
    for (kind, file, line, column, expected_message) in cases {
        for dry_run in [true, false] {
            let answer = import(&server, &token, kind, &file, dry_run).await;
            assert_eq!(answer.status, if dry_run { 200 } else { 400 }, "{kind} {expected_message}: {answer:?}");
            let result = answer.json()["result"].clone();
            assert_eq!((&result["added"], &result["changed"]), (&json!(0), &json!(0)), "{expected_message}");
            let faults = result["faults"].as_array().expect("faults");
            let is_it = |fault: &&Value| {
                let is_there = fault["line"] == line && (column.is_empty() || fault["column"] == column);
                is_there && fault["what"].as_str().is_some_and(|what| what.contains(expected_message))
            };
            assert!(faults.iter().any(|fault| is_it(&fault)), "{kind} {line} {column} {expected_message}: {faults:?}");
            assert!(
                dry_run || answer.json()["message"].as_str().is_some_and(|message| message.starts_with("nothing is stored: line ")),
                "{answer:?}"
            );
        }
    }
    assert_eq!(digest(&server).await, before, "nothing of all that is left");
    let large = "x".repeat(5 * 1024 * 1024 + 1);
    assert_eq!(import(&server, &token, "register", &large, false).await.status, 413);
    assert_eq!(import(&server, &token, "cables", REGISTER, false).await.status, 404);
    assert_eq!(server.get_as(&token, "/api/admin/cablehealth/template/cables").await.status, 404);
    let division = server.sign_in("one-division").await;
    for kind in KINDS {
        assert_eq!(import(&server, &division, kind, REGISTER, true).await.status, 403);
        assert_eq!(server.get_as(&division, &format!("/api/admin/cablehealth/template/{kind}")).await.status, 403);
    }
    assert_eq!(digest(&server).await, before);
    // A substation with one section and as many more as a file may have is too large to list.
    let crowd = (0..20_000).map(|number| section(&format!("S{number}"))).collect::<Vec<_>>().join("\n");
    let answer = import(&server, &token, "register", &format!("{REGISTER}\n{crowd}"), false).await;
    assert!(answer.status == 400 && answer.body.contains("would have 20001 sections, 20000 are allowed"), "{answer:?}");
    assert_eq!(digest(&server).await, before);
    // As many rows as are allowed are taken.
    assert_eq!(import(&server, &token, "faults", &many(20_000), false).await.json()["result"]["added"], 20_000);
}

#[tokio::test]
async fn the_same_names_in_two_utilities_are_two_sections() {
    let server = Server::start().await;
    let (one, two) = (server.sign_in("one-admin").await, server.sign_in("two-admin").await);
    imported(&server, &one, "register", REGISTER, &[section("A")]).await;
    let before = digest(&server).await;
    let result = imported(&server, &two, "register", REGISTER, &[section("A").replace(",Cable,", ",Theirs,")]).await;
    assert_eq!((&result["added"], &result["changed"]), (&json!(1), &json!(0)));
    imported(&server, &two, "faults", FAULTS, &["X,A,2015-01-01,".to_owned()]).await;
    assert_ne!(digest(&server).await, before);
    let path = format!("/api/assethealth/cablehealthdatabyassetpoint/{}/2018", server.one.location);
    let own = server.get_as(&one, &path).await.json()["result"]["cableSections"].clone();
    assert_eq!((own.as_array().map(Vec::len), &own[0]["CableAssetName"], &own[0]["NoOfFaults"]), (Some(1), &json!("Cable"), &json!(null)));
}
