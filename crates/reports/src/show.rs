//! Answers with the first rows of a report: as header and rows in the form of the specification, or with a description of the columns.

use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Value as Json, json};
use wire::time::iso;

use crate::definition::{Column, ColumnKind, Definition, decimals, kind_word};
use crate::engine::run;
use crate::error::Error;
use crate::rows::{Row, Value};
use crate::valid_request::ValidRequest;

/// Maximum number of rows in one answer. A file may have more.
const SHOWN_MAX: usize = 5_000;

/// Two sets: the header row, and the data rows.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(value_type = Vec<Vec<Object>>))]
pub struct HeaderAndRows(Vec<Vec<Json>>);

/// A column of an answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ShownColumn {
    name: String,
    /// The unit; empty if there is none.
    unit: String,
    /// `text`, `number`, `day`, `time` or `millisecond` (ISO 8601 UTC; the last one is shown with its milliseconds), `duration` (seconds).
    kind: String,
    /// The number of decimals, if it is the same in each row.
    decimals: Option<u8>,
    /// Source and formula.
    meaning: String,
}

/// The first rows of a report.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// The report's key.
    report: String,
    /// Its name.
    name: String,
    /// `historic` or `realtime`.
    report_type: String,
    /// The frequency and its value, such as `Monthly 2026-03`, or `Realtime`.
    frequency: String,
    /// Start of the period, ISO 8601 UTC. For a realtime report, start and end are the time of the request.
    from: String,
    /// End of the period (not included), ISO 8601 UTC.
    to: String,
    /// Time zone of the utility, in which days and times are shown.
    time_zone: String,
    columns: Vec<ShownColumn>,
    /// In the order of the columns; null if not known.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Vec<Object>>))]
    rows: Vec<Vec<Json>>,
    /// Whether the report has more rows. At most 5000 are returned.
    more: bool,
}

fn json_of(value: Value) -> Json {
    match value {
        Value::Absent => Json::Null,
        Value::Text(text) => Json::String(text),
        // A number that is not finite is null.
        Value::Number(number) => json!(number),
        Value::Time(at) => Json::String(iso(at)),
        // Seconds, with their part to the millisecond.
        Value::Lasting(duration) if duration.subsec_millis() == 0 => json!(duration.as_secs()),
        Value::Lasting(duration) => json!(duration.as_millis() as f64 / 1_000.0),
    }
}

/// Formats a value for an answer without column kinds. The midnight of a day is written as its date, because the same instant in UTC may have a different date.
fn plain_json_of((value, column): (Value, &Column), zone: &TimeZone) -> Json {
    match (value, column.kind) {
        (Value::Time(at), ColumnKind::Day) => match jiff::Timestamp::from_microsecond(at.0) {
            Ok(instant) => Json::String(instant.to_zoned(zone.clone()).date().to_string()),
            Err(_) => Json::String(iso(at)),
        },
        (value, _) => json_of(value),
    }
}

/// Returns the rows to show, and whether there are more. The report is stopped after them.
async fn first(
    definition: &'static Definition,
    request: ValidRequest,
    to_json: impl Fn((Value, &Column)) -> Json,
) -> Result<(Vec<Vec<Json>>, bool), Error> {
    let mut reader = run(definition, request);
    let mut rows = Vec::new();
    while let Some(row) = reader.next().await? {
        if rows.len() == SHOWN_MAX {
            return Ok((rows, true));
        }
        rows.push(Row::into_iter(row).zip(definition.columns).map(&to_json).collect());
    }
    Ok((rows, false))
}

/// Returns the answer in the form of the specification, and a message if it is truncated.
pub async fn header_and_rows(definition: &'static Definition, request: ValidRequest) -> Result<(HeaderAndRows, String), Error> {
    let zone = request.calendar.zone().clone();
    let (rows, more) = first(definition, request, |cell| plain_json_of(cell, &zone)).await?;
    let header = definition.columns.iter().map(|column| Json::String(column.heading())).collect();
    let rows = rows.into_iter().map(Json::Array).collect();
    let message = if more { format!("The first {SHOWN_MAX} rows; the download has all.") } else { String::new() };
    Ok((HeaderAndRows(vec![header, rows]), message))
}

/// Returns the answer with a description of the columns.
pub async fn shown(definition: &'static Definition, request: ValidRequest) -> Result<Shown, Error> {
    let ((from, to), time_zone) = (request.span, request.calendar.zone().iana_name().unwrap_or("UTC").to_owned());
    let report_type = if request.real_time { "realtime" } else { "historic" }.to_owned();
    let frequency = request.frequency.clone();
    let (rows, more) = first(definition, request, |(value, _)| json_of(value)).await?;
    let column = |column: &Column| ShownColumn {
        name: column.name.to_owned(),
        unit: column.unit.to_owned(),
        kind: kind_word(column.kind).to_owned(),
        decimals: decimals(column.kind),
        meaning: column.meaning.to_owned(),
    };
    Ok(Shown {
        report: definition.key.to_owned(),
        name: definition.name.to_owned(),
        report_type,
        frequency,
        from: iso(from),
        to: iso(to),
        time_zone,
        columns: definition.columns.iter().map(column).collect(),
        rows,
        more,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_no_evening_before() {
        let zone = jiff::tz::TimeZoneDatabase::bundled().get("Asia/Kolkata").expect("a zone");
        let midnight = || Value::Time(wire::time::parse_iso("2026-06-30T18:30:00Z").expect("a time"));
        let (day, time, text) = (Column::day("Day", ""), Column::time("Began", ""), Column::text("Place", ""));
        let plain = |value, column| plain_json_of((value, column), &zone);
        assert_eq!((plain(midnight(), &day), plain(midnight(), &time)), (json!("2026-07-01"), json!("2026-06-30T18:30:00.000Z")));
        assert_eq!((plain(Value::Absent, &day), plain(Value::Text("one".into()), &text)), (Json::Null, json!("one")));
    }

    #[test]
    fn durations_keep_their_part_of_a_second() {
        let lasting = |us| json_of(Value::Lasting(std::time::Duration::from_micros(us)));
        assert_eq!((lasting(400_000), lasting(3_725_000_400)), (json!(0.4), json!(3_725)));
    }
}
