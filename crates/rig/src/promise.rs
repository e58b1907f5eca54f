//! The promises by name: what is done, for how long, and what must hold. The numbers are those of trust.md, section 1b.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::sleep;

use crate::check::{Findings, compare};
use crate::gateways::{Fleet, History, Load};
use crate::observer::{Observer, Seen, percentile};
use crate::proxy::Fault;
use crate::site::{Shape, Site};
use crate::strike::{disturb, kill, kill_all, signal};

/// How a promise is tried.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The executable.
    pub switchyard: PathBuf,
    /// Decides when and what.
    pub seed: u64,
    /// Seconds instead of minutes, and a small load.
    pub short: bool,
}

/// The promises that the rig can try.
pub const NAMES: [(&str, &str); 10] = [
    ("P1", "a crash of ingest loses and doubles nothing"),
    ("P2", "a crash of the database loses nothing, and the picture lives on"),
    ("P3", "a crash of the broker loses nothing that a gateway with an outbox sent"),
    ("P4", "everything stopped at once comes back by itself"),
    ("P6", "the event log is complete under an avalanche, with ingest and hub killed"),
    ("P9", "a disturbed link heals"),
    ("P10", "a database that does not answer is bridged within bounded memory"),
    ("P12", "clients resume without a gap when they or the hub are cut"),
    ("P13", "a client that does not read hurts only itself"),
    ("P17", "a reconnect storm is over soon"),
];

/// What came of a trial.
#[derive(Debug)]
pub struct Report {
    name: String,
    seed: u64,
    short: bool,
    findings: Findings,
    /// What must hold besides, with what was found and whether it holds.
    checks: Vec<(String, bool)>,
}

impl Report {
    /// Whether the promise was kept.
    pub fn is_kept(&self) -> bool {
        self.findings.is_clean() && self.checks.iter().all(|(_, holds)| *holds)
    }

    fn check(&mut self, what: impl Into<String>, holds: bool) {
        self.checks.push((what.into(), holds));
    }

    /// Of a duration or a size, which count in the long form alone: a short one runs beside other tests, on any machine.
    fn figure(&mut self, what: impl Into<String>, holds: bool) {
        let short = self.short;
        self.check(what, holds || short);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} seed {}: {}", self.name, self.seed, if self.is_kept() { "kept" } else { "BROKEN" })?;
        write!(f, "{}", self.findings)?;
        for (what, holds) in &self.checks {
            writeln!(f, "  {} {what}", if *holds { "holds " } else { "BROKEN" })?;
        }
        Ok(())
    }
}

/// A site under load.
struct Run {
    site: Site,
    fleet: Fleet,
    observers: Vec<Observer>,
    random: StdRng,
    load: Load,
    report: Report,
    trial: Trial,
}

/// Tries a promise by its name.
pub async fn try_promise(name: &str, trial: Trial) -> anyhow::Result<Report> {
    let short = trial.short;
    let shape = |ingests, hubs| Shape { switchyard: trial.switchyard.clone(), ingests, hubs };
    let observers = if short { 2 } else { 50 };
    match name {
        "P1" | "P2" | "P3" => {
            let (part, times) = match name {
                "P1" => ("ingest1", if short { 2 } else { 30 }),
                "P2" => ("postgres", if short { 1 } else { 10 }),
                _ => ("broker", if short { 1 } else { 10 }),
            };
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.kill_again_and_again(part, times).await?;
            run.end().await
        }
        "P4" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.kill_everything(if short { 1 } else { 10 }).await?;
            run.end().await
        }
        "P6" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.avalanche(if short { 1_000 } else { 10_000 }).await?;
            run.end().await
        }
        "P9" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.disturb_links().await?;
            run.end().await
        }
        "P10" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.stop_database(if short { Duration::from_secs(15) } else { Duration::from_mins(10) }).await?;
            run.end().await
        }
        "P12" => {
            let mut run = Run::start(name, trial.clone(), shape(2, 2), observers).await?;
            run.cut_clients(if short { (10, 2) } else { (200, 20) }).await?;
            run.end().await
        }
        "P13" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), if short { 6 } else { 50 }).await?;
            run.freeze_some(if short { (1, 600, 14) } else { (5, 10_000, 60) }).await?;
            run.end().await
        }
        "P17" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), if short { 20 } else { 500 }).await?;
            run.storm().await?;
            run.end().await
        }
        other => bail!("{other} is none of {}", NAMES.map(|(name, _)| name).join(", ")),
    }
}

