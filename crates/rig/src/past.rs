//! A long past for benchmarks: events of all status points of a utility over months.

use tokio_postgres::Client;

/// Inserts events of all status points of the utility in turn, one every ten seconds.
const FILL: &str = r#"
    INSERT INTO event (client_id, point_id, asset_id, location_id, source_ts, recv_ts, epoch, seq, "offset", value, idx, quality)
    SELECT p.client_id, p.id, p.asset_id, a.location_id, at, at + interval '40 ms', 1, n, 1000000000 + n, 1 + n / 7 % 2, 0, 0
    FROM generate_series(1::bigint, $1) n
    JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS nth, count(*) OVER () AS points FROM point WHERE client_id = $2 AND code LIKE '%Pos%') p
      ON p.nth = n % p.points
    JOIN asset a ON a.id = p.asset_id
    CROSS JOIN LATERAL (SELECT date_trunc('day', now() - interval '130 days') + n * interval '10 s') t (at)"#;

/// Enters `rows` events of a utility. Returns the days that they lie in, from the first to today, as a report takes them.
pub async fn enter_past(sql: &Client, client: i64, rows: i64) -> anyhow::Result<String> {
    sql.execute(FILL, &[&rows, &client]).await?;
    sql.batch_execute("ANALYZE event").await?;
    let days = "SELECT to_char(min(source_ts), 'YYYY-MM-DD') || ',' || to_char(now(), 'YYYY-MM-DD') FROM event";
    Ok(sql.query_one(days, &[]).await?.get(0))
}
