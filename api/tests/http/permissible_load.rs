//! Permissible loading of a transformer, from stored values.

use grid::downsample::{Bucket, Resolution, floor};
use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::thermal::{Cooling, Paper, Parameters, State};
use grid::{AssetId, Micros, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::rating::{IndicatorLimits, RatingSeed};
use store::seed::{AssetSeed, PointSeed};
use store::writer::{Batch, GatewayMark, Sample};
use store::{Store, Writer};

use crate::field::{Utility, reading};
use crate::server::Server;

const HOUR_MS: i64 = 3_600_000;
/// The rated power of the transformer of the vectors; its loss ratio is the default.
const MVA: f64 = 5.0;
const LOAD: f64 = 0.7;
const AMBIENT: f64 = 30.0;

/// Creates a transformer with its points OTI, WTI and S, and the ambient temperature of its substation.
pub(crate) async fn transformer(store: &Store, utility: &Utility) -> (AssetId, [PointId; 4]) {
    let client = utility.client;
    let seed =
        |code: &str, type_id, class: &str| AssetSeed { kv: Some(33.0), ..AssetSeed::new(client, utility.location, code, type_id, class) };
    let assets = store.put_assets(&[seed("TX1", 2, "transformer"), seed("YARD", 11, "substation")]).await.expect("assets");
    let points = [("TX1/OTI", 0), ("TX1/WTI", 0), ("TX1/S", 0), ("YARD/AmbT", 1)].map(|(metric, asset)| {
        let code = metric.rsplit('/').next().expect("a code");
        let quantity = Quantity::of_code(code);
        PointSeed {
            client,
            gateway: utility.gateway,
            device: "TX1".into(),
            metric: metric.into(),
            code: code.into(),
            asset: assets[asset],
            kind: kind_of_code(code),
            quantity,
            unit: quantity.unit().into(),
            decimals: quantity.decimals(),
            scale: 1.0,
            expected_ms: Some(600_000),
        }
    });
    let points = store.put_points(&points).await.expect("points");
    (assets[0], [points[0], points[1], points[2], points[3]])
}

/// Stores the newest values as ingest does. The gateway is online.
pub(crate) async fn store_values(url: &str, utility: &Utility, values: &[(PointId, Reading)]) {
    let sample = |(point, reading): &(PointId, Reading)| Sample {
        point: *point,
        client: utility.client,
        reading: *reading,
        historical: false,
        repeated: false,
    };
    let mark = GatewayMark {
        gateway: utility.gateway,
        online: Some(true),
        at: Micros::from_millis(1_000),
        order: grid::LinkOrder::default(),
        entered: true,
    };
    let mut writer = Writer::connect(url).await.expect("writer");
    writer.commit(&Batch { samples: values.iter().map(sample).collect(), gateways: vec![mark], ..Batch::default() }).await.expect("stored");
    writer.flush().await.expect("flushed");
}

/// Stores ten hours of values, a gap of four hours, and sixteen more hours, every ten minutes. Returns the start and the last value.
async fn measured(server: &Server, points: [PointId; 4]) -> (Micros, Micros) {
    let parameters = Parameters::typical(Cooling::Onan);
    let state = State::steady(&parameters, LOAD, AMBIENT);
    let values = [state.top_oil(), state.hot_spot(), LOAD * MVA, AMBIENT];
    let now = Micros::from_millis(std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_millis() as i64);
    let start = floor(now, HOUR_MS).plus_millis(-30 * HOUR_MS);
    let at = |ten: i64| start.plus_millis(ten * HOUR_MS / 6);
    let times: Vec<Micros> = (0..60).chain(84..180).map(at).collect();
    let sample = |(point, value): (PointId, f64), at: &Micros| Sample {
        point,
        client: server.one.client,
        reading: reading(value, at.millis()),
        historical: false,
        repeated: false,
    };
    let of_point = |pair| times.iter().map(move |at| sample(pair, at)).collect::<Vec<_>>();
    let samples = points.into_iter().zip(values).flat_map(of_point).collect();
    let mut writer = Writer::connect(server.database.url()).await.expect("writer");
    writer.commit(&Batch { samples, ..Batch::default() }).await.expect("stored");
    (start, *times.last().expect("a time"))
}

async fn rows(server: &Server, token: &str, asset: AssetId, months: i64) -> Vec<Value> {
    let answer = server.get_as(token, &format!("/api/assethealth/assetPermissibleLoadNew/{asset}/{months}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].as_array().expect("rows").clone()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("no {name} in {row}"))
}

#[tokio::test]
async fn loading_and_used_life_follow_from_what_is_stored() {
    let server = Server::start().await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let (asset, points) = transformer(&store, &server.one).await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(rows(&server, &token, asset, 0).await, [] as [Value; 0], "nothing is stored yet");
    let (start, last) = measured(&server, points).await;

    // Without a rating only measured values are returned.
    let bare = rows(&server, &token, asset, 1).await;
    let (first, absent) = (&bare[0], ["LoadMult", "VA2hr", "VAbase", "VAavl", "UsedLifeInYears", "MissingHours"]);
    assert!(absent.iter().all(|name| first[*name] == Value::Null) && first["Status"] == "UNKNOWN", "{first}");
    assert!((number(first, "VApres") - LOAD * MVA).abs() < 1e-9);

    let seed = RatingSeed {
        client: server.one.client,
        asset,
        mva: MVA,
        cooling: Cooling::Onan,
        paper: Paper::Normal,
        limits: IndicatorLimits::default(),
        used_life_years: 1.5,
    };
    store.put_ratings(&[seed]).await.expect("a rating");
    let parameters = Parameters::typical(Cooling::Onan);
    let hot_spot = State::steady(&parameters, LOAD, AMBIENT).hot_spot();
    let shown = rows(&server, &token, asset, 0).await;
    assert!(shown.len() >= 156 && shown.len() <= 2_000, "{} rows", shown.len());
    assert_eq!(shown[0]["ReportedDateTime"], wire::time::iso(start));
    for row in &shown {
        // 30 °C from 0.7 in balance: K_cont 0.8685 and K_2h 1.1279 (vectors of the domain), there with a loss ratio of 6.22.
        let (load, two_hours) = (number(row, "LoadMult"), number(row, "VA2hr"));
        assert!((load - 0.8685).abs() < 5e-3 && (two_hours / MVA - 1.1279).abs() < 5e-3, "{row}");
        assert!((number(row, "VAavl") - load * MVA).abs() < 1e-9 && (number(row, "VAbase") - MVA).abs() < 1e-9);
        assert!((number(row, "WTI") - hot_spot).abs() < 1e-9 && (number(row, "AmbT") - AMBIENT).abs() < 1e-9);
        assert_eq!((&row["unit"], &row["Status"]), (&json!("MVA"), &json!("WITHIN")));
    }
    let life: Vec<f64> = shown.iter().map(|row| number(row, "UsedLifeInYears")).collect();
    assert!(life.is_sorted() && (life[0] - 1.5).abs() < 1e-12);
    let newest = shown.iter().rfind(|row| row["ReportedDateTime"] == wire::time::iso(last)).expect("the last value");
    let hours = last.millis_since(start) as f64 / HOUR_MS as f64;
    let expected = 1.5 + Paper::Normal.rate(hot_spot) * (hours - 3.0) / 8_760.0;
    assert!((number(newest, "UsedLifeInYears") - expected).abs() < 1e-9, "{newest}: {expected}");
    assert!((number(newest, "MissingHours") - 3.0).abs() < 1e-9, "four hours without values, of which one is bridged");
    assert_eq!(rows(&server, &token, asset, 12).await, shown, "there is no more than that");
}

#[tokio::test]
async fn what_is_no_transformer_has_no_rows_and_other_spans_are_refused() {
    let server = Server::start().await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let (asset, _) = transformer(&store, &server.one).await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(rows(&server, &token, server.one.feeder, 1).await, [] as [Value; 0]);
    for months in ["2", "-1", "all", "99999999999999999999"] {
        let answer = server.get_as(&token, &format!("/api/assethealth/assetpermissibleloadnew/{asset}/{months}")).await;
        assert_eq!(answer.status, 400, "{months}: {answer:?}");
        assert!(answer.body.contains("1, 6, 12"), "{answer:?}");
    }
    let foreign = server.get_as(&token, &format!("/api/assethealth/assetpermissibleloadnew/{}/1", server.two.feeder)).await;
    assert_eq!(foreign.status, 404);
}

#[tokio::test]
async fn used_life_outlives_the_temperatures() {
    let server = Server::start().await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let (asset, points) = transformer(&store, &server.one).await;
    let token = server.sign_in("one-admin").await;
    let seed = RatingSeed {
        client: server.one.client,
        asset,
        mva: MVA,
        cooling: Cooling::Onan,
        paper: Paper::Normal,
        limits: IndicatorLimits::default(),
        used_life_years: 3.0,
    };
    store.put_ratings(&[seed]).await.expect("a rating");
    // A hundred days at 110 °C, hour by hour, and today at 60 °C.
    let now = Micros::from_millis(std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_millis() as i64);
    let at = |hour: i64| floor(now, HOUR_MS).plus_millis(-hour * HOUR_MS);
    let hours = |range: std::ops::Range<i64>, value: f64| {
        range.map(move |hour| (points[1], at(hour), Bucket::of(at(hour), Some(value), Quality::Good)))
    };
    let buckets: Vec<_> = hours(48..2_400, 110.0).chain(hours(1..24, 60.0)).collect();
    store.put_buckets(Resolution::Hour, &buckets).await.expect("hours");
    let before = rows(&server, &token, asset, 1).await;
    let life = |rows: &[Value]| number(rows.last().expect("a row"), "UsedLifeInYears");
    assert!(life(&before) > 4.0, "{:?}", before.last());
    // A month is kept.
    server.database.client().await.execute("DELETE FROM rollup_1h WHERE start < now() - interval '35 days'", &[]).await.expect("expired");
    let after = rows(&server, &token, asset, 1).await;
    assert!((life(&after) - life(&before)).abs() < 1e-3 * life(&before), "{} {}", life(&before), life(&after));
}
