//! GET /api/analytics/getdemandovertimegraph/{type}/{id}: demand over time, and where the demand of an area comes from.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::{HashMap, HashSet};

use axum::Json;
use axum::extract::{Query, State};
use grid::demand::Block;
use grid::downsample::MINUTE_MS;
use grid::energy::kilo;
use grid::{AssetId, Micros, Point, PointId, Scope};
use serde::Deserialize;
use store::series::{Coverage, Sums};
use wire::Envelope;
use wire::energy::{DemandOverTime, DemandRow};
use wire::time::iso;

use super::energy::span;
use super::energy_calendar::{Calendar, days_before};
use super::energy_meters::{FEEDER, MISSING_MAX, substations};
use super::energy_sums::of_all;
use super::unit;
use crate::area::Area;
use crate::error::Error;
use crate::extract::{Scoped, View};
use crate::state::Services;

/// The longest span of one answer: 8,832 rows of a quarter of an hour.
const SPAN_MAX_MS: i64 = 92 * 24 * 60 * MINUTE_MS;

/// The shortest blocks, minutes.
const FINEST: i64 = 15;

/// What the demand of an area is the sum of: the active power of its feeders, without those that lead to another substation, whose demand is counted there.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Powers {
    /// Points, and what one of their units is in that of the answer.
    pub(crate) points: Vec<(PointId, f64)>,
    /// Feeders whose power is not measured.
    pub(crate) missing: Vec<String>,
    /// The unit of the answer.
    pub(crate) unit: &'static str,
}

impl Powers {
    /// Of an area as the caller sees it; of an asset its own power.
    pub(crate) async fn of(services: &Services, view: &View, area: Area) -> Result<Self, Error> {
        let (unit, kilowatts) = unit::power(area);
        let mut measured: HashMap<AssetId, &Point> = HashMap::new();
        for point in view.field.points().filter(|point| point.code == "P") {
            let known = measured.entry(point.asset).or_insert(point);
            if point.id < known.id {
                *known = point;
            }
        }
        let assets: Vec<_> = if let Some(Scope::Asset(asset)) = area.0 {
            view.field.asset(asset).into_iter().collect()
        } else {
            let feeds = services.store().feeds(view.principal.client).await?;
            let feeds: HashSet<AssetId> = feeds.into_iter().map(|(asset, _)| asset).collect();
            let within: HashSet<_> = substations(view, area).into_iter().map(|substation| substation.id).collect();
            let feeders = view.field.assets().iter().filter(|asset| asset.type_id == FEEDER && within.contains(&asset.location));
            feeders.filter(|asset| !feeds.contains(&asset.id)).collect()
        };
        let mut powers = Self { unit, ..Self::default() };
        for asset in assets {
            match measured.get(&asset.id).and_then(|point| Some((point.id, kilo(&point.unit)? / kilowatts))) {
                Some(power) => powers.points.push(power),
                None => powers.missing.push(asset.name.clone()),
            }
        }
        powers.missing.truncate(MISSING_MAX);
        Ok(powers)
    }

    /// The blocks of a span that are over. One that begins before it belongs to it where its middle does: hours of UTC begin at half past in some zones, and the
    /// first half hour of their days is in the block that begins before midnight.
    pub(crate) async fn blocks(&self, services: &Services, view: &View, (from, to): (Micros, Micros)) -> Result<Blocks, Error> {
        let sums = services.store().sums(view.principal.client, &self.points, (from, to)).await?;
        Ok(Blocks::of(sums).within(from, to))
    }

    /// Creates the answer for a span without stored values.
    pub(crate) fn no_blocks(&self, coverage: &Coverage, (from, to): (Micros, Micros)) -> Result<Blocks, Error> {
        Ok(Blocks::of(coverage.no_sums(&self.points, (from, to))?).within(from, to))
    }

    /// Since when each resolution has values.
    pub(crate) async fn coverage(&self, services: &Services, view: &View) -> Result<Coverage, Error> {
        let points: Vec<PointId> = self.points.iter().map(|(point, _)| *point).collect();
        Ok(services.store().coverage(view.principal.client, &points).await?)
    }
}

/// Blocks of one length.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Blocks {
    /// In the order of time.
    pub(crate) all: Vec<Block>,
    /// Of each, how many feeders have enough of their values in it for a peak.
    pub(crate) heard: Vec<u32>,
    /// How long they are.
    pub(crate) minutes: i64,
}

impl Blocks {
    fn of(Sums { block_ms, blocks, heard }: Sums) -> Self {
        Self { all: blocks, heard, minutes: block_ms / MINUTE_MS }
    }

