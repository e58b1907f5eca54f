//! Tests two ingests of one shard: the leader changes without lost values, and gateways never see the host offline.

use std::time::{Duration, Instant};

use anyhow::ensure;
use tokio::time::sleep;

use crate::proxy::Fault;
use crate::recorder::Recorder;
use crate::run::Run;
use crate::strike::kill;

/// The leader and the standby. The roles change during a trial.
const INGESTS: [&str; 2] = ["ingest1", "standby"];

/// The STATE topic of the host. Each connection publishes one message.
const STATE: &str = "spBv1.0/STATE/rig1";

impl Run {
    /// Kills the database several times. After each restart, the leader and the standby compete for the lock.
    pub(crate) async fn restart_database_with_standby(&mut self, times: u32) -> anyhow::Result<()> {
        let (recorder, first) = (Recorder::record(&self.site.broker.url(), STATE).await?, self.terms_begun().await?);
        let (mut longest, mut deposed) = (Duration::ZERO, 0);
        for _ in 0..times {
            let (before, down) = (self.pause(0.5..3.0), self.pause(0.2..2.0));
            sleep(before).await;
            kill(&mut self.site, "postgres", down).await?;
            let (took, ended) = self.settle_supervised().await?;
            longest = longest.max(took);
            deposed += ended;
        }
        let terms = self.terms_begun().await? - first;
        self.report.check(
            format!("{times} restarts of the database: {terms} changes of the leader, {deposed} ended as deposed"),
            deposed <= terms,
        );
        self.report.figure(format!("the outboxes drained within {longest:.1?} (<= 30 s)"), longest.as_secs() < 30);
        self.check_states(&recorder, terms, times);
        Ok(())
    }

    /// Cuts only the leader's link to the database, several times: waits each time until the standby is the leader, and then heals the link.
    pub(crate) async fn cut_leaders_off(&mut self, times: u32) -> anyhow::Result<()> {
        let (recorder, first) = (Recorder::record(&self.site.broker.url(), STATE).await?, self.terms_begun().await?);
        let (mut longest, mut most_spooled) = (Duration::ZERO, 0.0_f64);
        for round in 0..times {
            let before = self.pause(0.5..3.0);
            sleep(before).await;
            // The first leader is the ingest that was started alone. In each round the other ingest takes over.
            let leader = INGESTS[round as usize % 2];
            let link = if leader == "standby" { "standby/database" } else { "ingest/database" };
            let term = self.terms_begun().await?;
            self.site.links[link].set(Fault::Isolated);
            let began = Instant::now();
            while self.terms_begun().await? == term {
                ensure!(began.elapsed() < Duration::from_mins(1), "the standby does not take over");
                sleep(Duration::from_millis(50)).await;
            }
            self.settle().await?;
            let spooled = self.site.service(leader)?.metric("ingest_spool_bytes").await;
            // The former leader is disconnected from the broker and still runs, because it cannot know which process is the leader.
            sleep(Duration::from_secs(if self.trial.short { 3 } else { 20 })).await;
            ensure!(!self.site.service_mut(leader)?.has_ended()?, "{leader} ended without knowing that it is deposed");
            self.site.links[link].set(Fault::None);
            self.site.service_mut(leader)?.ended(Duration::from_mins(1)).await?;
            self.site.service_mut(leader)?.start()?;
            let (took, _) = self.settle_supervised().await?;
            longest = longest.max(took);
            most_spooled = spooled.max(most_spooled);
        }
        let terms = self.terms_begun().await? - first;
        self.report.check(
            format!(
                "{times} leaders cut off from the database alone: {terms} changes of the leader, {most_spooled} bytes in a spool at most"
            ),
            terms == i64::from(times),
        );
        self.report.figure(format!("after the link was back, the outboxes drained within {longest:.1?} (<= 30 s)"), longest.as_secs() < 30);
        self.check_states(&recorder, terms, times);
        Ok(())
    }

    /// Waits like [`Run::settle`], and restarts ingests that have ended, as a supervisor would. Returns the duration and the number of restarts.
    async fn settle_supervised(&mut self) -> anyhow::Result<(Duration, i64)> {
        let (began, mut ended) = (Instant::now(), 0);
        // A deposed ingest learns of the end of its term from the database, which may still be recovering.
        let usual = self.load.gateways as usize * 3 / 4;
        let mut quiet = Instant::now();
        while quiet.elapsed() < Duration::from_secs(3) {
            ensure!(began.elapsed() < Duration::from_mins(3), "{} messages wait", self.fleet.waiting());
            for name in INGESTS {
                let service = self.site.service_mut(name)?;
                if service.has_ended()? {
                    ended += 1;
                    service.start()?;
                    quiet = Instant::now();
                }
            }
            if self.fleet.waiting() > usual {
                quiet = Instant::now();
            }
            sleep(Duration::from_millis(100)).await;
        }
        for name in INGESTS {
            self.site.service(name)?.ready().await?;
        }
        Ok((began.elapsed(), ended))
    }

    async fn terms_begun(&self) -> anyhow::Result<i64> {
        Ok(self.site.sql().await?.query_one("SELECT begun FROM leadership WHERE name = 'rig-ingest-1'", &[]).await?.get(0))
    }

    /// Checks the STATE messages: gateways never see the host offline, and the number of connections is limited. A change of the leader needs one
    /// connection, and a restart of the database none.
    fn check_states(&mut self, recorder: &Recorder, terms: i64, times: u32) {
        let states: Vec<bool> =
            recorder.so_far().iter().filter_map(|(_, payload)| field::sparkplug::read_state(payload)).map(|(online, _)| online).collect();
        let offline = states.iter().filter(|online| !**online).count();
        let connections = states.len() - offline;
        // Two ingests may take the MQTT session from each other once each, if the former leader connects again before it knows of the end of its
        // term.
        let allowed = 2 * terms + i64::from(times);
        self.report.check(
            format!("gateways saw the host offline {offline} times, and {connections} connections of it (<= {allowed})"),
            offline == 0 && connections as i64 <= allowed,
        );
    }
}
