//! Disturbed links, a database that does not answer, and full disks.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::observer::Seen;
use crate::proxy::Fault;
use crate::run::Run;
use crate::strike::{disturb, signal};

impl Run {
    pub(crate) async fn disturb_links(&mut self) -> anyhow::Result<()> {
        let seconds = |long: u64| Duration::from_secs(if self.trial.short { 4 } else { long });
        let late = Duration::from_secs(if self.trial.short { 1 } else { 2 });
        let faults = [
            ("cut", Fault::Cut, seconds(30)),
            ("frozen", Fault::Frozen, seconds(60)),
            ("late", Fault::Late(late), seconds(30)),
            ("slow", Fault::Slow(1_000), seconds(30)),
        ];
        let links = ["ingest/broker", "ingest/database", "hub/broker", "hub/database", "field/broker"];
        let links = if self.trial.short { &links[..2] } else { &links[..] };
        for link in links {
            for (word, fault, how_long) in faults {
                disturb(&self.site, link, fault, how_long).await?;
                let began = Instant::now();
                self.settle().await?;
                self.until("every observer is back", Duration::from_mins(1), |run| {
                    run.observers.iter().all(|observer| observer.seen().connected)
                })
                .await?;
                let took = began.elapsed();
                self.report.figure(format!("{link} {word} for {how_long:?}: resumed within {took:.1?} (<= 10 s)"), took.as_secs() < 10);
            }
        }
        Ok(())
    }

    pub(crate) async fn stop_database(&mut self, how_long: Duration) -> anyhow::Result<()> {
        signal(&self.site, "postgres", "STOP").await?;
        let began = Instant::now();
        let (mut oldest, mut lost) = (0, 0_usize);
        while began.elapsed() < how_long {
            sleep(Duration::from_secs(1)).await;
            lost += self.observers.iter().filter(|observer| !observer.seen().connected).count();
            oldest = oldest.max(self.oldest_shown());
        }
        let spooled = self.site.service("ingest1")?.metric("ingest_spool_bytes").await / 1_048_576.0;
        let waiting = self.fleet.waiting();
        signal(&self.site, "postgres", "CONT").await?;
        let resumed = Instant::now();
        let ingest = self.site.service("ingest1")?;
        while ingest.metric("ingest_spool_bytes").await > 0.0 {
            anyhow::ensure!(resumed.elapsed() < how_long, "the spool is not drained");
            sleep(Duration::from_millis(100)).await;
        }
        let drained = resumed.elapsed();
        // New messages arrived at the usual rate while the backlog drained, so the rate includes both.
        let rate = (how_long + drained).as_secs_f64() / drained.as_secs_f64().max(0.1);
        let peaks = (self.site.service("ingest1")?.peak_mib(), self.site.service("hub1")?.peak_mib());
        self.report.figure(
            format!("stopped for {how_long:?}: {spooled:.1} MiB spooled, {waiting} messages unacknowledged"),
            waiting < 10 * self.load.gateways as usize,
        );
        self.report.figure(format!("the picture's oldest good value was {oldest} ms behind"), oldest < 10_000);
        self.report.check(format!("{lost} observer seconds without a picture"), lost == 0);
        self.report.figure(format!("the spool was drained in {drained:.1?}: {rate:.1} times the live rate (>= 3)"), rate >= 3.0);
        self.report
            .check(format!("most memory resident: ingest {} MiB, hub {} MiB (<= 256)", peaks.0, peaks.1), peaks.0 <= 256 && peaks.1 <= 256);
        Ok(())
    }

    /// Returns the maximum age of the newest good value, over all observers, ms.
    pub(crate) fn oldest_shown(&self) -> i64 {
        let now = simulators::rtu::link::now_ms().cast_signed();
        let newest = |seen: &Seen| seen.points.values().filter(|point| point.1 == 0).map(|point| point.2).max().unwrap_or(0);
        self.observers.iter().map(|observer| now - newest(&observer.seen())).max().unwrap_or(0)
    }

    /// Fills the database's disk for a while, and in a second round the disk of the spool too.
    pub(crate) async fn fill_disks(&mut self, how_long: Duration) -> anyhow::Result<()> {
        for both in [false, true] {
            let failures = self.site.service("ingest1")?.metric("ingest_commit_failures_total").await;
            self.site.postgres.fill_disk(true)?;
            if both {
                self.site.fill_state(true)?;
            }
            let began = Instant::now();
            let mut noticed = None;
            let mut lost = 0;
            while began.elapsed() < how_long {
                sleep(Duration::from_millis(500)).await;
                lost += self.observers.iter().filter(|observer| !observer.seen().connected).count();
                if noticed.is_none() && self.site.service("ingest1")?.metric("ingest_commit_failures_total").await > failures {
                    noticed = Some(began.elapsed());
                }
            }
            let refused = self.site.service("ingest1")?.metric("ingest_spool_refusals_total").await;
            let waiting = self.fleet.waiting();
            self.site.postgres.fill_disk(false)?;
            if both {
                self.site.fill_state(false)?;
            }
            // The database may have ended when its disk was full.
            self.site.postgres.revive().await;
            let took = self.settle().await?;
            let which = if both { "both disks" } else { "the database's disk" };
            self.report.figure(
                format!("{which} full for {how_long:?}: {refused:.0} refusals of the spool, {waiting} messages unacknowledged, drained {took:.1?} after"),
                both == (refused > 0.0),
            );
            self.report
                .figure(format!("{which}: the alarm after {noticed:.1?} (<= 10 s)"), noticed.is_some_and(|after| after.as_secs() < 10));
            self.report.check(format!("{which}: {lost} observer half seconds without a picture"), lost == 0);
        }
        Ok(())
    }
}
