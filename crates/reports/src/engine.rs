//! Runs the definition of a report in a task of its own, next to the reader of its rows.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::definition::Definition;
use crate::rows::{Item, Reader, Rows, Stop, WAITING_MAX};
use crate::valid_request::ValidRequest;

/// Starts a report.
pub(crate) fn run(definition: &'static Definition, request: ValidRequest) -> Reader {
    run_until(definition, request, CancellationToken::new())
}

/// Starts a report that stops when `end` is cancelled. In this case the reader gets an error instead of the end of the
/// rows.
pub(crate) fn run_until(definition: &'static Definition, request: ValidRequest, end: CancellationToken) -> Reader {
    let (to, from) = mpsc::channel(WAITING_MAX);
    let rows = Rows { to: to.clone(), columns: definition.columns.len() };
    tokio::spawn(async move {
        let gone = to.clone();
        let last = tokio::select! {
            done = (definition.rows)(request, rows) => match done {
                Ok(()) => Item::End,
                Err(Stop::Failed(error)) => Item::Failed(error),
                Err(Stop::Gone) => return,
            },
            // A running query is cancelled when the reader is dropped.
            () = gone.closed() => return,
            () = end.cancelled() => return,
        };
        // Sending fails if the reader was dropped, which is no error.
        let _ = to.send(last).await;
    });
    Reader(from)
}
