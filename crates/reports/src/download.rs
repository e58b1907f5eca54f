//! Sends a report as a file while it is written. Rows pass one bounded channel and bytes another one, so a slow reader slows down both. If a reader takes no
//! data for too long, the rest of the file is not sent.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use grid::Micros;
use grid::measure::Quantity;
use permits::HeavySlot;
use serde_json::json;
use sheet::{Cell, Format, Report, Room, Table, Writer, Written, file_name};
use store::audit::{Entry, Origin};
use tokio::runtime::Handle;

use crate::definition::{Definition, Input};
use crate::engine::run_until;
use crate::error::Error;
use crate::imprint::Imprint;
use crate::log_pages;
use crate::of::log_sheets::SUBSTATION;
use crate::request::REAL_TIME;
use crate::rows::{Reader, Row};
use crate::sending::{self, PIECE, Sender, SentFile};
use crate::valid_request::ValidRequest;

/// Sends a file in pieces while it is written. `write` blocks, so it must run on a thread for blocking work.
struct Pieces<'a> {
    to: &'a mut Sender,
    handle: &'a Handle,
    held: Vec<u8>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.held));
        self.handle.block_on(self.to.send(piece))
    }
}

/// Starts the file. `None` if the report has no rows, unless its head contains the time since which its history is kept. The slot is kept until the last row
/// has been read.
pub async fn file(
    definition: &'static Definition,
    request: ValidRequest,
    format: Format,
    origin: Origin,
    slot: Arc<HeavySlot>,
) -> Result<Option<SentFile>, Error> {
    let reports = request.reports.clone();
    let settings = reports.settings.clone();
    let imprint = Imprint::of(&reports, &request.view).await?;
    let report = report(definition, &request, settings.rows_max, imprint);
    let name = file_name(definition.name, report.made, &report.zone, format);
    let what = json!({
        "format": format.extension(), "level": request.level, "nodes": request.ids(), "from": wire::time::iso(request.span.0),
        "to": wire::time::iso(request.span.1), "realTime": request.real_time,
    });
    let (mut to, body) = sending::file(settings.reader_patience, Some((reports.queue().clone(), request.client())));
    let has_expired = request.kept_since.is_some();
    let mut reader = run_until(definition, request, to.gone());
    // An error before the first row is still answered as an error.
    let first = reader.next().await?;
    if first.is_none() && !has_expired {
        return Ok(None);
    }
    let subject = format!("report {}", definition.key);
    // The audit entry is written before the first byte is sent. If it fails, nothing is sent.
    reports.records().audit(&Entry::new(&origin, "report_exported", subject.as_str()).changing(None, Some(what))).await?;
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || {
        let _until_read = slot;
        let mut pieces = Pieces { to: &mut to, handle: &handle, held: Vec::with_capacity(PIECE) };
        let written = write(definition, (format, report), first, &mut reader, (&mut pieces, &settings.folder));
        let after = match &written {
            Ok(Written { rows, cut }) => json!({ "rows": rows, "cut": cut, "complete": true }),
            Err(error) => {
                tracing::warn!(report = definition.key, %error, "a report was not sent to its end");
                json!({ "complete": false })
            }
        };
        let entry = Entry::new(&origin, "report_sent", subject).changing(None, Some(after));
        if let Err(error) = handle.block_on(reports.records().audit(&entry)) {
            tracing::warn!(%error, "the rows of a report could not be entered into the audit");
        }
        // The end of the file is marked after its end is in the audit. A file that breaks off must not look like a complete one.
        if written.is_ok() {
            to.whole();
        }
    });
    Ok(Some(SentFile { name, media_type: format.media_type().to_owned(), bytes: None, body }))
}

/// Returns the head of the file, which is written before the rows.
pub fn report(definition: &Definition, request: &ValidRequest, rows_max: u64, imprint: Imprint) -> Report {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![
        fact("Level", level_name(&request.level).to_owned()),
        fact("Place", request.names()),
        fact("Report", definition.name.to_owned()),
        fact("Type", if request.real_time { REAL_TIME } else { "Historic" }.to_owned()),
        fact("Frequency", request.frequency.clone()),
    ];
    if request.real_time {
        facts.push(fact("As of", time(request, request.calendar.now)));
    } else {
        let last = request.period.end.yesterday().unwrap_or(request.period.end);
        facts.extend([fact("From", request.period.first.to_string()), fact("To", last.to_string())]);
    }
    facts.extend(input(definition, request).map(|(name, value)| fact(name, value)));
    facts.extend(request.kept_since.map(|since| fact("Kept since", request.calendar.day(since).to_string())));
    let column = |column: &super::definition::Column| sheet::Column::new(column.name, column.unit, column.kind);
    Report {
        utility: imprint.utility,
        logo: imprint.logo,
        title: definition.name.to_owned(),
        facts,
        made_by: imprint.made_by,
        zone: request.calendar.zone().clone(),
        made: request.calendar.now,
        tables: vec![Table { caption: String::new(), columns: definition.columns.iter().map(column).collect() }],
        limit: Some(rows_max),
        byte_order_mark: true,
        signatures: true,
    }
}

/// Returns the level of a request as the screens name it.
fn level_name(level: &str) -> &str {
    match level {
        "client" => "Utility",
        "circle" => "Circle",
        "division" => "Division",
        "town" => "Town",
        "subdivision" => "Sub Division",
        "section" => "Section",
        "location" | "substation" => "Substation",
        "asset" => "Asset",
        other => other,
    }
}

fn time(request: &ValidRequest, at: Micros) -> String {
    let instant = jiff::Timestamp::from_microsecond(at.0).unwrap_or_default();
    instant.to_zoned(request.calendar.zone().clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Returns the further parameter and its value, for the head of a file.
fn input(definition: &Definition, request: &ValidRequest) -> Option<(&'static str, String)> {
    if request.real_time {
        return None;
    }
    match definition.input {
        Input::None => None,
        Input::Momentary => Some(("Momentary faults", if request.exclude_momentary { "excluded" } else { "included" }.to_owned())),
        Input::Limit => Some(("Limit", request.limit.to_string())),
        Input::Quantity => Some(("Quantity", request.quantity.map_or("voltage and current", Quantity::as_str).to_owned())),
        Input::Sample | Input::SampleOfGds => Some(("Sample", format!("{} min", request.sample_minutes))),
    }
}

/// Writes all rows to `out`, one at a time. If there is no first row, writes only the head. The daily log sheet is printed as pages. `folder` is for data that
/// a format has to keep until its end.
pub fn write<W: Write + Send>(
    definition: &Definition,
    (format, report): (Format, Report),
    first: Option<Row>,
    reader: &mut Reader,
    (out, folder): (&mut W, &Path),
) -> Result<Written, sheet::Error> {
    if format == Format::Pdf && definition.key == SUBSTATION.key {
        let written = log_pages::write(definition, report, first, reader, &mut *out)?;
        out.flush()?;
        return Ok(written);
    }
    let mut writer = Writer::new(format, report, &mut *out, folder)?;
    let is_head_only = first.is_none();
    let mut next = first;
    while let Some(row) = next {
        let cells: Vec<Cell<'_>> = row.iter().map(super::rows::Value::cell).collect();
        if writer.row(&cells)? == Room::Full {
            break;
        }
        next = reader.blocking_next().map_err(io::Error::other)?;
    }
    let written = if is_head_only { writer.finish_with_head()? } else { writer.finish()? };
    out.flush()?;
    Ok(written)
}
