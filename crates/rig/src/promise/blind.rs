//! Switches that move while ingest is disconnected from the broker, and whose gateways are still disconnected when ingest is back.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::time::sleep;

use crate::gateways::SWITCH;
use crate::proxy::Fault;
use crate::run::Run;

impl Run {
    /// Disconnects ingest, moves every switch behind a frozen link, and heals the link of ingest first. No position may be shown as good before its
    /// gateway has reported its current one.
    pub(crate) async fn move_unseen(&mut self, rounds: u32) -> anyhow::Result<()> {
        let (mut wrong, mut slowest, mut positions) = (0, Duration::ZERO, 0);
        for _ in 0..rounds {
            self.site.links["ingest/broker"].set(Fault::Cut);
            self.until("nothing is live without ingest", Duration::from_mins(1), |run| {
                run.observers.iter().all(|observer| observer.seen().points.values().all(|point| point.1 != 0))
            })
            .await?;
            self.site.links["field/broker"].set(Fault::Frozen);
            self.fleet.burst(1);
            sleep(Duration::from_secs(1)).await;
            let moved = self.moved().await?;
            positions = moved.len();
            for observer in &self.observers {
                observer.seen().moved.clone_from(&moved);
            }
            self.site.links["ingest/broker"].set(Fault::None);
            self.site.service("ingest1")?.ready().await?;
            // Gives the hub time to show a wrong position.
            sleep(Duration::from_secs(if self.trial.short { 2 } else { 10 })).await;
            self.site.links["field/broker"].set(Fault::None);
            let healed = Instant::now();
            self.until("every position is live again", Duration::from_mins(1), |run| {
                run.observers.iter().all(|observer| observer.seen().sees_all_moves())
            })
            .await?;
            slowest = slowest.max(healed.elapsed());
            for observer in &self.observers {
                let mut seen = observer.seen();
                wrong += std::mem::take(&mut seen.wrong_good);
                seen.moved.clear();
            }
            self.settle().await?;
        }
        self.report
            .check(format!("{rounds} times {positions} switches moved unseen: {wrong} frames showed an old position as good"), wrong == 0);
        self.report.figure(format!("all positions live within {slowest:.1?} of the last link (<= 10 s)"), slowest.as_secs() < 10);
        Ok(())
    }

    /// Returns when each switch moved last, ms, by its point.
    pub(crate) async fn moved(&self) -> anyhow::Result<HashMap<i64, i64>> {
        let statement =
            "SELECT p.id, g.code FROM point p JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'RIG%' AND p.code = 'Pos'";
        let points = self.site.sql().await?.query(statement, &[]).await?;
        let history = self.fleet.history.lock();
        let last = |row: &tokio_postgres::Row| {
            let moves = history.get(row.get::<_, &str>(1)).and_then(|generated| generated.get(SWITCH))?;
            Some((row.get(0), moves.last()?.0))
        };
        points.iter().map(|row| last(row).context("a switch that has moved")).collect()
    }
}
