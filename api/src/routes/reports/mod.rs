//! Reports: the catalogue, operations that answer with rows or a file, and saved and scheduled requests.

pub(crate) mod calls;
pub(crate) mod catalogue;
pub(crate) mod links;
pub(crate) mod monthly;
pub(crate) mod own;
pub(crate) mod runs;
pub(crate) mod schedules;
pub(crate) mod selections;

use auth::Principal;
use axum::extract::{Extension, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use permits::{Full, Of};

use crate::error::Error;
use crate::state::Services;

/// Limits of reports that are read at once for one utility, and for one user.
const OF_UTILITY_MAX: usize = 6;
const OF_ONE_MAX: usize = 3;
/// Time after which a client without a permit may retry, s.
const BUSY_S: u64 = 5;

/// The layer around the operations that read rows. It holds a permit until they answer, because they may take minutes and each keeps the
/// database busy.
pub(crate) async fn in_turn(
    State(services): State<Services>,
    Extension(principal): Extension<Principal>,
    request: Request,
    next: Next,
) -> Response {
    match services.0.reports.take_for(&principal, OF_UTILITY_MAX, OF_ONE_MAX) {
        Ok(_turn) => next.run(request).await,
        Err(full) => {
            let what = match full {
                Full::Of(Of::Member(_)) => "Three reports of yours are being looked for already. Please wait until one of them has come.",
                _ => "As many reports are being looked for as may be at once. Please try again in a few seconds.",
            };
            Error::Crowded { what, retry_after_s: BUSY_S }.into_response()
        }
    }
}
