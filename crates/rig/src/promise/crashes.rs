//! Processes that crash, one at a time or all at once, also under an avalanche.

use std::time::{Duration, Instant};

use anyhow::Context;
use rand::RngExt;
use tokio::time::sleep;

use crate::run::Run;
use crate::strike::{kill, kill_all};

impl Run {
    pub(crate) async fn kill_again_and_again(&mut self, part: &str, times: u32) -> anyhow::Result<()> {
        let (mut longest, mut blind) = (Duration::ZERO, 0);
        for _ in 0..times {
            let (before, down) =
                if self.trial.short { (self.pause(0.5..2.0), self.pause(0.2..1.0)) } else { (self.pause(1.0..10.0), self.pause(0.5..4.0)) };
            sleep(before).await;
            let acked = part == "postgres";
            kill(&mut self.site, part, down).await?;
            blind += usize::from(acked && self.observers.iter().any(|observer| !observer.seen().connected));
            longest = longest.max(self.settle().await?);
        }
        let limit = if part == "ingest1" { 10 } else { 30 };
        self.report.figure(
            format!("{part} killed {times} times: the outboxes drained within {longest:.1?} (<= {limit} s)"),
            longest.as_secs() < limit,
        );
        if part == "postgres" {
            self.report.check(format!("observers that lost the picture with the database: {blind}"), blind == 0);
        }
        Ok(())
    }

    pub(crate) async fn kill_everything(&mut self, times: u32) -> anyhow::Result<()> {
        let mut longest = Duration::ZERO;
        for _ in 0..times {
            let before = self.pause(2.0..6.0);
            sleep(before).await;
            let began = Instant::now();
            kill_all(&mut self.site, Duration::from_secs(1)).await?;
            self.settle().await?;
            self.until("every observer is back", Duration::from_mins(1), |run| {
                run.observers.iter().all(|observer| observer.seen().connected)
            })
            .await?;
            longest = longest.max(began.elapsed());
        }
        self.report
            .figure(format!("everything killed {times} times: back and drained within {longest:.1?} (<= 60 s)"), longest.as_secs() < 60);
        Ok(())
    }

    pub(crate) async fn avalanche(&mut self, operations: u32) -> anyhow::Result<()> {
        let (_, before) = self.fleet.history.counts();
        for round in 0..10 {
            self.fleet.burst((operations / 10).div_ceil(self.load.gateways));
            sleep(Duration::from_secs(1)).await;
            match round {
                3 => kill(&mut self.site, "ingest1", Duration::from_millis(500)).await?,
                6 => kill(&mut self.site, "hub1", Duration::from_millis(500)).await?,
                _ => {}
            }
        }
        let took = self.settle().await?;
        let (_, after) = self.fleet.history.counts();
        self.report.check(format!("{} operations in about 10 s; drained {took:.1?} after the last", after - before), true);
        Ok(())
    }

    /// Crashes ingest at each of the named failpoints, after it has passed the failpoint some times. The comparison at the end of the trial finds
    /// errors.
    pub(crate) async fn crash_at_places(&mut self, rounds: u32) -> anyhow::Result<()> {
        for place in ["before_commit", "after_commit", "before_acknowledgement"] {
            for _ in 0..rounds {
                let times = self.random.random_range(3..40);
                let points = ("FAILPOINTS".to_owned(), format!("{place}={times}*off->return"));
                let ingest = self.site.service_mut("ingest1")?;
                ingest.kill().await?;
                ingest.start_with(&[points])?;
                ingest.ended(Duration::from_mins(1)).await.with_context(|| format!("built with the feature failpoints? at {place}"))?;
                ingest.start()?;
                self.settle().await?;
            }
        }
        self.report.check(format!("ingest died {rounds} times at each of the named places"), true);
        Ok(())
    }
}
