//! What a server whose pages stand in ours is asked for, and what it may answer.

use std::pin::Pin;

use grid::Micros;
use url::Url;

/// Whether an address is one of a page that may be framed: HTTPS, on a listed host, without a name or a port. Read as browsers read it.
pub(crate) fn is_framable(address: &str, hosts: &[String]) -> bool {
    Url::parse(address).is_ok_and(|url| {
        let is_plain = url.scheme() == "https" && url.username().is_empty() && url.password().is_none() && url.port().is_none();
        is_plain && url.host_str().is_some_and(|host| hosts.iter().any(|listed| listed == host))
    })
}

/// What opens the report for a utility.
#[derive(Clone, PartialEq)]
pub(crate) struct Grant {
    pub(crate) access_token: String,
    pub(crate) embed_url: String,
    pub(crate) report_id: String,
    /// The column that the shown filter is on: table and column.
    pub(crate) filter: Option<(String, String)>,
    pub(crate) expires: Micros,
}

/// Why there is none. What the other server said is in the log, without anything secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("Power BI does not answer, try again in a moment")]
    Silent,
    #[error("Power BI refused to open the report (HTTP {0}); the log of the server says at which step")]
    Refused(u16),
    #[error("Power BI answered with something that cannot be used; the log of the server says at which step")]
    Unreadable,
}

/// An answer on its way.
pub(crate) type Asking<'a> = Pin<Box<dyn Future<Output = Result<Grant, Trouble>> + Send + 'a>>;

/// Somebody who makes tokens.
pub(crate) trait Provider: Send + Sync {
    /// A token by which its rows are those of an identity alone.
    fn grant<'a>(&'a self, identity: &'a str) -> Asking<'a>;
}
