//! Turns a portable drawing, which names points by address and assets by code, into the one that is served, which has their ids as well.

use std::collections::{BTreeMap, HashMap};

use grid::{NodeId, Point};
use serde_json::{Map, Value};
use wire::sld::PointInfo;

use crate::field::Field;

/// Fills in `assetId`, `pointId` and `points`. What the substation does not have stays without an id: one wrong name must not hide a diagram.
pub(crate) fn resolve(mut drawing: Value, field: &Field, location: NodeId) -> Value {
    let names = Names {
        assets: field.assets_at(location).map(|asset| (asset.code.as_str(), asset.id.0)).collect(),
        points: field.points_at(location).map(|point| (point.address(), point)).collect(),
    };
    let mut used = BTreeMap::new();
    if let Some(elements) = drawing.get_mut("elements") {
        names.fill(elements, &mut used);
    }
    if let (Some(drawing), Ok(points)) = (drawing.as_object_mut(), serde_json::to_value(used)) {
        drawing.insert("points".to_owned(), points);
    }
    drawing
}

struct Names<'a> {
    assets: HashMap<&'a str, i64>,
    points: HashMap<String, &'a Point>,
}

impl Names<'_> {
    fn fill(&self, value: &mut Value, used: &mut BTreeMap<i64, PointInfo>) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(item, used)),
            Value::Object(object) => {
                self.fill_object(object, used);
                object.values_mut().for_each(|inner| self.fill(inner, used));
            }
            _ => {}
        }
    }

    fn fill_object(&self, object: &mut Map<String, Value>, used: &mut BTreeMap<i64, PointInfo>) {
        // Ids that a file brings along are those of the place it was made at.
        object.remove("pointId");
        object.remove("assetId");
        if let Some(point) = text(object, "point").and_then(|address| self.points.get(address)) {
            used.insert(point.id.0, PointInfo::from(*point));
            object.insert("pointId".to_owned(), point.id.0.into());
        }
        if let Some(id) = text(object, "asset").and_then(|code| self.assets.get(code)).copied() {
            object.insert("assetId".to_owned(), id.into());
        }
    }
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::example::{LOCATION, field};

    #[test]
    fn names_become_ids_and_the_points_are_described() {
        let drawing = json!({"format": "switchyard-sld", "elements": [
            {"id": "e1", "class": "breaker", "asset": "F3CB", "position": {"point": "F3/F3CB/Pos", "doublePoint": true}},
            {"id": "e2", "class": "values", "asset": "F3", "rows": [{"point": "F3/F3/Ir", "unit": "A"}, {"point": "F3/F3/Nothing"}]},
            {"id": "e3", "class": "text", "text": "plain", "assetId": 99},
            {"id": "e4", "class": "breaker", "asset": "no such asset"}
        ]});
        let served = resolve(drawing, &field(), LOCATION);
        assert_eq!(served["elements"][0]["assetId"], 11);
        assert_eq!(served["elements"][0]["position"]["pointId"], 101);
        assert_eq!(served["elements"][1]["rows"][0]["pointId"], 102);
        assert_eq!(served["elements"][1]["rows"][1].get("pointId"), None, "what is not there stays without an id");
        assert_eq!(served["elements"][2].get("assetId"), None, "ids of another place are not served");
        assert_eq!(served["elements"][3].get("assetId"), None);
        assert_eq!(served["points"]["101"]["encoding"], "double");
        assert_eq!(served["points"]["102"]["unit"], "A");
        assert_eq!(served["points"].as_object().map(Map::len), Some(2));
    }

    #[test]
    fn what_is_no_drawing_is_left_alone() {
        assert_eq!(resolve(json!("text"), &field(), LOCATION), json!("text"));
        assert_eq!(resolve(json!({}), &field(), LOCATION), json!({"points": {}}));
    }
}
