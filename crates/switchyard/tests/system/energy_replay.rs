//! Replays a week of recorded loads as three feeders and the line that supplies them. The energy in the database and in the answers of the API equals
//! the integral of the loads in the file.
//!
//! SWITCHYARD_TEST_SIMBENCH_CSV is the path of a file with SimBench load profiles (per unit of the rated power, one value per quarter of an hour,
//! `01.07.2016 00:15`). Without it the test is skipped.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::product::Servers;

const PROFILES: [&str; 3] = ["mv_rural_pload", "mv_urban_pload", "mv_comm_pload"];
/// The power of one per unit, MW.
const RATED_MW: f64 = 8.0;
/// Losses of the line, as a share of the energy that the feeders take.
const LOST: f64 = 0.03;
const QUARTERS: usize = 7 * 96;

/// Returns the loads of a week and of the following quarter of an hour, MW, by profile.
fn loads(file: &Path) -> Vec<[f64; 3]> {
    let text = std::fs::read_to_string(file).expect("readable");
    let mut lines = text.lines();
    let headings: Vec<&str> = lines.next().expect("headings").split(',').collect();
    let columns = PROFILES.map(|profile| headings.iter().position(|heading| *heading == profile).expect("the profile"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        columns.map(|column| RATED_MW * cells[column].parse::<f64>().expect("a number"))
    };
    lines.map(row).take(QUARTERS + 1).collect()
}

/// Returns the file that meters would record: powers, and registers with the energy up to each time. The week begins on 2016-07-01 00:00 UTC.
fn recorded(loads: &[[f64; 3]]) -> String {
    let mut text = "time,F1P,F2P,F3P,F1E,F2E,F3E,LE\n".to_owned();
    let mut counted = [1_000.0; 3];
    for (quarter, powers) in loads.iter().enumerate() {
        let _ = write!(text, "2016-07-{:02} {:02}:{:02}:00", 1 + quarter / 96, quarter % 96 / 4, quarter % 4 * 15);
        for value in powers.iter().chain(&counted) {
            let _ = write!(text, ",{value}");
        }
        let _ = writeln!(text, ",{}", counted.iter().sum::<f64>() * (1.0 + LOST));
        for (counted, power) in counted.iter_mut().zip(powers) {
            *counted += power / 4.0;
        }
    }
    text
}

fn map() -> String {
    let mut text = "group = \"SAGAR\"\nnode = \"SIMBENCH\"\ndevice = \"BAY\"\ntime = \"time\"\nzone = \"UTC\"\n".to_owned();
    for feeder in 1..=3 {
        let _ = write!(text, "[[column]]\nname = \"F{feeder}P\"\nmetric = \"F{feeder}/P\"\nunit = \"MW\"\n");
        let _ = write!(text, "[[column]]\nname = \"F{feeder}E\"\nmetric = \"F{feeder}/EImp\"\nunit = \"MWh\"\n");
    }
    text + "[[column]]\nname = \"LE\"\nmetric = \"L/EImp\"\nunit = \"MWh\"\n"
}

fn sum(rows: &Value, key: &str) -> f64 {
    rows.as_array().expect("rows").iter().filter_map(|row| row[key].as_f64()).sum()
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{what}: {found}, of the file {expected}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_energy_of_a_replayed_week_is_the_integral_of_the_file() {
    let Some(file) = std::env::var_os("SWITCHYARD_TEST_SIMBENCH_CSV") else {
        println!("skipped: SWITCHYARD_TEST_SIMBENCH_CSV is not set");
        return;
    };
    let loads = loads(Path::new(&file));
    assert_eq!(loads.len(), QUARTERS + 1, "the file has a week and the quarter after it");
    let integral = [0, 1, 2].map(|feeder| loads[..QUARTERS].iter().map(|powers| powers[feeder]).sum::<f64>() / 4.0 * 1_000.0);
    let total: f64 = integral.iter().sum();

    let folder = std::env::temp_dir().join(testkit::unique("energy"));
    std::fs::create_dir_all(&folder).expect("writable");
    let (csv, toml) = (folder.join("week.csv"), folder.join("map.toml"));
    std::fs::write(&csv, recorded(&loads)).expect("writable");
    std::fs::write(&toml, map()).expect("writable");
    let database = testkit::database().await;
    let broker = testkit::broker().await;
    let servers = Servers { database: database.url().to_owned(), mqtt: broker.url() };
    servers.prepare().await;
    {
        let _ingest = servers.start(&["ingest"]).await;
        servers.finish(&["simulate", "--replay", csv.to_str().expect("UTF-8"), "--map", toml.to_str().expect("UTF-8")]).await;
    }

    // The energy in the database.
    let client = database.client().await;
    let counted = "SELECT a.code, (max(s.value) - min(s.value)) * 1000 FROM sample s JOIN point p ON p.id = s.point_id JOIN asset a ON a.id = p.asset_id
         JOIN gateway g ON g.id = p.gateway_id WHERE g.code = 'SIMBENCH' AND p.code = 'EImp' GROUP BY 1";
    let rows = client.query(counted, &[]).await.expect("the query runs");
    let stored: HashMap<String, f64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    for (feeder, expected) in ["F1", "F2", "F3"].iter().zip(integral) {
        near(stored[*feeder], expected, feeder);
    }
    near(stored["L"], total * (1.0 + LOST), "the line");

    // Sets the types of the discovered assets, as a user would.
    let describe = "UPDATE asset SET type_id = CASE code WHEN 'L' THEN 4 ELSE 1 END
         WHERE location_id = (SELECT location_id FROM gateway WHERE code = 'SIMBENCH') RETURNING id, code, location_id";
    let rows = client.query(describe, &[]).await.expect("described");
    let assets: HashMap<String, i64> = rows.iter().map(|row| (row.get(1), row.get(0))).collect();
    let location: i64 = rows.first().expect("an asset").get(2);
    let api = servers.start(&["api"]).await;
    let login = api.sign_in("admin").await;
    let token = login["token"].as_str().expect("a token");
    let week = "from=2016-07-01T00:00:00Z&to=2016-07-08T00:00:00Z";
    for width in [4_000, 170, 30] {
        let found = api.get(token, &format!("/api/analytics/getenergyovertime/location/{location}?{week}&width={width}")).await;
        let rows = &found["result"]["rows"];
        near(sum(rows, "energyOut_KWh"), total, &format!("energy out in at most {width} rows"));
        near(sum(rows, "energyIn_KWh"), total * (1.0 + LOST), "energy in");
        near(sum(rows, "loss"), total * LOST, "losses");
        assert_eq!(found["result"]["coverage"], 100.0, "{}", found["result"]["flags"]);
    }
    let demand = async |scope: String| {
        let found = api.get(token, &format!("/api/analytics/getdemandovertimegraph/{scope}?{week}")).await["result"].clone();
        sum(&found["rows"], "demand") * found["blockMinutes"].as_f64().expect("a length") / 60.0
    };
    for (feeder, expected) in ["F1", "F2", "F3"].iter().zip(integral) {
        near(demand(format!("asset/{}", assets[*feeder])).await, expected, "kW times hours");
    }
    near(demand(format!("location/{location}")).await * 1_000.0, total, "MW times hours");
    println!("{total:.1} kWh of {} values, in the database and over the calls", QUARTERS * 3);
    std::fs::remove_dir_all(&folder).expect("removable");
}
