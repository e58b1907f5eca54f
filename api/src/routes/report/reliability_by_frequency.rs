//! POST /api/report/relibdatabyfrequency: reliability indices of a period, a row a substation, or within one a row a feeder, and their total.

use axum::Json;
use axum::extract::State;
use grid::{AssetId, Level, NodeId, Scope};
use jiff::ToSpan as _;
use jiff::civil::{Date, ISOWeekDate, Weekday};
use serde::Serialize;
use serde_json::{Value, json};
use store::registry::AssetRecord;
use utoipa::ToSchema;
use wire::Envelope;
use wire::envelope::Failure;
use wire::reliability::ReliabilityReportQuestion;

use crate::area::Area;
use crate::body::Body;
use crate::error::Error;
use crate::extract::View;
use crate::routes::analytics::reliability_calendar::{Calendar, Period};
use crate::routes::analytics::reliability_figures::{Figures, feeders};
use crate::state::Services;

/// Rows besides the total.
const ROWS_MAX: usize = 500;
/// Days of a range.
const DAYS_MAX: i32 = 3_660;
const HEADER: [&str; 14] = [
    "Name",
    "From",
    "To",
    "Customers served",
    "SAIDI (min)",
    "SAIFI",
    "CAIDI (min)",
    "CAIFI",
    "MAIFI",
    "CTAIDI (min)",
    "ASAI",
    "Customer interruptions",
    "Customer minutes",
    "Open outages",
];

/// Two sets: the header row, and the data rows.
#[derive(Debug, Serialize, ToSchema)]
#[schema(value_type = Vec<Vec<Object>>)]
pub(crate) struct Sets(Vec<Vec<Value>>);

/// The first of two sets is the header row, the second the data rows, the total last. A part of the network without customers has no indices.
#[utoipa::path(
    post, path = "/api/report/relibdatabyfrequency", tag = "report", operation_id = "reliabilityByFrequency", security(("bearer" = [])),
    request_body = ReliabilityReportQuestion,
    responses(
        (status = 200, description = "Header row and data rows", body = Envelope<Sets>),
        (status = 400, description = "Something cannot be taken; the message says what", body = Failure),
        (status = 404, description = "There is nothing of that level and id", body = Failure),
    )
)]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Body(asked): Body<ReliabilityReportQuestion>,
) -> Result<Json<Envelope<Sets>>, Error> {
    let area = area(&view, &asked.level, asked.level_id).ok_or(Error::NotFound)?;
    let calendar = Calendar::of(&view, Services::now());
    let period = period(asked.frequency, asked.frequency_value.trim(), calendar.today())?;
    let all = feeders(&view, area);
    let mut rows: Vec<Value> = Vec::new();
    let groups = groups(&view, area, &all);
    if groups.len() > ROWS_MAX {
        return Err(Error::BadRequest(format!("more than {ROWS_MAX} substations or feeders, ask for a lower level")));
    }
    // Together once, and each part of what that has read: what is compared with must not be read for each anew.
    let whole = Figures::read(&services, &view, &all, period).await?;
    for (name, of) in &groups {
        rows.push(row(name, period, &whole.part(of))?);
    }
    rows.push(row("Total", period, &whole)?);
    Ok(Json(Envelope::ok(Sets(vec![HEADER.iter().map(|name| json!(name)).collect(), rows]))))
}

/// As the paths of other calls name it.
fn area(view: &View, level: &str, id: i64) -> Option<Area> {
    if level.eq_ignore_ascii_case("client") {
        return (id == view.principal.client.0).then(|| Area::of_caller(view)).flatten();
    }
    if level.eq_ignore_ascii_case("asset") {
        let asset = view.field.asset(AssetId(id))?;
        let location = view.field.node(asset.location).filter(|location| view.sees(location));
        return location.map(|_| Area(Some(Scope::Asset(asset.id))));
    }
    let node = view.field.node(NodeId(id)).filter(|node| view.sees(node))?;
    let is_named =
        level.eq_ignore_ascii_case(node.level.word()) || level.eq_ignore_ascii_case("substation") && node.level == Level::Substation;
    is_named.then_some(Area(Some(Scope::Node(node.id))))
}

/// By substation, or within one by feeder, each by name.
fn groups(view: &View, area: Area, all: &[&AssetRecord]) -> Vec<(String, Vec<AssetId>)> {
    let is_one = match area.0 {
        Some(Scope::Asset(_)) => true,
        Some(Scope::Node(node)) => view.field.node(node).is_some_and(|node| node.level == Level::Substation),
        None => false,
    };
    let mut groups: std::collections::BTreeMap<(String, i64), Vec<AssetId>> = std::collections::BTreeMap::new();
    for asset in all {
        let key = if is_one {
            (asset.name.clone(), asset.id.0)
        } else {
            let name = view.field.node(asset.location).map(|location| location.name.clone()).unwrap_or_default();
            (name, asset.location.0)
        };
        groups.entry(key).or_default().push(asset.id);
    }
    groups.into_iter().map(|((name, _), of)| (name, of)).collect()
}

