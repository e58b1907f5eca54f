//! Jobs of the control service: occurrences that it has not processed yet.

use std::time::Instant;

use grid::control::{AddCause, CommandId, GatewayAnswer};
use grid::{ClientId, GatewayId, LinkOrder, Micros, PointId, Reading};

/// An occurrence that the service has to process.
#[derive(Debug)]
pub(crate) enum Job {
    /// A gateway has answered.
    Answered { client: ClientId, gateway: GatewayId, command: CommandId, answer: GatewayAnswer, cause: Option<AddCause> },
    /// A point has a newer position. The reading is part of the job, because an intermediate position must be processed even if a newer one
    /// has replaced it.
    Moved { point: PointId, reading: Reading },
    /// The protection of a bay has tripped.
    Tripped { gateway: GatewayId, device: String, source: Micros },
    /// The link to a gateway or to one of its devices went offline or was established again.
    Cut { gateway: GatewayId, device: Option<String>, received: Instant, order: LinkOrder },
    /// A command was not sent.
    Unsent { client: ClientId, point: PointId, command: CommandId },
    /// The session of a user has ended.
    SessionEnded { session: i64 },
    /// Deadlines have changed.
    Look,
    /// Messages of the bus were lost, so the open commands must be read from the database.
    Reload,
    /// The registry has changed.
    Watch,
}
