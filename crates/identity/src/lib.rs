//! Who a user is and what they may see: sign-in and sessions, the second factor, passwords set by mail, limits on guessing, and a utility as one user sees
//! it.
//!
//! - [`session`] checks credentials and begins, renews and ends sessions.
//! - [`second_factor`] checks codes; [`reset`] sets passwords by links in mails; [`throttle`] slows guessing down.
//! - [`View`] is a utility as a user sees it, [`Area`] a part of it.

mod area;
mod error;
pub mod reset;
pub mod second_factor;
pub mod session;
pub mod throttle;
mod trail;
mod view;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use mail::Mailer;
use registry::Fields;
use store::Store;
use tokio::sync::Semaphore;

pub use area::{Area, Region};
pub use error::Error;
pub use second_factor::SecondFactor;
pub use trail::Trail;
pub use view::View;

/// Password resets that are worked on behind their answers; further ones wait before theirs.
const RESETS_MAX: usize = 8;

/// How long a sign-in lasts.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    /// An access token, ms.
    pub access_ms: i64,
    /// Without a request, ms.
    pub idle_ms: i64,
    /// In any case, ms.
    pub absolute_ms: i64,
    /// A device that is not used stays known so long, ms.
    pub device_ms: i64,
}

/// What the binary decides for sign-in.
#[derive(Debug, Clone)]
pub struct IdentitySettings {
    /// How long a sign-in lasts.
    pub lifetimes: Lifetimes,
    /// Whether the demo's logins, whose password is published, may sign in.
    pub demo_logins: bool,
    /// Whether people have second factors.
    pub second_factor: SecondFactor,
    /// Where people reach the web, without a slash at the end: links in mails begin with it, never with what a request calls itself.
    pub public_url: String,
}

/// Signs users in and out. Clones share everything.
#[derive(Clone)]
pub struct Identity {
    store: Store,
    fields: Fields,
    bus: bus::Bus,
    mail: Mailer,
    settings: IdentitySettings,
    resets: Arc<Semaphore>,
    /// Tries of names that nobody has which the audit does not tell of yet.
    unknown_names: Arc<AtomicU64>,
}

impl Identity {
    /// Over the database. `bus` takes the sessions that end, for the hubs.
    pub fn new(store: Store, fields: Fields, bus: bus::Bus, mail: Mailer, settings: IdentitySettings) -> Self {
        Self { store, fields, bus, mail, settings, resets: Arc::new(Semaphore::new(RESETS_MAX)), unknown_names: Arc::default() }
    }

    /// What the binary has decided.
    pub fn settings(&self) -> &IdentitySettings {
        &self.settings
    }
}
