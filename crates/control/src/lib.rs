//! Operating breakers: between the call of a person and the order to a gateway, and back. Each decision is one transaction (`store::control`) by the rules of
//! the domain (`grid::control`); here is what happens around it.
//!
//! - `request`: what somebody asks for, decided and answered. `decide`: its facts. `status`: the same facts, shown.
//! - `carry_out`: what follows from a decision on record. `send`: the only place that an order leaves from.
//! - `service`: what happens by itself, until shutdown: answers of gateways, positions, deadlines, links and sessions that end, apis that have gone.
//! - `image`: positions and links as the bus has them. `open`: the commands that are not over. `steps`: what events do to them.
//! - `tags`, `tickets`: what keeps everybody from operating a device, and what lets a user operate one once.

mod carry_out;
mod clock;
mod decide;
mod error;
mod handle;
mod image;
mod job;
mod open;
mod request;
mod send;
mod service;
mod status;
mod steps;
mod tags;
mod tickets;

pub use decide::throw_of;
pub use ed25519_dalek::SigningKey;
pub use error::Error;
pub use handle::{Control, ControlSettings};
pub use request::{Action, Outcome, RefusalClass, Wanted, no_right};
pub use tickets::TICKET_S;
