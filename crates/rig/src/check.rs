//! Compares, at the end of a trial, the generated values with the database and with the values that observers received.

use std::collections::{HashMap, HashSet};
use std::fmt;

use field::sparkplug::Payload;

use crate::gateways::{History, SWITCH};
use crate::site::Site;

/// Maximum number of faults of each kind that are listed.
const NAMED: usize = 20;

/// Result of the comparison.
#[derive(Debug, Default, Clone)]
pub struct Findings {
    /// Number of generated values.
    pub generated: usize,
    /// Number of switch operations among them.
    pub events: usize,
    /// Values generated and not stored.
    pub lost: Vec<String>,
    /// Values stored twice, or stored and never generated.
    pub doubled: Vec<String>,
    /// Values stored differently.
    pub wrong: Vec<String>,
    /// Switch operations without an event row, or with more than one.
    pub events_wrong: Vec<String>,
    /// Pairs of events of one gateway whose sequence numbers and offsets are in opposite order although nothing was resent between them.
    pub misordered: usize,
    /// Points whose latest value is not the newest generated.
    pub stale: Vec<String>,
    /// Number of values in dead letters because their source time is too far ahead (reason `future`, docs/OPERATIONS.md).
    pub quarantined: usize,
    /// Number of dead letters of the gateways, except for the reasons `gap` and `future`.
    pub dead: i64,
    /// Number of dead letters with the reason `gap`. The missing messages arrived later from an outbox, or their values are in `lost`.
    pub gaps: i64,
}

impl Findings {
    /// Returns whether no value is lost, duplicated, changed or stale, all events are right, and no dead letter is counted in `dead`.
    pub fn is_clean(&self) -> bool {
        [&self.lost, &self.doubled, &self.wrong, &self.events_wrong, &self.stale].iter().all(|found| found.is_empty()) && self.dead == 0
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  generated {} values, {} of them switch operations; lost {}, doubled {}, wrong {}, events wrong {}, stale {}, quarantined {}, dead letters {}, gaps told {}",
            self.generated,
            self.events,
            self.lost.len(),
            self.doubled.len(),
            self.wrong.len(),
            self.events_wrong.len(),
            self.stale.len(),
            self.quarantined,
            self.dead,
            self.gaps
        )?;
        for (word, found) in [
            ("lost", &self.lost),
            ("doubled", &self.doubled),
            ("wrong", &self.wrong),
            ("events", &self.events_wrong),
            ("stale", &self.stale),
        ] {
            for one in found.iter().take(NAMED) {
                writeln!(f, "    {word}: {one}")?;
            }
        }
        Ok(())
    }
}

/// Compares the history with the database. Call it after all messages are acknowledged. It runs on its own thread, so that observers keep answering.
pub async fn compare(site: &Site, history: &History) -> anyhow::Result<Findings> {
    let (url, history) = (site.postgres.url(), history.clone());
    let comparing = move || tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(compare_all(&url, &history));
    tokio::task::spawn_blocking(comparing).await?
}

async fn compare_all(url: &str, history: &History) -> anyhow::Result<Findings> {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    let mut findings = Findings::default();
    (findings.generated, findings.events) = history.counts();
    let generated = history.lock().clone();
    let quarantined = quarantine(&client).await?;
    for (gateway, metrics) in &generated {
        let rows = client
            .query(
                "SELECT p.metric, (extract(epoch FROM s.ts) * 1000)::bigint, s.value
                 FROM sample s JOIN point p ON p.id = s.point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.code = $1",
                &[gateway],
            )
            .await?;
        let mut stored: HashMap<(String, i64), (f64, usize)> = HashMap::with_capacity(rows.len());
        for row in &rows {
            let entry = stored.entry((row.get(0), row.get(1))).or_insert((row.get::<_, Option<f64>>(2).unwrap_or(f64::NAN), 0));
            entry.1 += 1;
        }
        for (metric, values) in metrics {
            for (at, value) in values {
                match stored.remove(&(metric.clone(), *at)) {
                    None if quarantined.contains(&(gateway.clone(), metric.clone(), *at)) => findings.quarantined += 1,
                    None => findings.lost.push(format!("{gateway} {metric} at {at}")),
                    Some((held, _)) if held.to_bits() != value.to_bits() => {
                        findings.wrong.push(format!("{gateway} {metric} at {at}: {held} instead of {value}"));
                    }
                    Some((_, 1)) => {}
                    Some((_, times)) => findings.doubled.push(format!("{gateway} {metric} at {at}: {times} times")),
                }
            }
        }
        findings.doubled.extend(stored.keys().map(|(metric, at)| format!("{gateway} {metric} at {at}: nobody sent it")));
        let is_quarantined = |metric: &str, at: i64| quarantined.contains(&(gateway.clone(), metric.to_owned(), at));
        let operations = metrics.get(SWITCH).map(Vec::as_slice).unwrap_or_default();
        compare_events(&client, gateway, operations, |at| is_quarantined(SWITCH, at), &mut findings).await?;
        compare_latest(&client, gateway, metrics, is_quarantined, &mut findings).await?;
    }
    let count =
        async |what: &str| anyhow::Ok(client.query_one(&format!("SELECT count(*) FROM dead_letter WHERE {what}"), &[]).await?.get(0));
    findings.dead = count("reason NOT IN ('gap', 'future') AND topic LIKE 'spBv1.0/SAGAR/%/RIG%'").await?;
    findings.gaps = count("reason = 'gap'").await?;
    Ok(findings)
}

