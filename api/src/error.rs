//! The error type of the REST api, and its conversion to status codes and messages.
//!
//! [`crate::correlate`] writes the body and adds the correlation id, which finds the request in the log.

use analysis::low_carbon::PlanError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use wire::envelope::FileFault;
use wire::second_factor::{SecondFactorReason, SecondFactorRefusal};

/// The reason why a request was refused or has failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The token is missing or no longer valid.
    #[error("sign in first")]
    Unauthorised,
    /// The caller is signed in, but has no permission.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The caller may not do this. The message depends on the present state.
    #[error("{0}")]
    NotPermitted(String),
    /// The item does not exist, or the caller may not see it: the answer is the same (OWASP ASVS 5.0, 8.2.2).
    #[error("not found")]
    NotFound,
    /// A command or a file was refused. Has a message for users and details for programs.
    #[error("{message}")]
    Operate {
        /// The HTTP status.
        status: StatusCode,
        /// The message for users.
        message: String,
        /// The details: a [`wire::control::Refusal`] or a [`wire::cable_health::HealthImported`].
        details: Value,
    },
    /// Something besides the password is required.
    #[error("{message}")]
    Wants {
        /// The HTTP status.
        status: StatusCode,
        /// What is required, for programs.
        reason: SecondFactorReason,
        /// The message for users.
        message: &'static str,
    },
    /// A parameter is invalid.
    #[error("{0}")]
    BadRequest(String),
    /// A file is invalid: the first fault as a message, and the list of all faults.
    #[error("{message}")]
    Faulty {
        /// The message for users.
        message: String,
        /// All faults, for a list.
        faults: Vec<FileFault>,
    },
    /// The body is larger than allowed.
    #[error("{0}")]
    TooLarge(&'static str),
    /// The item no longer exists, or belongs to another user. The message says what to do.
    #[error("{0}")]
    Gone(&'static str),
    /// The precondition of the request is not met. Nothing was changed.
    #[error("{0}")]
    Unmet(String),
    /// The request came too late. The message has the present state. Nothing was changed.
    #[error("{0}")]
    Late(String),
    /// The request is valid but cannot be carried out. The message has the reason.
    #[error("{0}")]
    Impossible(String),
    /// The function is not configured. The message names the settings.
    #[error("{0}")]
    NotConfigured(String),
    /// Another server did not answer, or refused. The message has no further details.
    #[error("{0}")]
    Elsewhere(String),
    /// Too many attempts.
    #[error("too many tries, wait {retry_after_s} s")]
    TooMany {
        /// The time until the next attempt is allowed, s.
        retry_after_s: u64,
    },
    /// Too many operations of this kind are running.
    #[error("{what}")]
    Crowded {
        /// The message for users.
        what: &'static str,
        /// The time after which the client may retry, s.
        retry_after_s: u64,
    },
    /// The database cannot be reached.
    #[error("the database does not answer, try again in a moment")]
    Unavailable,
    /// The database did not complete the query in time.
    #[error("the database has too much to do for this now and nothing was changed, try again in a moment")]
    Overdue,
    /// An interactive read reached its time limit.
    #[error("This period takes too long. Choose a shorter period.")]
    ReadTooLong,
    /// The outcome of a command is unknown. It must not be repeated before its state has been checked.
    #[error("The order may have left. Its outcome is unknown: look at the field before you try again.")]
    Unsure,
    /// An internal error; its cause is only in the log.
    #[error("something went wrong")]
    Internal,
}

/// The message, for the outer layer.
#[derive(Debug, Clone)]
pub(crate) struct Refusal(pub String);

/// The details for programs, for the outer layer.
#[derive(Debug, Clone)]
pub(crate) struct FailureDetails(pub Value);

/// The faults of a file, for the outer layer.
#[derive(Debug, Clone)]
pub(crate) struct Faulty(pub Vec<FileFault>);

const REQUIRED: &str = "Enter the code that your device shows";
const WRONG: &str = "This code is not right, or was used already: wait for the next one";
const SETUP: &str = "Your role needs a second factor: set it up first";

impl Error {
    /// Returns the error for a missing code, with the status that fits the request.
    pub(crate) fn wants(status: StatusCode, reason: SecondFactorReason) -> Self {
        let message = match reason {
            SecondFactorReason::SecondFactorRequired => REQUIRED,
            SecondFactorReason::SecondFactorWrong => WRONG,
            SecondFactorReason::SecondFactorSetup => SETUP,
        };
        Self::Wants { status, reason, message }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Unauthorised => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) | Self::NotPermitted(_) => StatusCode::FORBIDDEN,
            Self::Operate { status, .. } | Self::Wants { status, .. } => *status,
            Self::NotFound | Self::Gone(_) | Self::NotConfigured(_) => StatusCode::NOT_FOUND,
            Self::Unmet(_) => StatusCode::PRECONDITION_FAILED,
            Self::Late(_) => StatusCode::CONFLICT,
            Self::BadRequest(_) | Self::Faulty { .. } => StatusCode::BAD_REQUEST,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Impossible(_) | Self::ReadTooLong => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Elsewhere(_) => StatusCode::BAD_GATEWAY,
            Self::TooMany { .. } | Self::Crowded { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable | Self::Overdue => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unsure => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Self::TooMany { retry_after_s } | Self::Crowded { retry_after_s, .. } = &self {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(*retry_after_s));
        }
        response.extensions_mut().insert(Refusal(self.to_string()));
        match self {
            Self::Wants { reason, .. } => {
                drop(response.extensions_mut().insert(FailureDetails(json!(SecondFactorRefusal { code: reason }))));
            }
            Self::NotConfigured(_) => drop(response.extensions_mut().insert(FailureDetails(json!({ "code": "not-configured" })))),
            Self::Faulty { faults, .. } => drop(response.extensions_mut().insert(Faulty(faults))),
            Self::Operate { details, .. } => drop(response.extensions_mut().insert(FailureDetails(details))),
            _ => {}
        }
        response
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        if let store::Error::OutsideArea(outside) = &error {
            return Self::NotPermitted(outside.to_string());
        }
        error.log();
        if matches!(error, store::Error::ReadTooLong) {
            Self::ReadTooLong
        } else if error.is_connection() {
            Self::Unavailable
        } else if error.is_overdue() {
            Self::Overdue
        } else {
            Self::Internal
        }
    }
}

