//! SAIDI_SAIFI and RELIABILITY_INDICES: reliability indices (IEEE 1366) by month, substation or feeder, from the same figures as on the
//! screen.

use analysis::calendar::Period;
use analysis::reliability::{Figures, PeriodSums, feeders};
use analysis::reliability_groups::groups;
use grid::AssetId;
use jiff::ToSpan as _;
use jiff::civil::Date;
use store::kept::Level;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::valid_request::ValidRequest;

pub(crate) static SAIDI_SAIFI: Definition = Definition {
    id: 1,
    key: "SAIDI_SAIFI",
    name: "SAIDI SAIFI",
    about: "One row for each place and month of the period, and after each twelve months, or at the end, one row for these months together. SAIDI, SAIFI and CAIDI count sustained interruptions only (IEEE 1366), whether momentary \
            faults are excluded or not. If they are excluded, MAIFI and Momentary outages are empty.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::Momentary,
    levels: &[Level::Event],
    columns: &[
        Column::text("Place", "The requested place"),
        Column::text(
            "Month",
            "YYYY-MM; for a month that the period cuts, the part within the period. YYYY-MM to YYYY-MM: these months together, from their sums",
        ),
        Column::number("Customers served", "", 0, "The sum over feeders that count, by the weighting in the utility's configuration"),
        Column::number("SAIDI", "min", 2, "Customer minutes of sustained interruptions / customers served"),
        Column::number("SAIFI", "", 4, "Customers interrupted by sustained interruptions / customers served"),
        Column::number("CAIDI", "min", 2, "SAIDI / SAIFI"),
        Column::number("MAIFI", "", 4, "Momentary interruptions of customers / customers served; empty without momentary faults"),
        Column::count("Sustained outages", "Outages of feeders that count in SAIDI, SAIFI and CAIDI"),
        Column::count("Momentary outages", "Outages of feeders that count in MAIFI; empty without momentary faults"),
        Column::text("Remarks", "What qualifies the figures: see docs/reference/reliability.md, Flags"),
    ],
    rows: |request, rows| -> Running { Box::pin(monthly(request, rows)) },
};

pub(crate) static INDICES: Definition = Definition {
    id: 14,
    key: "RELIABILITY_INDICES",
    name: "Reliability Indices",
    about: "The indices of the whole period: one row for each substation, or within a substation or for an asset one row for each feeder; after those of each place its total.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Event],
    columns: &[
        Column::text("Place", "The requested place"),
        Column::text("Name", "The substation or feeder, or Total"),
        Column::number("Customers served", "", 0, "The sum over feeders that count, by the weighting in the utility's configuration"),
        Column::number("SAIDI", "min", 2, "Customer minutes of sustained interruptions / customers served"),
        Column::number("SAIFI", "", 4, "Customers interrupted by sustained interruptions / customers served"),
        Column::number("CAIDI", "min", 2, "SAIDI / SAIFI"),
        Column::number("CAIFI", "", 4, "Customer interruptions / customers interrupted at least once"),
        Column::number("CTAIDI", "min", 2, "Customer minutes / customers interrupted at least once"),
        Column::number("MAIFI", "", 4, "Customers interrupted momentarily / customers served"),
        Column::number("ASAI", "", 6, "1 - customer minutes within the period / (customers served x minutes of the period)"),
        Column::number("Customer interruptions", "", 0, "The sum of the customers of each sustained interruption"),
        Column::number("Customer minutes", "min", 1, "The sum of customers x minutes of each sustained interruption"),
        Column::text("Remarks", "What qualifies the figures: see docs/reference/reliability.md, Flags"),
    ],
    rows: |request, rows| -> Running { Box::pin(by_part(request, rows)) },
};

