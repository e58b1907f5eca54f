//! GET /api/digiops/command/{commandId} and GET /api/digiops/commands/{id}: commands and their states.

use axum::Json;
use axum::extract::{Path, State};
use grid::Micros;
use identity::View;
use wire::Envelope;
use wire::control::CommandRow;

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// Maximum number of rows of a substation's list.
const LIMIT: i64 = 200;

/// Returns a command in its latest state.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/digiops/command/{commandId}", tag = "digiops", operation_id = "command", security(("bearer" = [])),
    params(("commandId" = String, Path, description = "The UUID of the command")),
    responses(
        (status = 200, description = "The command", body = Envelope<CommandRow>),
        (status = 404, description = "The command does not exist, or the caller cannot see it", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn one(State(services): State<Services>, view: View, Path(id): Path<String>) -> Result<Json<Envelope<CommandRow>>, Error> {
    let found = services.store().command(view.principal.client, &id).await?;
    let seen = found.filter(|found| view.field.node(found.location).is_some_and(|location| view.sees(location)));
    let row = seen.as_ref().map(CommandRow::from).ok_or(Error::NotFound)?;
    Ok(Json(Envelope::ok(row)))
}

/// Returns the commands of a substation in their latest states, newest first, at most 200. The position is that of the stream `commands/{location}`.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/digiops/commands/{id}", tag = "digiops", operation_id = "commands", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "The commands", body = Envelope<Vec<CommandRow>>))
))]
pub(crate) async fn of_location(
    State(services): State<Services>,
    scoped: Scoped<Location>,
) -> Result<Json<Envelope<Vec<CommandRow>>>, Error> {
    let (client, Location(location)) = (scoped.view.principal.client, &scoped.target);
    let store = services.store();
    // The offset is read before the rows. A change in between is already in the rows, and is sent to subscribers once more.
    let (epoch, _) = store.command_stream(client).await?;
    let top = store.commands_top(client, location.id).await?;
    let rows = store.commands_newest(client, location.id, Micros(0), LIMIT).await?;
    Ok(Json(Envelope::at(rows.iter().map(CommandRow::from).collect(), epoch, top)))
}