impl Run {
    async fn start(name: &str, trial: Trial, shape: Shape, observers: usize) -> anyhow::Result<Self> {
        let site = Site::start(&shape).await?;
        let load = if trial.short {
            Load { gateways: 8, values_per_s: 160, events_per_s: 4.0, seed: trial.seed }
        } else {
            Load { seed: trial.seed, ..Load::L1 }
        };
        let fleet = Fleet::start(&site.field_url(), &site.folder, load)?;
        let report = Report { name: name.into(), seed: trial.seed, short: trial.short, findings: Findings::default(), checks: Vec::new() };
        let random = StdRng::seed_from_u64(trial.seed);
        let mut run = Self { site, fleet, observers: Vec::new(), random, load, report, trial };
        let locations = run.locations().await?;
        let ports: Vec<u16> = run.site.hubs.iter().map(crate::proxy::Proxy::port).collect();
        let token = run.site.token().await?;
        for number in 0..observers {
            let location = locations[number % locations.len()];
            let mut ports = ports.clone();
            ports.rotate_left(number % run.site.hubs.len());
            let streams = vec![format!("sld/{location}"), format!("events/location/{location}")];
            run.observers.push(Observer::start(ports, token.clone(), streams));
        }
        run.until("every observer hears", Duration::from_mins(1), |run| run.observers.iter().all(|observer| observer.seen().connected))
            .await?;
        run.settle().await?;
        Ok(run)
    }

