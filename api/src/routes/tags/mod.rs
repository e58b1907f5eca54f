//! Tags on devices: a caution warns, an inhibit blocks.

use grid::area::Place;
use grid::command::TagRecord;
use grid::{AssetId, NodeId};
use registry::Field;
use wire::control::TagRow;

pub(crate) mod list;
pub(crate) mod place;
pub(crate) mod remove;

/// Limit of characters of a reason.
const REASON_MAX: usize = 200;

/// Returns a reason in its stored form; `None` if it is empty or too long.
fn reason(text: &str) -> Option<String> {
    let text = text.trim();
    let is_one = !text.is_empty() && text.chars().count() <= REASON_MAX && !text.chars().any(char::is_control);
    is_one.then(|| text.to_owned())
}

/// Returns the places of what a tag covers in the areas of responsibility.
fn places(field: &Field, asset: Option<AssetId>, location: NodeId) -> Vec<Place> {
    let asset = asset.and_then(|asset| field.asset(asset));
    asset.map_or_else(|| vec![field.place_of_node(location)], |asset| field.places_of_asset(asset))
}

fn rows(tags: &[TagRecord]) -> Vec<TagRow> {
    tags.iter().map(TagRow::from).collect()
}
