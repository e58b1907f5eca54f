//! Plans of a day over HTTP: compared with figures by hand and with another solver, the sources of their input, and errors.

use grid::downsample::floor;
use grid::forecast::{Measure, Method};
use grid::{Micros, solar};
use serde_json::{Value, json};
use store::Store;
use store::forecast::{HourForecast, Issue};

use crate::energy_field::{HOUR_MS, MINUTE_MS, midnight, now, write};
use crate::lowcarbon_field::{RUN, change, enter, handle, near, number, refused, run, upload};
use crate::server::Server;

const DAY_MS: i64 = 24 * HOUR_MS;

fn row<'a>(plan: &'a Value, name: &str) -> &'a Vec<Value> {
    plan["results"][name].as_array().unwrap_or_else(|| panic!("{name}: {plan}"))
}

/// Returns the date in India, a number of days after that of an instant.
fn date(at: Micros, days: i64) -> String {
    let local = jiff::Timestamp::from_millisecond(at.millis() + 330 * MINUTE_MS + days * DAY_MS).expect("a time");
    local.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

#[tokio::test]
async fn a_day_is_planned_as_by_hand_and_parameters_are_taken_as_browsers_send_them() {
    let server = Server::start().await;
    enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let file = handle(&server, &token, 50.0).await;
    // 50 kW all day, at 4 until noon and at 8 from then on. Below a limit of 56 kW, 6 kW charge for 12 hours.
    let plan = run(&server, &token, &json!({ "demandFile": file })).await;
    let (charged, discharged) = (72.0, 72.0 * 0.95 * 0.95);
    near("cost", &plan["cost"], (600.0 + charged) * 4.0 + (600.0 - discharged) * 8.0);
    near("without", &plan["costWithoutBattery"], 600.0 * 4.0 + 600.0 * 8.0);
    near("saving", &plan["saving"], discharged * 8.0 - charged * 4.0);
    near("battery_charge", &plan["stats"]["battery_charge"], charged);
    near("battery_discharge", &plan["stats"]["battery_discharge"], discharged);
    near("site", &plan["stats"]["site"], 1_200.0);
    near("grid_import", &plan["stats"]["grid_import"], 1_200.0 + charged - discharged);
    near("grid_export", &plan["stats"]["grid_export"], 0.0);
    assert_eq!((&plan["currency"], &plan["solarFrom"], &plan["timeZone"]), (&json!("INR"), &json!("none"), &json!("Asia/Kolkata")));
    assert_eq!((&plan["day"], &plan["historical"], &plan["warnings"]), (&json!(date(now(), 0)), &Value::Null, &json!([])));
    let shares = &plan["shares"];
    near("shares", &json!(number(&shares["solar"]) + number(&shares["battery"]) + number(&shares["grid"])), 100.0);
    for name in ["hour_of_day", "Base_Demand_Kw", "Battery_Charge_Discharge_Kw", "Battery_Storage_Kwh", "NetDemand_Kw", "PV_Generation_Kw"]
    {
        assert_eq!(row(&plan, name).len(), 48, "{name}");
    }
    assert_eq!((row(&plan, "hour_of_day")[47].clone(), plan["curtailedKw"].as_array().expect("a row").len()), (json!(23.5), 48));
    let (stored, percent) = (plan["storageKwh"].as_array().expect("a row"), plan["storagePercent"].as_array().expect("a row"));
    assert!(stored.len() == 49 && percent.len() == 49 && (number(&stored[48]) - number(&stored[0])).abs() < 1e-5);
    for slot in 0..48 {
        let (net, battery) = (number(&row(&plan, "NetDemand_Kw")[slot]), number(&row(&plan, "Battery_Charge_Discharge_Kw")[slot]));
        assert!((net - 50.0 - battery).abs() < 1e-5 && net < 56.0 + 1e-5, "slot {slot}: {net} {battery}");
    }
    // Half the battery, as numbers and as the texts of a form; windows by half hours, as the specification's names do not say.
    let smaller = [
        json!({ "BatteryCapacityMaxKwh": 50, "ChargingStartTimeHours": 0, "DischargingEndTimeHours": 46 }),
        json!({ "BatteryCapacityMaxKwh": "50", "ChargingStartTimeHours": "0", "DischargingEndTimeHours": "46", "lat": "", "deviceId": "12193" }),
    ];
    let mut plans = Vec::new();
    for body in smaller {
        let mut body = body;
        body["demandFile"] = json!(file);
        plans.push(run(&server, &token, &body).await);
    }
    assert_eq!(plans[0], plans[1]);
    near("a smaller battery", &plans[0]["saving"], 50.0 * 0.95 * 8.0 - 50.0 / 0.95 * 4.0);
    for slot in 46..48 {
        assert!(number(&row(&plans[0], "Battery_Charge_Discharge_Kw")[slot]) > -1e-6, "outside of its window");
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_name_and_changes_nothing() {
    let server = Server::start().await;
    enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let file = handle(&server, &token, 50.0).await;
    for (field, value, expected_message) in [
        (
            "ChargingStartTimeHours",
            json!("05"),
            "ChargingStartTimeHours: is \"05\"; a whole number of half hours from 0 to 48, without leading zeros",
        ),
        ("ChargingEndTimeHours", json!(-1), "ChargingEndTimeHours: is \"-1\"; a whole number"),
        ("DischargingEndTimeHours", json!(49), "DischargingEndTimeHours: is 49; half hours of a day, from 0 to 48"),
        ("DischargingEndTimeHours", json!(1.5), "DischargingEndTimeHours: is \"1.5\"; a whole number"),
        ("BatteryChargeRateKw", json!("much"), "BatteryChargeRateKw: is \"much\"; a number"),
        ("BatteryCapacityMinKwh", json!(101), "BatteryCapacityMinKwh: is 101, above BatteryCapacityMaxKwh, which is 100"),
        ("Objective", json!("cheap"), "Objective: is \"cheap\"; cost_with_solar or cost_without_solar"),
        ("deviceId", json!(12_194), "deviceId: is 12194; this is the site 12193"),
        ("Efficiency", json!(1), "\"Efficiency\": is not known; allowed are BatteryCapacityMaxKwh, "),
        ("lat", json!({}), "lat: is neither a number nor a text"),
        ("day", json!("someday"), "day: today, tomorrow, or a day such as "),
        ("day", json!(7), "invalid type: integer `7`, expected a string"),
    ] {
        let (status, message) = refused(&server, &token, &json!({ "demandFile": file, field: value })).await;
        assert!(status == 400 && message.contains(expected_message), "{field} {value}: {status} {message}");
    }
    let late = json!({ "demandFile": file, "day": date(now(), 2) });
    assert_eq!(refused(&server, &token, &late).await.0, 400, "the day after tomorrow");
}

#[tokio::test]
async fn without_a_plan_the_constraint_that_cannot_be_kept_is_named() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let mut demand = vec!["50".to_owned(); 48];
    demand[37] = "90".to_owned();
    let answer = upload(&server, &token, 12_193, demand.join("\n").as_bytes()).await;
    let file = answer.json()["result"]["handle"].clone();
    let (status, message) = refused(&server, &token, &json!({ "demandFile": file })).await;
    assert_eq!(status, 422, "{message}");
    assert!(message.starts_with("demand is above the import limit in slot 37 (18:30 to 19:00): 90.00 kW are needed"), "{message}");
    assert!(message.contains("the battery gives no more than BatteryDischargeRateKw"), "{message}");
    let body = json!({ "base": { "demandFile": file, "BatteryDischargeRateKw": 40 }, "changed": { "BatteryDischargeRateKw": 10 } });
    let answer = server.json_as(&token, "POST", &format!("{RUN}/compare"), &body).await;
    let message = answer.json()["message"].as_str().expect("a message").to_owned();
    assert!(answer.status == 422 && message.starts_with("changed: demand is above the import limit"), "{answer:?}");
    // Nothing has been measured, and no file was chosen.
    let none = "There is no demand for this site: choose a demand file, or wait for a day of measurements.";
    assert_eq!(refused(&server, &token, &json!({})).await, (422, none.to_owned()));
    change(&server, &meters, &json!({ "points": {} })).await;
    assert_eq!(refused(&server, &token, &json!({})).await, (422, none.to_owned()));
    // Filled up in the evening and to be full again in the end, it cannot charge.
    change(&server, &meters, &json!({ "initialEnergyKwh": 80.0, "importLimitKw": 30.0 })).await;
    let file = handle(&server, &token, 31.0).await;
    let (status, message) = refused(&server, &token, &json!({ "demandFile": file })).await;
    assert!(status == 422 && message.starts_with("the battery has to end the day with 80 kWh and comes to "), "{message}");
    // The 80 kWh do not fit into a smaller battery: the answer has a warning and a plan.
    change(&server, &meters, &json!({ "initialEnergyKwh": 80.0, "importLimitKw": null })).await;
    let plan = run(&server, &token, &json!({ "demandFile": file, "BatteryCapacityMaxKwh": 40 })).await;
    near("the beginning", &plan["storageKwh"][0], 40.0);
    assert!(plan["warnings"][0].as_str().expect("a sentence").starts_with("The battery begins the day with 40 kWh"), "{plan}");
}

#[tokio::test]
async fn the_sun_is_that_of_the_site_the_profile_or_none() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    let prices = json!({ "currency": "INR", "importPrice": vec![6.0; 48], "exportPrice": vec![3.0; 48] });
    let sunny = json!({ "parameters": { "SolarCapacityKwp": 100 }, "importLimitKw": null, "mayExport": true, "tariff": prices });
    change(&server, &meters, &sunny).await;
    let token = server.sign_in("one-admin").await;
    let file = handle(&server, &token, 20.0).await;
    let day = date(now(), -100);
    let ask = |fields: Value| crate::lowcarbon_field::with(json!({ "demandFile": file, "day": day }), &fields);
    let plan = run(&server, &token, &ask(json!({}))).await;
    let parts: Vec<i32> = day.split('-').map(|part| part.parse().expect("a number")).collect();
    let midnight = solar::midnight(parts[0], parts[1] as u8, parts[2] as u8, 330).expect("a day");
    let expected =
        solar::Panels::new(100.0, 0.8).expect("panels").day(solar::Coordinates::new(17.6868, 83.2185).expect("a place"), midnight);
    for (slot, kw) in expected.iter().enumerate() {
        near("the sun", &row(&plan, "PV_Generation_Kw")[slot], *kw);
    }
    near("solar", &plan["stats"]["solar"], expected.iter().sum::<f64>() * solar::SLOT_HOURS);
    assert!(number(&plan["stats"]["grid_export"]) > 100.0 && plan["solarFrom"] == "clear-sky" && plan["day"] == json!(day), "{plan}");
    // The specification's 0, 0 means the position of the site; another position has another sun.
    assert_eq!(run(&server, &token, &ask(json!({ "lat": 0, "lon": "0" }))).await, plan);
    let north = run(&server, &token, &ask(json!({ "lat": 52.5, "lon": 13.4 }))).await;
    assert_ne!(north["results"]["PV_Generation_Kw"], plan["results"]["PV_Generation_Kw"]);
    let without = run(&server, &token, &ask(json!({ "Objective": "cost_without_solar" }))).await;
    assert_eq!((&without["solarFrom"], number(&without["stats"]["solar"]), &without["warnings"]), (&json!("none"), 0.0, &json!([])));
    near("480 kWh at 6", &without["cost"], 480.0 * 6.0);
    assert!(number(&plan["cost"]) < 480.0 * 6.0 - 500.0);
    // The measured profile of the site takes precedence over the clear sky. It is scaled by the size of the panels.
    let mut profile = vec![0.0; 48];
    profile[24] = 40.0;
    change(&server, &meters, &crate::lowcarbon_field::with(sunny.clone(), &json!({ "solarProfile": profile }))).await;
    let plan = run(&server, &token, &ask(json!({ "SolarCapacityKwp": 50 }))).await;
    assert_eq!(
        (&plan["solarFrom"], number(&row(&plan, "PV_Generation_Kw")[24]), number(&plan["stats"]["solar"])),
        (&json!("profile"), 20.0, 10.0)
    );
    assert_eq!((&plan["shares"]["solar"], &plan["shares"]["grid"]), (&json!(2), &json!(98)), "10 of 480 kWh");
    change(&server, &meters, &crate::lowcarbon_field::with(sunny, &json!({ "lat": null, "lon": null }))).await;
    let plan = run(&server, &token, &ask(json!({}))).await;
    assert_eq!((&plan["solarFrom"], number(&plan["stats"]["solar"])), (&json!("none"), 0.0));
    assert!(plan["warnings"][0].as_str().expect("a sentence").contains("The site has no coordinates"), "{plan}");
}

#[tokio::test]
async fn yesterday_is_what_was_measured_and_its_sums_are_those_of_its_half_hours() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let file = handle(&server, &token, 50.0).await;
    let today = midnight(now());
    let begin = today.plus_millis(-DAY_MS);
    // 40 kW all day and 80 kW in the last hour; 60 kW of sun from 10:00 to 14:00. The battery charges with 20 kW from 10:00 to 12:00,
    // discharges with 10 kW from 18:00 to 22:00, and its charge grows by 5 kWh per half hour. The charge is unknown before noon. The days
    // before and after have other values.
    let at = |slot: i64, part: i64| begin.plus_millis((slot * 30 + part * 10) * MINUTE_MS);
    let mut values = Vec::new();
    for slot in -48..54 {
        let inside = (0..48).contains(&slot);
        let site = if !inside {
            999.0
        } else if slot >= 46 {
            80.0
        } else {
            40.0
        };
        let solar = if (20..28).contains(&slot) { 60.0 } else { 0.0 };
        let battery = if (20..24).contains(&slot) {
            20.0
        } else if (36..44).contains(&slot) {
            -10.0
        } else {
            0.0
        };
        for part in 0..3 {
            let time = at(slot, part);
            values.push((meters.site, time, site));
            values.push((meters.solar, time, solar / 1_000.0));
            values.push((meters.battery, time, battery * 1_000.0));
            values.push((meters.grid, time, site - solar + battery));
            if (24..48).contains(&slot) {
                values.push((meters.storage, time, (slot - 24) as f64 * 5.0 / 100.0 * 100.0));
            }
        }
    }
    values.retain(|(_, time, _)| *time < now());
    write(&server, &values).await;
    let plan = run(&server, &token, &json!({ "demandFile": file })).await;
    let past = &plan["historical"];
    assert_eq!(past["day"], json!(date(begin, 0)));
    let alone = "lowcarbon/site/12193/reported";
    assert_eq!(&crate::energy_field::ok(&server, &token, alone).await, past, "without asking for a plan");
    let of = |name: &str, slot: usize| past["results"][name][slot].clone();
    for (name, slot, expected) in [
        ("Base_Demand_Kw", 0, json!(40.0)),
        ("Base_Demand_Kw", 47, json!(80.0)),
        ("PV_Generation_Kw", 20, json!(60.0)),
        ("PV_Generation_Kw", 28, json!(0.0)),
        ("Battery_Charge_Discharge_Kw", 23, json!(20.0)),
        ("Battery_Charge_Discharge_Kw", 36, json!(-10.0)),
        ("NetDemand_Kw", 21, json!(0.0)),
        ("NetDemand_Kw", 25, json!(-20.0)),
        ("NetDemand_Kw", 40, json!(30.0)),
        ("Battery_Storage_Kwh", 47, json!(115.0)),
    ] {
        let found = of(name, slot);
        assert!((number(&found) - number(&expected)).abs() < 1e-9, "{name}[{slot}]: {found}, expected {expected}");
    }
    assert_eq!(of("Battery_Storage_Kwh", 10), Value::Null, "what is not known is no 0");
    for (name, expected) in [
        ("site", 23.0 * 40.0 + 80.0),
        ("solar", 4.0 * 60.0),
        ("grid_import", 23.0 * 40.0 + 80.0 - 2.0 * 40.0 - 2.0 * 40.0 - 4.0 * 10.0),
        ("grid_export", 2.0 * 20.0),
        ("battery_charge", 2.0 * 20.0),
        ("battery_discharge", 4.0 * 10.0),
    ] {
        near(name, &past["stats"][name], expected);
    }
    // Of 1000 kWh the site got 160 from the panels and 40 from the battery.
    assert_eq!(past["shares"], json!({ "solar": 16, "battery": 4, "grid": 80 }));
    near("coverage", &past["coverage"], 100.0 * (4.0 * 48.0 + 24.0) / (5.0 * 48.0));
    // The same after the rollups have been computed.
    crate::energy_field::work_out(&server).await;
    assert_eq!(&run(&server, &token, &json!({ "demandFile": file })).await["historical"], past);
    // Values of a removed point are not reported.
    change(&server, &meters, &json!({ "points": { "solar": meters.solar.0 } })).await;
    let only = run(&server, &token, &json!({ "demandFile": file })).await["historical"].clone();
    assert_eq!((&only["stats"]["site"], &only["shares"], &only["stats"]["solar"]), (&Value::Null, &Value::Null, &json!(240.0)));
    change(&server, &meters, &json!({ "points": {} })).await;
    assert_eq!(run(&server, &token, &json!({ "demandFile": file })).await["historical"], Value::Null);
    assert_eq!(crate::energy_field::ok(&server, &token, alone).await, Value::Null);
}

