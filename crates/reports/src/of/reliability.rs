//! SAIDI_SAIFI and RELIABILITY_INDICES: reliability indices (IEEE 1366) by month, substation or feeder, from the same figures as on the
//! screen.

use analysis::calendar::Period;
use analysis::reliability::{Figures, PeriodSums, feeders};
use analysis::reliability_groups::groups;
use grid::AssetId;
use jiff::ToSpan as _;
use store::kept::Level;
use wire::flag::Flag;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::valid_request::ValidRequest;

pub(crate) static SAIDI_SAIFI: Definition = Definition {
    id: 1,
    key: "SAIDI_SAIFI",
    name: "SAIDI SAIFI",
    about: "One row for each place and month of the period. SAIDI, SAIFI and CAIDI count sustained interruptions only (IEEE 1366), whether momentary \
            faults are excluded or not. If they are excluded, MAIFI and Momentary outages are empty.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::Momentary,
    levels: &[Level::Event],
    columns: &[
        Column::text("Place", "The requested place"),
        Column::text("Month", "YYYY-MM; for a month that the period cuts, the part within the period"),
        Column::number("Customers served", "", 0, "The sum over feeders that count, by the weighting in the utility's configuration"),
        Column::number("SAIDI", "min", 2, "Customer minutes of sustained interruptions / customers served"),
        Column::number("SAIFI", "", 4, "Customers interrupted by sustained interruptions / customers served"),
        Column::number("CAIDI", "min", 2, "SAIDI / SAIFI"),
        Column::number("MAIFI", "", 4, "Momentary interruptions of customers / customers served; empty without momentary faults"),
        Column::count("Sustained outages", "Outages of feeders that count in SAIDI, SAIFI and CAIDI"),
        Column::count("Momentary outages", "Outages of feeders that count in MAIFI; empty without momentary faults"),
        Column::text("Remarks", "no_data, no_customers, partial, late, open, provisional: see docs/reference/reliability.md"),
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
        Column::text("Remarks", "no_data, no_customers, partial, late, open, provisional: see docs/reference/reliability.md"),
    ],
    rows: |request, rows| -> Running { Box::pin(by_part(request, rows)) },
};

async fn monthly(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    for area in &request.areas {
        let all = feeders(&request.view, *area);
        let figures = Figures::read(request.reports.store(), &request.view, &all, request.period).await?;
        let name = request.name_of(*area);
        let mut first = request.period.first;
        while first < request.period.end {
            let next = first.first_of_month().checked_add(1.month()).map_or(request.period.end, |next| next.min(request.period.end));
            let totals = figures.sums_of(Period { first, end: next })?;
            let indices = figures.indices(&totals);
            let row = vec![
                name.as_str().into(),
                format!("{:04}-{:02}", first.year(), first.month()).into(),
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
            first = next;
        }
    }
    Ok(())
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

/// Returns the flags that qualify the indices.
fn remarks(totals: &PeriodSums) -> Value {
    Flag::list(totals.flags.iter().copied()).into()
}
