//! Identity of users: sign-in and sessions, the second factor, password resets by mail, limits on guessing, and the part of a utility that
//! a user may see.
//!
//! - [`session`] checks credentials, and starts, renews and ends sessions.
//! - [`second_factor`] checks codes; [`reset`] sets passwords by links in mails; [`throttle`] slows down guessing.
//! - [`View`] is a utility as one user may see it, [`Area`] a part of it.

mod area;
mod error;
mod request_origin;
pub mod reset;
pub mod second_factor;
pub mod session;
pub mod throttle;
mod view;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use mail::Mailer;
use registry::Fields;
use store::{ReadClass, Store};
use tokio::sync::Semaphore;

pub use area::{Area, Region};
pub use error::Error;
pub use request_origin::RequestOrigin;
pub use second_factor::SecondFactor;
pub use view::View;

/// Maximum number of password resets that are processed in the background. Further requests wait for a free slot before they are answered.
const RESETS_MAX: usize = 8;

/// Lifetimes of sessions, tokens and known devices.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    /// Lifetime of an access token, ms.
    pub access_ms: i64,
    /// A session without a request for this time ends, ms.
    pub idle_ms: i64,
    /// A session ends after this time in any case, ms.
    pub absolute_ms: i64,
    /// A device that is not used for this time is no longer a known device, ms.
    pub device_ms: i64,
}

/// The settings of sign-in, as the executable configures them.
#[derive(Debug, Clone)]
pub struct IdentitySettings {
    /// Lifetimes of sessions, tokens and known devices.
    pub lifetimes: Lifetimes,
    /// Whether the demo logins, whose password is published, may sign in.
    pub demo_logins: bool,
    /// Whether users can or must have a second factor.
    pub second_factor: SecondFactor,
    /// The address of the web application, without a slash at the end. Links in mails start with it and never with the host name of a
    /// request.
    pub public_url: String,
}

/// The service that signs users in and out. Clones share all state.
#[derive(Clone)]
pub struct Identity {
    store: Store,
    fields: Fields,
    bus: bus::Bus,
    mail: Mailer,
    settings: IdentitySettings,
    resets: Arc<Semaphore>,
    /// Attempts with unknown user names that the audit does not count yet.
    unknown_names: Arc<AtomicU64>,
}

impl Identity {
    /// Creates the service over the database. Ended sessions are published on `bus`, so that the hubs close their sockets.
    pub fn new(store: &Store, fields: Fields, bus: bus::Bus, mail: Mailer, settings: IdentitySettings) -> Self {
        Self {
            store: store.in_class(ReadClass::Reserved),
            fields,
            bus,
            mail,
            settings,
            resets: Arc::new(Semaphore::new(RESETS_MAX)),
            unknown_names: Arc::default(),
        }
    }

    /// Returns the settings of sign-in.
    pub fn settings(&self) -> &IdentitySettings {
        &self.settings
    }
}
