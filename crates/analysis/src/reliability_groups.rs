//! Groups feeders by the nodes that are the rows of a reliability table.

use grid::{AssetId, Level, NodeId, Scope};
use identity::{Area, View};
use store::registry::AssetRecord;

/// Returns the area of a level and an id, as in the paths of other requests.
pub fn area(view: &View, level: &str, id: i64) -> Option<Area> {
    if level.eq_ignore_ascii_case("client") {
        return (id == view.principal.client.0).then(|| Area::of_caller(view)).flatten();
    }
    if level.eq_ignore_ascii_case("asset") {
        let asset = view.field.asset(AssetId(id))?;
        let location = view.field.node(asset.location).filter(|location| view.sees(location));
        return location.map(|_| Area(Some(Scope::Asset(asset.id))));
    }
    let node = view.field.node(NodeId(id)).filter(|node| view.sees(node))?;
    let is_named =
        level.eq_ignore_ascii_case(node.level.as_str()) || level.eq_ignore_ascii_case("substation") && node.level == Level::Substation;
    is_named.then_some(Area(Some(Scope::Node(node.id))))
}

/// Groups feeders by substation, or by feeder if the area is one substation. Groups are sorted by name.
pub fn groups(view: &View, area: Area, all: &[&AssetRecord]) -> Vec<(String, Vec<AssetId>)> {
    let is_one = match area.0 {
        Some(Scope::Asset(_)) => true,
        Some(Scope::Node(node)) => view.field.node(node).is_some_and(|node| node.level == Level::Substation),
        None => false,
    };
    let mut groups: std::collections::BTreeMap<(String, i64), Vec<AssetId>> = std::collections::BTreeMap::new();
    for asset in all {
        let key = if is_one {
            (asset.name.clone(), asset.id.0)
        } else {
            let name = view.field.node(asset.location).map(|location| location.name.clone()).unwrap_or_default();
            (name, asset.location.0)
        };
        groups.entry(key).or_default().push(asset.id);
    }
    groups.into_iter().map(|((name, _), of)| (name, of)).collect()
}
