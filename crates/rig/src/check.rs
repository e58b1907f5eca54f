//! The comparison at the end: what was generated, what the database holds, what observers saw.

use std::collections::HashMap;
use std::fmt;

use crate::gateways::{History, SWITCH};
use crate::site::Site;

/// How many of each kind of fault are named.
const NAMED: usize = 20;

/// What the comparison found.
#[derive(Debug, Default, Clone)]
pub struct Findings {
    /// Values that were generated.
    pub generated: usize,
    /// Switch operations among them.
    pub events: usize,
    /// Generated and not stored.
    pub lost: Vec<String>,
    /// Stored twice, or stored and never generated.
    pub doubled: Vec<String>,
    /// Stored with another value.
    pub wrong: Vec<String>,
    /// Switch operations without an event row, or with more than one.
    pub events_wrong: Vec<String>,
    /// Events of one gateway whose numbers and offsets run against each other while nothing was resent between them.
    pub misordered: usize,
    /// Points whose latest value is not the newest generated.
    pub stale: Vec<String>,
    /// Dead letters.
    pub dead: i64,
    /// Dead letters that tell of messages that were late: from an outbox they came in the end, or they are among what is lost.
    pub gaps: i64,
}

impl Findings {
    /// Whether nothing was lost, doubled, changed or left behind.
    pub fn is_clean(&self) -> bool {
        [&self.lost, &self.doubled, &self.wrong, &self.events_wrong, &self.stale].iter().all(|found| found.is_empty()) && self.dead == 0
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  generated {} values, {} of them switch operations; lost {}, doubled {}, wrong {}, events wrong {}, stale {}, dead letters {}, gaps told {}",
            self.generated,
            self.events,
            self.lost.len(),
            self.doubled.len(),
            self.wrong.len(),
            self.events_wrong.len(),
            self.stale.len(),
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

/// Compares everything. Call it when everything is acknowledged.
pub async fn compare(site: &Site, history: &History) -> anyhow::Result<Findings> {
    let client = site.sql().await?;
    let mut findings = Findings::default();
    (findings.generated, findings.events) = history.counts();
    let generated = history.lock().clone();
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
        compare_events(&client, gateway, metrics.get(SWITCH).map(Vec::as_slice).unwrap_or_default(), &mut findings).await?;
        compare_latest(&client, gateway, metrics, &mut findings).await?;
    }
    let count =
        async |what: &str| anyhow::Ok(client.query_one(&format!("SELECT count(*) FROM dead_letter WHERE {what}"), &[]).await?.get(0));
    findings.dead = count("reason <> 'gap'").await?;
    findings.gaps = count("reason = 'gap'").await?;
    Ok(findings)
}

async fn compare_events(
    client: &tokio_postgres::Client,
    gateway: &str,
    operations: &[(i64, f64)],
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
        let newest = values.last().map(|(at, _)| *at);
        if latest.get(metric).copied() != newest {
            findings.stale.push(format!("{gateway} {metric}: {:?} instead of {newest:?}", latest.get(metric)));
        }
    }
    Ok(())
}
