//! Clients that are cut off, do not read, or all reconnect at once.

use std::time::Duration;

use rand::RngExt;
use tokio::time::sleep;

use crate::observer::{Observer, Seen, percentile};
use crate::proxy::Fault;
use crate::run::Run;
use crate::strike::kill;

impl Run {
    pub(crate) async fn cut_clients(&mut self, (cuts, kills): (u32, u32)) -> anyhow::Result<()> {
        for number in 0..cuts {
            let pause = self.pause(0.1..0.6);
            let hub = self.random.random_range(0..self.site.hubs.len());
            self.site.hubs[hub].set(if number % 2 == 0 { Fault::Cut } else { Fault::Reset });
            sleep(Duration::from_millis(50)).await;
            self.site.hubs[hub].set(Fault::None);
            sleep(pause).await;
            if number % (cuts / kills).max(1) == 0 {
                kill(&mut self.site, &format!("hub{}", hub + 1), Duration::from_millis(300)).await?;
            }
        }
        self.until("every observer is back", Duration::from_mins(1), |run| run.observers.iter().all(|observer| observer.seen().connected))
            .await?;
        let all: Vec<Seen> = self.observers.iter().map(|observer| observer.seen().clone()).collect();
        let (resumed, afresh) = (all.iter().map(|seen| seen.resumed).sum::<u64>(), all.iter().map(|seen| seen.afresh).sum::<u64>());
        self.report
            .check(format!("{cuts} cuts and {kills} hub kills: {resumed} resumed, {afresh} began afresh"), resumed > 0 && afresh > 0);
        Ok(())
    }

    /// Stops some observers from reading during bursts of operations. Compares the delays at the other observers with those in bursts in which all
    /// observers read.
    pub(crate) async fn freeze_some(&mut self, (frozen, operations, seconds): (usize, u32, u64)) -> anyhow::Result<()> {
        let mut before = self.avalanche_delays(frozen, operations, seconds).await?.0;
        let memory = self.site.service("hub1")?.resident_mib();
        for observer in &self.observers[..frozen] {
            observer.freeze(true);
        }
        let (mut during, most) = self.avalanche_delays(frozen, operations, seconds).await?;
        for observer in &self.observers[..frozen] {
            observer.freeze(false);
        }
        // The hub has closed their connections in the meantime, which they detect when they read again.
        let back = |observer: &Observer| {
            let seen = observer.seen();
            seen.cuts > 0 && seen.connected
        };
        self.until("the frozen were cut and are back", Duration::from_mins(1), |run| run.observers[..frozen].iter().all(back)).await?;
        let (quiet, busy) = (percentile(&mut before, 0.99), percentile(&mut during, 0.99));
        let what = format!("{frozen} frozen for {seconds} s; the others' delay p99 {quiet} ms without, {busy} ms with them (<= 20 % more)");
        self.report.figure(what, busy * 10 <= quiet * 12);
        let more = most.saturating_sub(memory);
        self.report.figure(format!("the hub's memory grew by {more} MiB (<= 10)"), more <= 10);
        Ok(())
    }

    /// Operates all switches in bursts. Returns the delays of events at the observers after the first `skipped`, ms, and the hub's maximum memory,
    /// MiB.
    async fn avalanche_delays(&mut self, skipped: usize, operations: u32, seconds: u64) -> anyhow::Result<(Vec<i64>, u64)> {
        self.settle().await?;
        self.new_delays(skipped);
        let mut most = 0;
        for second in 0..seconds {
            if second % 6 == 0 {
                self.fleet.burst((operations / 10).div_ceil(self.load.gateways));
            }
            sleep(Duration::from_secs(1)).await;
            most = most.max(self.site.service("hub1")?.resident_mib());
        }
        Ok((self.new_delays(skipped), most))
    }

    /// Returns the delays of events at the observers after the first `skipped` since the last call, ms.
    pub(crate) fn new_delays(&self, skipped: usize) -> Vec<i64> {
        self.observers[skipped..].iter().flat_map(|observer| std::mem::take(&mut observer.seen().delays)).collect()
    }

    pub(crate) async fn storm(&mut self) -> anyhow::Result<()> {
        self.site.hubs[0].set(Fault::Reset);
        // A link that does not run for a moment would miss a short fault.
        self.until("every socket is dropped", Duration::from_mins(1), |run| run.observers.iter().all(|observer| observer.seen().cuts > 0))
            .await?;
        self.site.hubs[0].set(Fault::None);
        let took = self
            .until("all are back", Duration::from_mins(2), |run| run.observers.iter().all(|observer| observer.seen().connected))
            .await?;
        let sockets = self.observers.len();
        self.report.figure(format!("{sockets} sockets dropped at once: back within {took:.1?} (<= 30 s)"), took.as_secs() < 30);
        Ok(())
    }
}
