//! Tests a hub whose core is blocked while its sockets are still served.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::run::Run;

/// Time limit for clients to stop showing values as live. The hub sends heartbeats until the core has been blocked for 1.5 s, and clients accept a
/// heartbeat for 3 s. The rest is for a busy machine.
const NOTICED: Duration = Duration::from_secs(5);

/// A client that still shows live values after this time does not notice that the core is blocked.
const PATIENCE: Duration = Duration::from_secs(8);

impl Run {
    /// Blocks the core of the hub and moves every switch meanwhile. The clients must stop showing live values, and must not show the old positions as
    /// good afterwards.
    pub(crate) async fn hold_core(&mut self, rounds: u32) -> anyhow::Result<()> {
        let held = self.site.hold_file();
        let (mut unaware, mut back, mut wrong, mut slowest) = (0, 0, 0, Duration::ZERO);
        for _ in 0..rounds {
            std::fs::write(&held, "")?;
            let began = Instant::now();
            let connected = |run: &Self| run.observers.iter().filter(|observer| observer.seen().connected).count();
            self.fleet.burst(1);
            let noticed = self.until("every observer notices it", PATIENCE, |run| connected(run) == 0).await;
            slowest = slowest.max(noticed.unwrap_or_else(|_| began.elapsed()));
            unaware += connected(self);
            // Gives a client time to show live values too early.
            sleep(Duration::from_secs(if self.trial.short { 1 } else { 5 })).await;
            back += connected(self);
            let moved = self.moved().await?;
            for observer in &self.observers {
                observer.seen().moved.clone_from(&moved);
            }
            std::fs::remove_file(&held)?;
            self.until("every position is live again", Duration::from_mins(1), |run| {
                run.observers.iter().all(|observer| {
                    let seen = observer.seen();
                    seen.connected && seen.sees_all_moves()
                })
            })
            .await?;
            for observer in &self.observers {
                let mut seen = observer.seen();
                wrong += std::mem::take(&mut seen.wrong_good);
                seen.moved.clear();
            }
        }
        let observers = self.observers.len();
        self.report.check(
            format!("core held {rounds} times under {observers} observers: {unaware} times one still showed live values, {back} times again too early"),
            unaware == 0 && back == 0,
        );
        self.report.check(format!("{wrong} frames showed an old position as good"), wrong == 0);
        self.report.figure(format!("nothing live at any observer within {slowest:.1?} (<= {NOTICED:?})"), slowest <= NOTICED);
        Ok(())
    }
}
