//! Runs the definition of a report beside whoever reads its rows.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::asked::Asked;
use crate::definition::Definition;
use crate::rows::{Item, Reader, Rows, Stop, WAITING_MAX};

/// Begins a report.
pub(crate) fn run(definition: &'static Definition, asked: Asked) -> Reader {
    run_until(definition, asked, CancellationToken::new())
}

/// The same, to be given up when `end` is cancelled: who reads then is told that it did not come to its end.
pub(crate) fn run_until(definition: &'static Definition, asked: Asked, end: CancellationToken) -> Reader {
    let (to, from) = mpsc::channel(WAITING_MAX);
    let rows = Rows { to: to.clone(), columns: definition.columns.len() };
    tokio::spawn(async move {
        let gone = to.clone();
        let last = tokio::select! {
            done = (definition.rows)(asked, rows) => match done {
                Ok(()) => Item::End,
                Err(Stop::Failed(error)) => Item::Failed(error),
                Err(Stop::Gone) => return,
            },
            // A question under way is given up with its answer.
            () = gone.closed() => return,
            () = end.cancelled() => return,
        };
        // Who has gone meanwhile needs no word of the end.
        let _ = to.send(last).await;
    });
    Reader(from)
}
