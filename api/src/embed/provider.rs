//! The interface to a server whose pages are embedded.

use std::pin::Pin;

use grid::Micros;
use url::Url;

/// Returns whether the address of a page may be framed: HTTPS, a listed host, no user name and no port. Parsed as browsers do.
pub(crate) fn is_framable(address: &str, hosts: &[String]) -> bool {
    Url::parse(address).is_ok_and(|url| {
        let is_plain = url.scheme() == "https" && url.username().is_empty() && url.password().is_none() && url.port().is_none();
        is_plain && url.host_str().is_some_and(|host| hosts.iter().any(|listed| listed == host))
    })
}

/// The data that open the report for a utility.
#[derive(Clone, PartialEq)]
pub(crate) struct Grant {
    pub(crate) access_token: String,
    pub(crate) embed_url: String,
    pub(crate) report_id: String,
    /// Table and column of the visible filter.
    pub(crate) filter: Option<(String, String)>,
    pub(crate) expires: Micros,
}

/// Why there is no token. The log has the other server's response without secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("Power BI does not answer, try again in a moment")]
    Silent,
    #[error("Power BI refused to open the report (HTTP {0}); the log of the server says at which step")]
    Refused(u16),
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