#[tokio::test]
async fn demand_is_forecast_or_that_of_such_days_in_the_last_four_weeks() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    change(&server, &meters, &json!({ "importLimitKw": null })).await;
    let token = server.sign_in("one-admin").await;
    let today = midnight(now());
    // 30 kW on each day but tomorrow's weekday, on which there were 70 one week and 50 the other; 10 kW more from noon on.
    let tomorrow = today.plus_millis(DAY_MS);
    let mut values = Vec::new();
    for back in 2..=15 {
        let kw = match back {
            7 => 70.0,
            14 => 50.0,
            _ => 30.0,
        };
        for part in 0..144 {
            let time = tomorrow.plus_millis(-back * DAY_MS + part * 10 * MINUTE_MS);
            values.push((meters.site, time, if part < 72 { kw } else { kw + 10.0 }));
        }
    }
    write(&server, &values).await;
    let plan = run(&server, &token, &json!({ "day": "tomorrow" })).await;
    assert_eq!((&plan["demandFrom"], &plan["issued"], &plan["day"]), (&json!("mean"), &Value::Null, &json!(date(tomorrow, 0))));
    assert_eq!(plan["warnings"], json!([]));
    let demand = row(&plan, "Base_Demand_Kw");
    // Hours of UTC begin at half past: the first half hour of the day shares one with the last of the day before.
    for (slot, expected) in [(1, 60.0), (2, 60.0), (22, 60.0), (26, 70.0), (46, 70.0)] {
        near("demand", &demand[slot], expected);
    }
    // A forecast that covers all of today takes precedence. Tomorrow is covered by half, and the mean is used for the rest.
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let issued = floor(today.plus_millis(-HOUR_MS), HOUR_MS);
    let hours = (0..42).map(|hour| HourForecast { value: Some(25.0 + hour as f32), q10: None, q90: None }).collect();
    let issue = Issue { asset: meters.asset, measure: Measure::Demand, issued, method: Method::FourWeeks, backcast: false, hours };
    // A backcast is used if there is no forecast, and is flagged.
    let afterwards = Issue { issued: issued.plus_millis(-HOUR_MS), backcast: true, ..issue.clone() };
    store.put_forecasts(server.one.client, &[afterwards]).await.expect("stored");
    let plan = run(&server, &token, &json!({})).await;
    let reported = "The forecast of 48 half hours was made afterwards, from what had been measured before them.";
    assert_eq!((&plan["demandFrom"], &plan["warnings"]), (&json!("forecast"), &json!([reported])));
    store.put_forecasts(server.one.client, &[issue]).await.expect("stored");
    let plan = run(&server, &token, &json!({})).await;
    assert_eq!(
        (&plan["demandFrom"], &plan["issued"], &plan["warnings"]),
        (&json!("forecast"), &json!(wire::time::iso(issued)), &json!([]))
    );
    for slot in [0, 1, 2, 30, 47] {
        let hour = today.plus_millis((slot * 30 + 15) * MINUTE_MS).millis_since(issued).div_euclid(HOUR_MS);
        near("forecast", &row(&plan, "Base_Demand_Kw")[slot as usize], 25.0 + hour as f64);
    }
    let plan = run(&server, &token, &json!({ "day": "tomorrow" })).await;
    let reported = plan["warnings"][0].as_str().unwrap_or_default();
    assert!(
        plan["demandFrom"] == "forecast" && reported.contains("half hours have no forecast; the mean of the last four weeks stands there"),
        "{plan}"
    );
    near("the mean", &row(&plan, "Base_Demand_Kw")[46], 70.0);
}

