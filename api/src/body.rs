//! Parses the JSON body of a request; a failure gets a message with the faulty field.

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use crate::error::Error;

/// The parsed body. The error message names the field that is missing, unknown or of a wrong type. It contains names of fields, but no values.
#[derive(Debug)]
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) if matches!(rejection.status(), StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST) => {
                Err(Error::BadRequest(rejection.body_text()).into_response())
            }
            // The body is too large or has another content type; the outer layer has the message for it.
            Err(rejection) => Err(rejection.into_response()),
        }
    }
}
