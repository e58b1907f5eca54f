//! Taking sections out of service by files, the failure rate of a whole cable, and the number of faults in a file.

use serde_json::{Value, json};

use crate::cable_health::{CONDITION, FAULTS, PLANT, REGISTER, import, imported, result_of};
use crate::server::Server;

/// Returns a field of the rows of a list in an answer.
fn listed<'a>(answer: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    answer[list].as_array().expect("rows").iter().map(|row| row[field].as_str().expect("a text")).collect()
}

#[tokio::test]
async fn a_file_takes_sections_and_plant_out_of_service_from_a_day() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let columns = format!("{REGISTER},withdrawn");
    let section = |code: &str, removed: &str, withdrawn: &str| {
        format!("{code},D1,F1,Cable,{code},33,non_pressurised,,,2000,{removed},1,,,,,,{withdrawn}")
    };
    let rows = [section("USED", "", ""), section("GONE", "", "2016-07-01"), section("BOTH", "2015", "2015-12-31")];
    imported(&server, &token, "register", &columns, &rows).await;
    let location = server.one.location;
    let cables = async |year: i32| result_of(&server, &token, &format!("cablehealthdatabyassetpoint/{location}/{year}")).await;
    for (year, codes) in [(2014, vec!["USED", "GONE", "BOTH"]), (2015, vec!["USED", "GONE"]), (2016, vec!["USED"])] {
        assert_eq!(listed(&cables(year).await, "cableSections", "CableObjectId"), codes, "{year}");
    }
    let of_plant = format!("{PLANT},withdrawn");
    imported(&server, &token, "plant", &of_plant, &["D1,F1CB,,2010,breaker,33,2000,,2017-01-01".to_owned()]).await;
    let plant = async |year: i32| {
        result_of(&server, &token, &format!("planthealth/{location}/{year}")).await["plant"].as_array().expect("rows").len()
    };
    assert_eq!((plant(2016).await, plant(2017).await), (1, 0), "at the end of the year");
    let years = result_of(&server, &token, "cablehealthsubstations").await["substations"][0]["years"].clone();
    assert_eq!(years[0], 2017, "of which there is still something to be told");
    // A file without the column leaves it; an empty cell puts back into service.
    let again = "GONE,D1,F1,Cable,GONE,33,non_pressurised,,,2000,,1,,,,,".to_owned();
    imported(&server, &token, "register", REGISTER, &[again]).await;
    assert_eq!(listed(&cables(2018).await, "cableSections", "CableObjectId"), ["USED"]);
    let changed = imported(&server, &token, "register", &columns, &[section("GONE", "", "")]).await;
    assert_eq!(changed["columns"], json!([{ "column": "withdrawn", "rows": 1 }]));
    assert_eq!(listed(&cables(2018).await, "cableSections", "CableObjectId"), ["USED", "GONE"]);
    imported(&server, &token, "plant", &of_plant, &["D1,F1CB,,2018,breaker,33,2018,,".to_owned()]).await;
    assert_eq!(plant(2018).await, 1, "what was made anew is there");
    for (kind, columns, row, message) in [
        ("register", &columns, section("X", "", "1999-12-31"), "1999-12-31: a day from 2000-01-01 to "),
        ("register", &columns, section("X", "", "2999-01-01"), "2999-01-01: a day from 2000-01-01 to "),
        ("register", &columns, section("X", "", "2016"), "a day as YYYY-MM-DD"),
        ("register", &columns, section("X", "2015", "2016-01-01"), "2016-01-01: removed_year says 2015"),
        ("plant", &of_plant, "D1,F1CB,,2018,breaker,33,2018,,2017-05-05".to_owned(), "2017-05-05: a day from 2018-01-01 to "),
    ] {
        let answer = import(&server, &token, kind, &format!("{columns}\n{row}\n"), false).await;
        let fault = answer.json()["result"]["faults"][0].clone();
        assert_eq!((answer.status, &fault["line"], &fault["column"]), (400, &json!(2), &json!("withdrawn")), "{row}");
        assert!(fault["what"].as_str().expect("a sentence").contains(message), "{fault}");
    }
}

#[tokio::test]
async fn a_fault_in_a_few_metres_is_one_of_the_whole_cable() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let section = |code: &str, cable: &str, installed: i32, km: f64| {
        format!("{code},D1,F1,{cable},{code},33,non_pressurised,,,{installed},,{km},2000,,,,")
    };
    let rows = [
        section("SHORT", "Ring", 1990, 0.05),
        section("LONG", "Ring", 1990, 20.0),
        section("YOUNG", "Ring", 2010, 1.0),
        section("ALONE", "Other", 1990, 0.05),
    ];
    imported(&server, &token, "register", REGISTER, &rows).await;
    let findings = ["SHORT", "LONG", "YOUNG", "ALONE"].map(|code| format!("{code},2015,50,40,pass,low,,"));
    imported(&server, &token, "condition", CONDITION, &findings).await;
    let faults = ["A,SHORT,2012-05-05,", "B,ALONE,2012-05-05,"].map(str::to_owned);
    imported(&server, &token, "faults", FAULTS, &faults).await;
    let answer = result_of(&server, &token, &format!("cablehealthdatabyassetpoint/{}/2018", server.one.location)).await;
    let score = |code: &str| {
        let row = answer["cableSections"].as_array().expect("rows").iter().find(|row| row["CableObjectId"] == code).expect("a row");
        (row["HealthScore"].as_f64().expect("a score"), row["NoOfFaults"].as_u64().expect("a count"))
    };
    // One fault on 20.05 km in ten years is less than 0.01 per km and year: a factor of 1.3 and no collar. On 50 m alone it is 2: the collar of 8.
    let (short, long, young, alone) = (score("SHORT"), score("LONG"), score("YOUNG"), score("ALONE"));
    assert_eq!((short.1, long.1, young.1, alone.1), (1, 0, 0, 1), "each tells its own");
    assert!((short.0 - long.0).abs() < 1e-9 && short.0 < 3.0, "{short:?} {long:?}");
    assert!((alone.0 - 8.0).abs() < 1e-9, "{alone:?}");
    assert!(young.0 < short.0, "what was laid later has faults of its own: {young:?}");
}

#[tokio::test]
async fn all_faults_of_a_file_are_counted_and_the_first_hundred_told() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let file = format!("{FAULTS}\n{}", (0..250).map(|number| format!("F{number},NOWHERE,2015-01-01,\n")).collect::<Vec<_>>().concat());
    let result = import(&server, &token, "faults", &file, true).await.json()["result"].clone();
    assert_eq!((result["faults"].as_array().expect("faults").len(), &result["faultsTotal"]), (100, &json!(250)));
    let unreadable = format!("{FAULTS}\n{}", ",,\n".repeat(150));
    let result = import(&server, &token, "faults", &unreadable, false).await.json()["result"].clone();
    assert_eq!(result["faultsTotal"], 150, "of each line that it has too few columns");
}
