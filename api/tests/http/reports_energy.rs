//! Reports of energy and demand, compared with figures computed by hand.

use grid::{Micros, PointId};
use serde_json::{Value, json};

use crate::energy_field::{HOUR_MS, MINUTE_MS, Meter, Network, now, write};
use crate::reliability::at;
use crate::reports::{question, rows, same};
use crate::server::Server;

/// Midnight in India.
const DAY: &str = "2026-07-01T00:00:00+05:30";

/// Returns the readings of a register that counts a number of MWh per hour.
fn counted(meter: Meter, at: Micros, mwh: f64) -> [(PointId, Micros, f64); 2] {
    let hours = at.millis_since(self::at(DAY)) as f64 / HOUR_MS as f64;
    [(meter.imported, at, 500.0 + mwh * hours), (meter.exported, at, 70.0)]
}

#[tokio::test]
async fn feeders_substations_and_peaks_of_a_day_by_hand() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let start = at(DAY);
    let mut values = Vec::new();
    for hour in -2..=27 {
        for (meter, mwh) in [(network.line, 6.0), (network.feeder, 2.0), (network.to_second, 3.6)] {
            values.extend(counted(meter, start.plus_millis(hour * HOUR_MS), mwh));
        }
    }
    // From five to seven every minute: 1 MW, then 2 MW.
    for minute in (4 * 60 + 50)..=(7 * 60 + 10) {
        let now = start.plus_millis(minute * MINUTE_MS);
        if minute % 60 != 0 {
            values.extend(counted(network.feeder, now, 2.0));
        }
        if (300..420).contains(&minute) {
            values.push((network.feeder.power, now, if minute < 360 { 1.0 } else { 2.0 }));
        }
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let location = server.one.location.0;
    let request = |report: &str| question(report, "location", location, 7, "2026-07-01");

    let hours = rows(&server, &token, &request("EE_HOURLY_FEEDER_LOG")).await;
    let of = |name: &str, time: &str| -> Value {
        let found = hours.as_array().expect("rows").iter().find(|row| row[2] == name && row[0] == time);
        found.unwrap_or_else(|| panic!("{name} {time}: {hours}")).clone()
    };
    assert_eq!(hours.as_array().map(Vec::len), Some(48), "24 hours of two feeders");
    let five = json!(["2026-06-30T23:30:00.000Z", "D1 location", "one F1", 1_000.0, null, null, null, null, null, 2_000.0]);
    let found = of("one F1", "2026-06-30T23:30:00.000Z");
    assert!(same(&found, &five), "{found}");
    let six = of("one F1", "2026-07-01T00:30:00.000Z");
    assert!(same(&json!([six[3], six[9]]), &json!([2_000.0, 2_000.0])), "{six}");
    let noon = of("one F1", "2026-07-01T06:30:00.000Z");
    assert_eq!((&noon[3], &noon[9]), (&Value::Null, &Value::Null), "an hour that is not known is not 0");

    let days = rows(&server, &token, &request("EE_DAILY_FEEDER_DATA")).await;
    // Four quarters of an hour of 1 MW and four of 2 MW.
    let day = json!(["2026-06-30T18:30:00.000Z", "D1 location", "one F1", 48_000.0, 1_500.0, 1_000.0, 2_000.0, 75.0, null]);
    let found = days.as_array().expect("rows").iter().find(|row| row[2] == "one F1").expect("a row");
    assert!(same(found, &day), "{found}");

    let losses = rows(&server, &token, &request("SS_ENERGY_LOSS")).await;
    let efficiency = 100.0 * 134_400.0 / 144_000.0;
    let loss = json!(["D1 location", "2026-06-30T18:30:00.000Z", 144_000.0, 134_400.0, 9_600.0, efficiency, 100.0, ""]);
    assert!(same(&losses[0], &loss) && losses.as_array().map(Vec::len) == Some(1), "{losses}");

    // Without column kinds, a day is written as its date. As an instant of UTC, its midnight is in the previous evening.
    let plain = server.get_as(&token, &format!("/api/report/subenergylossreportbydate/location:{location}:2026-07-01")).await.json();
    let row = &plain["result"][1][0];
    assert_eq!((&plain["result"][0][1], &row[0], &row[1]), (&json!("Day"), &json!("D1 location"), &json!("2026-07-01")), "{plain}");

    // F2 leads to another substation, whose demand is counted there.
    let peaks = rows(&server, &token, &request("PEAK_DEMAND_REPORT")).await;
    let seen: Vec<(&Value, &Value, &Value)> = peaks.as_array().expect("rows").iter().map(|row| (&row[2], &row[3], &row[5])).collect();
    let (night, morning) = (json!("2026-06-30T23:30:00.000Z"), json!("2026-07-01T00:30:00.000Z"));
    assert_eq!((seen.len(), seen[4]), (5, (&json!("Peak of the period"), &json!(2.0), &morning)), "{peaks}");
    assert_eq!(
        (seen[0], seen[1]),
        ((&json!("Night 12AM-06AM"), &json!(1.0), &night), (&json!("Morning 06AM-12PM"), &json!(2.0), &morning)),
        "{peaks}"
    );
    assert_eq!((seen[2].1, seen[3].1, &peaks[0][4]), (&Value::Null, &Value::Null, &json!("MW")));
}

