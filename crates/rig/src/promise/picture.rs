//! Measures what observers receive and when: positions after a movement, and no live values after a process on the path has crashed.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::observer::percentile;
use crate::proxy::Fault;
use crate::run::Run;

/// Time limit for 95 of 100 positions to reach the screen, ms.
const SEEN_MS: i64 = 250;
/// Time limit for values to be shown as stale after a crash.
const STALE: Duration = Duration::from_secs(5);
/// The quality of values whose link is offline (`grid::Quality`).
const LOST: u64 = 5;

impl Run {
    /// Measures the time from a movement of a switch to its new position at each observer, and from a crash until no observer shows a value as live.
    pub(crate) async fn watch_picture(&mut self, rounds: u32) -> anyhow::Result<()> {
        let statement = "SELECT p.id FROM point p JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'RIG%' AND p.code = 'Pos'";
        let positions: HashSet<i64> = self.site.sql().await?.query(statement, &[]).await?.iter().map(|row| row.get(0)).collect();
        for observer in &self.observers {
            observer.seen().positions.clone_from(&positions);
        }
        for _ in 0..rounds {
            self.fleet.burst(1);
            sleep(Duration::from_secs(1)).await;
        }
        let mut delays: Vec<i64> =
            self.observers.iter().flat_map(|observer| std::mem::take(&mut observer.seen().position_delays)).collect();
        let (median, high, highest) = (percentile(&mut delays, 0.5), percentile(&mut delays, 0.95), percentile(&mut delays, 1.0));
        let count = delays.len();
        self.report.figure(
            format!("{count} positions on screens after p50 {median} ms, p95 {high} ms, at most {highest} ms (p95 <= {SEEN_MS} ms)"),
            count > 0 && high <= SEEN_MS,
        );
        self.report.check(format!("{count} positions were seen"), count > 0);

        let began = Instant::now();
        self.site.hubs[0].set(Fault::Frozen);
        self.lost("the link to the hub frozen", began, false).await?;
        self.site.hubs[0].set(Fault::None);
        self.live().await?;

        let began = Instant::now();
        self.site.service_mut("hub1")?.kill().await?;
        self.lost("the hub killed", began, false).await?;
        self.site.service_mut("hub1")?.start()?;
        self.live().await?;

        let began = Instant::now();
        self.site.service_mut("ingest1")?.kill().await?;
        self.lost("ingest killed", began, true).await?;
        self.site.service_mut("ingest1")?.start()?;
        self.live().await?;

        let began = Instant::now();
        self.site.links["field/broker"].set(Fault::Cut);
        self.lost("all gateways cut off", began, true).await?;
        self.site.links["field/broker"].set(Fault::None);
        self.live().await
    }

    /// Waits until no observer shows a value as live: because all have lost their connections or, if they are still connected, because the hub marks
    /// every point as offline.
    async fn lost(&mut self, what: &str, began: Instant, is_reported: bool) -> anyhow::Result<()> {
        let stale = |run: &Self| {
            run.observers.iter().all(|observer| {
                let seen = observer.seen();
                if is_reported { seen.points.values().all(|point| point.1 >= LOST) } else { !seen.connected }
            })
        };
        self.until(what, Duration::from_mins(1), stale).await?;
        let after = began.elapsed();
        self.report.figure(format!("{what}: nothing is live at any observer after {after:.1?} (<= {STALE:?})"), after <= STALE);
        Ok(())
    }

    /// Waits until every observer shows live values again.
    async fn live(&self) -> anyhow::Result<()> {
        let good = |run: &Self| {
            run.observers.iter().all(|observer| {
                let seen = observer.seen();
                seen.connected && seen.points.values().any(|point| point.1 == 0)
            })
        };
        self.until("everybody sees live values again", Duration::from_mins(2), good).await?;
        Ok(())
    }
}
