//! Whether an address is on a host that the settings list.

use url::Url;

/// Returns whether an address is on a listed host: HTTPS, without a user name and without a port. It is parsed as browsers do, so that a host
/// cannot merely look like a listed one.
pub fn is_on_listed_host(address: &str, hosts: &[String]) -> bool {
    Url::parse(address).is_ok_and(|url| {
        let is_plain = url.scheme() == "https" && url.username().is_empty() && url.password().is_none() && url.port().is_none();
        is_plain && url.host_str().is_some_and(|host| hosts.iter().any(|listed| listed == host))
    })
}
