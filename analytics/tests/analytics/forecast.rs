//! Forecasts from a history in the database: regular issues every hour, and backcasts, for several utilities.

use analytics::forecast::{Done, ForecastConfig, Worker};
use grid::forecast::{Measure, Method};
use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{AssetId, ClientId, Level, Micros, Ordinal, PointId, Quality, Reading};
use registry::{FollowSettings, Registry};
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};
use store::writer::{Batch, Sample};
use store::{Store, Writer};
use testkit::TestDatabase;
use tokio_util::sync::CancellationToken;

const HOUR_MS: i64 = 3_600_000;
const WEEK: i64 = 168;
/// 2026-07-01 06:00 UTC: the hour of the first turn.
const NOW: Micros = Micros(1_782_885_600_000_000);
const CONFIG: ForecastConfig = ForecastConfig { every_h: 1, backcast_days: 3, keep_days: 0 };

struct Field {
    store: Store,
    client: ClientId,
    feeder: AssetId,
    /// Active power, and the currents of two phases.
    points: [PointId; 3],
}

/// Creates a utility with a feeder that reports power and current, and a breaker without a forecast.
async fn enter(store: &Store, code: &str) -> Field {
    let client = ClientSeed { code: code.into(), name: code.into(), time_zone: "Asia/Kolkata".into(), config: serde_json::json!({}) };
    let client = store.put_client(&client).await.unwrap();
    let mut parent = None;
    for level in Level::ALL {
        let node = NodeSeed { client, level, parent, code: "N".into(), name: "N".into(), kv: None, lat: None, lon: None };
        parent = Some(store.put_node(&node).await.unwrap());
    }
    let location = parent.unwrap();
    let gateway = store.put_gateway(&GatewaySeed { client, code: format!("{code}-RTU"), name: "RTU".into(), location }).await.unwrap();
    let assets = [("F1", 1, "feeder"), ("F1CB", 3, "breaker")].map(|(code, type_id, class)| AssetSeed {
        device: "F1".into(),
        kv: Some(11.0),
        ..AssetSeed::new(client, location, code, type_id, class)
    });
    let assets = store.put_assets(&assets).await.unwrap();
    let points = [(0, "F1/P"), (0, "F1/Ir"), (0, "F1/Iy"), (1, "F1CB/P")].map(|(asset, metric)| {
        let code = metric.rsplit('/').next().unwrap();
        PointSeed {
            client,
            gateway,
            device: "F1".into(),
            metric: metric.into(),
            code: code.into(),
            asset: assets[asset],
            kind: PointKind::Measurand,
            quantity: Quantity::of_code(code),
            unit: Quantity::of_code(code).unit().into(),
            decimals: 1,
            scale: 1.0,
            expected_ms: Some(600_000),
        }
    });
    let points = store.put_points(&points).await.unwrap();
    Field { store: store.clone(), client, feeder: assets[0], points: [points[0], points[1], points[2]] }
}

/// Returns a load in MW by the hour of the week, with reproducible noise.
fn load(hour: i64) -> f64 {
    2.0 + (hour.rem_euclid(24) as f64 / 24.0 * std::f64::consts::TAU).sin()
        + hour.rem_euclid(WEEK) as f64 / 500.0
        + (hour * 37 % 23) as f64 / 100.0
}

/// Stores values for hours counted from [`NOW`]. Each current is a hundred times the power; phase Y is two ampere above R.
async fn measure(database: &TestDatabase, field: &Field, hours: std::ops::Range<i64>) {
    let sample = |hour: i64, point: PointId, value: f64| {
        let source = NOW.plus_millis(hour * HOUR_MS + 1_000);
        let reading = Reading { value: Some(value), quality: Quality::Good, source, received: source, ordinal: Ordinal::default() };
        Sample { point, client: field.client, reading, historical: true, repeated: false }
    };
    let [power, r, y] = field.points;
    let of_hour = |hour: i64| {
        let value = load(hour);
        [sample(hour, power, value), sample(hour, r, value * 100.0 - 1.0), sample(hour, y, value * 100.0 + 1.0)]
    };
    let samples = hours.flat_map(of_hour).collect();
    Writer::connect(database.url()).await.unwrap().commit(&Batch { samples, ..Batch::default() }).await.unwrap();
}

/// Returns the registry of a database.
async fn followed(database: &TestDatabase) -> Registry {
    let store = Store::connect(database.url(), 1).await.unwrap();
    registry::follow(store, FollowSettings::new(database.url()), CancellationToken::new()).await.unwrap()
}

async fn set_up() -> (TestDatabase, Field) {
    let database = testkit::database().await;
    let store = Store::connect(database.url(), 4).await.unwrap();
    let field = enter(&store, "ONE").await;
    (database, field)
}

fn at(hour: i64) -> Micros {
    NOW.plus_millis(hour * HOUR_MS)
}

