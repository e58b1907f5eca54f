//! Tags on devices: a caution warns, an inhibit blocks.

use grid::command::TagRecord;
use grid::{ClientId, NodeId};
use store::control::TagChange;
use wire::bus::BusMessage;
use wire::control::TagRow;

use crate::state::Services;

pub(crate) mod list;
pub(crate) mod place;
pub(crate) mod remove;

/// Characters of a reason.
const REASON_MAX: usize = 200;

/// A reason as it is kept, if it is one.
fn reason(text: &str) -> Option<String> {
    let text = text.trim();
    let is_one = !text.is_empty() && text.chars().count() <= REASON_MAX && !text.chars().any(char::is_control);
    is_one.then(|| text.to_owned())
}

/// Tells the hubs how the tags of a substation are now.
fn tell(services: &Services, client: ClientId, location: NodeId, change: &TagChange) {
    let tags = rows(&change.tags);
    services.0.deps.bus.publish(BusMessage::Tags { client: client.0, location: location.0, version: change.version, tags });
}

fn rows(tags: &[TagRecord]) -> Vec<TagRow> {
    tags.iter().map(TagRow::from).collect()
}
