//! The origin of a request.

use std::net::IpAddr;

use store::audit::Origin;

/// The origin of a request: address, session and user.
#[derive(Debug, Clone)]
pub struct RequestOrigin {
    /// The origin as it is entered in the audit.
    pub origin: Origin,
    /// The client's address, for the throttle.
    pub from: IpAddr,
}
