//! Health of cables and plant over HTTP, compared with published figures (grid/tests/vectors/cnaim.json); years, and permissions.

use serde_json::{Value, json};

use crate::field::Utility;
use crate::server::{Answer, Server};

/// The columns of a register in the order of [`section`].
pub(crate) const REGISTER: &str = "cable_object_id,substation,feeder,cable,section,voltage_kv,insulation,sheath,conductor,installed_year,\
removed_year,length_km,faults_since_year,load_mva,environmental_factor,consumers,line";
pub(crate) const CONDITION: &str =
    "cable_object_id,year,utilisation_percent,operating_voltage_percent,sheath_test,partial_discharge,leakage,reliability_factor";
pub(crate) const FAULTS: &str = "fault_id,cable_object_id,date,cause";
pub(crate) const PLANT: &str = "substation,asset,part,year,kind,voltage_kv,made_year,condition_collar";

pub(crate) fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../crates/grid/tests/vectors/cnaim.json")).expect("JSON")
}

/// Imports a file; its first line has the names of the columns.
pub(crate) async fn import(server: &Server, token: &str, kind: &str, csv: &str, dry_run: bool) -> Answer {
    let headers = [("Authorization", &*format!("Bearer {token}")), ("Content-Type", "text/csv")];
    server.send("POST", &format!("/api/admin/cablehealth/import/{kind}?dryRun={dry_run}"), &headers, csv).await
}

/// Imports rows and requires success.
pub(crate) async fn imported(server: &Server, token: &str, kind: &str, columns: &str, rows: &[String]) -> Value {
    let answer = import(server, token, kind, &format!("{columns}\n{}\n", rows.join("\n")), false).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

pub(crate) async fn result_of(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, &format!("/api/assethealth/{path}")).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

pub(crate) fn close(what: &str, ours: &Value, theirs: f64) {
    let ours = ours.as_f64().unwrap_or_else(|| panic!("{what}: {ours} is no number"));
    assert!((ours - theirs).abs() <= 1e-6 * theirs.abs().max(1.0), "{what}: {ours}, expected {theirs}");
}

fn rows<'a>(answer: &'a Value, list: &str) -> &'a Vec<Value> {
    answer[list].as_array().unwrap_or_else(|| panic!("{list} in {answer}"))
}

