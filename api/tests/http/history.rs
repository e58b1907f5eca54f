//! The history of an asset over HTTP, and its profiles, compared with the database.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{Micros, Ordinal, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::seed::PointSeed;
use store::writer::{Batch, Sample};
use store::{Store, Writer};

use crate::field::Utility;
use crate::server::Server;

/// Creates further points of the feeder of utility `one`.
async fn points(server: &Server, codes: &[&str]) -> Vec<PointId> {
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let one = &server.one;
    let seeds: Vec<PointSeed> = codes
        .iter()
        .map(|code| PointSeed {
            client: one.client,
            gateway: one.gateway,
            device: "F1".into(),
            metric: format!("F1/{code}"),
            code: (*code).into(),
            asset: one.feeder,
            kind: kind_of_code(code),
            quantity: Quantity::of_code(code),
            unit: Quantity::of_code(code).unit().into(),
            decimals: 1,
            scale: 1.0,
            expected_ms: Some(30_000),
        })
        .collect();
    store.put_points(&seeds).await.expect("points")
}

/// Stores values as ingest would.
async fn write(server: &Server, values: &[(PointId, Micros, f64)]) {
    let sample = |&(point, source, value): &(PointId, Micros, f64)| Sample {
        point,
        client: server.one.client,
        reading: Reading { value: Some(value), quality: Quality::Good, source, received: source, ordinal: Ordinal::default() },
        historical: true,
        repeated: false,
    };
    let batch = Batch { samples: values.iter().map(sample).collect(), ..Batch::default() };
    Writer::connect(server.database.url()).await.expect("a writer").commit(&batch).await.expect("stored");
}

