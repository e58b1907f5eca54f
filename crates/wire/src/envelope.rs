//! The envelope of every answer of the REST API (specification 1, section 3), and the body of a failure.

use grid::Micros;
use serde::{Deserialize, Serialize};

use crate::time::iso;

/// A successful answer. `epoch` and `offset` are the position of the rows in the stream with the same data. With them a client continues from this answer on
/// the live socket.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Envelope<T> {
    /// 200 means success.
    pub status_code: u16,
    /// The requested rows or object.
    pub result: T,
    /// A message for the user; empty if there is none.
    pub message: String,
    /// Epoch of the stream with the same data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
    /// Offset in that stream up to which the rows are complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// Since when the requested history is kept; ISO 8601 UTC. Absent if all of the requested period is kept. Earlier rows and values have been deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_since: Option<String>,
}

impl<T> Envelope<T> {
    /// Returns a success without a message and without a position in a stream.
    pub fn ok(result: T) -> Self {
        Self { status_code: 200, result, message: String::new(), epoch: None, offset: None, kept_since: None }
    }

    /// Returns a success with the position of its rows in the stream.
    pub fn at(result: T, epoch: String, offset: i64) -> Self {
        Self { status_code: 200, result, message: String::new(), epoch: Some(epoch), offset: Some(offset), kept_since: None }
    }

    /// Adds since when the requested history is kept, if the requested period begins before that.
    #[must_use]
    pub fn kept_since(mut self, since: Option<Micros>) -> Self {
        self.kept_since = since.map(iso);
        self
    }

    /// Adds a message for the user.
    #[must_use]
    pub fn with_message(mut self, message: &str) -> Self {
        message.clone_into(&mut self.message);
        self
    }
}

/// A refused or failed call. The HTTP status is the same number.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The HTTP status.
    pub status_code: u16,
    /// What is wrong and what is allowed, without internal details.
    pub message: String,
    /// Id of the call, which the log contains too.
    pub correlation_id: String,
    /// Details for programs, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    /// For a refused file: up to 100 errors in the order of their lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<Vec<FileFault>>,
}

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FileFault {
    /// Number of the line, from 1.
    pub line: u64,
    /// Name of the column; empty if the error is about the whole line or file.
    pub column: String,
    /// What is wrong, and what is allowed.
    pub what: String,
}