fn row<'a>(answer: &'a Value, code: &str) -> &'a Value {
    rows(answer, "cableSections").iter().find(|row| row["CableObjectId"] == code).unwrap_or_else(|| panic!("{code} in {answer}"))
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Returns a value of the vectors as in a file; empty for `Default`.
fn word(value: &Value) -> String {
    let word = value.as_str().unwrap_or_default();
    if word == "Default" { String::new() } else { word.to_lowercase().replace(' ', "_") }
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one register with all its sections, each beside its figures")]
async fn sections_answer_as_the_methodology_does() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let vectors = vectors();
    let cases = vectors["cases_cable"].as_array().expect("cases");
    let (mut sections, mut conditions, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for (number_of, case) in cases.iter().enumerate() {
        let inputs = &case["inputs"];
        let oil = inputs["cable_type"].as_str().expect("a type").contains("Oil");
        let (sheath, conductor) = inputs["sub_division"].as_str().expect("metals").split_once(" - ").expect("two");
        let metal = |text: &str| text.split(' ').next().expect("a metal").to_lowercase();
        let installed = 2018 - inputs["age"].as_i64().expect("an age");
        // 0.05 faults per km and year: one fault on 2 km in ten years.
        let rate = number(&inputs["fault_hist"]);
        let since = rate.map_or_else(String::new, |_| "1990".to_owned());
        let insulation = if oil { "oil" } else { "non_pressurised" };
        sections.push(format!(
            "CASE{number_of},D1,F1,Cable A,{number_of},33,{insulation},{},{},{installed},,2,{since},,,,",
            metal(sheath),
            metal(conductor)
        ));
        conditions.push(format!(
            "CASE{number_of},2018,{},{},{},{},,{}",
            inputs["utilisation_pct"],
            inputs["operating_voltage_pct"],
            word(&inputs["sheath_test"]),
            word(&inputs["partial_discharge"]),
            number(&inputs["reliability_factor"]).map_or_else(String::new, |factor| factor.to_string())
        ));
        faults.extend(rate.map(|_| format!("X{number_of},CASE{number_of},2012-06-01,dug up")));
    }
    // The cost of failures: the connected load, and bunds that halve the cost of oil.
    let costs = vectors["cases_cof"].as_array().expect("cases");
    for (number_of, case) in costs.iter().enumerate() {
        let oil = case["asset"].as_str().expect("a type").contains("Oil");
        let (insulation, factor) = if oil { ("oil", "0.5") } else { ("non_pressurised", "1") };
        sections.push(format!(
            "COST{number_of},D1,F1,Cable B,{number_of},33,{insulation},lead,copper,2000,,1,,{},{factor},7,",
            case["actual_load_mva"]
        ));
    }
    sections.push("HV,D1,F1,Cable C,1,11,,,,2000,,1.5,,,,40,83.1 17.2;83.2 17.3".to_owned());
    let count = sections.len();
    let result = imported(&server, &token, "register", REGISTER, &sections).await;
    assert_eq!((&result["rows"], &result["added"]), (&json!(count), &json!(count)), "{result}");
    imported(&server, &token, "condition", CONDITION, &conditions).await;
    imported(&server, &token, "faults", FAULTS, &faults).await;

    let location = server.one.location;
    let answer = result_of(&server, &token, &format!("cablehealthdatabyassetpoint/{location}/2018")).await;
    assert_eq!(rows(&answer, "cableSections").len(), count);
    assert_eq!((&answer["bands"], &answer["currency"], &answer["year"]), (&json!("v2.1"), &json!("GBP"), &json!(2018)));
    for (number_of, case) in cases.iter().enumerate() {
        let (what, row) = (format!("case {number_of}"), row(&answer, &format!("CASE{number_of}")));
        let outputs = &case["outputs"];
        close(&what, &row["HealthScore"], number(&outputs["current_health_score"]).expect("a score"));
        let failures = 2.0 * number(&outputs["pof_per_km_year_STANDARD_floor_H4"]).expect("a rate");
        close(&what, &row["POF"], failures);
        close(&what, &row["POFPercent"], 100.0 * (1.0 - (-failures).exp()));
        assert_eq!((&row["HealthIndexBand"], &row["Model"]), (&outputs["HI_band_v21"], &json!("CNAIM v2.1")), "{what}");
        // 31644 + 2 + 726 + 3530, and of oil 129 + 2 + 5885 + 4.
        let cost = if number_of == 4 { 6_020.0 } else { 35_902.0 };
        close(&what, &row["COF"], cost);
        close(&what, &row["Risk"], failures * cost);
        assert_eq!(
            (&row["CriticalityIndex"], &row["SectionLength"], &row["AgeOfCable"]),
            (&json!("C2"), &json!(2_000.0), &case["inputs"]["age"])
        );
    }
    for (number_of, case) in costs.iter().enumerate() {
        let (what, row) = (format!("cost {number_of}"), row(&answer, &format!("COST{number_of}")));
        for (ours, theirs) in [
            ("COF", "total"),
            ("CoFFinancial", "financial"),
            ("CoFSafety", "safety"),
            ("CoFEnvironment", "environmental"),
            ("CoFNetwork", "network"),
        ] {
            close(&what, &row[ours], number(&case[theirs]).expect("a cost"));
        }
    }
    let hv = row(&answer, "HV");
    assert_eq!(
        (&hv["Model"], &hv["POF"], &hv["HealthIndexBand"], &hv["Risk"]),
        (&json!("Not modelled"), &Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(hv["ModelNote"], "CNAIM has no model of cables of 11 kV; it has 33, 66 and 132 kV");
    assert_eq!(
        (&hv["Line"], &hv["ConsumersPerCS"], &hv["AssetName"]),
        (&json!([[83.1, 17.2], [83.2, 17.3]]), &json!(40), &json!("one F1"))
    );
    assert_eq!(answer["notModelled"], 1);
    assert_eq!(answer["feederVsHealthIndex"].as_array().map(Vec::len), Some(1), "{answer}");
    // Year 0 of the forecast is the sum of the matrix. In later years the risk does not decrease without replacements.
    let body = json!({ "assetpointId": location.0, "healthYear": 2018, "years": 5, "replaced": ["CASE3", "HV"] });
    let forecast = server.json_as(&token, "POST", "/api/assethealth/cableriskforecast", &body).await.json()["result"].clone();
    assert_eq!(forecast["years"], json!([2018, 2019, 2020, 2021, 2022, 2023]));
    assert_eq!((&forecast["sections"], &forecast["notModelled"]), (&json!(count - 1), &json!(1)), "{forecast}");
    let total: f64 = rows(&answer, "cableSections").iter().filter_map(|row| row["Risk"].as_f64()).sum();
    close("year 0", &forecast["doNothing"][0], total);
    // A new section of 2 km has 2 * 0.018753 failures a year. The gain is the difference to CASE3, whose score is 7.248 today.
    let gained = forecast["doNothing"][1].as_f64().expect("risk") - forecast["replaced"][1].as_f64().expect("risk");
    assert!(gained > 2.0 * (0.079_898 - 0.018_753) * 35_902.0 && forecast["replaced"][0] == forecast["doNothing"][0], "{forecast}");
}

#[tokio::test]
async fn a_year_has_the_register_of_its_end_its_newest_condition_and_its_faults() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let sections =
        ["OLD,D1,F1,A,1,33,non_pressurised,,,1990,,1,2000,,,,", "SHORT,D1,F1,A,2,33,oil,lead,,2012,2016,1,,,,,"].map(str::to_owned);
    imported(&server, &token, "register", REGISTER, &sections).await;
    let conditions = ["OLD,2011,60,100,failed_minor,,,", "OLD,2014,60,100,failed_major,,,", "SHORT,2013,,,,,very_high,"].map(str::to_owned);
    imported(&server, &token, "condition", CONDITION, &conditions).await;
    let faults = ["A,OLD,2013-12-31,", "B,OLD,2015-01-01,", "C,SHORT,2015-05-05,"].map(str::to_owned);
    imported(&server, &token, "faults", FAULTS, &faults).await;
    let location = server.one.location;
    for (year, codes, age, faults, band) in [
        (1989, vec![], None, None, None),
        // There is no list of its faults yet.
        (1990, vec!["OLD"], Some(0), None, Some("HI1")),
        // No fault on a list that is kept: at most 5.4.
        (2011, vec!["OLD"], Some(21), Some(0), Some("HI1")),
        (2012, vec!["OLD", "SHORT"], Some(22), Some(0), Some("HI1")),
        // One fault in ten years and one km: 0.1 a year and km is the worst class.
        (2013, vec!["OLD", "SHORT"], Some(23), Some(1), Some("HI5")),
        (2015, vec!["OLD", "SHORT"], Some(25), Some(2), Some("HI5")),
        (2016, vec!["OLD"], Some(26), Some(2), Some("HI5")),
        // The last fault is ten years ago: only the condition of the sheath still counts.
        (2025, vec!["OLD"], Some(35), Some(2), Some("HI3")),
    ] {
        let answer = result_of(&server, &token, &format!("cablehealthdatabyassetpoint/{location}/{year}")).await;
        let found: Vec<&str> = rows(&answer, "cableSections").iter().map(|row| row["CableObjectId"].as_str().expect("a code")).collect();
        assert_eq!(found, codes, "{year}");
        if let Some(age) = age {
            let old = row(&answer, "OLD");
            assert_eq!(
                (&old["AgeOfCable"], &old["NoOfFaults"], &old["HealthIndexBand"]),
                (&json!(age), &json!(faults), &json!(band)),
                "{year}: {old}"
            );
        }
        if codes.contains(&"SHORT") {
            let leaking = if year < 2013 { "HI1" } else { "HI5" };
            assert_eq!(row(&answer, "SHORT")["HealthIndexBand"], leaking, "{year}");
        }
    }
    let stations = result_of(&server, &token, "cablehealthsubstations").await;
    assert_eq!(
        stations["substations"],
        json!([{ "assetPointId": location.0, "assetPointName": "D1 location", "years": [2016, 2015, 2014, 2013, 2012, 2011] }])
    );
    assert_eq!((&stations["defaultSubstation"], &stations["defaultYear"]), (&json!(location.0), &json!(2016)));
    for (year, status) in [("1849", 400), ("2201", 400), ("x", 400), ("2018.5", 400), ("2200", 200)] {
        let answer = server.get_as(&token, &format!("/api/assethealth/cablehealthdatabyassetpoint/{location}/{year}")).await;
        assert_eq!(answer.status, status, "{year}: {answer:?}");
    }
    for (body, message) in [
        (json!({ "cI": "C5" }), "cI must be C1 to C4"),
        (json!({ "hI": "hi1" }), "hI must be HI1 to HI5"),
        (json!({ "healthYear": 3000 }), "healthYear must be a year from 1850 to 2200"),
        (json!({ "more": 1 }), "more"),
    ] {
        let mut request = json!({ "assetpointId": location.0, "healthYear": 2018, "cI": "", "hI": null });
        request.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        let answer = server.json_as(&token, "POST", "/api/assethealth/cablehealthfilterdata", &request).await;
        assert!(answer.status == 400 && answer.body.contains(message), "{request}: {answer:?}");
    }
    for (body, message) in [
        (json!({ "years": 0 }), "years must be from 1 to 40"),
        (json!({ "years": 41 }), "years must be from 1 to 40"),
        (json!({ "replaced": ["OLD", "SHORT"] }), "replaced[1]: there is no such section"),
        (json!({ "replaced": vec!["OLD"; 20_001] }), "replaced: 20001 sections are named, 20000 are allowed"),
        (json!({ "compared": ["SHORT"] }), "compared[0]: there is no such section"),
    ] {
        let mut request = json!({ "assetpointId": location.0, "healthYear": 2018 });
        request.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        let answer = server.json_as(&token, "POST", "/api/assethealth/cableriskforecast", &request).await;
        assert!(answer.status == 400 && answer.body.contains(message), "{answer:?}");
    }
}

#[tokio::test]
async fn what_was_not_looked_at_again_counts_on_and_what_was_of_another_cable_does_not() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let section = |installed: i32| [format!("A,D1,F1,A,1,33,non_pressurised,,,{installed},,1,,,,,")];
    imported(&server, &token, "register", REGISTER, &section(2000)).await;
    let conditions = ["A,2011,60,,failed_major,,,1.2", "A,2012,,,,low,,"].map(str::to_owned);
    imported(&server, &token, "condition", CONDITION, &conditions).await;
    let of_2018 = async || result_of(&server, &token, &format!("cablehealthdatabyassetpoint/{}/2018", server.one.location)).await;
    let answer = of_2018().await;
    let known = row(&answer, "A");
    // The condition of the sheath in 2011 keeps the score at 5.5 or more; there is no list of faults.
    close("score", &known["HealthScore"], 5.5);
    assert_eq!(known["NoOfFaults"], Value::Null);
    assert!(known["FutureScore"].as_f64() > known["HealthScore"].as_f64(), "{known}");
    imported(&server, &token, "faults", FAULTS, &["X,A,2011-06-01,".to_owned()]).await;
    assert_eq!(row(&of_2018().await, "A")["NoOfFaults"], 1);
    // Replaced in 2014.
    imported(&server, &token, "register", REGISTER, &section(2014)).await;
    let anew = of_2018().await;
    assert_eq!((&row(&anew, "A")["NoOfFaults"], &row(&anew, "A")["HealthIndexBand"]), (&Value::Null, &json!("HI1")));
}

#[tokio::test]
async fn plant_answers_by_the_worse_of_its_parts() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let store = store::Store::connect(server.database.url(), 1).await.expect("connected");
    let (transformer, _) = crate::permissible_load::transformer(&store, &server.one).await;
    let code = store
        .registry(Some(server.one.client))
        .await
        .expect("read")
        .assets
        .iter()
        .find(|asset| asset.id == transformer)
        .expect("it")
        .code
        .clone();
    let plant = [
        format!("D1,{code},main,2015,transformer,33,1978,"),
        format!("D1,{code},tap_changer,2015,transformer,33,1978,6"),
        format!("D1,{code},tap_changer,2017,transformer,33,1978,8"),
        "D1,F1CB,,2015,breaker,0.4,2000,".to_owned(),
    ];
    imported(&server, &token, "plant", PLANT, &plant).await;
    let location = server.one.location;
    let of_year = async |year: i32| result_of(&server, &token, &format!("planthealth/{location}/{year}")).await["plant"].clone();
    assert_eq!(of_year(2014).await, json!([]));
    let find = |plant: &Value, id: i64| plant.as_array().expect("rows").iter().find(|row| row["AssetId"] == id).expect("a row").clone();
    for (year, score, band) in [(2016, 6.0, "HI3"), (2018, 8.0, "HI5")] {
        let row = find(&of_year(year).await, transformer.0);
        close("score", &row["HealthScore"], score);
        assert_eq!(
            (&row["HealthIndexBand"], &row["Part"], &row["Kind"], &row["AgeOfPlant"]),
            (&json!(band), &json!("tap_changer"), &json!("33 kV transformer"), &json!(year - 1978))
        );
        // K 0.0454 %, and 134796 + 23502 + 17048 + 28940.
        let x = 1.087 * score;
        close("failures", &row["POF"], 0.000_454 * (1.0 + x + x * x / 2.0 + x * x * x / 6.0));
        close("cost", &row["COF"], 204_286.0);
    }
    let breaker = find(&of_year(2018).await, server.one.breaker.0);
    assert_eq!((&breaker["Model"], &breaker["HealthScore"]), (&json!("Not modelled"), &Value::Null));
    assert_eq!(breaker["ModelNote"], "CNAIM has no model of plant of 0.4 kV");
}

