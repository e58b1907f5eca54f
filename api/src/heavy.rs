//! Heavy reads over HTTP: each waits for a slot in the fair queue, and leaves the queue when its client goes away.

use std::sync::Arc;

use auth::Principal;
use axum::extract::{Extension, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use permits::{HeavySlot, LimitOwner, Owner, QueueFull};

use crate::error::Error;
use crate::state::Services;

/// How long to wait before another attempt when the queue is full, s.
const RETRY_AFTER_S: u64 = 5;

/// The slot of a call. If the answer is a file, the slot is kept until the file is read.
#[derive(Debug, Clone)]
pub(crate) struct Slot(pub Arc<HeavySlot>);

impl<S: Send + Sync> FromRequestParts<S> for Slot {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        // Only a route outside of the queue has none.
        parts.extensions.get().cloned().ok_or(Error::Internal)
    }
}

/// Waits for a slot of a user.
pub(crate) async fn slot(services: &Services, principal: &Principal) -> Result<Slot, Error> {
    let owner = Owner { user: LimitOwner::Member(principal.member), utility: principal.client };
    let slot = services.reports().queue().slot(owner).await.map_err(|full| {
        let what = match full {
            QueueFull::OfUser => "Ten long reads of yours run or wait already. Please wait until one of them has finished.",
            QueueFull::All => "Too many long reads are waiting. Please try again in a few seconds.",
        };
        Error::Crowded { what, retry_after_s: RETRY_AFTER_S }
    })?;
    Ok(Slot(Arc::new(slot)))
}

/// The layer around routes that are always heavy.
pub(crate) async fn queued(
    State(services): State<Services>,
    Extension(principal): Extension<Principal>,
    mut request: Request,
    next: Next,
) -> Response {
    match slot(&services, &principal).await {
        Ok(slot) => {
            request.extensions_mut().insert(slot.clone());
            let response = next.run(request).await;
            drop(slot);
            response
        }
        Err(error) => error.into_response(),
    }
}
