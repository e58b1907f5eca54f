//! The risk matrix and its lists agree for any register: each section is in one cell or counted as not modelled.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use crate::cable_health::{CONDITION, FAULTS, REGISTER, imported, result_of};
use crate::server::Server;

/// The rows of a section: of the register, of its condition, and of its faults.
type Rows = (String, Option<String>, Vec<String>);

fn or_empty(all: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    select(all)
}

fn section() -> impl Strategy<Value = Rows> {
    let build = (
        or_empty(&["33", "33", "33", "66", "132", "11", "0.4", "110"]),
        or_empty(&["non_pressurised", "non_pressurised", "oil", "gas", ""]),
        or_empty(&["lead", "aluminium", ""]),
        or_empty(&["copper", "aluminium", ""]),
        1930..=2018_i32,
        1..3_000_u32,
        or_empty(&["", "2005", "2016"]),
        or_empty(&["", "0", "5", "30"]),
    );
    let condition = (
        2005..=2018_i32,
        or_empty(&["", "40", "60", "90", "120"]),
        or_empty(&["", "pass", "failed_minor", "failed_major"]),
        or_empty(&["", "low", "medium", "high"]),
        or_empty(&["", "none", "low_moderate", "high", "very_high"]),
        or_empty(&["", "0.6", "1", "1.5"]),
    );
    (build, proptest::option::of(condition), proptest::collection::vec(2005..=2018_i32, 0..3)).prop_map(|(build, condition, faults)| {
        let (kv, insulation, sheath, conductor, installed, metres, since, load) = build;
        let km = f64::from(metres) / 1_000.0;
        let register = format!("D1,F1,Cable,1,{kv},{insulation},{sheath},{conductor},{installed},,{km},{since},{load},,,");
        let condition =
            condition.filter(|condition| condition.0 >= installed).map(|(year, load, sheath, discharge, leakage, reliability)| {
                format!("{year},{load},,{sheath},{discharge},{leakage},{reliability}")
            });
        (register, condition, faults.into_iter().filter(|year| *year >= installed).map(|year| format!("{year}-03-04,")).collect())
    })
}

async fn agrees(server: &Server, token: &str, sections: &[Rows]) -> Result<(), TestCaseError> {
    let clear = "DELETE FROM cable_fault; DELETE FROM cable_condition; DELETE FROM cable_section";
    server.database.client().await.batch_execute(clear).await.expect("cleared");
    let (mut register, mut conditions, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (section, condition, days)) in sections.iter().enumerate() {
        register.push(format!("S{number},{section}"));
        conditions.extend(condition.iter().map(|condition| format!("S{number},{condition}")));
        faults.extend(days.iter().enumerate().map(|(index, day)| format!("X{number}-{index},S{number},{day}")));
    }
    imported(server, token, "register", REGISTER, &register).await;
    imported(server, token, "condition", CONDITION, &conditions).await;
    imported(server, token, "faults", FAULTS, &faults).await;
    let location = server.one.location.0;
    let answer = result_of(server, token, &format!("cablehealthdatabyassetpoint/{location}/2018")).await;
    let field = async |criticality: &str, health: &str| -> Vec<Value> {
        let body = json!({ "assetpointId": location, "healthYear": 2018, "cI": criticality, "hI": health });
        let found = server.json_as(token, "POST", "/api/assethealth/cablehealthfilterdata", &body).await;
        assert_eq!(found.status, 200, "{found:?}");
        found.json()["result"]["cableSections"].as_array().expect("rows").clone()
    };
    let all = answer["cableSections"].as_array().expect("rows");
    prop_assert_eq!(all.len(), sections.len());
    prop_assert_eq!(&field("", "").await, all);
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(1.0);
    let sum = |rows: &[Value], of: &str| rows.iter().filter_map(|row| row[of].as_f64()).sum::<f64>();
    let (mut counted, mut risk) = (0, 0.0);
    for row in answer["criticalityIndexVsHealthIndex"].as_array().expect("rows") {
        let criticality = row["CI"].as_str().expect("a band");
        let mut of_row = 0;
        for health in ["HI1", "HI2", "HI3", "HI4", "HI5"] {
            let found = field(criticality, health).await;
            prop_assert_eq!(&row[health], &json!(found.len()), "{} {}", criticality, health);
            prop_assert!(found.iter().all(|row| row["CriticalityIndex"] == criticality && row["HealthIndexBand"] == health));
            let fields = |of: &str| row[format!("{health}{of}")].as_f64().expect("a sum");
            prop_assert!(near(fields("Km"), sum(&found, "SectionLengthKM")) && near(fields("Risk"), sum(&found, "Risk")));
            of_row += found.len();
            risk += sum(&found, "Risk");
        }
        prop_assert_eq!(field(criticality, "").await.len(), of_row);
        counted += of_row;
    }
    let not_modelled = all.iter().filter(|row| row["Model"] == "Not modelled").count();
    prop_assert_eq!(&answer["notModelled"], &json!(not_modelled));
    prop_assert_eq!(counted + not_modelled, sections.len());
    let by_feeder =
        |band: &str| answer["feederVsHealthIndex"].as_array().expect("rows").iter().filter_map(|row| row[band].as_u64()).sum::<u64>();
    for health in ["HI1", "HI2", "HI3", "HI4", "HI5"] {
        prop_assert_eq!(field("", health).await.len() as u64, by_feeder(health));
    }
    // A gas cable is replaced by another type, whose failures are rarer and more expensive.
    let is_gas = |number: &usize| sections[*number].0.contains(",gas,");
    let replaced: Vec<String> =
        (0..sections.len()).step_by(2).filter(|number| !is_gas(number)).map(|number| format!("S{number}")).collect();
    let body = json!({ "assetpointId": location, "healthYear": 2018, "years": 40, "replaced": replaced });
    let forecast = server.json_as(token, "POST", "/api/assethealth/cableriskforecast", &body).await.json()["result"].clone();
    let years = |list: &str| forecast[list].as_array().expect("years").iter().map(|risk| risk.as_f64().expect("risk")).collect::<Vec<_>>();
    let (nothing, replaced) = (years("doNothing"), years("replaced"));
    prop_assert!(near(nothing[0], risk) && near(replaced[0], risk), "{} is not {risk}", nothing[0]);
    prop_assert!(nothing.iter().zip(&replaced).all(|(nothing, replaced)| *replaced <= nothing * (1.0 + 1e-12)));
    Ok(())
}

#[test]
fn every_section_lies_in_one_field_or_is_told_as_not_modelled() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (server, token) = runtime.block_on(async {
        let server = Server::start().await;
        let token = server.sign_in("one-admin").await;
        (server, token)
    });
    // Each case sends about forty requests to a real server.
    let mut runner = TestRunner::new(Config { cases: 12, failure_persistence: None, max_shrink_iters: 40, ..Config::default() });
    let found = runner.run(&proptest::collection::vec(section(), 0..40), |sections| runtime.block_on(agrees(&server, &token, &sections)));
    if let Err(wrong) = found {
        panic!("{wrong}");
    }
    runtime.block_on(async { drop(server) });
}