async fn monthly(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    for area in &request.areas {
        let all = feeders(&request.view, *area);
        let figures = Figures::read(request.reports.store(), &request.view, &all, request.period).await?;
        let name = request.name_of(*area);
        for (label, period) in months_and_years(request.period) {
            let totals = figures.sums_of(period)?;
            let indices = figures.indices(&totals);
            let row = vec![
                name.as_str().into(),
                label.into(),
                figures.served.into(),
                indices.saidi.into(),
                indices.saifi.into(),
                indices.caidi.into(),
                indices.maifi.filter(|_| !request.exclude_momentary).into(),
                totals.is_known.then_some(totals.sustained as i64).into(),
                (totals.is_known && !request.exclude_momentary).then_some(totals.momentary as i64).into(),
                remarks(&totals),
            ];
            rows.put(row).await?;
        }
    }
    Ok(())
}

/// Returns the months of a period with their labels. After each twelve months, and at the end, there is an entry for these months together, if there are
/// several.
fn months_and_years(period: Period) -> Vec<(String, Period)> {
    let label = |day: Date| format!("{:04}-{:02}", day.year(), day.month());
    let (mut parts, mut year, mut months) = (Vec::new(), period.first, 0);
    let mut first = period.first;
    while first < period.end {
        let next = first.first_of_month().checked_add(1.month()).map_or(period.end, |next| next.min(period.end));
        parts.push((label(first), Period { first, end: next }));
        months += 1;
        if months == 12 || next == period.end {
            if months > 1 {
                parts.push((format!("{} to {}", label(year), label(first)), Period { first: year, end: next }));
            }
            (year, months) = (next, 0);
        }
        first = next;
    }
    parts
}

async fn by_part(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    for area in &request.areas {
        let all = feeders(&request.view, *area);
        let parts: Vec<(String, Vec<AssetId>)> = groups(&request.view, *area, &all);
        let whole = Figures::read(request.reports.store(), &request.view, &all, request.period).await?;
        let place = request.name_of(*area);
        for (name, of) in &parts {
            rows.put(row(&place, name, &whole.part(of), request.period)?).await?;
        }
        rows.put(row(&place, "Total", &whole, request.period)?).await?;
    }
    Ok(())
}

fn row(place: &str, name: &str, figures: &Figures, period: Period) -> Result<Row, Stop> {
    let totals = figures.sums_of(period)?;
    let indices = figures.indices(&totals);
    let known = |figure: f64| totals.is_known.then_some(figure);
    Ok(vec![
        place.into(),
        name.into(),
        figures.served.into(),
        indices.saidi.into(),
        indices.saifi.into(),
        indices.caidi.into(),
        indices.caifi.into(),
        indices.ctaidi.into(),
        indices.maifi.into(),
        indices.asai.into(),
        known(totals.sums.interruptions).into(),
        known(totals.sums.minutes).into(),
        remarks(&totals),
    ])
}

/// Returns the remarks on the indices, as text.
pub(crate) fn remarks(totals: &PeriodSums) -> Value {
    totals.flags.iter().map(|flag| flag.sentence_for_outages()).collect::<Vec<_>>().join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_follows_its_months() {
        let day = |year, month, day| Date::new(year, month, day).expect("a day");
        let of = |first, end| months_and_years(Period { first, end }).into_iter().map(|(label, _)| label).collect::<Vec<_>>();
        assert_eq!(of(day(2026, 3, 1), day(2026, 4, 1)), ["2026-03"], "one month has no sum");
        assert_eq!(of(day(2026, 2, 15), day(2026, 4, 1)), ["2026-02", "2026-03", "2026-02 to 2026-03"]);
        let financial = of(day(2025, 4, 1), day(2026, 4, 1));
        assert_eq!((financial.len(), financial[12].as_str()), (13, "2025-04 to 2026-03"));
        let years = months_and_years(Period { first: day(2024, 1, 1), end: day(2026, 2, 1) });
        assert_eq!(years.len(), 24 + 2 + 1, "two years, and one month of the third");
        assert_eq!(
            (&years[12].0, years[12].1),
            (&"2024-01 to 2024-12".to_owned(), Period { first: day(2024, 1, 1), end: day(2025, 1, 1) })
        );
    }
}
