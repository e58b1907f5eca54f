//! Forecasts with actual values, and the energy budget, over HTTP.

use grid::downsample::floor;
use grid::forecast::{Measure, Method};
use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{Micros, Ordinal, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::forecast::{HourForecast, Issue};
use store::seed::PointSeed;
use store::writer::{Batch, Sample};
use store::{Store, Writer};

use crate::server::Server;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn now() -> Micros {
    Micros::from_millis(std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_millis() as i64)
}

/// Creates further points of the feeder of utility `one`.
async fn points<const N: usize>(server: &Server, codes: [&str; N]) -> [PointId; N] {
    points_in(server, codes.map(|code| (code, Quantity::of_code(code).unit()))).await
}

/// Creates points with the given units.
async fn points_in<const N: usize>(server: &Server, codes: [(&str, &str); N]) -> [PointId; N] {
    let one = &server.one;
    let seeds = codes.map(|(code, unit)| PointSeed {
        client: one.client,
        gateway: one.gateway,
        device: "F1".into(),
        metric: format!("F1/{code}"),
        code: code.into(),
        asset: one.feeder,
        kind: kind_of_code(code),
        quantity: Quantity::of_code(code),
        unit: unit.into(),
        decimals: 1,
        scale: 1.0,
        expected_ms: Some(600_000),
    });
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    store.put_points(&seeds).await.expect("points").try_into().expect("as many")
}

async fn write(server: &Server, values: impl IntoIterator<Item = (PointId, Micros, f64)>) {
    let sample = |(point, source, value): (PointId, Micros, f64)| Sample {
        point,
        client: server.one.client,
        reading: Reading { value: Some(value), quality: Quality::Good, source, received: source, ordinal: Ordinal::default() },
        historical: true,
        repeated: false,
    };
    let batch = Batch { samples: values.into_iter().map(sample).collect(), ..Batch::default() };
    Writer::connect(server.database.url()).await.expect("a writer").commit(&batch).await.expect("stored");
}

async fn ok(server: &Server, path: &str) -> Value {
    let token = server.sign_in("one-admin").await;
    let answer = server.get_as(&token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

#[tokio::test]
async fn a_forecast_stands_beside_what_came_and_what_anybody_could_have_said() {
    let server = Server::start().await;
    let [power] = points(&server, ["P"]).await;
    let to = floor(now(), HOUR_MS);
    let hour = |number: i64| to.plus_millis(number * HOUR_MS);
    // 2 MW a week ago, 1.6 MW since; nothing in hours -5 and -4.
    let value = |number: i64| if number < -7 * 24 { 2.0 } else { 1.6 };
    let known = (-9 * 24..0).filter(|number| ![-5, -4].contains(number));
    write(&server, known.map(|number| (power, hour(number).plus_millis(1_000), value(number)))).await;
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let issue = |at: i64, value: f32, backcast: bool| Issue {
        asset: server.one.feeder,
        measure: Measure::Demand,
        issued: hour(at),
        method: Method::MstlEts,
        backcast,
        hours: vec![HourForecast { value: Some(value), q10: Some(value - 0.1), q90: Some(value + 0.1) }; 48],
    };
    store.put_forecasts(server.one.client, &[issue(-24, 2.0, true), issue(-2, 1.8, false)]).await.expect("stored");

    let path = format!("/api/analytics/peakdemandforecastvsactual/asset/{}/1", server.one.feeder);
    let chart = ok(&server, &path).await;
    let rows = chart["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), &chart["unit"], &chart["from"]), (24 + 46, &json!("kW"), &json!(wire::time::iso(hour(-24)))));
    let row = |number: i64| &rows[usize::try_from(number + 24).expect("within")];
    assert_eq!(
        row(-24),
        &json!({
            "Dt": wire::time::iso(hour(-24)), "timeMs": hour(-24).millis(), "actual": 1600.0, "forecast": 2000.0, "q10": 1900.0, "q90": 2100.0,
            "naive": 2000.0, "mape": 25.0, "type": "actual"
        })
    );
    assert_eq!((&row(-5)["actual"], &row(-5)["mape"], &row(-5)["forecast"]), (&Value::Null, &Value::Null, &json!(2000.0)));
    assert_eq!(
        (&row(-1)["forecast"], &row(-1)["mape"], &row(0)["type"], &row(0)["naive"]),
        (&json!(1800.0), &json!(12.5), &json!("forecast"), &json!(1600.0))
    );
    // 20 hours are 25 % off and two 12.5 %; last week was 25 % off in all.
    let mape = (20.0 * 25.0 + 2.0 * 12.5) / 22.0;
    let near = |name: &str, expected: f64| assert!((chart[name].as_f64().expect(name) - expected).abs() < 1e-6, "{name}: {chart}");
    near("mape", mape);
    near("wape", mape);
    near("mapeNaive", 25.0);
    near("skill", 1.0 - mape / 25.0);
    near("coverage", 100.0 * 22.0 / 24.0);
    near("least", 16.0);
    assert_eq!((&chart["used"], &chart["skipped"], &chart["method"]), (&json!(22), &json!(0), &json!("mstl_ets")));
    assert_eq!((&chart["issuedAt"], &chart["flags"]), (&json!(wire::time::iso(hour(-2))), &json!(["partial", "backcast"])));

    let current = ok(&server, &format!("/api/report/currentforecast/{}/7", server.one.feeder)).await;
    assert_eq!((&current["unit"], &current["flags"], &current["mape"]), (&json!("A"), &json!(["no_data"]), &Value::Null));
    assert_eq!(current["rows"].as_array().expect("rows").len(), 7 * 24);
    let breaker = ok(&server, &format!("/api/analytics/peakdemandforecastvsactual/asset/{}/2", server.one.breaker)).await;
    assert_eq!((&breaker["flags"], &breaker["coverage"]), (&json!(["no_data", "not_metered"]), &Value::Null));
}

#[tokio::test]
async fn spans_that_are_not_told_of_are_refused_with_those_that_are() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    for (path, days, allowed) in [
        ("analytics/peakdemandforecastvsactual/asset", "0", "between 1 and 92"),
        ("analytics/peakdemandforecastvsactual/asset", "93", "between 1 and 92"),
        ("analytics/peakdemandforecastvsactual/asset", "all", "between 1 and 92"),
        ("report/currentforecast", "2", "1, 7 or 30"),
        ("report/currentforecast", "99999999999999999999", "1, 7 or 30"),
    ] {
        let answer = server.get_as(&token, &format!("/api/{path}/{}/{days}", server.one.feeder)).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.body.contains(allowed), "{answer:?}");
        let foreign = server.get_as(&token, &format!("/api/{path}/{}/{days}", server.two.feeder)).await;
        assert_eq!(foreign.status, 404, "whatever the days");
    }
    let foreign = server.get_as(&token, &format!("/api/analytics/energybudget/asset/{}/month", server.two.feeder)).await;
    assert_eq!(foreign.status, 404);
}

#[tokio::test]
async fn the_budget_of_a_month_is_that_of_its_feeders_registers() {
    let server = Server::start().await;
    let [imported, exported] = points(&server, ["EImp", "EExp"]).await;
    // Midnight in Kolkata is at 18:30 UTC. 26 MWh per day are imported and 2 exported, with readings every six hours.
    let midnight = floor(now().plus_millis(HOUR_MS * 11 / 2), DAY_MS).plus_millis(-HOUR_MS * 11 / 2);
    let reads = (-70 * 4..1).flat_map(|six: i64| {
        let at = midnight.plus_millis(six * 6 * HOUR_MS);
        let days = (six + 70 * 4) as f64 / 4.0;
        [(imported, at, 50_000.0 + days * 26.0), (exported, at, 100.0 + days * 2.0)]
    });
    write(&server, reads).await;
    let paths = [
        format!("/api/analytics/energybudget/asset/{}/month", server.one.feeder),
        format!("/api/analytics/energyBudget/location/{}/month", server.one.location),
        format!("/api/analytics/energybudget/client/{}/month", server.one.client),
    ];
    for path in paths {
        let found = ok(&server, &path).await;
        let rows = found["forecastValues"].as_array().expect("rows");
        let over = rows.iter().filter(|row| row["type"] == "actual").count();
        let close = |value: &Value, expected: f64| {
            assert!((value.as_f64().expect("a number") - expected).abs() < 1e-6, "{value}: {expected} {path}");
        };
        for (at, row) in rows.iter().enumerate() {
            close(&row["EnergyConsumptionKwh"], (at + 1) as f64 * 24_000.0);
            close(&row["EnergyBudgetKwh"], (at + 1) as f64 * 24_000.0);
            assert_eq!((&row["day"], row["q10"].is_null()), (&json!(at + 1), at < over), "{row}");
        }
        close(&found["budgetKwh"], rows.len() as f64 * 24_000.0);
        assert_eq!(
            (&found["basis"], &found["method"], &found["timeZone"]),
            (&json!("four_weeks"), &json!("mean_of_4_weeks"), &json!("Asia/Kolkata"))
        );
        assert_eq!((&found["flags"], &found["missing"]), (&json!([]), &json!([])), "{path}");
        assert_eq!(found["issuedAt"], wire::time::iso(midnight));
        assert_eq!(found["coverage"], if over > 0 { json!(100.0) } else { Value::Null });
    }
    // The other substation has no feeder, and the breaker no register.
    let bare = ok(&server, &format!("/api/analytics/energybudget/location/{}/month", server.one.other_location)).await;
    assert_eq!((&bare["flags"], &bare["missing"], &bare["budgetKwh"]), (&json!(["no_data", "not_metered"]), &json!([]), &Value::Null));
    let breaker = ok(&server, &format!("/api/analytics/energybudget/asset/{}/month", server.one.breaker)).await;
    assert_eq!(breaker["missing"], json!(["one F1CB"]));
}

#[tokio::test]
async fn points_are_told_of_in_their_own_units_and_a_silence_is_on_no_day() {
    let server = Server::start().await;
    let [power, imported] = points_in(&server, [("P", "kW"), ("EImp", "kWh")]).await;
    let hour = floor(now(), HOUR_MS);
    // 24 kWh a day; nothing from ten to six days ago.
    let known = (-40 * 24..1_i64).filter(|hour| !(-10 * 24..-6 * 24).contains(hour));
    let values = known.flat_map(|number| {
        let at = hour.plus_millis(number * HOUR_MS);
        [(imported, at, 5_000.0 + number as f64), (power, at, 70.0)]
    });
    write(&server, values).await;
    let chart = ok(&server, &format!("/api/analytics/peakdemandforecastvsactual/asset/{}/1", server.one.feeder)).await;
    assert_eq!((&chart["unit"], &chart["rows"][3]["actual"]), (&json!("kW"), &json!(70.0)));
    let budget = ok(&server, &format!("/api/analytics/energybudget/asset/{}/month", server.one.feeder)).await;
    let rows = budget["forecastValues"].as_array().expect("rows");
    let ahead: Vec<f64> =
        rows.iter().filter(|row| row["type"] == "forecast").map(|row| row["EnergyConsumptionKwh"].as_f64().expect("a number")).collect();
    assert!(ahead.windows(2).all(|days| (days[1] - days[0] - 24.0).abs() < 1e-6), "{budget}");
    let actual: Vec<f64> =
        rows.iter().filter(|row| row["type"] == "actual").filter_map(|row| row["EnergyConsumptionKwh"].as_f64()).collect();
    assert!(actual.windows(2).all(|days| days[1] - days[0] < 24.0 + 1e-6), "no day has used what was counted in a silence: {budget}");

    let server = Server::start().await;
    points_in(&server, [("P", "hp"), ("EImp", "BTU")]).await;
    let chart = ok(&server, &format!("/api/analytics/peakdemandforecastvsactual/asset/{}/1", server.one.feeder)).await;
    assert_eq!(chart["flags"], json!(["no_data", "not_metered"]));
    let budget = ok(&server, &format!("/api/analytics/energybudget/asset/{}/month", server.one.feeder)).await;
    assert_eq!((&budget["flags"], &budget["missing"].as_array().expect("names").len()), (&json!(["no_data", "not_metered"]), &1));
}

#[tokio::test]
async fn a_feeder_that_feeds_a_substation_counts_there_alone() {
    let server = Server::start().await;
    let [imported] = points(&server, ["EImp"]).await;
    let reads = (-60 * 24..1).map(|hour: i64| (imported, now().plus_millis(hour * HOUR_MS), 50_000.0 + hour as f64));
    write(&server, reads).await;
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    store.put_feeds(server.one.client, &[(server.one.feeder, server.one.other_location)]).await.expect("put");
    let area = ok(&server, &format!("/api/analytics/energybudget/client/{}/month", server.one.client)).await;
    assert_eq!((&area["budgetKwh"], &area["flags"]), (&Value::Null, &json!(["no_data", "not_metered"])));
    let own = ok(&server, &format!("/api/analytics/energybudget/asset/{}/month", server.one.feeder)).await;
    assert!(own["budgetKwh"].is_number(), "{own}");
}

/// Registers of 24 kWh a day, and the first instant of the running month in Kolkata with the name of the month.
async fn metered() -> (Server, String) {
    let server = Server::start().await;
    let [imported] = points_in(&server, [("EImp", "kWh")]).await;
    let hour = floor(now(), HOUR_MS);
    write(&server, (-40 * 24..1_i64).map(|number| (imported, hour.plus_millis(number * HOUR_MS), 5_000.0 + number as f64))).await;
    let month = wire::time::iso(now().plus_millis(HOUR_MS * 11 / 2))[..7].to_owned();
    (server, month)
}

#[tokio::test]
async fn entered_budget_replaces_the_estimate_and_is_audited() {
    let (server, month) = metered().await;
    let (admin, feeder) = (server.sign_in("one-admin").await, server.one.feeder);
    let path = format!("/api/admin/energybudget/asset/{feeder}");
    let shown = format!("/api/analytics/energybudget/asset/{feeder}");
    let put = async |kwh: Value| server.json_as(&admin, "PUT", &path, &json!({ "month": month, "budgetKwh": kwh })).await;
    let estimated = ok(&server, &format!("{shown}/month")).await;
    assert_eq!(estimated["basis"], "four_weeks");
    let stored = put(json!(600.0)).await;
    assert_eq!((stored.status, &stored.json()["result"]), (200, &json!([{ "month": month, "budgetKwh": 600.0 }])));
    let found = ok(&server, &format!("{shown}/month")).await;
    let days = found["forecastValues"].as_array().expect("rows").len() as f64;
    let close = |value: &Value, expected: f64| assert!((value.as_f64().expect("a number") - expected).abs() < 1e-6, "{value}: {expected}");
    assert_eq!((&found["basis"], &found["budgetKwh"]), (&json!("entered"), &json!(600.0)));
    close(&found["expectedKwh"], days * 24.0);
    close(&found["overrunKwh"], days * 24.0 - 600.0);
    let over = found["forecastValues"].as_array().expect("rows").iter().filter(|row| row["type"] == "actual").count() as f64;
    if over > 0.0 {
        close(&found["varianceKwh"], over * (24.0 - 600.0 / days));
        close(&found["variancePercent"], 100.0 * (24.0 * days / 600.0 - 1.0));
    } else {
        assert_eq!((&found["varianceKwh"], &found["variancePercent"]), (&Value::Null, &Value::Null));
    }
    // A budget is for its place only.
    let area = ok(&server, &format!("/api/analytics/energybudget/client/{}/month", server.one.client)).await;
    assert_eq!(area["basis"], "four_weeks");
    // Every user who sees the place sees the entered budgets; only administrators change them.
    assert_eq!(ok(&server, &format!("{shown}/entered")).await, json!([{ "month": month, "budgetKwh": 600.0 }]));
    let reader = server.sign_in("one-division").await;
    assert_eq!(server.json_as(&reader, "PUT", &path, &json!({ "month": month, "budgetKwh": 1 })).await.status, 403);
    for (wrong, what) in [
        (json!({ "month": "2026-13", "budgetKwh": 1 }), "month must be"),
        (json!({ "month": month, "budgetKwh": 0 }), "budgetKwh must be"),
        (json!({ "month": month, "budgetKwh": 1e12 }), "budgetKwh must be"),
    ] {
        let refused = server.json_as(&admin, "PUT", &path, &wrong).await;
        assert!(refused.status == 400 && refused.body.contains(what), "{refused:?}");
    }
    assert_eq!(put(json!(600.0)).await.status, 200, "nothing changes");
    assert_eq!(put(Value::Null).await.json()["result"], json!([]));
    assert_eq!(ok(&server, &format!("{shown}/month")).await["basis"], "four_weeks");
    let audited = server.audited(server.one.client).await;
    let changes =
        audited.iter().filter(|(action, subject)| action == "energy_budget_changed" && subject.ends_with(&format!("asset {feeder}")));
    assert_eq!(changes.count(), 2, "entered and removed: {audited:?}");
}

#[tokio::test]
async fn budgets_are_imported_completely_or_not_at_all() {
    let (server, month) = metered().await;
    let admin = server.sign_in("one-admin").await;
    let import =
        async |rows: &str| crate::matrix_energy::import(&server, &admin, &format!("level,code,substation,month,kwh\n{rows}")).await;
    let faulty = import(&format!(
        "client,,,{month},700\nclient,x,,{month},700\nasset,F1,nowhere,{month},1\nasset,none,D1,{month},1\nsubstation,D1,,{month},-1\nland,,,{month},1\nclient,,,{month},1\n"
    ))
    .await;
    assert_eq!(faulty.status, 400, "{faulty:?}");
    let rejected = import(&format!(
        "client,,,{month},700\nasset,F1,nowhere,{month},1\nasset,none,D1,{month},1\nland,,,{month},1\nclient,,,{month},1\n"
    ))
    .await;
    let faults = rejected.json()["result"]["faults"].as_array().expect("faults").clone();
    let found: Vec<(i64, &str)> =
        faults.iter().map(|fault| (fault["line"].as_i64().expect("a line"), fault["column"].as_str().expect("a column"))).collect();
    assert_eq!(found, [(3, "substation"), (4, "code"), (5, "level"), (6, "month")], "{faults:?}");
    assert!(rejected.body.contains("nothing is stored: line 3, column substation"), "{rejected:?}");
    assert_eq!(ok(&server, &format!("/api/analytics/energybudget/client/{}/entered", server.one.client)).await, json!([]));
    let rows = format!("client,,,{month},700\nsubstation,D1,,{month},650.5\nasset,F1,D1,{month},600\nasset,F1,D1,2026-01,500\n");
    let counts = |answer: &crate::server::Answer| {
        let result = answer.json()["result"].clone();
        ["added", "changed", "same"].map(|name| result[name].as_u64().unwrap_or(99))
    };
    assert_eq!(counts(&import(&rows).await), [4, 0, 0]);
    assert_eq!(counts(&import(&rows.replace("700", "800")).await), [0, 1, 3]);
    let of_month = ok(&server, &format!("/api/analytics/energybudget/location/{}/month", server.one.location)).await;
    assert_eq!((&of_month["basis"], &of_month["budgetKwh"]), (&json!("entered"), &json!(650.5)));
    let entered = ok(&server, &format!("/api/analytics/energybudget/asset/{}/entered", server.one.feeder)).await;
    assert_eq!(entered.as_array().expect("rows").len(), 2);
    assert_eq!(server.audited(server.one.client).await.iter().filter(|(action, _)| action == "energy_budgets_imported").count(), 2);
}
