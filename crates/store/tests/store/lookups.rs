//! Lookups of stored samples read only the rows that they return, even if the statistics of the table do not know these rows yet.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use testkit::Flavour;

use crate::fixture::{START, utility_on};

/// Samples that the statistics include, one a second.
const KNOWN: i64 = 50_000;

/// Later samples that the statistics do not include.
const UNKNOWN: i64 = 1_000;

/// Number of rows that a plan has read, including those that it filtered out.
fn rows_read(plan: &Value) -> f64 {
    let number = |name: &str| plan[name].as_f64().unwrap_or(0.0);
    let own = number("Actual Rows") + number("Rows Removed by Filter") + number("Rows Removed by Join Filter");
    let below = plan["Plans"].as_array().into_iter().flatten().map(rows_read).sum::<f64>();
    own * number("Actual Loops") + below
}

#[tokio::test]
async fn lookup_of_newest_samples_reads_no_others() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let client = utility.database.client().await;
        let point = utility.sites[0].current;
        let start = UNIX_EPOCH + Duration::from_micros(START.0.unsigned_abs());
        let insert = "INSERT INTO sample (point_id, ts, recv_ts, value, quality)
            SELECT $1, $2::timestamptz + n * INTERVAL '1 second', $2, n, 0 FROM generate_series($3::bigint, $4::bigint) n";
        client.execute(insert, &[&point.0, &start, &0_i64, &(KNOWN - 1)]).await.unwrap();
        client.batch_execute("ANALYZE sample").await.unwrap();
        client.execute(insert, &[&point.0, &start, &KNOWN, &(KNOWN + UNKNOWN - 1)]).await.unwrap();

        let seconds = || KNOWN..KNOWN + UNKNOWN;
        let points: Vec<i64> = seconds().map(|_| point.0).collect();
        let times: Vec<SystemTime> = seconds().map(|second| start + Duration::from_secs(second.unsigned_abs())).collect();
        let values: Vec<f64> = seconds().map(|second| second as f64).collect();
        let qualities = vec![0_i16; points.len()];
        for (name, statement) in [
            ("known_samples", include_str!("../../sql/writer/known_samples.sql")),
            ("sample_conflicts", include_str!("../../sql/writer/sample_conflicts.sql")),
        ] {
            let explain = format!("EXPLAIN (ANALYZE, FORMAT JSON) {statement}");
            let row = client
                .query_one(&explain, &[&points, &times, &values, &qualities, &times[0], &times[times.len() - 1]])
                .await
                .unwrap_or_else(|error| panic!("{name} on {flavour:?}: {error}"));
            let plan: Value = row.get(0);
            let read = rows_read(&plan[0]["Plan"]);
            assert!(read <= 8.0 * UNKNOWN as f64, "{name} on {flavour:?} reads {read} rows: {plan:#}");
        }
    }
}