async fn ok(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

fn now() -> Micros {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    Micros::from_millis(i64::try_from(now.as_millis()).expect("before the end"))
}

const HOUR_MS: i64 = 3_600_000;

#[tokio::test]
async fn a_chart_has_what_the_database_has() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    // 2026-07-01 06:00 UTC, and a value a minute with one spike between.
    let start = Micros::from_millis(1_782_885_600_000);
    let current = server.one.current;
    let mut values: Vec<(PointId, Micros, f64)> =
        (0..600).filter(|minute| !(200..260).contains(minute)).map(|minute| (current, start.plus_millis(minute * 60_000), 50.0)).collect();
    values.push((current, start.plus_millis(61_500), 900.0));
    write(&server, &values).await;
    for refreshed in [false, true] {
        let path =
            format!("/api/history/asset/{}?measure=current&from=2026-07-01T06:00:00Z&to=2026-07-01T16:00:00Z&width=61", server.one.feeder);
        let chart = ok(&server, &token, &path).await;
        let fields = ["assetId", "assetName", "measure", "timeZone", "from", "to", "bucketMs", "source"].map(|key| chart[key].clone());
        let expected = [
            json!(server.one.feeder.0),
            json!("one F1"),
            json!("current"),
            json!("Asia/Kolkata"),
            json!("2026-07-01T06:00:00.000Z"),
            json!("2026-07-01T16:00:00.000Z"),
            json!(600_000),
            json!("10m"),
        ];
        assert_eq!(fields, expected, "{refreshed}");
        let times = chart["times"].as_array().expect("times");
        assert_eq!((times.len(), &times[1]), (60, &json!(start.millis() + 600_000)));
        let codes: Vec<&Value> = chart["series"].as_array().expect("lines").iter().map(|line| &line["code"]).collect();
        assert_eq!(codes, ["Ir", "Iy", "Ib"]);
        let line = &chart["series"][0];
        assert_eq!((&line["phase"], &line["unit"], &line["name"]), (&json!("R"), &json!("A"), &json!("Current R")));
        assert_eq!((&line["max"][0], &line["min"][0], &line["mean"][1]), (&json!(900.0), &json!(50.0), &json!(50.0)), "no spike is lost");
        assert_eq!(
            (&line["mean"][20], &line["quality"][20], &line["quality"][0]),
            (&Value::Null, &Value::Null, &json!(0)),
            "a gap is a gap"
        );
        assert!(chart["series"][1]["mean"].as_array().expect("a list").iter().all(Value::is_null));
        // Compared with the values, which are read directly.
        let client = server.database.client().await;
        // Each value is valid until the next one, for at most 30 s.
        let question = "SELECT sum(value * held) / sum(held) FROM (
                SELECT value, date_part('epoch', least(lead(ts) OVER (ORDER BY ts), ts + INTERVAL '30 s', '2026-07-01 06:10Z') - ts) AS held
                FROM sample WHERE point_id = $1 AND ts >= '2026-07-01 06:00Z' AND ts < '2026-07-01 06:10Z'
            ) one";
        let mean: f64 = client.query_one(question, &[&current.0]).await.expect("a row").get(0);
        assert!((line["mean"][0].as_f64().expect("a mean") - mean).abs() < 1e-9);
        let mut rollups = store::rollup::Rollups::connect(server.database.url()).await.expect("connected");
        rollups.refresh_all().await.expect("worked out");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_with_what_can() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (own, foreign) = (server.one.feeder, server.two.feeder);
    let cases = [
        (format!("history/asset/{own}?measure=colour"), 400, "voltage_ll"),
        (format!("history/asset/{own}"), 400, ""),
        (format!("history/asset/{own}?measure=current&width=4001"), 400, "between 2 and 4000"),
        (format!("history/asset/{own}?measure=current&from=tomorrow"), 400, "from must be a time"),
        (format!("history/asset/{own}?measure=current&from=2026-07-02T00:00:00Z&to=2026-07-01T00:00:00Z"), 400, "before to"),
        (format!("history/asset/{own}?measure=current&from=1971-01-01T00:00:00Z"), 400, "ten years"),
        (format!("history/asset/{own}?measure=thd_v"), 200, "\"series\":[]"),
        (format!("history/asset/{foreign}?measure=current"), 404, ""),
        (format!("report/currentprofile/{own}/2"), 400, "1 or 6"),
        (format!("report/currentprofile/{foreign}/2"), 404, ""),
        (format!("report/frequencyprofile/?deviceId={foreign}&sze=1&status=1"), 404, ""),
        (format!("report/frequencyprofile/?deviceId={own}&sze=12"), 400, "1 or 6"),
        (format!("report/voltageforecast/1-6?deviceId={foreign}"), 404, ""),
        (format!("report/voltageforecast/six?deviceId={own}"), 400, "1-6"),
    ];
    for (path, status, words) in cases {
        let answer = server.get_as(&token, &format!("/api/{path}")).await;
        assert!(answer.status == status && answer.body.contains(words), "{path}: {answer:?}");
    }
    for (asset, status) in [(own, 200), (foreign, 404)] {
        let body = json!({ "deviceId": asset.0, "sze": 1 });
        let answer = server.json_as(&token, "POST", "/api/Report/ActivePWRVsTime", &body).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
}

#[tokio::test]
async fn who_is_confined_sees_the_history_of_their_own_place() {
    let server = Server::start().await;
    let token = server.sign_in("one-division").await;
    for path in ["history/asset/{}?measure=current", "report/currentprofile/{}/1", "report/frequencyprofile/?deviceId={}"] {
        let path = path.replace("{}", &server.one.feeder.to_string());
        assert_eq!(server.get_as(&token, &format!("/api/{path}")).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn profiles_have_their_documented_rows() {
    let server = Server::start().await;
    let codes = ["Vr", "Vy", "Vb", "Hz", "Pr", "P", "Qy", "Sb", "EImp", "EExp", "EImpR", "RImp"];
    let ids = points(&server, &codes).await;
    // Signs in after this, because the api caches the registry for a moment.
    let token = server.sign_in("one-admin").await;
    // Three hours of values, a quarter of an hour apart, that end an hour ago.
    let start = now().plus_millis(-4 * HOUR_MS);
    let Utility { current, feeder, .. } = server.one;
    let mut values = Vec::new();
    for quarter in 0..12 {
        let at = start.plus_millis(quarter * HOUR_MS / 4);
        values.push((current, at, 10.0 + quarter as f64));
        values.extend(ids.iter().enumerate().map(|(nth, id)| (*id, at, 1_000.0 * (nth + 1) as f64 + quarter as f64)));
    }
    write(&server, &values).await;

    let rows = ok(&server, &token, &format!("/api/report/currentprofile/{feeder}/1")).await;
    let rows = rows.as_array().expect("rows");
    assert!((6..=8).contains(&rows.len()), "half hours, from the first value to the last: {rows:?}");
    let keys: Vec<&String> = rows[0].as_object().expect("a row").keys().collect();
    assert!(
        ["timeStamp", "current1", "current2", "current3", "current1Min", "current3Max"].iter().all(|key| keys.iter().any(|k| k == key))
    );
    let largest = rows.iter().filter_map(|row| row["current1Max"].as_f64()).fold(0.0, f64::max);
    assert!((largest - 21.0).abs() < 1e-9 && rows.iter().all(|row| row["current2"].is_null()));

    let row = |rows: &Value| rows.as_array().expect("rows").last().expect("a row").clone();
    let frequency = row(&ok(&server, &token, &format!("/api/report/frequencyprofile/?deviceId={feeder}&sze=6&status=1")).await);
    assert_eq!((&frequency["frequency1Max"], &frequency["frequency2"], &frequency["status"]), (&json!(4_011.0), &Value::Null, &json!(0)));
    let voltage = row(&ok(&server, &token, &format!("/api/report/voltageforecast/1-1?deviceId={feeder}")).await);
    assert_eq!((&voltage["b_RMSVoltageMax"], &voltage["VoltageUnit"]), (&json!(3_011.0), &json!("kV")));
    for path in [format!("totalpowerdemand/{feeder}/1"), format!("reactivepwrvstime/{feeder}/1")] {
        let power = row(&ok(&server, &token, &format!("/api/report/{path}")).await);
        let seen = ["realPower1", "realPower", "reactivePower2", "totalPower3"]
            .map(|key| (power[key].as_f64().expect("a number") / 1_000.0) as i64);
        assert_eq!(seen, [5, 6, 7, 8]);
        assert!(power["reactivePower1"].is_null());
    }

    let accumulated = row(&ok(&server, &token, &format!("/api/report/accumulatedenergybyassetid/{feeder}/1")).await);
    assert_eq!(
        (&accumulated["ActiveImpCumEng"], &accumulated["AEnergy_R"], &accumulated["AEnergy_Y"]),
        (&json!(11.0), &json!(11.0), &Value::Null)
    );
    let consumed = ok(&server, &token, &format!("/api/report/energyprofilebyassetId/{feeder}/1")).await;
    let total: f64 = consumed.as_array().expect("rows").iter().filter_map(|row| row["ActiveExpCumEng"].as_f64()).sum();
    assert!((total - 11.0).abs() < 1e-9, "what all rows consumed is what the register counted: {consumed}");
    for path in ["activeimpexpenergybyassetid", "reactiveimpexpenergybyassetid"] {
        let register = row(&ok(&server, &token, &format!("/api/report/{path}/{feeder}/1")).await);
        let seen = ["ActiveImpCumEng", "ReactiveImpCumEng", "EnergyUnit"].map(|key| register[key].clone());
        assert_eq!(seen, [json!(9_011.0), json!(12_011.0), json!("MWh")]);
    }
}
