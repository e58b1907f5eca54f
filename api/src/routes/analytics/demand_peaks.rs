//! GET /api/analytics/peakdemandprofiledatabyid/{type}/{id} and getpeakdemandtable/{type}/{id}: when demand was highest.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use grid::demand::{Band, Block, peak};
use grid::downsample::MINUTE_MS;
use grid::{Micros, Scope};
use serde::Deserialize;
use wire::Envelope;
use wire::energy::{PeakDemand, PeakDemandRow};
use wire::time::iso;

use super::demand::{Blocks, Powers, coverage, flags};
use super::energy_calendar::Calendar;
use super::energy_sums::of_all;
use crate::area::Area;
use crate::error::Error;
use crate::extract::{Scoped, View};
use crate::state::Services;

/// The share of the feeders that are heard in any block of an answer that a peak needs: where more of them are silent, demand only seems to fall. Of fewer than
/// twenty these are all.
const HEARD_MIN: f64 = 0.95;

/// Blocks of a time, and who asks about whom.
pub(crate) struct Told<'a> {
    calendar: &'a Calendar,
    /// Feeders that a block needs to be a peak.
    needs: u32,
    id: i64,
    name: String,
}

impl<'a> Told<'a> {
    pub(crate) fn of(view: &View, area: Area, calendar: &'a Calendar, blocks: &Blocks) -> Self {
        let (id, name) = match area.0 {
            None => (view.principal.client.0, view.field.client().map(|client| client.name.clone())),
            Some(Scope::Node(node)) => (node.0, view.field.node(node).map(|node| node.name.clone())),
            Some(Scope::Asset(asset)) => (asset.0, view.field.asset(asset).map(|asset| asset.name.clone())),
        };
        let needs = (HEARD_MIN * f64::from(blocks.most_heard())).ceil() as u32;
        Self { calendar, id, name: name.unwrap_or_default(), needs }
    }

    /// The highest demand of some blocks, which are called so.
    pub(crate) fn row(&self, interval: &str, blocks: &Blocks) -> PeakDemandRow {
        let minutes = blocks.minutes;
        let heard = blocks.all.iter().zip(&blocks.heard).filter(|(_, heard)| **heard >= self.needs.max(1));
        // Of those that are heard enough is there; of those that are not, nobody knows.
        let found = peak(heard.map(|(block, _)| block), 0.0);
        let blocks = blocks.all.as_slice();
        let at = found.map(|(block, _)| block.start);
        let mut flags = flags(blocks, minutes);
        if found.is_none() && !flags.iter().any(|flag| flag == "no_data") {
            flags.insert(0, "no_data".to_owned());
        }
        PeakDemandRow {
            id: self.id,
            name: self.name.clone(),
            reading_from: self.name.clone(),
            time_interval: interval.to_owned(),
            peak_demand: found.map(|(_, demand)| demand),
            reported_date_time: at.map(iso),
            date: at.map(|at| self.calendar.day_text(at)),
            time: at.map(|at| self.calendar.clock(at)),
            hour: at.map(|at| self.calendar.hour(at)),
            block_minutes: minutes,
            coverage: coverage(blocks),
            flags,
        }
    }

    /// The quarters of the day, over all days of the blocks.
    pub(crate) fn bands(&self, blocks: &Blocks) -> Vec<PeakDemandRow> {
        let middle = |block: &Block| block.start.plus_millis(blocks.minutes * MINUTE_MS / 2);
        let band = |band: Band| self.row(band.word(), &blocks.only(|block| Band::of_hour(self.calendar.hour(middle(block))) == band));
        Band::ALL.map(band).into()
    }
}

/// From when on a day, a month or a year goes.
fn begin(calendar: &Calendar, period: &str, now: Micros) -> Option<Micros> {
    let today = calendar.date(now);
    let first = match period {
        "day" => today,
        "month" => today.first_of_month(),
        "year" => today.first_of_year(),
        _ => return None,
    };
    // The first instant of a day has no time before it.
    Some(calendar.midnight(first).min(now.plus_millis(-1)))
}

/// Over which time.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Period {
    /// `day`, `month` or `year`, up to now; `day` unless told.
    period: Option<String>,
}

/// The highest demand of each quarter of the day: today, or on any day of this month or year.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/peakdemandprofiledatabyid/{type}/{id}", tag = "analytics", operation_id = "peakDemandProfile", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "Of that type"), Period),
    responses((status = 200, description = "Four rows, from night to evening", body = Envelope<PeakDemand>), (status = 400, description = "A period that is none"))
))]
pub(crate) async fn profile(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(asked): Query<Period>,
) -> Result<Json<Envelope<PeakDemand>>, Error> {
    let (view, now) = (&scoped.view, Services::now());
    let calendar = Calendar::of(view);
    let from = begin(&calendar, asked.period.as_deref().unwrap_or("day"), now);
    let from = from.ok_or_else(|| Error::BadRequest("period must be day, month or year".to_owned()))?;
    let powers = Powers::of(&services, view, scoped.target).await?;
    let blocks = powers.blocks(&services, view, (from, now)).await?;
    let rows = Told::of(view, scoped.target, &calendar, &blocks).bands(&blocks);
    let Blocks { all: blocks, minutes: block_minutes, .. } = blocks;
    Ok(Json(Envelope::ok(PeakDemand {
        unit: powers.unit.to_owned(),
        block_minutes,
        coverage: coverage(&blocks),
        flags: of_all([&flags(&blocks, block_minutes)], &powers.missing),
        missing: powers.missing,
        rows,
    })))
}

/// The highest demand of today and its quarters, of this month and of this year.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getpeakdemandtable/{type}/{id}", tag = "analytics", operation_id = "peakDemandTable", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "Of that type")),
    responses((status = 200, description = "Seven rows: today, night to evening, month, year", body = Envelope<PeakDemand>))
))]
pub(crate) async fn table(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<PeakDemand>>, Error> {
    let (view, now) = (&scoped.view, Services::now());
    let calendar = Calendar::of(view);
    let powers = Powers::of(&services, view, scoped.target).await?;
    let begin = |period: &str| begin(&calendar, period, now).ok_or(Error::Internal);
    // All of one length, as long as the year needs: peaks of longer blocks are lower, and those of one table are compared.
    let year = powers.blocks(&services, view, (begin("year")?, now)).await?;
    let told = Told::of(view, scoped.target, &calendar, &year);
    let today = year.within(begin("day")?, now);
    let mut rows = vec![told.row("today", &today)];
    rows.extend(told.bands(&today));
    rows.push(told.row("month", &year.within(begin("month")?, now)));
    rows.push(told.row("year", &year));
    let today = (today.minutes, coverage(&today.all), flags(&today.all, today.minutes));
    let (block_minutes, coverage, flags) = today;
    Ok(Json(Envelope::ok(PeakDemand {
        unit: powers.unit.to_owned(),
        block_minutes,
        coverage,
        flags: of_all([&flags], &powers.missing),
        missing: powers.missing,
        rows,
    })))
}
