//! Where a call comes from.

use std::net::IpAddr;

use store::audit::Origin;

/// The origin of a call, for what it changes.
#[derive(Debug, Clone)]
pub struct Trail {
    /// For the audit.
    pub origin: Origin,
    /// The address, for the throttle.
    pub from: IpAddr,
}
