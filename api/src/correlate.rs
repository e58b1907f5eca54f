//! The outermost layer: assigns a correlation id to each request, counts and times it, and gives every error the same kind of body.

use std::time::Instant;

use axum::Json;
use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;
use wire::envelope::Failure;

use crate::error::{FailureDetails, Faulty, Refusal};

/// The correlation id of a request, for handlers that store it.
#[derive(Debug, Clone)]
pub(crate) struct CallId(pub String);

/// The layer around all routes of the api.
pub(crate) async fn layer(mut request: Request, next: Next) -> Response {
    let id = format!("{:016x}", fastrand());
    request.extensions_mut().insert(CallId(id.clone()));
    let method = request.method().clone();
    // The metric has the template and never the path: a path may contain a mail address, and each id would create another metric.
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let started = Instant::now();
    let response = next.run(request).instrument(tracing::info_span!("call", %id, %method, %route)).await;
    let status = response.status();
    let labels = [("route", route.clone()), ("method", method.to_string()), ("status", status.as_u16().to_string())];
    metrics::counter!("api_requests_total", &labels).increment(1);
    metrics::histogram!("api_request_seconds", "route" => route.clone()).record(started.elapsed().as_secs_f64());
    if status.is_server_error() {
        tracing::warn!(%id, %method, %route, status = status.as_u16(), "call failed");
    }
    if is_refusal(&response) { refuse(&response, id) } else { response }
}

/// Returns whether the response is an error without its final body.
fn is_refusal(response: &Response) -> bool {
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    (response.status().is_client_error() || response.status().is_server_error()) && !is_json
}

/// Replaces the body by the error envelope. Errors of the framework get one of our messages.
fn refuse(response: &Response, correlation_id: String) -> Response {
    let status = response.status();
    let message = response.extensions().get::<Refusal>().map_or_else(|| sentence(status).to_owned(), |refusal| refusal.0.clone());
    let result = response.extensions().get::<FailureDetails>().map(|details| details.0.clone());
    let faults = response.extensions().get::<Faulty>().map(|faulty| faulty.0.clone());
    let mut refused = (status, Json(Failure { status_code: status.as_u16(), message, correlation_id, result, faults })).into_response();
    for (name, value) in response.headers() {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH {
            refused.headers_mut().insert(name.clone(), value.clone());
        }
    }
    refused
}

fn sentence(status: StatusCode) -> &'static str {
    match status {
        StatusCode::METHOD_NOT_ALLOWED => "this method is not allowed here",
        StatusCode::PAYLOAD_TOO_LARGE => "the body is too large",
        StatusCode::REQUEST_TIMEOUT => "the call took too long",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "the body's type is not supported here",
        StatusCode::NOT_FOUND => "not found",
        status if status.is_server_error() => "something went wrong",
        _ => "the request cannot be read",
    }
}

/// Returns a random number that need not be secret.
fn fastrand() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(Instant::now())
}