#[tokio::test]
async fn each_hour_has_its_forecast_and_the_past_one_made_of_what_was_before() {
    let (database, field) = set_up().await;
    measure(&database, &field, -5 * WEEK..0).await;
    let stop = CancellationToken::new();
    let mut worker = Worker::new(CONFIG, field.store.clone(), followed(&database).await);
    // Demand and current; the midnights were six, 30 and 54 hours ago.
    let first = worker.turn(at(0).plus_millis(40_000), &stop).await.unwrap();
    assert_eq!(first, Done { issued: 2, backcast: 6, ..Done::default() });
    assert_eq!(worker.turn(at(0).plus_millis(90_000), &stop).await.unwrap(), Done::default(), "once an hour");
    assert_eq!(
        Worker::new(CONFIG, field.store.clone(), followed(&database).await).turn(at(0), &stop).await.unwrap(),
        Done::default(),
        "nor by another process"
    );

    for (measure, scale) in [(Measure::Demand, 1.0), (Measure::Current, 100.0)] {
        let found = field.store.foreseen(field.client, field.feeder, measure, at(-54), at(200)).await.unwrap();
        let hours: Vec<i64> = found.iter().map(|forecast| forecast.hour.millis_since(NOW) / HOUR_MS).collect();
        assert_eq!(hours, (-54..168).collect::<Vec<_>>(), "the first of a day tells of a week");
        for (hour, forecast) in hours.into_iter().zip(&found) {
            assert!(
                forecast.issued <= forecast.hour && forecast.backcast == (hour < 0) && forecast.method == Method::MstlEts,
                "{forecast:?}"
            );
            let value = f64::from(forecast.forecast.value.unwrap());
            assert!((value / scale - load(hour)).abs() < 0.5, "{hour}: {value}");
            assert!(forecast.forecast.q10 <= forecast.forecast.value && forecast.forecast.value <= forecast.forecast.q90);
        }
    }

    measure(&database, &field, 0..1).await;
    assert_eq!(worker.turn(at(1), &stop).await.unwrap(), Done { issued: 2, ..Done::default() });
    let next = field.store.foreseen(field.client, field.feeder, Measure::Demand, at(0), at(168)).await.unwrap();
    let newest = |hour: usize| next[hour].issued;
    assert_eq!(
        (newest(0), newest(1), newest(48), newest(49)),
        (at(0), at(1), at(1), at(0)),
        "two days, and the week as it was told before"
    );
}

#[tokio::test]
async fn after_a_pause_it_goes_on_with_the_hour_and_makes_up_the_days_that_nobody_was_told_of() {
    let (database, field) = set_up().await;
    measure(&database, &field, -5 * WEEK..366).await;
    let stop = CancellationToken::new();
    let mut worker = Worker::new(CONFIG, field.store.clone(), followed(&database).await);
    worker.turn(at(0), &stop).await.unwrap();
    // The first issue covered the days that begin at hours 18 and 42.
    assert_eq!(worker.turn(at(60), &stop).await.unwrap(), Done { issued: 2, ..Done::default() });
    let every = ForecastConfig { every_h: 6, keep_days: 4, ..CONFIG };
    let mut slower = Worker::new(every, field.store.clone(), followed(&database).await);
    assert_eq!(slower.turn(at(62), &stop).await.unwrap(), Done { gone: 2, ..Done::default() }, "only what is too old goes");
    assert_eq!(slower.turn(at(66), &stop).await.unwrap().issued, 2);
    let late = slower.turn(at(66 + 3 * 24), &stop).await.unwrap();
    // Deletes the issues of each measure before hour 42: at hours -30, -6 and 0.
    assert_eq!((late.issued, late.backcast, late.gone), (2, 0, 6), "{late:?}");
    // That forecast of a week has ended before three midnights: 306, 330 and 354.
    let longer = slower.turn(at(366), &stop).await.unwrap();
    assert_eq!(longer, Done { issued: 2, backcast: 6, gone: 6, ..Done::default() });
}

#[tokio::test]
async fn days_wait_for_a_history_and_are_made_up_when_it_has_come() {
    let (database, field) = set_up().await;
    measure(&database, &field, -30..0).await;
    let stop = CancellationToken::new();
    let mut worker = Worker::new(CONFIG, field.store.clone(), followed(&database).await);
    let first = worker.turn(at(0), &stop).await.unwrap();
    assert_eq!(first, Done { issued: 2, waiting: 6, ..Done::default() });
    let reported = field.store.foreseen(field.client, field.feeder, Measure::Demand, at(0), at(1)).await.unwrap();
    assert_eq!(reported[0].method, Method::Day, "a day is enough to say something");
    assert_eq!(worker.turn(at(0), &stop).await.unwrap(), Done { waiting: 6, ..Done::default() });
    measure(&database, &field, -4 * WEEK..-30).await;
    assert_eq!(worker.turn(at(0), &stop).await.unwrap(), Done { backcast: 6, ..Done::default() });
}

#[tokio::test]
async fn each_utility_has_its_own_and_one_without_a_history_has_none() {
    let (database, field) = set_up().await;
    let other = enter(&field.store, "TWO").await;
    let empty = enter(&field.store, "THREE").await;
    measure(&database, &field, -2 * WEEK..0).await;
    measure(&database, &other, -2 * WEEK..0).await;
    let stop = CancellationToken::new();
    let config = ForecastConfig { backcast_days: 0, ..CONFIG };
    let mut worker = Worker::new(config, field.store.clone(), followed(&database).await);
    assert_eq!(worker.turn(at(0), &stop).await.unwrap(), Done { issued: 4, ..Done::default() });
    for (utility, count) in [(&field, 2), (&other, 2), (&empty, 0)] {
        assert_eq!(field.store.issued(utility.client, at(-1)).await.unwrap().len(), count);
    }
    stop.cancel();
    assert_eq!(worker.turn(at(5), &stop).await.unwrap(), Done::default(), "it has been stopped");
}
