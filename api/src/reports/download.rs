//! A report as a file, sent while it is written: rows come through one bounded channel, bytes go through another, and who reads slowly slows both.

use std::io::{self, Write};

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::poll_fn;
use serde_json::json;
use sheet::{Cell, Format, Report, Room, Table, Writer, Written, file_name};
use store::audit::{Entry, Origin};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::definition::Definition;
use super::request::Asked;
use super::rows::{Reader, Row, run};
use crate::error::Error;

/// Files that are written at once; who comes then is asked to wait.
pub(crate) const AT_ONCE_MAX: usize = 4;
/// Bytes of one piece.
const PIECE: usize = 64 * 1024;
/// Pieces that wait for their reader.
const WAITING_MAX: usize = 8;
const BUSY_S: u64 = 10;

type Piece = Result<Bytes, io::Error>;

/// Where a file is written to: pieces that are sent.
struct Pieces {
    to: mpsc::Sender<Piece>,
    held: Vec<u8>,
}

impl Write for Pieces {
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
        self.to.blocking_send(Ok(piece)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// The file; without any row there is none, which is 204.
pub(crate) async fn file(definition: &'static Definition, asked: Asked, format: Format, origin: Origin) -> Result<Response, Error> {
    let services = asked.services.clone();
    let turn = services.0.exports.clone().try_acquire_owned().map_err(|_| Error::TooMany { retry_after_s: BUSY_S })?;
    let settings = services.0.deps.reports.clone();
    let report = report(definition, &asked, settings.rows_max);
    let name = file_name(definition.name, report.made, &report.zone, format);
    let what = json!({
        "format": format.extension(), "level": asked.level, "nodes": asked.ids(), "from": wire::time::iso(asked.span.0),
        "to": wire::time::iso(asked.span.1),
    });
    let mut reader = run(definition, asked);
    // What cannot be worked out at all is still refused as everything else is.
    let Some(first) = reader.next().await? else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let subject = format!("report {}", definition.key);
    // Before the first byte leaves: what is not entered is not sent.
    services.store().audit(&Entry::new(&origin, "report_exported", subject.as_str()).changing(None, Some(what))).await?;
    let (to, mut pieces) = mpsc::channel(WAITING_MAX);
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let written = write(format, report, first, &mut reader, &to, &settings.folder);
        let after = match &written {
            Ok(Written { rows, cut }) => json!({ "rows": rows, "cut": cut, "complete": true }),
            Err(error) => {
                tracing::warn!(report = definition.key, %error, "a report was not sent to its end");
                json!({ "complete": false })
            }
        };
        if written.is_err() {
            // An answer that breaks off is no whole file; one that ended would look like one.
            let _ = to.blocking_send(Err(io::ErrorKind::Other.into()));
        }
        let entry = Entry::new(&origin, "report_sent", subject).changing(None, Some(after));
        if let Err(error) = handle.block_on(services.store().audit(&entry)) {
            tracing::warn!(%error, "the rows of a report could not be entered into the audit");
        }
        // Its end is told after that of the audit.
        drop(to);
    });
    let headers = [
        (header::CONTENT_TYPE, format.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(poll_fn(move |context| pieces.poll_recv(context)))).into_response())
}

fn report(definition: &Definition, asked: &Asked, rows_max: u64) -> Report {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![
        fact("Level", asked.level.clone()),
        fact("Of", asked.names()),
        fact("Report", definition.name.to_owned()),
        fact("Type", "Historic".to_owned()),
        fact("Frequency", asked.frequency.clone()),
    ];
    match definition.input {
        super::definition::Input::None => {}
        super::definition::Input::Momentary => {
            facts.push(fact("Momentary faults", if asked.exclude_momentary { "excluded" } else { "included" }.to_owned()));
        }
        super::definition::Input::Limit => facts.push(fact("Limit", asked.limit.to_string())),
    }
    let column = |column: &super::definition::Column| sheet::Column::new(column.name, column.unit, column.kind);
    Report {
        title: definition.name.to_owned(),
        facts,
        zone: asked.calendar.zone().clone(),
        made: asked.calendar.now,
        tables: vec![Table { caption: String::new(), columns: definition.columns.iter().map(column).collect() }],
        limit: Some(rows_max),
        byte_order_mark: true,
        signatures: true,
    }
}

fn write(
    format: Format,
    report: Report,
    first: Row,
    reader: &mut Reader,
    to: &mpsc::Sender<Piece>,
    folder: &std::path::Path,
) -> Result<Written, sheet::Error> {
    let mut pieces = Pieces { to: to.clone(), held: Vec::with_capacity(PIECE) };
    let mut writer = Writer::new(format, report, &mut pieces, folder)?;
    let mut next = Some(first);
    while let Some(row) = next {
        let cells: Vec<Cell<'_>> = row.iter().map(super::rows::Value::cell).collect();
        if writer.row(&cells)? == Room::Full {
            break;
        }
        next = reader.blocking_next().map_err(io::Error::other)?;
    }
    let written = writer.finish()?;
    pieces.flush()?;
    Ok(written)
}
