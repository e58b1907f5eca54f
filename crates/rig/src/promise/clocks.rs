//! Clocks that jump or run too fast, of each process in turn and of the gateways.

use std::time::Duration;

use tokio::time::sleep;

use crate::observer::Observer;
use crate::proxy::Fault;
use crate::run::Run;

/// A path that requires an access token.
const CALL: &str = "/api/iecgw/gethoststate";

/// Time limit for values of a dead gateway to be shown as not live.
const NOTICED: Duration = Duration::from_secs(5);

impl Run {
    /// Sets the clock of ingest back, and then disconnects every gateway from the broker: its death has an earlier time than its birth.
    pub(crate) async fn die_after_a_clock_correction(&mut self, rounds: u32) -> anyhow::Result<()> {
        let mut slowest = Duration::ZERO;
        for _ in 0..rounds {
            self.site.set_clock("ingest1", "-600")?;
            sleep(Duration::from_secs(2)).await;
            self.site.links["field/broker"].set(Fault::Cut);
            let noticed = self
                .until("no observer shows a dead gateway as live", Duration::from_mins(1), |run| {
                    run.observers.iter().all(|observer| observer.seen().points.values().all(|point| point.1 != 0))
                })
                .await?;
            slowest = slowest.max(noticed);
            self.site.links["field/broker"].set(Fault::None);
            self.site.set_clock("ingest1", "+0")?;
            self.settle().await?;
            self.until("every gateway is live again", Duration::from_mins(1), |run| {
                run.observers.iter().all(|observer| observer.seen().points.values().any(|point| point.1 == 0))
            })
            .await?;
        }
        self.report.check(format!("{rounds} times all gateways died ten minutes before they were born: each death was shown"), true);
        self.report.figure(format!("nothing live within {slowest:.1?} (<= {NOTICED:?})"), slowest <= NOTICED);
        Ok(())
    }

    pub(crate) async fn set_clocks(&mut self, how_long: Duration) -> anyhow::Result<()> {
        let token = self.site.token().await?;
        for service in ["ingest1", "hub1", "api"] {
            for (word, clock) in [("an hour ahead", "+3600"), ("ten minutes back", "-600"), ("fast by half", "+0 x1.5")] {
                self.site.set_clock(service, clock)?;
                sleep(how_long).await;
                let ahead = clock == "+3600";
                match service {
                    "api" => {
                        let status = self.site.call(CALL, &token).await?;
                        self.report.check(format!("the api {word} says {status} to a token of now"), (status == 401) == ahead);
                    }
                    "hub1" => {
                        let location = self.locations().await?[0];
                        let late = Observer::start(vec![self.site.hubs[0].port()], token.clone(), vec![format!("sld/{location}")]);
                        sleep(Duration::from_secs(2)).await;
                        let entered = late.seen().connected;
                        self.report.check(format!("the hub {word} lets a token of now in: {entered}"), entered != ahead);
                    }
                    _ => {}
                }
                self.site.set_clock(service, "+0")?;
                sleep(Duration::from_secs(2)).await;
                self.settle().await?;
            }
        }
        let all = 0..self.load.gateways as usize;
        for ahead_ms in [3_600_000, -600_000] {
            self.fleet.set_clocks(all.clone(), ahead_ms);
            sleep(how_long).await;
            self.fleet.set_clocks(all.clone(), 0);
            sleep(Duration::from_secs(1)).await;
            self.settle().await?;
        }
        let status = self.site.call(CALL, &token).await?;
        self.report.check(format!("with all clocks right again the api says {status}"), status == 200);
        self.until("every observer is back", Duration::from_mins(1), |run| run.observers.iter().all(|observer| observer.seen().connected))
            .await?;
        Ok(())
    }
}