/// Checks the requests of a user of another utility, or of another part of this one.
async fn stranger(server: &Server, token: &str, Utility { location, .. }: &Utility) {
    for path in [format!("cablehealthdatabyassetpoint/{location}/2018"), format!("planthealth/{location}/2018")] {
        let missing = path.replace(&format!("/{location}/"), "/999999/");
        let (answer, missing) = (
            server.get_as(token, &format!("/api/assethealth/{path}")).await,
            server.get_as(token, &format!("/api/assethealth/{missing}")).await,
        );
        assert_eq!((answer.status, missing.status), (404, 404), "{path}: {answer:?}");
    }
    for call in ["cablehealthfilterdata", "cableriskforecast"] {
        let body = json!({ "assetpointId": location.0, "healthYear": 2018 });
        assert_eq!(server.json_as(token, "POST", &format!("/api/assethealth/{call}"), &body).await.status, 404, "{call}");
    }
    assert_eq!(
        result_of(server, token, "cablehealthsubstations").await,
        json!({ "substations": [], "defaultSubstation": null, "defaultYear": null })
    );
}

#[tokio::test]
async fn nobody_sees_what_is_not_theirs_and_the_utility_decides_what_to_begin_with() {
    let server = Server::start().await;
    let (admin, division, other) =
        (server.sign_in("one-admin").await, server.sign_in("one-division").await, server.sign_in("two-admin").await);
    // 3.66 is HI2 by version 2.1 and HI1 by version 1.1.
    imported(&server, &admin, "register", REGISTER, &["A,D1,F1,A,1,33,non_pressurised,,,1958,,1,,,,,".to_owned()]).await;
    imported(
        &server,
        &admin,
        "condition",
        CONDITION,
        &["A,2012,90,100,failed_minor,medium,,".to_owned(), "A,2018,90,100,failed_minor,medium,,".to_owned()],
    )
    .await;
    stranger(&server, &division, &server.one).await;
    stranger(&server, &other, &server.one).await;
    let band = async || {
        result_of(&server, &admin, &format!("cablehealthdatabyassetpoint/{}/2018", server.one.location)).await["cableSections"][0]["HealthIndexBand"].clone()
    };
    assert_eq!(band().await, "HI2");
    let mut configuration = server.get_as(&admin, "/api/admin/configuration").await.json()["result"].clone();
    assert_eq!(
        configuration["health"],
        json!({
            "healthBands": "v2.1", "healthSubstation": null, "healthYear": null, "replacementPerKm": { "33": null, "66": null, "132": null }
        })
    );
    for (health, message) in [
        (json!({ "healthBands": "v3" }), "health.healthBands must be v2.1 or v1.1"),
        (json!({ "healthBands": "v2.1", "healthYear": 1 }), "health.healthYear must be from 1850 to 2200"),
        (json!({ "healthBands": "v2.1", "healthSubstation": server.two.location.0 }), "there is no such substation"),
        (json!({ "healthBands": "v2.1", "healthSubstation": server.one.circle.0 }), "there is no such substation"),
        (json!({ "healthBands": "v2.1", "replacementPerKm": { "33": -1 } }), "health.replacementPerKm: each must be from 0 to 1000000000"),
        (json!({ "healthBands": "v2.1", "more": 1 }), "more"),
    ] {
        configuration["health"] = health;
        let answer = server.json_as(&admin, "PUT", "/api/admin/configuration", &configuration).await;
        assert!(answer.status == 400 && answer.body.contains(message), "{answer:?}");
    }
    configuration["health"] = json!({
        "healthBands": "v1.1", "healthSubstation": server.one.location.0, "healthYear": 2014,
        "replacementPerKm": { "33": 400_000, "66": null, "132": null }
    });
    let answer = server.json_as(&admin, "PUT", "/api/admin/configuration", &configuration).await;
    assert_eq!((answer.status, &answer.json()["result"]["health"]), (200, &configuration["health"]), "{answer:?}");
    assert_eq!(band().await, "HI1");
    // The cost of the first list is that of its kilometre; the other list is empty.
    let body = json!({ "assetpointId": server.one.location.0, "healthYear": 2018, "years": 1, "replaced": ["A"], "compared": [] });
    let forecast = server.json_as(&admin, "POST", "/api/assethealth/cableriskforecast", &body).await.json()["result"].clone();
    assert_eq!(forecast["replacedCost"], json!({ "sections": 1, "km": 1.0, "cost": 400_000.0 }));
    assert_eq!(forecast["comparedCost"], json!({ "sections": 0, "km": 0.0, "cost": 0.0 }));
    assert_eq!(forecast["compared"], forecast["doNothing"]);
    let stations = result_of(&server, &admin, "cablehealthsubstations").await;
    assert_eq!((&stations["defaultSubstation"], &stations["defaultYear"]), (&json!(server.one.location.0), &json!(2014)));
    // A field that a change omits keeps its value.
    configuration.as_object_mut().expect("an object").remove("health");
    assert_eq!(
        server.json_as(&admin, "PUT", "/api/admin/configuration", &configuration).await.json()["result"]["health"]["healthBands"],
        "v1.1"
    );
    let pages = server.get_as(&division, "/api/role/rolepages/4").await.json()["result"].clone();
    let page = pages.as_array().expect("rows").iter().find(|page| page["tabKey"] == "health.cables").expect("the page").clone();
    assert_eq!(
        (&page["appId"], &page["appName"], &page["path"], &page["isReadonly"]),
        (&json!(13), &json!("ASSET_HEALTH"), &json!("/assethealth"), &json!(true))
    );
}
