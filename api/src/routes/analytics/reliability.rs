//! GET /api/analytics/getreliabilityscores/{type}/{id}/{yyyymm}, reliabilityprofile/{type}/{id}/{yyyymm} and getreliabilityscoresyearly/{type}/{id}.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::BTreeSet;

use analysis::calendar::{Calendar, Period, month_name, year};
use analysis::reliability::{Figures, feeders};
use axum::Json;
use axum::extract::{Path, Query, State};
use grid::reliability::Sums;
use identity::Area;
use jiff::civil::Date;
use serde::Deserialize;
use store::kept::Level;
use wire::Envelope;
use wire::flag::Flag;
use wire::reliability::{
    MajorEventDay, ReliabilityDay, ReliabilityIndices, ReliabilityMonth, ReliabilityProfile, ReliabilityScores, ReliabilityYear,
};
use wire::time::iso;

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns the reliability indices of a month (IEEE 1366): of the outages that began in it, with all their minutes. Open outages count up to now and are
/// flagged.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getreliabilityscores/{type}/{id}/{yyyymm}", tag = "analytics", operation_id = "reliabilityScores", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset"), ("yyyymm" = String, Path, description = "The month, such as 202611, in the utility's zone")
    ),
    responses(
        (status = 200, description = "The indices and their inputs", body = Envelope<ReliabilityScores>),
        (status = 400, description = "The month cannot be used", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn scores(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Path((_type, _id, month)): Path<(String, String, String)>,
) -> Result<Json<Envelope<ReliabilityScores>>, Error> {
    let month = Period::month_of(&month)?;
    let view = &scoped.view;
    let figures = Figures::read(services.store(), view, &feeders(view, scoped.target), month).await?;
    let totals = figures.sums_of(month)?;
    let ReliabilityIndices { saidi, saifi, caidi, caifi, maifi, ctaidi, asai } = figures.indices(&totals);
    let known = |figure: f64| totals.is_known.then_some(figure);
    let (from, to) = figures.calendar.span(month)?;
    let major = figures.major.days.iter().filter(|(day, _)| month.has(**day));
    let kept_since = services.kept_since(&[Level::Event], from).await?;
    let answer = ReliabilityScores {
        saidi,
        saifi,
        caidi,
        caifi,
        maifi,
        ctaidi,
        asai,
        customers_served: figures.served,
        customer_interruptions: known(totals.sums.interruptions),
        customer_minutes: known(totals.sums.minutes),
        customers_interrupted: known(totals.sums.customers_interrupted()),
        momentary_interruptions: known(totals.sums.momentary),
        outages: totals.is_known.then_some(totals.outages),
        sustained_outages: totals.is_known.then_some(totals.sustained),
        momentary_outages: totals.is_known.then_some(totals.momentary),
        open_outages: totals.is_known.then_some(totals.sums.open),
        major_event_days: major.map(|(day, saidi)| MajorEventDay { day: day.to_string(), saidi: *saidi }).collect(),
        t_med: figures.major.limit(month.first.year()),
        without_major_event_days: figures.indices_without_major(&totals),
        weighting: figures.configuration.weighting,
        momentary_threshold_min: figures.configuration.momentary_threshold_min,
        from: iso(from),
        to: iso(to),
        flags: totals.flags.iter().copied().collect(),
    };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}

/// Returns the interruptions of a month by day: each with all its minutes on the day on which it began.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/reliabilityprofile/{type}/{id}/{yyyymm}", tag = "analytics", operation_id = "reliabilityProfile", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset"), ("yyyymm" = String, Path, description = "The month, such as 202611, in the utility's zone")
    ),
    responses(
        (status = 200, description = "A row for each day", body = Envelope<ReliabilityProfile>),
        (status = 400, description = "The month cannot be used", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn profile(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Path((_type, _id, month)): Path<(String, String, String)>,
) -> Result<Json<Envelope<ReliabilityProfile>>, Error> {
    let month = Period::month_of(&month)?;
    let view = &scoped.view;
    let figures = Figures::read(services.store(), view, &feeders(view, scoped.target), month).await?;
    let rows = month.days().map(|day| row(&figures, day)).collect::<Result<_, Error>>()?;
    let kept_since = services.kept_since(&[Level::Event], figures.calendar.span(month)?.0).await?;
    let answer = ReliabilityProfile { rows, flags: figures.sums_of(month)?.flags.into_iter().collect() };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}

fn row(figures: &Figures, day: Date) -> Result<ReliabilityDay, Error> {
    let totals = figures.sums_of(Period { first: day, end: day.tomorrow().map_err(|_| Error::Internal)? })?;
    let longest = figures.longest(day);
    let known = totals.is_known;
    Ok(ReliabilityDay {
        dt: format!("{:02}/{:02}", day.day(), day.month()),
        date: day.to_string(),
        mon: month_name(day).to_owned(),
        interruptions: known.then_some(longest.len()),
        duration: known.then_some(longest.iter().sum()),
        customer_minutes: known.then_some(totals.sums.minutes),
        saidi: figures.indices(&totals).saidi,
        major_event_day: known.then(|| figures.is_major(day)),
    })
}

/// The year of the answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct YearQuery {
    /// 2000 to 2199; default: this year in the utility's zone.
    year: Option<i16>,
}

/// Returns the reliability indices of each month of a year, and of the year, from the sums of its months.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getreliabilityscoresyearly/{type}/{id}", tag = "analytics", operation_id = "reliabilityScoresYearly", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset"), YearQuery
    ),
    responses(
        (status = 200, description = "Twelve rows and their total", body = Envelope<ReliabilityYear>),
        (status = 400, description = "The year cannot be used", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn yearly(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(query): Query<YearQuery>,
) -> Result<Json<Envelope<ReliabilityYear>>, Error> {
    let view = &scoped.view;
    let this = Calendar::of(view, Services::now()).today().year();
    let year = year(query.year.unwrap_or(this))?;
    let (first, end) = (Date::new(year, 1, 1), Date::new(year + 1, 1, 1));
    let whole = Period { first: first.map_err(|_| Error::Internal)?, end: end.map_err(|_| Error::Internal)? };
    let figures = Figures::read(services.store(), view, &feeders(view, scoped.target), whole).await?;
    let (mut rows, mut sum, mut flags) = (Vec::new(), Sums::default(), BTreeSet::new());
    for month in (1..=12).filter_map(|month| Period::month(year, month)) {
        let totals = figures.sums_of(month)?;
        rows.push(named(month.month_name().to_owned(), month.yyyymm(), &figures.indices(&totals), totals.flags.iter().copied().collect()));
        sum.add(&totals.sums);
        if totals.is_known {
            flags.extend(totals.flags);
        }
    }
    let mut totals = figures.sums_of(whole)?;
    totals.sums = sum;
    flags.extend(totals.flags.iter().copied());
    let total = named("Total".to_owned(), year.to_string(), &figures.indices(&totals), totals.flags.iter().copied().collect());
    let kept_since = services.kept_since(&[Level::Event], figures.calendar.span(whole)?.0).await?;
    Ok(Json(Envelope::ok(ReliabilityYear { year, rows, total, flags: flags.into_iter().collect() }).kept_since(kept_since)))
}

fn named(month: String, yyyymm: String, indices: &ReliabilityIndices, flags: Vec<Flag>) -> ReliabilityMonth {
    let ReliabilityIndices { saidi, saifi, caidi, caifi, maifi, .. } = *indices;
    ReliabilityMonth { month, yyyymm, saidi, saifi, caidi, caifi, maifi, flags }
}
