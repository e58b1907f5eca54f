//! Compares two sites that receive the same telemetry: one with shards and several hubs, and one with a single process for everything.

use std::time::{Duration, Instant};

use anyhow::ensure;
use simulators::rtu::link::now_ms;
use testkit::TestPostgres;
use tokio::time::sleep;

use crate::run::Run;

/// Statements for the number and a digest of all stored rows, independent of the ids in the database.
const STORED: [(&str, &str); 3] = [
    (
        "samples",
        "SELECT count(*), md5(string_agg(g.code || p.device || p.metric || extract(epoch FROM s.ts) || ' ' || s.value || ' ' || s.quality, '|'
             ORDER BY g.code, p.device, p.metric, s.ts))
         FROM sample s JOIN point p ON p.id = s.point_id JOIN gateway g ON g.id = p.gateway_id WHERE extract(epoch FROM s.ts)::float8 > $1",
    ),
    (
        "events",
        "SELECT count(*), md5(string_agg(g.code || p.metric || extract(epoch FROM e.source_ts) || ' ' || e.value, '|'
             ORDER BY g.code, p.metric, e.source_ts))
         FROM event e JOIN point p ON p.id = e.point_id JOIN gateway g ON g.id = p.gateway_id WHERE extract(epoch FROM e.source_ts)::float8 > $1",
    ),
    (
        "latest values",
        "SELECT count(*), md5(string_agg(g.code || p.metric || extract(epoch FROM l.source_ts) || ' ' || l.value, '|' ORDER BY g.code, p.metric))
         FROM latest l JOIN point p ON p.id = l.point_id JOIN gateway g ON g.id = p.gateway_id WHERE extract(epoch FROM l.source_ts)::float8 > $1",
    ),
];

impl Run {
    /// Starts the twin, runs both sites for a while, stops the gateways, and compares the rows that both have stored after both had
    /// discovered all points. Before that they may differ, because an outbox removes a message after either site has acknowledged it.
    pub(crate) async fn compare_with_twin(&mut self, how_long: Duration) -> anyhow::Result<()> {
        let switchyard = self.trial.switchyard.clone();
        let twin = self.site.add_twin(&switchyard).await?;
        let points =
            "SELECT count(*), NULL FROM point p JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'RIG%' AND $1 >= 0::float8";
        let began = Instant::now();
        while digest(&self.site.postgres, points, 0.0).await? != digest(&twin, points, 0.0).await? {
            ensure!(began.elapsed() < Duration::from_mins(2), "the twin does not get to know all points");
            self.fleet.burst(1);
            sleep(Duration::from_secs(1)).await;
        }
        let since = now_ms() as f64 / 1_000.0;
        sleep(how_long).await;
        self.settle().await?;
        self.fleet.stop_generating();
        self.until("the outboxes are empty", Duration::from_mins(1), |run| run.fleet.waiting() == 0).await?;
        let ended = Instant::now();
        for (what, query) in STORED {
            loop {
                let (apart, one) = (digest(&self.site.postgres, query, since).await?, digest(&twin, query, since).await?);
                let same = apart == one;
                // A message that one site has acknowledged may not have been stored by the other yet.
                if same || ended.elapsed() > Duration::from_secs(20) {
                    self.report.check(format!("{what}: {apart:?} by shards and hubs apart, {one:?} by one process"), same && apart.0 > 0);
                    break;
                }
                sleep(Duration::from_millis(500)).await;
            }
        }
        Ok(())
    }
}

async fn digest(postgres: &TestPostgres, query: &str, since: f64) -> anyhow::Result<(i64, String)> {
    let (client, connection) = tokio_postgres::connect(&postgres.url(), tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    let row = client.query_one(query, &[&since]).await?;
    Ok((row.get(0), row.get::<_, Option<String>>(1).unwrap_or_default()))
}
