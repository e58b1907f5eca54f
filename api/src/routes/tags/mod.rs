//! Tags on devices: a caution warns, an inhibit blocks.

use grid::area::Place;
use grid::command::TagRecord;
use grid::control::interlock::Class;
use grid::control::tag::TagScope;
use grid::{AssetId, NodeId};
use registry::Field;
use store::registry::AssetRecord;
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

/// Returns the places of what a tag covers in the areas of responsibility: of a bay, those of its switches, too. Of a substation it is the substation.
fn places(field: &Field, scope: TagScope, asset: Option<AssetId>, location: NodeId) -> Vec<Place> {
    let Some(asset) = asset.and_then(|asset| field.asset(asset)) else { return vec![field.place_of_node(location)] };
    let is_in_bay = |other: &&AssetRecord| {
        scope == TagScope::Bay && other.id != asset.id && other.device == asset.device && Class::of(&other.class_name, None).is_some()
    };
    let in_bay = field.assets_at(location).filter(is_in_bay);
    std::iter::once(asset).chain(in_bay).flat_map(|asset| field.places_of_asset(asset)).collect()
}

fn rows(tags: &[TagRecord]) -> Vec<TagRow> {
    tags.iter().map(TagRow::from).collect()
}
