//! GET /api/analytics/outages/{type}/{id}, GET and PUT /api/analytics/outage/{id}: the outages of the reliability indices, and their
//! corrections by users.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::calendar::{Calendar, Period};
use analysis::reliability::{Figures, feeders};
use axum::Json;
use axum::extract::{Path, Query, State};
use grid::outage::Cause;
use grid::{Micros, Scope};
use identity::{Area, RequestOrigin, View};
use jiff::ToSpan as _;
use serde::Deserialize;
use store::kept::Level;
use store::outage::{Correction, OutageRecord};
use wire::Envelope;
use wire::flag::Flag;
use wire::reliability::{ComputedOutage, CorrectOutage, OutageEvent, OutageRow, Outages};
use wire::time::{iso, parse_iso};

use crate::body::Body;
use crate::error::Error;
use crate::extract::Scoped;
use crate::page::{Diagram, Writes};
use crate::routes::alarms::{name_of, text};
use crate::state::Services;

/// Maximum number of rows of a list.
const ROWS_MAX: usize = 5_000;
/// The longest span, ms: ten years.
const SPAN_MAX_MS: i64 = 3_653 * 24 * 3_600_000;
/// Default of the period, ms, up to now.
const SPAN_MS: i64 = 30 * 24 * 3_600_000;
const NOTE_MAX: usize = 1_000;

/// The period of the answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Span {
    /// Start, ISO 8601; default: 30 days before the end.
    from: Option<String>,
    /// End, ISO 8601; default: now. At most ten years after the start.
    to: Option<String>,
}

impl Span {
    fn read(&self, now: Micros) -> Result<(Micros, Micros), Error> {
        let wrong = |name: &str| Error::BadRequest(format!("{name} must be ISO 8601, such as 2026-11-01T00:00:00Z"));
        // A plus sign in a query arrives as a space.
        let read = |text: &Option<String>, name: &str| {
            text.as_deref().map(|text| parse_iso(&text.trim().replace(' ', "+")).ok_or_else(|| wrong(name))).transpose()
        };
        let to = read(&self.to, "to")?.unwrap_or(now);
        let from = read(&self.from, "from")?.unwrap_or(to.plus_millis(-SPAN_MS));
        let is_one =
            (0..=SPAN_MAX_MS).contains(&to.millis_since(from)) && from >= Micros::from_millis(0) && to <= now.plus_millis(SPAN_MAX_MS);
        if is_one {
            Ok((from, to))
        } else {
            Err(Error::BadRequest("from must lie before to, after 1970, and ten years at most lie between them".to_owned()))
        }
    }
}

/// Returns the days that a period touches.
fn days(calendar: &Calendar, (from, to): (Micros, Micros)) -> Result<Period, Error> {
    let end = calendar.day(to).checked_add(1.day()).map_err(|_| Error::Internal)?;
    Ok(Period { first: calendar.day(from), end })
}

