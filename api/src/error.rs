//! The one error of the REST api, and the one place where it becomes a status code and a sentence.
//!
//! A handler says what is wrong; [`crate::correlate`] adds the number that finds the call in the log and writes the body.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use wire::envelope::FileFault;
use wire::second_factor::{Want, Wanted};

/// Why a call is refused or has failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No token, or one that is not good any more.
    #[error("sign in first")]
    Unauthorised,
    /// The caller is known, and may not.
    #[error("{0}")]
    Forbidden(&'static str),
    /// It does not exist, or not for the caller: the answer is the same (trust.md S11).
    #[error("not found")]
    NotFound,
    /// A command that is not carried out, or a file that is not taken: the sentence, and the reason as it is told beside it.
    #[error("{message}")]
    Operate {
        /// The HTTP status.
        status: StatusCode,
        /// For people.
        message: String,
        /// A [`wire::control::Refusal`] or a [`wire::cable_health::HealthImported`].
        told: Value,
    },
    /// Something beside the password is wanted.
    #[error("{message}")]
    Wants {
        /// What fits the call.
        status: StatusCode,
        /// What is wanted, for programs.
        wanted: Wanted,
        /// And for people.
        message: &'static str,
    },
    /// A parameter that cannot be read.
    #[error("{0}")]
    BadRequest(String),
    /// A file that cannot be taken: the first fault as a sentence, and all of them.
    #[error("{message}")]
    Faulty {
        /// For people.
        message: String,
        /// For a list.
        faults: Vec<FileFault>,
    },
    /// More bytes than are taken.
    #[error("{0}")]
    TooLarge(&'static str),
    /// Something that was there once, or for somebody else; the sentence says what to do.
    #[error("{0}")]
    Gone(&'static str),
    /// What the caller wanted to be so already is not, and nothing was changed.
    #[error("{0}")]
    Unmet(String),
    /// It is too late for what is asked; the sentence says what is so by now, and nothing was changed.
    #[error("{0}")]
    Late(String),
    /// What is asked for can be read and cannot be done; the sentence says why.
    #[error("{0}")]
    Impossible(String),
    /// Nobody has set up what is asked for; the sentence names the settings.
    #[error("{0}")]
    NotConfigured(String),
    /// Another server that is asked for it does not answer, or refuses; the sentence says no more than that.
    #[error("{0}")]
    Elsewhere(String),
    /// Too many tries.
    #[error("too many tries, wait {retry_after_s} s")]
    TooMany {
        /// How long to wait.
        retry_after_s: u64,
    },
    /// Too many do the same just now; the sentence says what.
    #[error("{what}")]
    Crowded {
        /// For people.
        what: &'static str,
        /// How long to wait.
        retry_after_s: u64,
    },
    /// The database is away.
    #[error("the database does not answer, try again in a moment")]
    Unavailable,
    /// The database is there and did not come to it in time.
    #[error("the database has too much to do for this now and nothing was changed, try again in a moment")]
    Overdue,
    /// An order was or may have been decided, and what came of it cannot be told: never something to try again unseen.
    #[error("The order may have left. Its outcome is unknown: look at the field before you try again.")]
    Unsure,
    /// A fault of ours; the cause is in the log only.
    #[error("something went wrong")]
    Internal,
}

/// What the outer layer needs for the body.
#[derive(Debug, Clone)]
pub(crate) struct Refusal(pub String);

/// What a program needs beside the sentence.
#[derive(Debug, Clone)]
pub(crate) struct Told(pub Value);

/// What is wrong with a file.
#[derive(Debug, Clone)]
pub(crate) struct Faulty(pub Vec<FileFault>);

const REQUIRED: &str = "Enter the code that your device shows";
const WRONG: &str = "This code is not right, or was used already: wait for the next one";
const SETUP: &str = "Your role needs a second factor: set it up first";

impl Error {
    /// Refuses for want of a code, with the status that fits the call.
    pub(crate) fn wants(status: StatusCode, wanted: Wanted) -> Self {
        let message = match wanted {
            Wanted::SecondFactorRequired => REQUIRED,
            Wanted::SecondFactorWrong => WRONG,
            Wanted::SecondFactorSetup => SETUP,
        };
        Self::Wants { status, wanted, message }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Unauthorised => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::Operate { status, .. } | Self::Wants { status, .. } => *status,
            Self::NotFound | Self::Gone(_) | Self::NotConfigured(_) => StatusCode::NOT_FOUND,
            Self::Unmet(_) => StatusCode::PRECONDITION_FAILED,
            Self::Late(_) => StatusCode::CONFLICT,
            Self::BadRequest(_) | Self::Faulty { .. } => StatusCode::BAD_REQUEST,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Impossible(_) => StatusCode::UNPROCESSABLE_ENTITY,
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
            Self::Wants { wanted, .. } => drop(response.extensions_mut().insert(Told(json!(Want { code: wanted })))),
            Self::NotConfigured(_) => drop(response.extensions_mut().insert(Told(json!({ "code": "not-configured" })))),
            Self::Faulty { faults, .. } => drop(response.extensions_mut().insert(Faulty(faults))),
            Self::Operate { told, .. } => drop(response.extensions_mut().insert(Told(told))),
            _ => {}
        }
        response
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        error.log();
        if error.is_connection() {
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
            identity::Error::SecondFactor(wanted) => Self::wants(StatusCode::UNAUTHORIZED, wanted),
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
