//! POST /api/report/relibdatabyfrequency: reliability indices of a period, with a row for each substation, or for each feeder of one
//! substation, and their total.

use analysis::calendar::{Calendar, Period};
use analysis::reliability::{Figures, feeders};
use analysis::reliability_groups::{area, groups};
use axum::Json;
use axum::extract::State;
use identity::View;
use reports::period::period;
use serde::Serialize;
use serde_json::{Value, json};
use store::kept::Level;
use wire::Envelope;
use wire::reliability::ReliabilityReportQuestion;

use crate::body::Body;
use crate::error::Error;
use crate::state::Services;

/// Maximum number of rows besides the total.
const ROWS_MAX: usize = 500;
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
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(value_type = Vec<Vec<Object>>))]
pub(crate) struct HeaderAndRows(Vec<Vec<Value>>);

/// Returns a header row, then data rows with the total last. An area without customers has no indices.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/report/relibdatabyfrequency", tag = "report", operation_id = "reliabilityByFrequency", security(("bearer" = [])),
    request_body = ReliabilityReportQuestion,
    responses(
        (status = 200, description = "Header row and data rows", body = Envelope<HeaderAndRows>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Body(body): Body<ReliabilityReportQuestion>,
) -> Result<Json<Envelope<HeaderAndRows>>, Error> {
    let area = area(&view, &body.level, body.level_id).ok_or(Error::NotFound)?;
    let calendar = Calendar::of(&view, Services::now());
    let period = period(body.frequency, body.frequency_value.trim(), calendar.today())?;
    let all = feeders(&view, area);
    let mut rows: Vec<Value> = Vec::new();
    let groups = groups(&view, area, &all);
    if groups.len() > ROWS_MAX {
        return Err(Error::BadRequest(format!("more than {ROWS_MAX} substations or feeders, ask for a lower level")));
    }
    // One query reads the data of all rows, because the earlier years for major event days would otherwise be read for each row.
    let whole = Figures::read(services.store(), &view, &all, period).await?;
    for (name, of) in &groups {
        rows.push(row(name, period, &whole.part(of))?);
    }
    rows.push(row("Total", period, &whole)?);
    let kept_since = services.kept_since(&[Level::Event], calendar.span(period)?.0).await?;
    let answer = HeaderAndRows(vec![HEADER.iter().map(|name| json!(name)).collect(), rows]);
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}

fn row(name: &str, period: Period, figures: &Figures) -> Result<Value, Error> {
    let totals = figures.sums_of(period)?;
    let indices = figures.indices(&totals);
    let last = period.end.yesterday().map_err(|_| Error::Internal)?;
    let known = |figure: f64| totals.is_known.then_some(figure);
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
        known(totals.sums.interruptions),
        known(totals.sums.minutes),
        totals.is_known.then_some(totals.sums.open),
    ]))
}
