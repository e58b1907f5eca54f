//! Difficult input: repeated, late, with wrong clocks, invalid, or a lot of it.

use std::time::{Duration, Instant};

use anyhow::ensure;
use rand::seq::SliceRandom;
use tokio::time::{interval, sleep};

use crate::gateways::Late;
use crate::hostile;
use crate::observer::percentile;
use crate::recorder::{PlainPublisher, Recorder};
use crate::run::Run;

/// Number of clients that repeat all messages at the same time.
const REPEATERS: usize = 4;

impl Run {
    /// Records all data messages for a while. Then four clients repeat each of them three times, in random order.
    pub(crate) async fn repeat_everything(&mut self, how_long: Duration) -> anyhow::Result<()> {
        let recorder = Recorder::record(&self.site.broker.url(), "spBv1.0/SAGAR/DDATA/#").await?;
        sleep(how_long).await;
        let messages = recorder.stop().await;
        let ingests: Vec<String> = self.site.services.keys().filter(|name| name.starts_with("ingest")).cloned().collect();
        let before = self.taken(&ingests).await?;
        let mut repeating = tokio::task::JoinSet::new();
        for repeater in 0..REPEATERS {
            let publisher = PlainPublisher::connect(&self.site.broker.url(), &format!("repeater-{repeater}")).await?;
            let mut order: Vec<usize> = (0..messages.len()).flat_map(|place| [place; 3]).collect();
            order.shuffle(&mut self.random);
            let messages = messages.clone();
            repeating.spawn(async move {
                for place in order {
                    let (topic, payload) = &messages[place];
                    publisher.say(topic, payload.clone()).await?;
                }
                publisher.leave().await;
                anyhow::Ok(())
            });
        }
        while let Some(done) = repeating.join_next().await {
            done??;
        }
        let all = messages.len() * 3 * REPEATERS;
        let began = Instant::now();
        while self.taken(&ingests).await? < before + all as f64 {
            ensure!(began.elapsed() < Duration::from_mins(5), "not all that was repeated is taken");
            sleep(Duration::from_millis(200)).await;
        }
        self.settle().await?;
        let mut refused = 0.0;
        for ingest in &ingests {
            refused += self.site.service(ingest)?.metric("ingest_duplicates_total").await;
        }
        self.report.check(
            format!(
                "{} messages said again 3 times by each of {REPEATERS}, {all} in all: {refused} values refused as known",
                messages.len()
            ),
            refused > 0.0,
        );
        Ok(())
    }

    async fn taken(&self, ingests: &[String]) -> anyhow::Result<f64> {
        let mut taken = 0.0;
        for ingest in ingests {
            taken += self.site.service(ingest)?.metric("ingest_messages_total").await;
        }
        Ok(taken)
    }

    /// Some gateways send hours of values of the past between current ones; some have wrong clocks.
    pub(crate) async fn bring_late(&mut self, late: Late, gateways: usize, wrong: usize) -> anyhow::Result<()> {
        let clocks = self.load.gateways as usize - wrong;
        self.fleet.set_clocks(clocks..clocks + wrong / 2 + 1, 3_600_000);
        self.fleet.set_clocks(clocks + wrong / 2 + 1..clocks + wrong, -86_400_000);
        self.fleet.bring_late(0..gateways, late);
        let began = Instant::now();
        self.until("what is late has been brought", Duration::from_mins(30), |run| run.fleet.behind() == 0).await?;
        let took = began.elapsed();
        self.settle().await?;
        let values = late.since.as_secs() / late.step.as_secs() * gateways as u64 * u64::from(self.load.values_per_s / self.load.gateways);
        self.report.check(format!("{gateways} gateways brought {values} values of the last {:?} within {took:.0?}", late.since), true);
        Ok(())
    }