    /// The substations that the gateways were discovered into.
    async fn locations(&self) -> anyhow::Result<Vec<i64>> {
        let client = self.site.sql().await?;
        let began = Instant::now();
        loop {
            let rows = client.query("SELECT location_id FROM gateway WHERE code LIKE 'RIG%' ORDER BY 1", &[]).await?;
            if rows.len() >= self.load.gateways as usize {
                return Ok(rows.iter().map(|row| row.get(0)).collect());
            }
            if began.elapsed() > Duration::from_mins(2) {
                bail!("{} of {} gateways are discovered", rows.len(), self.load.gateways);
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    async fn until(&self, what: &str, patience: Duration, holds: impl Fn(&Self) -> bool) -> anyhow::Result<Duration> {
        let began = Instant::now();
        while !holds(self) {
            if began.elapsed() > patience {
                bail!("{what}: not within {patience:?}; {} messages wait", self.fleet.waiting());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(began.elapsed())
    }

    /// Waits until the outboxes hold no more than what is on its way in normal times; answers how long that took. Every gateway says something every
    /// second: what is not taken shows after that.
    async fn settle(&self) -> anyhow::Result<Duration> {
        let everybody = Duration::from_millis(1_200);
        sleep(everybody).await;
        let usual = self.load.gateways as usize * 3 / 4;
        Ok(everybody + self.until("the outboxes drain", Duration::from_mins(3), |run| run.fleet.waiting() <= usual).await?)
    }

    fn pause(&mut self, seconds: std::ops::Range<f64>) -> Duration {
        Duration::from_secs_f64(self.random.random_range(seconds))
    }

    async fn kill_again_and_again(&mut self, part: &str, times: u32) -> anyhow::Result<()> {
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

    async fn kill_everything(&mut self, times: u32) -> anyhow::Result<()> {
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

    async fn avalanche(&mut self, operations: u32) -> anyhow::Result<()> {
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

    async fn disturb_links(&mut self) -> anyhow::Result<()> {
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

    async fn stop_database(&mut self, how_long: Duration) -> anyhow::Result<()> {
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
        // In the time of draining as much came in as ever: so the rate is that of both.
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

    /// How far the newest good value of any observer's picture lies behind, at the worst observer, ms.
    fn oldest_shown(&self) -> i64 {
        let now = simulators::rtu::link::now_ms().cast_signed();
        let newest = |seen: &Seen| seen.points.values().filter(|point| point.1 == 0).map(|point| point.2).max().unwrap_or(0);
        self.observers.iter().map(|observer| now - newest(&observer.seen())).max().unwrap_or(0)
    }

    async fn cut_clients(&mut self, (cuts, kills): (u32, u32)) -> anyhow::Result<()> {
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

    /// Some observers stop reading, under an avalanche; the delays of the others before and meanwhile are compared.
    async fn freeze_some(&mut self, (frozen, operations, seconds): (usize, u32, u64)) -> anyhow::Result<()> {
        sleep(Duration::from_secs(seconds / 2)).await;
        let mut before = self.new_delays(frozen);
        let memory = self.site.service("hub1")?.resident_mib();
        for observer in &self.observers[..frozen] {
            observer.freeze(true);
        }
        let (mut during, mut most) = (Vec::new(), 0);
        for second in 0..seconds {
            if second % 6 == 0 {
                self.fleet.burst((operations / 10).div_ceil(self.load.gateways));
            }
            sleep(Duration::from_secs(1)).await;
            most = most.max(self.site.service("hub1")?.resident_mib());
        }
        during.append(&mut self.new_delays(frozen));
        for observer in &self.observers[..frozen] {
            observer.freeze(false);
        }
        // They have been cut in the meantime, and find out now.
        let back = |observer: &Observer| {
            let seen = observer.seen();
            seen.cuts > 0 && seen.connected
        };
        self.until("the frozen were cut and are back", Duration::from_mins(1), |run| run.observers[..frozen].iter().all(back)).await?;
        let (quiet, busy) = (percentile(&mut before, 0.99), percentile(&mut during, 0.99));
        self.report.check(format!("{frozen} frozen for {seconds} s; the others' delay p99 {quiet} ms before, {busy} ms meanwhile"), true);
        let more = most.saturating_sub(memory);
        self.report.figure(format!("the hub's memory grew by {more} MiB (<= 10)"), more <= 10);
        Ok(())
    }

    /// The delays that the observers beyond the first have seen since this was asked last.
    fn new_delays(&self, skipped: usize) -> Vec<i64> {
        self.observers[skipped..].iter().flat_map(|observer| std::mem::take(&mut observer.seen().delays)).collect()
    }

    async fn storm(&mut self) -> anyhow::Result<()> {
        self.site.hubs[0].set(Fault::Reset);
        sleep(Duration::from_millis(200)).await;
        self.site.hubs[0].set(Fault::None);
        sleep(Duration::from_millis(100)).await;
        let took = self
            .until("all are back", Duration::from_mins(2), |run| run.observers.iter().all(|observer| observer.seen().connected))
            .await?;
        let sockets = self.observers.len();
        self.report.figure(format!("{sockets} sockets dropped at once: back within {took:.1?} (<= 30 s)"), took.as_secs() < 30);
        Ok(())
    }

    /// Ends the load, waits for everything to arrive everywhere, and compares.
    async fn end(self) -> anyhow::Result<Report> {
        let Self { site, fleet, observers, mut report, .. } = self;
        let history: History = fleet.finish(Duration::from_mins(5)).await?;
        let began = Instant::now();
        loop {
            report.findings = compare(&site, &history).await?;
            // What is spooled is acknowledged and on its way; what is held back for the latest values, too.
            if report.findings.is_clean() || began.elapsed() > Duration::from_mins(1) {
                break;
            }
            sleep(Duration::from_secs(1)).await;
        }
        let unseen = unseen(&site, &observers).await?;
        let all: Vec<Seen> = futures_util::future::join_all(observers.into_iter().map(Observer::leave)).await;
        let mut delays: Vec<i64> = all.iter().flat_map(|seen| seen.delays.iter().copied()).collect();
        let (median, worst) = (percentile(&mut delays, 0.5), percentile(&mut delays, 0.99));
        let away = all.iter().map(|seen| seen.longest_away).max().unwrap_or_default();
        let named = |of: fn(&Seen) -> &Vec<String>| all.iter().flat_map(of).take(5).cloned().collect::<Vec<_>>();
        let (gaps, repeats) = (named(|seen| &seen.gaps), named(|seen| &seen.repeats));
        let cuts: u64 = all.iter().map(|seen| seen.cuts).sum();
        let mut ended: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        for code in all.iter().flat_map(|seen| &seen.ended) {
            *ended.entry(code).or_default() += 1;
        }
        report.check(
            format!("{} observers, {cuts} cuts (said by the hub: {ended:?}): gaps {gaps:?}, repeats {repeats:?}", all.len()),
            gaps.is_empty() && repeats.is_empty(),
        );
        report.check(format!("events not seen by an observer that never began afresh: {unseen}"), unseen == 0);
        report.check(format!("switch to event on screen p50 {median} ms, p99 {worst} ms; longest without a heartbeat {away:.1?}"), true);
        let peaks: Vec<String> = site.services.iter().map(|(name, service)| format!("{name} {} MiB", service.peak_mib())).collect();
        report.check(format!("most memory resident: {}", peaks.join(", ")), true);
        Ok(report)
    }
}

/// Events that an observer should have seen and has not, after waiting for them.
async fn unseen(site: &Site, observers: &[Observer]) -> anyhow::Result<usize> {
    let client = site.sql().await?;
    let mut stored: std::collections::HashMap<i64, Vec<i64>> = std::collections::HashMap::new();
    for row in client.query("SELECT location_id, \"offset\" FROM event ORDER BY 2", &[]).await? {
        stored.entry(row.get(0)).or_default().push(row.get(1));
    }
    let began = Instant::now();
    loop {
        let mut missing = 0;
        for observer in observers {
            let seen = observer.seen();
            for (stream, offsets) in &seen.events {
                let location: i64 = stream.rsplit('/').next().and_then(|id| id.parse().ok()).context("a location")?;
                let all = stored.get(&location).map(Vec::as_slice).unwrap_or_default();
                let first = offsets.iter().min().copied().unwrap_or(i64::MAX);
                let heard: std::collections::HashSet<i64> = offsets.iter().copied().collect();
                missing += all.iter().filter(|offset| **offset >= first && !heard.contains(*offset)).count();
            }
        }
        if missing == 0 || began.elapsed() > Duration::from_secs(20) {
            return Ok(missing);
        }
        sleep(Duration::from_millis(200)).await;
    }
}
