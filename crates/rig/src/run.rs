//! Runs a trial from its start to the comparison at its end: the site, its gateways and observers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::sleep;

use crate::check::{Findings, compare};
use crate::gateways::{Fleet, History, Load};
use crate::observer::{Observer, Seen, percentile};
use crate::site::{Shape, Site};
use crate::trial::{Report, Trial};

/// A site under load.
pub(crate) struct Run {
    pub(crate) site: Site,
    pub(crate) fleet: Fleet,
    pub(crate) observers: Vec<Observer>,
    pub(crate) random: StdRng,
    pub(crate) load: Load,
    pub(crate) report: Report,
    pub(crate) trial: Trial,
}

impl Run {
    pub(crate) async fn start(name: &str, trial: Trial, shape: Shape, observers: usize) -> anyhow::Result<Self> {
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
        let is_connected = |observer: &&Observer| observer.seen().connected;
        let all =
            run.until("every observer hears", Duration::from_mins(2), |run| run.observers.iter().all(|observer| is_connected(&observer)));
        if let Err(error) = all.await {
            let connected = run.observers.iter().filter(is_connected).count();
            let mut ends: BTreeMap<String, usize> = BTreeMap::new();
            for observer in run.observers.iter().filter(|observer| !is_connected(observer)) {
                *ends.entry(observer.seen().last_end.clone()).or_default() += 1;
            }
            bail!("{error}; {connected} of {observers} observers are connected; the others ended with {ends:?}");
        }
        // Afterwards all points are discovered.
        run.fleet.burst(1);
        run.settle().await?;
        Ok(run)
    }

    /// Returns the substations of the discovered gateways.
    pub(crate) async fn locations(&self) -> anyhow::Result<Vec<i64>> {
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

    pub(crate) async fn until(&self, what: &str, patience: Duration, holds: impl Fn(&Self) -> bool) -> anyhow::Result<Duration> {
        let began = Instant::now();
        while !holds(self) {
            if began.elapsed() > patience {
                bail!("{what}: not within {patience:?}; {} messages wait", self.fleet.waiting());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(began.elapsed())
    }

    /// Waits until the outboxes have no more messages than in normal operation; returns the duration. Every gateway sends a message per second, so a
    /// backlog is visible after that time.
    pub(crate) async fn settle(&self) -> anyhow::Result<Duration> {
        let everybody = Duration::from_millis(1_200);
        sleep(everybody).await;
        let usual = self.load.gateways as usize * 3 / 4;
        Ok(everybody + self.until("the outboxes drain", Duration::from_mins(3), |run| run.fleet.waiting() <= usual).await?)
    }

    pub(crate) fn pause(&mut self, seconds: std::ops::Range<f64>) -> Duration {
        Duration::from_secs_f64(self.random.random_range(seconds))
    }

    /// Stops the load, waits until all values have arrived, and compares.
    pub(crate) async fn end(self) -> anyhow::Result<Report> {
        let Self { site, fleet, observers, mut report, .. } = self;
        let history: History = fleet.finish(Duration::from_mins(5)).await?;
        let began = Instant::now();
        loop {
            report.findings = compare(&site, &history).await?;
            // Spooled rows and delayed latest values may not be in the database yet.
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
        let back = named(|seen| &seen.went_back);
        report.check(format!("good values whose time went back on a screen: {back:?}"), back.is_empty());
        let cuts: u64 = all.iter().map(|seen| seen.cuts).sum();
        let mut why: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in all.iter().flat_map(|seen| &seen.why_cut) {
            *why.entry(reason).or_default() += 1;
        }
        report.check(
            format!("{} observers, {cuts} cuts {why:?}: gaps {gaps:?}, repeats {repeats:?}", all.len()),
            gaps.is_empty() && repeats.is_empty(),
        );
        report.check(format!("events not seen by an observer that never began afresh: {unseen}"), unseen == 0);
        report.check(format!("switch to event on screen p50 {median} ms, p99 {worst} ms; longest without a heartbeat {away:.1?}"), true);
        let peaks: Vec<String> = site.services.iter().map(|(name, service)| format!("{name} {} MiB", service.peak_mib())).collect();
        report.check(format!("most memory resident: {}", peaks.join(", ")), true);
        Ok(report)
    }
}

/// Returns the number of events that observers should have received and have not, after a wait of at most 20 s.
async fn unseen(site: &Site, observers: &[Observer]) -> anyhow::Result<usize> {
    let client = site.sql().await?;
    let mut stored: HashMap<i64, Vec<i64>> = HashMap::new();
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
                let received: HashSet<i64> = offsets.iter().copied().collect();
                missing += all.iter().filter(|offset| **offset >= first && !received.contains(*offset)).count();
            }
        }
        if missing == 0 || began.elapsed() > Duration::from_secs(20) {
            return Ok(missing);
        }
        sleep(Duration::from_millis(200)).await;
    }
}