/// Values in quarantine: gateway, metric, source time in ms.
type Quarantine = HashSet<(String, String, i64)>;

/// Returns all values whose messages are dead letters because their source time is too far ahead.
async fn quarantine(client: &tokio_postgres::Client) -> anyhow::Result<Quarantine> {
    let mut all = Quarantine::new();
    for row in client.query("SELECT topic, payload FROM dead_letter WHERE reason = 'future'", &[]).await? {
        let topic: String = row.get(0);
        let Some(gateway) = topic.split('/').nth(3) else { continue };
        for metric in Payload::decode(row.get(1))?.metrics {
            all.extend(metric.name.zip(metric.timestamp).map(|(name, at)| (gateway.to_owned(), name, at.cast_signed())));
        }
    }
    Ok(all)
}

async fn compare_events(
    client: &tokio_postgres::Client,
    gateway: &str,
    operations: &[(i64, f64)],
    is_quarantined: impl Fn(i64) -> bool,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let rows = client
        .query(
            "SELECT (extract(epoch FROM e.source_ts) * 1000)::bigint, e.value FROM event e JOIN point p ON p.id = e.point_id
             JOIN gateway g ON g.id = p.gateway_id WHERE g.code = $1",
            &[&gateway],
        )
        .await?;
    let mut stored: HashMap<i64, (f64, usize)> = HashMap::new();
    for row in &rows {
        stored.entry(row.get(0)).or_insert((row.get::<_, Option<f64>>(1).unwrap_or(f64::NAN), 0)).1 += 1;
    }
    for (at, value) in operations {
        match stored.remove(at) {
            Some((held, 1)) if held.to_bits() == value.to_bits() => {}
            // The value in quarantine can arrive again after the clock is corrected, and then it is stored.
            None if is_quarantined(*at) => {}
            other => findings.events_wrong.push(format!("{gateway} at {at}: {other:?} instead of {value} once")),
        }
    }
    findings.events_wrong.extend(stored.keys().map(|at| format!("{gateway} at {at}: nobody did it")));
    Ok(())
}

async fn compare_latest(
    client: &tokio_postgres::Client,
    gateway: &str,
    metrics: &HashMap<String, Vec<(i64, f64)>>,
    is_quarantined: impl Fn(&str, i64) -> bool,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let rows = client
        .query(
            "SELECT p.metric, (extract(epoch FROM l.source_ts) * 1000)::bigint FROM latest l JOIN point p ON p.id = l.point_id
             JOIN gateway g ON g.id = p.gateway_id WHERE g.code = $1",
            &[&gateway],
        )
        .await?;
    let latest: HashMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    for (metric, values) in metrics {
        let newest = values.iter().map(|(at, _)| *at).filter(|at| !is_quarantined(metric, *at)).max();
        let shown = latest.get(metric).copied();
        let came_again = shown > newest && shown.is_some_and(|at| is_quarantined(metric, at));
        if shown != newest && !came_again {
            findings.stale.push(format!("{gateway} {metric}: {shown:?} instead of {newest:?}"));
        }
    }
    Ok(())
}