fn row(name: &str, period: Period, figures: &Figures) -> Result<Value, Error> {
    let told = figures.told(period)?;
    let indices = figures.indices(&told);
    let last = period.end.yesterday().map_err(|_| Error::Internal)?;
    let known = |figure: f64| told.is_known.then_some(figure);
    Ok(json!([
        name,
        period.first.to_string(),
        last.to_string(),
        figures.served,
        indices.saidi,
        indices.saifi,
        indices.caidi,
        indices.caifi,
        indices.maifi,
        indices.ctaidi,
        indices.asai,
        known(told.sums.interruptions),
        known(told.sums.minutes),
        told.is_known.then_some(told.sums.open),
    ]))
}

/// The days of a frequency (specification 3, section 5).
fn period(frequency: i64, value: &str, today: Date) -> Result<Period, Error> {
    let wrong = |what: &str| Error::BadRequest(format!("frequencyValue of frequency {frequency} must be {what}"));
    let year = |text: &str| text.parse::<i16>().ok().filter(|year| text.len() == 4 && (2000..=2199).contains(year));
    let day = |text: &str| text.parse::<Date>().ok().filter(|day| text.len() == 10 && (2000..=2199).contains(&day.year()));
    let until = |first: Date, end: Option<Date>| end.map(|end| Period { first, end });
    let found = match frequency {
        1 | 7 => day(value).and_then(|first| until(first, first.tomorrow().ok())).ok_or_else(|| wrong("YYYY-MM-DD")),
        2 => {
            let month = value.split_once('-').filter(|(_, month)| month.len() == 2);
            let month = month.and_then(|(of, month)| Period::month(year(of)?, month.parse().ok()?));
            month.ok_or_else(|| wrong("YYYY-MM"))
        }
        3 => {
            let quarter = value.split_once("-Q").and_then(|(of, quarter)| {
                let quarter: i8 = quarter.parse().ok().filter(|number| quarter.len() == 1 && (1..=4).contains(number))?;
                let first = Date::new(year(of)?, 3 * quarter - 2, 1).ok()?;
                until(first, first.checked_add(3.months()).ok())
            });
            quarter.ok_or_else(|| wrong("YYYY-Q1 to YYYY-Q4"))
        }
        4 => {
            let years = value.split_once('-').and_then(|(first, second)| {
                let (first, second) = (year(first)?, year(second)?);
                let begin = Date::new(first, 4, 1).ok().filter(|_| second == first + 1)?;
                until(begin, Date::new(second, 4, 1).ok())
            });
            years.ok_or_else(|| wrong("YYYY-YYYY, such as 2026-2027 for April 2026 to March 2027"))
        }
        5 => Date::new(today.year(), 1, 1).ok().and_then(|first| until(first, today.tomorrow().ok())).ok_or(Error::Internal),
        6 => {
            let range = value.split_once(',').and_then(|(first, last)| Some((day(first.trim())?, day(last.trim())?)));
            let range = range.filter(|(first, last)| first <= last && (*last - *first).get_days() < DAYS_MAX);
            range
                .and_then(|(first, last)| until(first, last.tomorrow().ok()))
                .ok_or_else(|| wrong("YYYY-MM-DD,YYYY-MM-DD, the first not behind the last and not more than ten years before it"))
        }
        9 => {
            let week = value.split_once("-W").and_then(|(of, week)| {
                let week = week.parse().ok().filter(|_| week.len() == 2)?;
                let first = ISOWeekDate::new(year(of)?, week, Weekday::Monday).ok()?.date();
                until(first, first.checked_add(7.days()).ok())
            });
            week.ok_or_else(|| wrong("YYYY-W01 to YYYY-W53"))
        }
        _ => Err(Error::BadRequest("frequency must be 1, 2, 3, 4, 5, 6, 7 or 9".to_owned())),
    }?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frequency_has_its_days() {
        let today: Date = "2026-11-22".parse().expect("a day");
        let of = |frequency, value: &str| period(frequency, value, today).ok().map(|period| format!("{} {}", period.first, period.end));
        for (frequency, value, expected) in [
            (1, "2026-02-28", "2026-02-28 2026-03-01"),
            (7, "2026-12-31", "2026-12-31 2027-01-01"),
            (2, "2026-02", "2026-02-01 2026-03-01"),
            (3, "2026-Q4", "2026-10-01 2027-01-01"),
            (4, "2025-2026", "2025-04-01 2026-04-01"),
            (5, "", "2026-01-01 2026-11-23"),
            (6, "2026-11-01, 2026-11-03", "2026-11-01 2026-11-04"),
            (9, "2026-W01", "2025-12-29 2026-01-05"),
        ] {
            assert_eq!(of(frequency, value).as_deref(), Some(expected), "{frequency} {value}");
        }
        for (frequency, value) in [
            (0, ""),
            (8, "2026"),
            (1, "2026-02-29"),
            (2, "2026-13"),
            (2, "202611"),
            (3, "2026-Q5"),
            (4, "2026-2028"),
            (6, "2026-11-03,2026-11-01"),
            (6, "2000-01-01,2100-01-01"),
            (9, "2026-W54"),
        ] {
            assert_eq!(of(frequency, value), None, "{frequency} {value}");
        }
    }
}