#[tokio::test]
async fn total_of_places_counts_energy_between_substations_once() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let mut values = Vec::new();
    for hour in -2..=27 {
        // The second substation receives what the feeder of the first one carries.
        let meters = [
            (network.line, 6.0),
            (network.feeder, 2.0),
            (network.to_second, 3.6),
            (network.second_line, 3.6),
            (network.second_feeder, 3.0),
        ];
        for (meter, mwh) in meters {
            values.extend(counted(meter, at(DAY).plus_millis(hour * HOUR_MS), mwh));
        }
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let losses = rows(&server, &token, &question("SS_ENERGY_LOSS", "client", server.one.client.0, 7, "2026-07-01")).await;
    let names: Vec<&Value> = losses.as_array().expect("rows").iter().map(|row| &row[0]).collect();
    assert_eq!(names, [&json!("D1 location"), &json!("D2 location"), &json!("Total of Utility one")], "{losses}");
    let (energy_in, energy_out) = (144_000.0, 120_000.0);
    let figures = (energy_in, energy_out, energy_in - energy_out, 100.0 * energy_out / energy_in);
    let total = json!(["Total of Utility one", "2026-06-30T18:30:00.000Z", figures.0, figures.1, figures.2, figures.3, 100.0, ""]);
    assert!(same(&losses[2], &total), "{losses}");
}

#[tokio::test]
async fn energy_of_the_present_day_is_known_up_to_now() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    // In a time zone in which it is about noon, so that a part of the day is always over.
    let now = now();
    let utc = now.millis().rem_euclid(24 * HOUR_MS) / HOUR_MS;
    let ahead = 12 - utc;
    // The names of these zones have the opposite sign.
    let zone = format!("Etc/GMT{:+}", -ahead);
    server.database.client().await.execute("UPDATE client SET time_zone = $1", &[&zone]).await.expect("a zone");
    let today = Micros::from_millis((now.millis() + ahead * HOUR_MS).div_euclid(24 * HOUR_MS) * 24 * HOUR_MS - ahead * HOUR_MS);
    let minutes = now.millis_since(today) / MINUTE_MS;
    let values: Vec<_> = (-10..=minutes).flat_map(|minute| counted(network.feeder, today.plus_millis(minute * MINUTE_MS), 2.0)).collect();
    write(&server, &values).await;
    let date = wire::time::iso(today.plus_millis(HOUR_MS * (12 + ahead)));
    let request = question("EE_DAILY_FEEDER_DATA", "location", server.one.location.0, 7, &date[..10]);
    let found = rows(&server, &token, &request).await;
    let row = found.as_array().expect("rows").iter().find(|row| row[2] == "one F1").expect("a row");
    let kwh = row[3].as_f64();
    // Up to the last ten minutes that are surely read: 2 MW from midnight on.
    let (least, most) = ((minutes - 13) as f64 * 2_000.0 / 60.0, minutes as f64 * 2_000.0 / 60.0);
    assert!(kwh.is_some_and(|kwh| (least..=most).contains(&kwh)), "{least} to {most} in {zone}: {row}");
}