impl From<identity::Error> for Error {
    fn from(error: identity::Error) -> Self {
        match error {
            identity::Error::Forbidden(why) => Self::Forbidden(why),
            identity::Error::NotFound => Self::NotFound,
            identity::Error::BadRequest(why) => Self::BadRequest(why),
            identity::Error::SecondFactor(reason) => Self::wants(StatusCode::UNAUTHORIZED, reason),
            identity::Error::TooMany { retry_after_s } => Self::TooMany { retry_after_s },
            identity::Error::Auth(error) => error.into(),
            identity::Error::Store(error) => error.into(),
            identity::Error::Internal => Self::Internal,
        }
    }
}

impl From<analysis::Error> for Error {
    fn from(error: analysis::Error) -> Self {
        match error {
            analysis::Error::BadRequest(why) => Self::BadRequest(why),
            analysis::Error::NotFound => Self::NotFound,
            analysis::Error::Store(error) => error.into(),
            analysis::Error::Internal => Self::Internal,
        }
    }
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Invalid(why) => Self::BadRequest(why),
            PlanError::Impossible(why) => Self::Impossible(why),
            PlanError::Store(error) => error.into(),
            PlanError::Internal => Self::Internal,
        }
    }
}

impl From<reports::Error> for Error {
    fn from(error: reports::Error) -> Self {
        match error {
            reports::Error::BadRequest(why) => Self::BadRequest(why),
            reports::Error::Forbidden(why) => Self::Forbidden(why),
            reports::Error::NotFound => Self::NotFound,
            reports::Error::Crowded { what, retry_after_s } => Self::Crowded { what, retry_after_s },
            reports::Error::Store(error) => error.into(),
            reports::Error::Internal => Self::Internal,
        }
    }
}

impl From<control::Error> for Error {
    fn from(error: control::Error) -> Self {
        match error {
            control::Error::NotFound => Self::NotFound,
            control::Error::SessionOver => Self::Unauthorised,
            control::Error::Unsure => Self::Unsure,
            control::Error::Store(error) => error.into(),
            control::Error::Internal => Self::Internal,
        }
    }
}

impl From<auth::Error> for Error {
    fn from(error: auth::Error) -> Self {
        match error {
            auth::Error::TooLong => Self::BadRequest(error.to_string()),
            auth::Error::Busy => Self::TooMany { retry_after_s: 2 },
            error => {
                tracing::error!("{error}");
                Self::Internal
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_control_have_their_status_and_words() {
        let cases = [
            (control::Error::NotFound, 404, "not found"),
            (control::Error::SessionOver, 401, "sign in first"),
            (control::Error::Unsure, 504, "The order may have left. Its outcome is unknown: look at the field before you try again."),
            (control::Error::Internal, 500, "something went wrong"),
        ];
        for (error, status, words) in cases {
            let error = Error::from(error);
            assert_eq!((error.status().as_u16(), error.to_string().as_str()), (status, words));
        }
    }
}
