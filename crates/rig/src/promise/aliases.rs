//! Gateways that are born again with other aliases while ingest cannot receive the births, and then send data under these aliases.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use field::client::Qos;
use simulators::rtu::link::now_ms;
use tokio::time::sleep;

use crate::aliased::{Aliased, values_of};
use crate::observer::{Observer, Seen};
use crate::proxy::Fault;
use crate::run::Run;

/// The points of these gateways: id, substation, metric.
const POINTS: &str =
    "SELECT p.id, g.location_id, p.metric FROM point p JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'ALIAS%' ORDER BY 1";

/// All stored values of these gateways.
const STORED: &str = "SELECT point_id, value FROM sample JOIN point p ON p.id = point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'ALIAS%'
    UNION ALL SELECT point_id, e.value FROM event e JOIN point p ON p.id = point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'ALIAS%'";

/// The values that points can have, by point.
type Possible = HashMap<i64, RangeInclusive<f64>>;

impl Run {
    /// Disconnects ingest or kills it, gives every metric another alias, and sends data for a while before the births are repeated. No value may be
    /// stored or shown at the point that had its alias before, and no earlier value may be shown as good.
    pub(crate) async fn change_aliases(&mut self, count: u32, rounds: u32) -> anyhow::Result<()> {
        let mut gateways = Vec::new();
        for number in 0..count {
            let qos = if number % 2 == 0 { Qos::AtMostOnce } else { Qos::AtLeastOnce };
            gateways.push(Aliased::start(&self.site.broker.url(), &format!("ALIAS{number:02}"), qos).await?);
        }
        let possible = self.observe_aliased(count as usize).await?;
        let (mut wrong, mut slowest) = (0, Duration::ZERO);
        for round in 0..rounds {
            let is_cut = round % 2 == 0;
            if is_cut {
                self.site.links["ingest/broker"].set(Fault::Cut);
            } else {
                self.site.service_mut("ingest1")?.kill().await?;
            }
            self.site.service("ingest1")?.unready().await?;
            let changed = now_ms().cast_signed();
            gateways.iter().for_each(Aliased::assign_others);
            send(&mut gateways, 5).await?;
            if is_cut {
                self.site.links["ingest/broker"].set(Fault::None);
            } else {
                self.site.service_mut("ingest1")?.start()?;
            }
            self.site.service("ingest1")?.ready().await?;
            self.until("no aliased point is live before its birth", Duration::from_mins(1), |run| {
                run.observers
                    .iter()
                    .all(|observer| observer.seen().points.iter().all(|(point, shown)| shown.1 != 0 || !possible.contains_key(point)))
            })
            .await?;
            for observer in &self.observers {
                observer.seen().moved = possible.keys().map(|point| (*point, changed)).collect();
            }
            send(&mut gateways, if self.trial.short { 5 } else { 30 }).await?;
            gateways.iter().for_each(Aliased::answer);
            let answered = Instant::now();
            self.until("every aliased point is live again", Duration::from_mins(1), |run| {
                run.observers.iter().all(|observer| observer.seen().sees_all_moves())
            })
            .await?;
            slowest = slowest.max(answered.elapsed());
            for observer in &self.observers {
                let mut seen = observer.seen();
                wrong += std::mem::take(&mut seen.wrong_good);
                seen.moved.clear();
            }
        }
        drop(gateways);
        let of_all = |of: fn(&Seen) -> usize| self.observers.iter().map(|observer| of(&observer.seen())).sum::<usize>();
        let (misplaced, misplaced_good) = (of_all(|seen| seen.misplaced), of_all(|seen| seen.misplaced_good));
        let (stored, misstored) = self.misstored(&possible).await?;
        let points = possible.len();
        self.report.check(
            format!("aliases of {points} points changed {rounds} times: {misstored} of {stored} values stored under the wrong point"),
            misstored == 0 && stored > 0,
        );
        self.report
            .check(format!("{misplaced} frames showed a value under the wrong point, {misplaced_good} of them as good"), misplaced == 0);
        self.report.check(format!("{wrong} frames showed a value from before as good"), wrong == 0);
        self.report.figure(format!("all points live within {slowest:.1?} of the birth (<= 10 s)"), slowest.as_secs() < 10);
        Ok(())
    }

    /// Waits until all points of the aliased gateways are discovered, and starts an observer for each of their substations. Returns the possible
    /// values of the points.
    async fn observe_aliased(&mut self, count: usize) -> anyhow::Result<Possible> {
        let client = self.site.sql().await?;
        let began = Instant::now();
        let rows = loop {
            let rows = client.query(POINTS, &[]).await?;
            if rows.len() >= count * 5 {
                break rows;
            }
            if began.elapsed() > Duration::from_mins(1) {
                bail!("{} points of {count} aliased gateways are discovered", rows.len());
            }
            sleep(Duration::from_millis(100)).await;
        };
        let values = |row: &tokio_postgres::Row| Some((row.get(0), values_of(row.get(2))?));
        let possible: Possible = rows.iter().map(|row| values(row).context("a metric of theirs")).collect::<anyhow::Result<_>>()?;
        let mut locations: Vec<i64> = rows.iter().map(|row| row.get(1)).collect();
        locations.sort_unstable();
        locations.dedup();
        let token = self.site.token().await?;
        for location in locations {
            let streams = vec![format!("sld/{location}"), format!("events/location/{location}")];
            let observer = Observer::start(vec![self.site.hubs[0].port()], token.clone(), streams);
            observer.seen().possible.clone_from(&possible);
            self.observers.push(observer);
        }
        self.until("every aliased point is live", Duration::from_mins(1), |run| {
            let live =
                |point: &i64| run.observers.iter().any(|observer| observer.seen().points.get(point).is_some_and(|shown| shown.1 == 0));
            possible.keys().all(live)
        })
        .await?;
        Ok(possible)
    }

    /// Returns the number of stored values of these gateways, and how many of them are at a point that cannot have them.
    async fn misstored(&self, possible: &Possible) -> anyhow::Result<(usize, usize)> {
        let rows = self.site.sql().await?.query(STORED, &[]).await?;
        let is_possible = |row: &tokio_postgres::Row| {
            let value: Option<f64> = row.get(1);
            value.is_none_or(|value| possible.get(&row.get(0)).is_some_and(|values| values.contains(&value)))
        };
        Ok((rows.len(), rows.iter().filter(|row| !is_possible(row)).count()))
    }
}

async fn send(gateways: &mut [Aliased], count: u64) -> anyhow::Result<()> {
    for gateway in gateways {
        gateway.send(count).await?;
    }
    Ok(())
}