    /// Sends hostile messages, one per hundred messages of the gateways.
    pub(crate) async fn poison(&mut self, how_long: Duration) -> anyhow::Result<()> {
        let messages_per_s = f64::from(self.load.gateways);
        let publisher = PlainPublisher::connect(&self.site.broker.url(), "hostile").await?;
        for (topic, payload) in hostile::introduction() {
            publisher.say(&topic, payload).await?;
        }
        self.take_delays();
        sleep(how_long).await;
        let mut before = self.take_delays();
        let pid = self.site.service("ingest1")?.pid();
        let mut pace = interval(Duration::from_secs_f64((100.0 / messages_per_s).min(0.1)));
        let began = Instant::now();
        let kinds = hostile::kinds();
        let mut sent = vec![0_i64; kinds.len()];
        while began.elapsed() < how_long {
            for (kind, sent) in kinds.iter().zip(&mut sent) {
                pace.tick().await;
                publisher.say(&kind.topic, (kind.payload)(*sent)).await?;
                *sent += 1;
            }
        }
        let mut during = self.take_delays();
        publisher.leave().await;
        self.settle().await?;
        let client = self.site.sql().await?;
        for (kind, sent) in kinds.iter().zip(&sent) {
            let deadline = Instant::now() + Duration::from_secs(10);
            loop {
                let query = "SELECT count(*) FROM dead_letter WHERE topic = $1 AND reason = $2";
                let kept: i64 = client.query_one(query, &[&kind.topic, &kind.reason]).await?.get(0);
                if kept == *sent || Instant::now() > deadline {
                    self.report.check(format!("{}: {sent} sent, {kept} dead letters `{}`", kind.name, kind.reason), kept == *sent);
                    break;
                }
                sleep(Duration::from_millis(200)).await;
            }
        }
        let same = pid.is_some() && self.site.service("ingest1")?.pid() == pid;
        self.report.check(format!("ingest is still the same process: {same}"), same);
        let (quiet, busy) = (percentile(&mut before, 0.99), percentile(&mut during, 0.99));
        self.report.figure(format!("value on screen p99 {quiet} ms before, {busy} ms meanwhile (< 2 times)"), busy < 2 * quiet);
        Ok(())
    }

    /// Measures the delay from a value to the screen, in normal operation and during bursts of operations.
    pub(crate) async fn watch_delays(&mut self, how_long: Duration, operations: u32) -> anyhow::Result<()> {
        self.take_delays();
        self.new_delays(0);
        let began = Instant::now();
        let (mut values, mut events) = (Vec::new(), Vec::new());
        while began.elapsed() < how_long {
            sleep(Duration::from_secs(1)).await;
            values.extend(self.take_delays());
            events.extend(self.new_delays(0));
        }
        for (word, delays) in [("value", &mut values), ("event", &mut events)] {
            let (median, high, highest) = (percentile(delays, 0.5), percentile(delays, 0.99), percentile(delays, 1.0));
            let count = delays.len();
            let what =
                format!("{count} {word}s on screens after p50 {median} ms, p99 {high} ms, at most {highest} ms (<= 1 s, never 45 s)");
            self.report.figure(what, count > 0 && high <= 1_000 && highest <= 45_000);
        }
        for _ in 0..10 {
            self.fleet.burst((operations / 10).div_ceil(self.load.gateways));
            sleep(Duration::from_secs(1)).await;
        }
        self.settle().await?;
        let mut events = self.new_delays(0);
        let (high, highest) = (percentile(&mut events, 0.99), percentile(&mut events, 1.0));
        let count = events.len();
        self.report.figure(
            format!("{count} events of an avalanche on screens after p99 {high} ms, at most {highest} ms (<= 3 s, never 45 s)"),
            count > 0 && high <= 3_000 && highest <= 45_000,
        );
        Ok(())
    }

    /// Returns the delays of measurands at all observers since the last call, ms.
    fn take_delays(&self) -> Vec<i64> {
        self.observers.iter().flat_map(|observer| std::mem::take(&mut observer.seen().value_delays)).collect()
    }
}
