//! Alarms, their history, and acknowledging, shelving and notes. A role with the diagram read-only may change nothing about alarms.

use grid::alarm::AlarmRecord;
use grid::area::Place;
use identity::View;
use store::alarm::ActionResult;
use wire::alarms::AlarmRow;
use wire::bus::BusMessage;

use crate::error::Error;
use crate::state::Services;

pub(crate) mod acknowledge;
pub(crate) mod list;
pub(crate) mod note;
pub(crate) mod shelve;

/// Returns the caller's name, as other users see it.
pub(crate) async fn name_of(services: &Services, view: &View) -> Result<String, Error> {
    let own = services.store().member_of_session(view.principal.session).await?.ok_or(Error::Unauthorised)?;
    let name = format!("{} {}", own.first_name, own.last_name);
    Ok(if name.trim().is_empty() { own.username } else { name.trim().to_owned() })
}

/// Returns a text in its stored form; `None` if it is empty or longer than `max` characters.
pub(crate) fn text(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    let is_one = !text.is_empty() && text.chars().count() <= max && !text.chars().any(char::is_control);
    is_one.then(|| text.to_owned())
}

/// Checks that the caller may act on all of these alarms, and returns their places in the areas of responsibility. An alarm that does not exist or that the
/// caller may not see is not found.
fn may(view: &View, expected: usize, found: &[AlarmRecord]) -> Result<Vec<Place>, Error> {
    let sees = |alarm: &AlarmRecord| view.field.node(alarm.location).is_some_and(|location| view.sees(location));
    if found.len() != expected || !found.iter().all(sees) {
        return Err(Error::NotFound);
    }
    let mut places = Vec::new();
    for alarm in found {
        let asset = alarm.asset.and_then(|asset| view.field.asset(asset));
        match asset {
            Some(asset) => places.extend(view.field.places_of_asset(asset)),
            None => places.push(view.field.place_of_node(alarm.location)),
        }
    }
    Ok(places)
}

/// Informs the hubs, and returns the alarm in its new state.
fn publish_and_return(services: &Services, view: &View, acted: ActionResult) -> Result<AlarmRow, Error> {
    let ActionResult { committed, found } = acted;
    let now = committed.as_ref().and_then(|committed| committed.rows.last()).or(found.first()).map(AlarmRow::from);
    if let Some(committed) = committed {
        publish(services, view, committed);
    }
    now.ok_or(Error::NotFound)
}

fn publish(services: &Services, view: &View, committed: store::alarm::Committed<AlarmRecord>) {
    let Some(offset) = committed.rows.last().map(|row| row.offset) else { return };
    let rows = committed.rows.iter().map(AlarmRow::from).collect();
    let client = view.principal.client.0;
    services.0.deps.bus.publish(BusMessage::Alarms { client, epoch: committed.epoch, from: committed.from, offset, rows });
}