/// Returns the outages of an area that began in a period: those in its indices, and those that do not count, with the reason.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/outages/{type}/{id}", tag = "analytics", operation_id = "outages", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset"), Span
    ),
    responses(
        (status = 200, description = "At most 5000 rows, newest first", body = Envelope<Outages>),
        (status = 400, description = "The period cannot be used, or is longer than ten years", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn list(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(span): Query<Span>,
) -> Result<Json<Envelope<Outages>>, Error> {
    let (view, now) = (&scoped.view, Services::now());
    let (from, to) = span.read(now)?;
    let calendar = Calendar::of(view, now);
    let figures = Figures::read(services.store(), view, &feeders(view, scoped.target), days(&calendar, (from, to))?).await?;
    let within = figures.outages.iter().rev().filter(|outage| (from..to).contains(&outage.started));
    let mut rows: Vec<OutageRow> = within.filter_map(|outage| row(view, &figures, outage)).take(ROWS_MAX + 1).collect();
    let cut = rows.len() > ROWS_MAX;
    rows.truncate(ROWS_MAX);
    let kept_since = services.kept_since(&[Level::Event], from).await?;
    Ok(Json(Envelope::ok(Outages { rows, cut }).kept_since(kept_since)))
}

/// Returns one outage with its events.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/outage/{id}", tag = "analytics", operation_id = "outage", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The id of the area or asset")),
    responses(
        (status = 200, description = "The outage", body = Envelope<OutageRow>),
        (status = 404, description = "There is no such outage", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn get(State(services): State<Services>, view: View, Path(id): Path<String>) -> Result<Json<Envelope<OutageRow>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let outage = services.store().outage(view.principal.client, id).await?.ok_or(Error::NotFound)?;
    seen(&view, &outage)?;
    Ok(Json(Envelope::ok(single(&services, &view, &outage).await?)))
}

/// Corrects an outage, and replaces an earlier correction. A body with only a note removes the correction. It needs the right to operate.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/analytics/outage/{id}", tag = "analytics", operation_id = "correctOutage", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The id of the area or asset")), request_body = CorrectOutage,
    responses(
        (status = 200, description = "The outage as it counts now", body = Envelope<OutageRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no right to operate", body = wire::envelope::Failure),
        (status = 404, description = "There is no such outage", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(body): Body<CorrectOutage>,
) -> Result<Json<Envelope<OutageRow>>, Error> {
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to correct an outage."));
    }
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let (correction, note) = checked(&body)?;
    let now = Services::now();
    let by = name_of(&services, &view).await?;
    let mut was = None;
    let may = |outage: &OutageRecord, beside: Option<&OutageRecord>| {
        was = Some(outage.clone());
        seen(&view, outage).and_then(|()| fits(outage, &correction, now)).and_then(|()| is_alone(outage, &correction, beside))
    };
    let (client, what) = (view.principal.client, (&correction, note.as_str(), by.as_str()));
    let stored = services.store().correct_outage(client, id, what, &trail.origin, may).await?.ok_or(Error::NotFound)??;
    let answer = match (stored, was) {
        (Some(stored), _) => single(&services, &view, &stored).await?,
        (None, Some(was)) => {
            let last = single(&services, &view, &was).await?;
            OutageRow { counts_in: Some(false), excluded_because: Some("removed".to_owned()), ..last }
        }
        (None, None) => return Err(Error::NotFound),
    };
    Ok(Json(Envelope::ok(answer)))
}

fn checked(body: &CorrectOutage) -> Result<(Correction, String), Error> {
    let bad = Error::BadRequest;
    let time = |text: &Option<String>, name: &str| {
        let read = |text: &String| parse_iso(text).ok_or_else(|| bad(format!("{name} must be ISO 8601, such as 2026-11-01T00:00:00Z")));
        text.as_ref().map(read).transpose()
    };
    let cause = |word: &String| {
        let words: Vec<&str> = Cause::ALL.into_iter().map(Cause::as_str).collect();
        Cause::parse(word).ok_or_else(|| bad(format!("cause must be one of {}", words.join(", "))))
    };
    let note =
        text(&body.note, NOTE_MAX).ok_or_else(|| bad(format!("note must have 1 to {NOTE_MAX} characters without control characters")))?;
    let correction = Correction {
        started: time(&body.started, "started")?,
        ended: time(&body.ended, "ended")?,
        cause: body.cause.as_ref().map(cause).transpose()?,
        excluded: body.exclude,
    };
    Ok((correction, note))
}

/// Checks that the corrected times are possible: an outage cannot end before it began, or in the future.
fn fits(outage: &OutageRecord, correction: &Correction, now: Micros) -> Result<(), Error> {
    let bad = |message: &str| Err(Error::BadRequest(message.to_owned()));
    let (started, ended) = correction.span(outage);
    let Some(started) = started else {
        if !correction.is_any() {
            return Ok(());
        }
        return bad("started must be given: the events tell of no such outage any more; a note alone removes it");
    };
    if started < Micros::from_millis(0) || [Some(started), ended].into_iter().flatten().any(|at| at > now) {
        return bad("started and ended must lie between 1970 and now");
    }
    if ended.is_some_and(|ended| ended < started) {
        return bad("ended must not lie before started");
    }
    Ok(())
}

/// Checks that no minute would count twice: a corrected outage must not overlap another outage of the same feeder that is included in the indices.
fn is_alone(outage: &OutageRecord, correction: &Correction, beside: Option<&OutageRecord>) -> Result<(), Error> {
    let (started, ended) = correction.span(outage);
    let is_as_it_was = !outage.correction.excluded && (started, ended) == (Some(outage.started), outage.ended);
    match beside {
        Some(other) if !correction.excluded && !is_as_it_was => {
            let ended = other.ended.map_or_else(|| "it lasts".to_owned(), |ended| format!("to {}", iso(ended)));
            let (id, started) = (other.id, iso(other.started));
            Err(Error::BadRequest(format!(
                "it would overlap outage {id} of the same feeder (from {started}, {ended}): choose other times, or put that one right or take it out first"
            )))
        }
        _ => Ok(()),
    }
}

/// Checks that the caller may see the substation of an outage.
fn seen(view: &View, outage: &OutageRecord) -> Result<(), Error> {
    let sees = view.field.node(outage.location).is_some_and(|location| view.sees(location));
    if sees { Ok(()) } else { Err(Error::NotFound) }
}

/// Returns an outage with its events.
async fn single(services: &Services, view: &View, outage: &OutageRecord) -> Result<OutageRow, Error> {
    let calendar = Calendar::of(view, Services::now());
    let period = days(&calendar, (outage.started, outage.started))?;
    let figures = Figures::read(services.store(), view, &feeders(view, Area(Some(Scope::Asset(outage.asset)))), period).await?;
    let events = services.store().events_at(view.principal.client, &outage.evidence).await?;
    let events = events.iter().map(|event| OutageEvent {
        offset: event.offset,
        point_id: event.point.0,
        asset_name: event.asset_name.clone(),
        signal: event.signal.clone(),
        value: event.value,
        change_to: event.change_to().to_owned(),
        source: iso(event.source),
    });
    let row = row(view, &figures, outage).ok_or(Error::NotFound)?;
    Ok(OutageRow { events: Some(events.collect()), ..row })
}

fn row(view: &View, figures: &Figures, outage: &OutageRecord) -> Option<OutageRow> {
    let (asset, location) = (view.field.asset(outage.asset)?, view.field.node(outage.location)?);
    let names: Vec<&str> = location.path.iter().filter_map(|id| view.field.node(*id)).map(|above| above.name.as_str()).collect();
    let minutes = outage.ended.map(|_| figures.minutes(outage));
    let class = minutes.map_or("open", |minutes| figures.configuration.threshold().class(minutes).as_str());
    let excluded = figures.excluded_because(outage);
    let flags =
        Flag::that_apply([(outage.ended.is_none(), Flag::Open), (outage.is_provisional() || outage.ended.is_none(), Flag::Provisional)]);
    Some(OutageRow {
        id: outage.id,
        incident_id: outage.incident,
        asset_id: outage.asset.0,
        asset_name: asset.name.clone(),
        location_id: location.id.0,
        location_name: location.name.clone(),
        bread_crumb_name: names.join(" › "),
        customers: outage.customers.as_ref().map_or(asset.customers, |customers| customers.interrupted().try_into().unwrap_or(i32::MAX)),
        customers_known: outage.customers.is_some() || asset.known_customers().is_some(),
        started: iso(outage.started),
        ended: outage.ended.map(iso),
        minutes,
        class: class.to_owned(),
        cause: outage.cause().as_str().to_owned(),
        trips: outage.trips,
        counts_in: Some(excluded.is_none()),
        excluded_because: excluded.map(str::to_owned),
        corrected: outage.correction.is_any(),
        corrected_by: outage.corrected_by.clone(),
        corrected_at: outage.corrected_at.map(iso),
        note: outage.note.clone(),
        computed: outage.worked.map(|worked| ComputedOutage {
            started: iso(worked.started),
            ended: worked.ended.map(iso),
            cause: worked.cause.as_str().to_owned(),
        }),
        events: None,
        major_event_day: Some(figures.is_major(figures.calendar.day(outage.started))),
        flags,
    })
}