    /// Those that are of a span.
    pub(crate) fn within(&self, from: Micros, to: Micros) -> Self {
        let ms = self.minutes * MINUTE_MS;
        self.only(|block| block.start.plus_millis(ms / 2) >= from && block.start.plus_millis(ms) <= to)
    }

    /// Those of which something holds.
    pub(crate) fn only(&self, holds: impl Fn(&Block) -> bool) -> Self {
        let (all, heard) =
            self.all.iter().zip(&self.heard).filter(|(block, _)| holds(block)).map(|(block, heard)| (*block, *heard)).unzip();
        Self { all, heard, minutes: self.minutes }
    }

    /// The most feeders that any of them has.
    pub(crate) fn most_heard(&self) -> u32 {
        self.heard.iter().copied().max().unwrap_or(0)
    }
}

/// The share of values that blocks are made of, percent.
pub(crate) fn coverage(blocks: &[Block]) -> f64 {
    if blocks.is_empty() { 0.0 } else { 100.0 * blocks.iter().map(|block| block.share).sum::<f64>() / blocks.len() as f64 }
}

/// Words that say how far blocks may be believed.
pub(crate) fn flags(blocks: &[Block], minutes: i64) -> Vec<String> {
    let is_known = blocks.iter().any(|block| block.demand.is_some());
    // Shares are sums of fractions.
    let is_whole = blocks.iter().all(|block| block.share > 1.0 - 1e-9);
    let told = [(!is_known, "no_data"), (is_known && !is_whole, "partial"), (minutes > FINEST, "coarse")];
    told.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word.to_owned()).collect()
}

/// Which part of time.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Span {
    /// Start; ISO 8601. Yesterday's midnight unless told.
    from: Option<String>,
    /// End; ISO 8601. Now unless told. At most 92 days after the start.
    to: Option<String>,
}

/// The demand of an area or asset: its power averaged over blocks of time.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getdemandovertimegraph/{type}/{id}", tag = "analytics", operation_id = "demandOverTime", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "Of that type"), Span),
    responses((status = 200, description = "A row a block", body = Envelope<DemandOverTime>), (status = 400, description = "A span that cannot be"))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(asked): Query<Span>,
) -> Result<Json<Envelope<DemandOverTime>>, Error> {
    let view = &scoped.view;
    let calendar = Calendar::of(view);
    let now = Services::now();
    let yesterday = now.millis_since(calendar.midnight(days_before(calendar.date(now), 1)));
    let default_ms = if asked.to.is_none() { yesterday } else { 2 * 24 * 60 * MINUTE_MS };
    let (from, to) = span(asked.from.as_deref(), asked.to.as_deref(), default_ms, SPAN_MAX_MS)?;
    let powers = Powers::of(&services, view, scoped.target).await?;
    let Blocks { all: blocks, minutes, .. } = powers.blocks(&services, view, (from, to.min(now).max(from.plus_millis(1)))).await?;
    let row = |block: &Block| DemandRow {
        time_ms: block.start.millis(),
        time: iso(block.start),
        hour: calendar.hour(block.start),
        demand: block.demand,
        coverage: 100.0 * block.share,
    };
    Ok(Json(Envelope::ok(DemandOverTime {
        unit: powers.unit.to_owned(),
        block_minutes: minutes,
        coverage: coverage(&blocks),
        flags: of_all([&flags(&blocks, minutes)], &powers.missing),
        missing: powers.missing,
        rows: blocks.iter().map(row).collect(),
        time_zone: calendar.name,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_half_hour_after_midnight_is_in_a_block_of_its_day() {
        // Hours of UTC; midnight in Kolkata lies at half past.
        let at = |minute: i64| Micros(minute * 60_000_000);
        let block = |hour: i64| Block { start: at(60 * hour), demand: Some(hour as f64), share: 1.0 };
        let blocks = Blocks { all: (0..6).map(block).collect(), heard: (0..6).collect(), minutes: 60 };
        let day = blocks.within(at(90), at(240));
        assert_eq!(
            (day.all.iter().map(|block| block.start).collect::<Vec<_>>(), &day.heard),
            (vec![at(60), at(120), at(180)], &vec![1, 2, 3])
        );
        assert_eq!(blocks.within(at(91), at(239)).heard, [2], "nor what lies before for the most part, nor what is not over");
        assert_eq!((day.most_heard(), blocks.only(|_| false).most_heard()), (3, 0));
        assert_eq!(flags(&day.all, day.minutes), ["coarse"]);
    }
}
