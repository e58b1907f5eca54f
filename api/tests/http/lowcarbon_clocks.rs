//! Days with clock changes, and points that report by exception: half hours that are skipped, occur twice, or have no value of their own.

#![allow(clippy::float_cmp, reason = "half hours, and means of whole numbers, are exact")]

use serde_json::{Value, json};

use crate::energy_field::{HOUR_MS, MINUTE_MS, midnight, now, write};
use crate::lowcarbon_field::{DEVICE, change, enter, handle, meters, near, number, run, upload};
use crate::server::Server;

/// Returns the last Sunday of a past month, at most a little more than a year ago.
fn last_sunday(month: i8) -> jiff::civil::Date {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let of = |year: i16| {
        let last = jiff::civil::date(year, month, 1).last_of_month();
        (0..7).map(|back| last.saturating_sub(jiff::Span::new().days(back))).find(|day| day.weekday() == jiff::civil::Weekday::Sunday)
    };
    let this = of(today.year()).expect("a Sunday");
    if this < today { this } else { of(today.year() - 1).expect("a Sunday") }
}

/// Starts a server whose first utility is in Berlin, before its first request.
async fn berlin() -> Server {
    let server = Server::start().await;
    let client = server.database.client().await;
    let moved = client.execute("UPDATE client SET time_zone = 'Europe/Berlin' WHERE id = $1", &[&server.one.client.0]).await;
    assert_eq!(moved.expect("moved"), 1);
    server
}

#[tokio::test]
async fn a_day_of_a_clock_change_is_planned_by_its_real_hours() {
    let server = berlin().await;
    let meters = enter(&server).await;
    let prices = json!({ "currency": "EUR", "importPrice": vec![4.0; 48], "exportPrice": null });
    // The battery may charge in the hour of the change alone, 10 kW, and has to end so full.
    let site = json!({
        "parameters": { "ChargingStartTimeHours": 4, "ChargingEndTimeHours": 6, "BatteryChargeRateKw": 10, "SolarCapacityKwp": 100 },
        "tariff": prices, "importLimitKw": null, "endsAsItBegan": false, "lat": 52.5, "lon": 13.4
    });
    change(&server, &meters, &site).await;
    let token = server.sign_in("one-admin").await;
    let file = handle(&server, &token, 50.0).await;
    for (month, hours, day_h, slots) in [(3, 0.0, 23.0, 46), (10, 1.0, 25.0, 48)] {
        let day = last_sunday(month).to_string();
        let plan = run(&server, &token, &json!({ "demandFile": file, "day": day, "Objective": "cost_without_solar" })).await;
        near("site", &plan["stats"]["site"], 50.0 * day_h);
        near("grid_import", &plan["stats"]["grid_import"], 50.0 * day_h);
        near("cost", &plan["cost"], 200.0 * day_h);
        let row = |name: &str| plan["results"][name].as_array().expect("a row").clone();
        for name in ["Base_Demand_Kw", "Battery_Charge_Discharge_Kw", "Battery_Storage_Kwh", "NetDemand_Kw", "PV_Generation_Kw"] {
            assert_eq!((row(name).len(), row(name).iter().filter(|value| !value.is_null()).count()), (48, slots), "{name} of {day}");
        }
        assert_eq!((number(&row("slot_hours")[4]), number(&row("slot_hours")[6])), (hours, 0.5));
        assert_eq!(row("slot_hours").iter().map(number).sum::<f64>(), day_h);
        assert_eq!(plan["storageKwh"].as_array().expect("a row").iter().filter(|value| value.is_null()).count(), 48 - slots);
        assert!(plan["warnings"][0].as_str().expect("a sentence").starts_with("The clocks change on this day"), "{plan}");
        // Solar power is null in skipped half hours only.
        let sunny = run(&server, &token, &json!({ "demandFile": file, "day": day })).await;
        assert_eq!(sunny["results"]["PV_Generation_Kw"].as_array().expect("a row").iter().filter(|kw| kw.is_null()).count(), 48 - slots);
        assert!(number(&sunny["stats"]["solar"]) > 100.0, "{sunny}");
    }
    // A file over the autumn change has the hour from two o'clock twice; the demand of that hour is the mean of both.
    let day = last_sunday(10);
    let slots = (0..6).chain(4..48);
    let rows = slots.enumerate().map(|(row, slot)| {
        let kw = if (4..6).contains(&row) { 10 } else { 30 };
        format!("{day} {:02}:{:02},{kw}\n", slot / 2, slot % 2 * 30)
    });
    let answer = upload(&server, &token, DEVICE, rows.collect::<String>().as_bytes()).await;
    assert_eq!((answer.status, &answer.json()["result"]["values"]), (200, &json!(50)), "{answer:?}");
    let body = json!({ "demandFile": answer.json()["result"]["handle"], "day": day.to_string(), "Objective": "cost_without_solar" });
    let plan = run(&server, &token, &body).await;
    assert_eq!([3, 4, 5, 6].map(|slot| number(&plan["results"]["Base_Demand_Kw"][slot])), [30.0, 20.0, 20.0, 30.0]);
    near("site", &plan["stats"]["site"], 23.0 * 30.0 + 2.0 * 20.0);
    // In spring the file has no hour from two o'clock.
    let spring = last_sunday(3);
    let answer = upload(&server, &token, DEVICE, format!("{spring} 01:30,1\n{spring} 02:30,1\n").as_bytes()).await;
    let fault = &answer.json()["faults"][0];
    assert_eq!((answer.status, &fault["line"], &fault["column"]), (400, &json!(2), &json!("time")), "{answer:?}");
    assert!(fault["what"].as_str().expect("a sentence").contains("which the clock of the site leaves out"), "{fault}");
}

#[tokio::test]
async fn what_reports_by_exception_holds_its_last_value() {
    let server = Server::start().await;
    let client = server.database.client().await;
    let meters = meters(&server).await;
    client.execute("UPDATE point SET expected_ms = NULL WHERE id = $1", &[&meters.site.0]).await.expect("changed");
    change(&server, &meters, &json!({})).await;
    let token = server.sign_in("one-admin").await;
    let file = handle(&server, &token, 50.0).await;
    let begin = midnight(now()).plus_millis(-24 * HOUR_MS);
    // 30 kW from the evening before, 60 kW from 06:15 on; there are no other values on this day.
    let values =
        [(meters.site, begin.plus_millis(-3 * HOUR_MS), 30.0), (meters.site, begin.plus_millis(6 * HOUR_MS + 15 * MINUTE_MS), 60.0)];
    write(&server, &values).await;
    for _ in 0..2 {
        let past = run(&server, &token, &json!({ "demandFile": file })).await["historical"].clone();
        let site = |slot: usize| past["results"]["Base_Demand_Kw"][slot].clone();
        let known = past["results"]["Base_Demand_Kw"].as_array().expect("a row").iter().filter(|kw| **kw != Value::Null).count();
        assert_eq!(known, 48, "{past}");
        for (slot, expected) in [(0, 30.0), (11, 30.0), (12, 45.0), (13, 60.0), (47, 60.0)] {
            near("a half hour", &site(slot), expected);
        }
        near("site", &past["stats"]["site"], 30.0 * 6.25 + 60.0 * 17.75);
        // The same after the rollups have been computed.
        crate::energy_field::work_out(&server).await;
    }
}
