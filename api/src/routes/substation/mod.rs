//! Lists of substations.

use grid::Level;
use store::registry::NodeRecord;
use wire::people::LocationRow;

use crate::extract::View;

pub(crate) mod substations_by_client;
pub(crate) mod substations_by_division;

/// The substations whose data the caller may see and that `wanted` lets through, by name.
fn rows(view: &View, wanted: impl Fn(&NodeRecord) -> bool) -> Vec<LocationRow> {
    let substations = view.nodes(Level::Substation).filter(|node| view.sees(node) && wanted(node));
    let mut rows: Vec<LocationRow> = substations.map(|node| row(view, node)).collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

fn row(view: &View, node: &NodeRecord) -> LocationRow {
    let above = |level| view.field.above(node, level).map_or(0, |above| above.id.0);
    let names: Vec<&str> =
        node.path.iter().filter(|id| **id != node.id).filter_map(|id| view.field.node(*id)).map(|above| above.name.as_str()).collect();
    LocationRow {
        id: node.id.0,
        name: node.name.clone(),
        sld_name: if node.has_drawing { node.name.clone() } else { String::new() },
        bread_crumb_name: names.join(" › "),
        has_drawing: node.has_drawing,
        division_id: above(Level::Division),
        circle_id: above(Level::Circle),
        kv: node.kv.clone().unwrap_or_default(),
    }
}
