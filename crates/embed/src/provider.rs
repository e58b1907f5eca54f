//! The interface to a server whose pages are embedded.

use std::pin::Pin;

use grid::Micros;

/// The data that open the report for a utility.
#[derive(Clone, PartialEq)]
pub struct Grant {
    /// The token.
    pub access_token: String,
    /// The address of the page to frame.
    pub embed_url: String,
    /// The id of the report.
    pub report_id: String,
    /// Table and column of the visible filter.
    pub filter: Option<(String, String)>,
    /// When the token expires.
    pub expires: Micros,
}

/// Why there is no token. The log has the other server's response without secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The server did not answer.
    #[error("Power BI does not answer, try again in a moment")]
    Silent,
    /// The server refused; the HTTP status of its answer.
    #[error("Power BI refused to open the report (HTTP {0}); the log of the server says at which step")]
    Refused(u16),
    /// The answer could not be parsed.
    #[error("Power BI answered with something that cannot be used; the log of the server says at which step")]
    Unreadable,
}

/// A pending response.
pub(crate) type Asking<'a> = Pin<Box<dyn Future<Output = Result<Grant, Trouble>> + Send + 'a>>;

/// A server that issues tokens.
pub(crate) trait Provider: Send + Sync {
    /// Returns a token that shows only the rows of an identity.
    fn grant<'a>(&'a self, identity: &'a str) -> Asking<'a>;
}
