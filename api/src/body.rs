//! The JSON body of a call, or a sentence on what in it cannot be read.

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Says where in the body something is missing, unknown or of another type. Nothing of what was sent is repeated but names of fields.
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
            // Too large, or of another type: the outer layer has a sentence for it.
            Err(rejection) => Err(rejection.into_response()),
        }
    }
}
