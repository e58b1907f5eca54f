//! Replays a recorded data set as loads and oil temperature of a transformer. The database and a chart have each value of the file exactly once.
//!
//! SWITCHYARD_TEST_ETT_CSV is the path of the file ETTh1.csv of the Electricity Transformer Temperature data set (17,420 rows of seven series).
//! Without it, a generated file of the same structure is replayed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::product::Servers;

const SERIES: [&str; 7] = ["HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT"];

fn made(folder: &Path) -> PathBuf {
    let mut text = format!("date,{}\n", SERIES.join(","));
    for row in 0..1_500 {
        let (day, hour) = (row / 24, row % 24);
        let _ = write!(text, "2016-{:02}-{:02} {hour:02}:00:00", 7 + day / 28, 1 + day % 28);
        for series in 0..7 {
            let _ = write!(text, ",{}", f64::from(row * 7 + series) / 13.0 - 50.0);
        }
        text.push('\n');
    }
    let file = folder.join("made.csv");
    std::fs::write(&file, text).expect("writable");
    file
}

fn map(folder: &Path) -> PathBuf {
    let mut text = "group = \"SAGAR\"\nnode = \"REPLAY1\"\ndevice = \"TX1\"\ntime = \"date\"\nzone = \"Asia/Shanghai\"\n".to_owned();
    for series in SERIES {
        let (code, unit) = if series == "OT" { ("OTI", "°C") } else { (series, "MW") };
        let _ = write!(text, "[[column]]\nname = \"{series}\"\nmetric = \"TX1/{code}\"\nunit = \"{unit}\"\n");
    }
    let file = folder.join("map.toml");
    std::fs::write(&file, text).expect("writable");
    file
}

/// Returns the values of the file: (series, local hour as written in the file) → value.
fn expected(file: &Path) -> BTreeMap<(String, String), f64> {
    let text = std::fs::read_to_string(file).expect("readable");
    let mut values = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        for (series, cell) in SERIES.iter().zip(&cells[1..]) {
            let code = if *series == "OT" { "OTI" } else { series };
            values.insert((code.to_owned(), cells[0].to_owned()), cell.parse().expect("a number"));
        }
    }
    values
}

/// Requests the oil temperature like a chart, 100 days at a time, and compares each value with the stored one. Returns the number of values.
async fn charted(servers: &Servers, database: &testkit::TestDatabase) -> usize {
    let rows = database
        .client()
        .await
        .query(
            "SELECT p.asset_id, (extract(epoch FROM s.ts) * 1000)::bigint, s.value
             FROM sample s JOIN point p ON p.id = s.point_id JOIN gateway g ON g.id = p.gateway_id
             WHERE g.code = 'REPLAY1' AND p.code = 'OTI' AND s.value IS NOT NULL ORDER BY s.ts",
            &[],
        )
        .await
        .expect("the query runs");
    let asset: i64 = rows.first().expect("a value").get(0);
    let stored: BTreeMap<i64, f64> = rows.iter().map(|row| (row.get(1), row.get(2))).collect();
    let (first, last) = (*stored.keys().next().expect("a value"), *stored.keys().next_back().expect("a value"));
    let api = servers.start(&["api"]).await;
    let login = api.sign_in("admin").await;
    let token = login["token"].as_str().expect("a token");
    let iso = |ms: i64| wire::time::iso(grid::Micros::from_millis(ms));
    let mut seen = BTreeMap::new();
    let mut from = first;
    while from <= last {
        let to = from + 100 * 86_400_000;
        let path = format!("/api/history/asset/{asset}?measure=temperature&from={}&to={}&width=4000", iso(from), iso(to));
        let chart = api.get(token, &path).await["result"].clone();
        // With one value per hour, a bucket of an hour starts at that value and has only it. So both sources equal the file.
        assert!(["raw", "1h"].iter().any(|source| chart["source"] == *source), "{chart}");
        let line = chart["series"].as_array().expect("lines").iter().find(|line| line["code"] == "OTI").expect("the oil").clone();
        for (index, time) in chart["times"].as_array().expect("times").iter().enumerate() {
            let time = time.as_i64().expect("a time");
            if let Some(value) = line["mean"][index].as_f64().filter(|_| (from..to).contains(&time)) {
                assert_eq!(stored.get(&time).map(|stored| stored.to_bits()), Some(value.to_bits()), "at {}", iso(time));
                seen.insert(time, value);
            }
        }
        from = to;
    }
    seen.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replayed_file_is_stored_equal_and_once() {
    let folder = std::env::temp_dir().join(testkit::unique("replay"));
    std::fs::create_dir_all(&folder).expect("writable");
    let file = std::env::var_os("SWITCHYARD_TEST_ETT_CSV").map_or_else(
        || {
            println!("SWITCHYARD_TEST_ETT_CSV is not set: a made file of 1,500 rows stands in for ETTh1.csv");
            made(&folder)
        },
        PathBuf::from,
    );
    let database = testkit::database().await;
    let broker = testkit::broker().await;
    let servers = Servers { database: database.url().to_owned(), mqtt: broker.url() };
    servers.prepare().await;
    let _ingest = servers.start(&["ingest"]).await;

    let map = map(&folder);
    let arguments = ["simulate", "--replay", file.to_str().expect("UTF-8"), "--map", map.to_str().expect("UTF-8")];
    servers.finish(&arguments).await;
    // Replays the whole file again, which must not store any value twice.
    servers.finish(&arguments).await;

    let rows = database
        .client()
        .await
        .query(
            "SELECT p.code, to_char(s.ts AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI:SS'), s.value
             FROM sample s JOIN point p ON p.id = s.point_id JOIN gateway g ON g.id = p.gateway_id
             WHERE g.code = 'REPLAY1' AND s.value IS NOT NULL",
            &[],
        )
        .await
        .expect("the query runs");
    let stored: BTreeMap<(String, String), f64> = rows.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect();
    let expected = expected(&file);
    assert_eq!(stored.len(), rows.len(), "a value is stored twice");
    assert_eq!(stored.len(), expected.len(), "not as many values as in the file");
    assert!(stored == expected, "a stored value differs from the file's");
    let newest = database
        .client()
        .await
        .query(
            "SELECT p.code, to_char(l.source_ts AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI:SS'), l.value
             FROM latest l JOIN point p ON p.id = l.point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.code = 'REPLAY1'",
            &[],
        )
        .await
        .expect("the query runs");
    assert_eq!(newest.len(), SERIES.len());
    for row in &newest {
        let (code, at, value): (String, String, Option<f64>) = (row.get(0), row.get(1), row.get(2));
        let last = expected.range((code.clone(), String::new())..(code.clone() + "\u{1}", String::new())).next_back().expect("a row");
        assert_eq!((&at, value.map(f64::to_bits)), (&last.0.1, Some(last.1.to_bits())), "{code}: the screen does not show the last row");
    }
    let charted = charted(&servers, &database).await;
    let in_file = expected.keys().filter(|(code, _)| code == "OTI").count();
    assert_eq!(charted, in_file, "values of the oil temperature on charts and in the file");
    println!("{} values stored, equal to the file, none twice; {charted} on charts", stored.len());
    std::fs::remove_dir_all(&folder).expect("removable");
}