#[tokio::test]
async fn a_holiday_is_no_example_and_a_single_day_is_told() {
    let server = Server::start().await;
    let today = midnight(now());
    // Before the server has read its configuration.
    let holiday = json!({ "holidays": [date(today, -7), "no day"] });
    server.database.client().await.execute("UPDATE client SET config = config || $1", &[&holiday]).await.expect("set");
    let meters = enter(&server).await;
    change(&server, &meters, &json!({ "importLimitKw": null })).await;
    let mut values = Vec::new();
    for (back, kw) in [(7, 5.0), (14, 50.0)] {
        // From the hour of UTC in which the day begins.
        values.extend((-3..144).map(|part| (meters.site, today.plus_millis(-back * DAY_MS + part * 10 * MINUTE_MS), kw)));
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let plan = run(&server, &token, &json!({})).await;
    assert!(row(&plan, "Base_Demand_Kw").iter().all(|kw| (number(kw) - 50.0).abs() < 1e-6), "{plan}");
    let reported = "The demand of 48 half hours is that of a single day in the last four weeks: no more such days are known.";
    assert_eq!((&plan["demandFrom"], &plan["warnings"]), (&json!("mean"), &json!([reported])));
}

#[tokio::test]
async fn two_plans_stand_side_by_side_and_what_is_left_out_is_as_in_the_first() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    change(&server, &meters, &json!({ "importLimitKw": null, "endsAsItBegan": false })).await;
    let token = server.sign_in("one-admin").await;
    let file = handle(&server, &token, 50.0).await;
    let path = format!("{RUN}/compare");
    let ask = async |body: Value| server.json_as(&token, "POST", &path, &body).await;
    let base = json!({ "demandFile": file, "BatteryDischargeRateKw": 20, "DischargingStartTimeHours": 24 });
    let answer = ask(json!({ "base": base, "changed": { "BatteryCapacityMaxKwh": 200 } })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let both = answer.json()["result"].clone();
    // 100 kWh and 200 kWh are filled at 4 and given at 8, with 5 % lost each way; a rate of 20 kW for 12 hours gives it all.
    let cost = |kwh: f64| 7_200.0 + kwh / 0.95 * 4.0 - kwh * 0.95 * 8.0;
    near("base", &both["base"]["cost"], cost(100.0));
    near("changed", &both["changed"]["cost"], cost(200.0));
    near("costDifference", &both["costDifference"], cost(200.0) - cost(100.0));
    near("importDifferenceKwh", &both["importDifferenceKwh"], 100.0 / 0.95 - 95.0);
    near("storedDifferenceKwh", &both["storedDifferenceKwh"], 0.0);
    assert_eq!((&both["base"]["historical"], &both["changed"]["demandFrom"]), (&Value::Null, &json!("file")));
    assert_eq!(both["base"], run(&server, &token, &base).await, "as it is run alone");
    for (body, expected_message) in [
        (json!({ "base": base }), "missing field `changed`"),
        (json!({ "base": base, "changed": {}, "other": {} }), "unknown field `other`"),
        (json!({ "base": base, "changed": { "day": "tomorrow" } }), "changed: day must be that of base"),
        (json!({ "base": { "day": 1 }, "changed": {} }), "base: invalid type: integer `1`"),
        (json!({ "base": base, "changed": { "Objective": 1 } }), "changed: Objective: is \"1\"; cost_with_solar or cost_without_solar"),
    ] {
        let answer = ask(body).await;
        let message = answer.json()["message"].as_str().expect("a message").to_owned();
        assert!(answer.status == 400 && message.contains(expected_message), "{expected_message}: {answer:?}");
    }
}
