//! What happens around commands and waits to be dealt with.

use std::time::Instant;

use grid::control::{AddCause, CommandId, Said};
use grid::{ClientId, GatewayId, LinkOrder, Micros, PointId, Reading};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Job {
    /// A gateway has answered.
    Answered { client: ClientId, gateway: GatewayId, command: CommandId, said: Said, cause: Option<AddCause> },
    /// A point has a newer position. It is kept here: by the time it is dealt with the next one may be known, and an intermediate one must not be lost.
    Moved { point: PointId, reading: Reading },
    /// The protection of a bay has tripped.
    Tripped { gateway: GatewayId, device: String, source: Micros },
    /// A gateway, or one device of it, has gone or was born.
    Cut { gateway: GatewayId, device: Option<String>, heard: Instant, order: LinkOrder },
    /// An order stayed here.
    Unsent { client: ClientId, point: PointId, command: CommandId },
    /// A session is over.
    SessionEnded { session: i64 },
    /// Deadlines have changed.
    Look,
    /// Something was missed.
    Reload,
    /// The field has changed.
    Watch,
}
