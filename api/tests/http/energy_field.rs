//! Two substations with their meters and values; a feeder of the first supplies the second.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, GatewayId, Micros, NodeId, PointId};
use serde_json::Value;
use store::seed::{AssetSeed, PointSeed};
use store::writer::{Batch, Sample};
use store::{Store, Writer};

use crate::field::{Utility, reading};
use crate::server::Server;

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;

/// A meter: the registers to the load and back, and the power.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meter {
    pub(crate) asset: AssetId,
    pub(crate) imported: PointId,
    pub(crate) exported: PointId,
    pub(crate) power: PointId,
}

/// The first substation has an incomer, feeder F1 to customers, and F2 to the second one, which has an incomer and feeder F3.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Network {
    pub(crate) line: Meter,
    pub(crate) feeder: Meter,
    pub(crate) to_second: Meter,
    pub(crate) second_line: Meter,
    pub(crate) second_feeder: Meter,
}

pub(crate) fn asset(utility: &Utility, location: NodeId, code: &str, type_id: i32, class: &str, kv: f64) -> AssetSeed {
    AssetSeed { kv: Some(kv), ..AssetSeed::new(utility.client, location, code, type_id, class) }
}

/// Creates points of an asset in the units of the field. The register of the opposite direction counts kWh.
pub(crate) async fn points(store: &Store, utility: &Utility, asset: AssetId, name: &str, codes: &[&str]) -> Vec<PointId> {
    let gateway: GatewayId = utility.gateway;
    let seed = |code: &&str| {
        let quantity = Quantity::of_code(code);
        PointSeed {
            client: utility.client,
            gateway,
            device: name.into(),
            metric: format!("{name}/{code}"),
            code: (*code).into(),
            asset,
            kind: kind_of_code(code),
            quantity,
            unit: if *code == "EExp" { "kWh".into() } else { quantity.unit().into() },
            decimals: quantity.decimals(),
            scale: 1.0,
            expected_ms: Some(MINUTE_MS),
        }
    };
    store.put_points(&codes.iter().map(seed).collect::<Vec<_>>()).await.expect("points")
}

impl Network {
    pub(crate) async fn enter(server: &Server) -> Self {
        let store = Store::connect(server.database.url(), 1).await.expect("connected");
        let one = &server.one;
        let (first, second) = (one.location, one.other_location);
        let seeds = [
            asset(one, first, "L1", 4, "feeder", 33.0),
            asset(one, first, "F2", 1, "feeder", 11.0),
            asset(one, second, "L2", 4, "feeder", 11.0),
            asset(one, second, "F3", 1, "feeder", 11.0),
        ];
        let ids = store.put_assets(&seeds).await.expect("assets");
        let mut meters = Vec::new();
        for (asset, name) in [(ids[0], "L1"), (one.feeder, "F1"), (ids[1], "F2"), (ids[2], "L2"), (ids[3], "F3")] {
            let points = points(&store, one, asset, name, &["EImp", "EExp", "P"]).await;
            meters.push(Meter { asset, imported: points[0], exported: points[1], power: points[2] });
        }
        store.put_feeds(one.client, &[(ids[1], second)]).await.expect("feeds");
        Self { line: meters[0], feeder: meters[1], to_second: meters[2], second_line: meters[3], second_feeder: meters[4] }
    }
}

/// Stores values as ingest would.
pub(crate) async fn write(server: &Server, values: &[(PointId, Micros, f64)]) {
    let sample = |&(point, source, value): &(PointId, Micros, f64)| Sample {
        point,
        client: server.one.client,
        reading: reading(value, source.millis()),
        historical: true,
        repeated: false,
    };
    let batch = Batch { samples: values.iter().map(sample).collect(), ..Batch::default() };
    Writer::connect(server.database.url()).await.expect("a writer").commit(&batch).await.expect("stored");
}

/// Sets the demand-integration period of the utility, as an administrator does.
pub(crate) async fn set_integration(server: &Server, minutes: i64) {
    const PATH: &str = "/api/admin/configuration";
    let token = server.sign_in("one-admin").await;
    let mut configuration = server.get_as(&token, PATH).await.json()["result"].clone();
    configuration["demand"] = serde_json::json!({ "integrationMinutes": minutes });
    let put = server.json_as(&token, "PUT", PATH, &configuration).await;
    assert_eq!(put.status, 200, "{put:?}");
}

/// Divides dirty ranges at the start of the present ten minutes: what is before is due (history/newest_dirty.sql).
const DIVIDE: &str = "
    WITH present AS (SELECT date_bin(INTERVAL '10 minutes', now() - INTERVAL '5 seconds', TIMESTAMPTZ '2000-01-01 00:00:00+00') AS start),
    divided AS (DELETE FROM rollup_dirty d USING present p WHERE d.lo < p.start AND d.hi > p.start RETURNING d.*, p.start)
    INSERT INTO rollup_dirty (level, block, lo, hi)
    SELECT level, block, lo, start FROM divided UNION ALL SELECT level, block, start, hi FROM divided";
/// Number of dirty ranges that are due.
const DUE: &str = "SELECT count(*) FROM rollup_dirty
    WHERE hi <= date_bin(INTERVAL '10 minutes', now() - INTERVAL '5 seconds', TIMESTAMPTZ '2000-01-01 00:00:00+00') OR hi > now() + INTERVAL '10 minutes'";

/// Recomputes the dirty ranges that are due. Those of the present ten minutes stay; queries compute them from the values.
pub(crate) async fn work_out(server: &Server) {
    let client = server.database.client().await;
    let mut rollups = store::rollup::Rollups::connect(server.database.url()).await.expect("connected");
    let patience = std::time::Instant::now();
    loop {
        client.execute(DIVIDE, &[]).await.expect("divided");
        rollups.refresh_all().await.expect("worked out");
        let left: i64 = client.query_one(DUE, &[]).await.expect("a row").get(0);
        if left == 0 {
            return;
        }
        assert!(patience.elapsed().as_secs() < 60, "{left} marks are left");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}

pub(crate) async fn ok(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, &format!("/api/{path}")).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

pub(crate) fn now() -> Micros {
    let now = std::time::UNIX_EPOCH.elapsed().expect("after 1970");
    Micros::from_millis(i64::try_from(now.as_millis()).expect("before the end"))
}

/// Returns the last midnight in India.
pub(crate) fn midnight(now: Micros) -> Micros {
    const AHEAD_MS: i64 = 330 * MINUTE_MS;
    let day = (now.millis() + AHEAD_MS).div_euclid(24 * HOUR_MS);
    Micros::from_millis(day * 24 * HOUR_MS - AHEAD_MS)
}

pub(crate) fn near(found: &Value, expected: f64) -> bool {
    found.as_f64().is_some_and(|found| (found - expected).abs() < 1e-6 * expected.abs().max(1.0))
}
