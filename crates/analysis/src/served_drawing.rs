//! Converts a stored drawing to the drawing that is served. Adds the ids of points and assets, which the stored drawing names by address and code, and the node
//! of each element.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ::drawing::wiring::{Wired, Wiring};
use dashmap::DashMap;
use grid::{Micros, NodeId, Point};
use registry::Field;
use serde_json::{Map, Value, json};
use store::drawing::DrawingRecord;
use tokio::sync::Mutex;
use wire::sld::PointInfo;

use crate::error::Error;

/// Maximum number of cached topologies. If it is exceeded, all topologies are dropped and computed again on demand. Simultaneous requests can exceed the limit
/// by one each.
const KEPT: usize = 256;

/// The topology of a drawing that was stored at this time.
type Slot = Arc<Mutex<Option<(Micros, Arc<Wiring>)>>>;

/// Cached topologies of drawings. Simultaneous requests share one computation.
#[derive(Debug, Default)]
pub struct Wirings {
    slots: DashMap<NodeId, Slot>,
}

impl Wirings {
    /// Returns the drawing with its topology. It is computed on a thread for blocking work, because a large drawing takes long.
    pub async fn of(&self, record: DrawingRecord) -> Result<(Value, Arc<Wiring>), Error> {
        let DrawingRecord { location, body, updated } = record;
        if self.slots.len() >= KEPT && !self.slots.contains_key(&location) {
            self.slots.clear();
        }
        // Copied out of the map, which must not be locked during a computation.
        let slot = Arc::clone(&self.slots.entry(location).or_default());
        let mut held = slot.lock().await;
        if let Some((_, wiring)) = held.as_ref().filter(|(of, _)| *of == updated) {
            return Ok((body, Arc::clone(wiring)));
        }
        let wiring = tokio::task::spawn_blocking(move || {
            let wiring = Wiring::of_value(&body);
            (body, Arc::new(wiring))
        });
        let (body, wiring) = wiring.await.map_err(|error| {
            tracing::error!(%error, %location, "a drawing cannot be wired");
            Error::Internal
        })?;
        *held = Some((updated, Arc::clone(&wiring)));
        Ok((body, wiring))
    }
}

/// Fills in `assetId`, `pointId`, `points`, `nodes`, `parts`, `nodeCount` and the version of the `wiring`. If the substation does not have an asset or point,
/// it stays without an id, so that one wrong name does not make the whole diagram fail.
pub fn resolve(mut drawing: Value, wiring: &Wiring, field: &Field, location: NodeId) -> Value {
    let names = Names {
        assets: field.assets_at(location).map(|asset| (asset.code.as_str(), asset.id.0)).collect(),
        points: field.points_at(location).map(|point| (point.address(), point)).collect(),
    };
    let mut used = BTreeMap::new();
    if let Some(elements) = drawing.get_mut("elements") {
        names.fill(elements, &mut used);
        let elements = elements.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
        for (element, wired) in elements.iter_mut().zip(&wiring.elements) {
            element.as_object_mut().into_iter().for_each(|element| stand(element, wired));
        }
    }
    if let (Some(drawing), Ok(points)) = (drawing.as_object_mut(), serde_json::to_value(used)) {
        drawing.insert("points".to_owned(), points);
        drawing.insert("nodeCount".to_owned(), wiring.node_count.into());
        drawing.insert("wiring".to_owned(), wiring.mark().into());
    }
    drawing
}

/// Sets the node of an element. If the file contains values for these keys, they are replaced, because they belong to the numbering of the file.
fn stand(element: &mut Map<String, Value>, wired: &Wired) {
    element.remove("nodes");
    element.remove("parts");
    if !wired.nodes.is_empty() {
        element.insert("nodes".to_owned(), json!(wired.nodes));
    }
    if !wired.parts.is_empty() {
        let parts = wired.parts.iter().map(|part| json!({ "node": part.node, "path": part.path }));
        element.insert("parts".to_owned(), parts.collect());
    }
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
        // Ids in the file belong to the installation on which it was exported.
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
    use super::*;
    use testkit::example::{LOCATION, field};

    fn served(drawing: Value, field: &Field, location: NodeId) -> Value {
        let wiring = Wiring::of_value(&drawing);
        resolve(drawing, &wiring, field, location)
    }

    #[tokio::test]
    async fn a_drawing_is_wired_once_until_it_is_another() {
        let wirings = Wirings::default();
        let record = |location, updated, elements: Value| DrawingRecord {
            location: NodeId(location),
            body: json!({ "elements": elements }),
            updated: Micros(updated),
        };
        let one = || record(1, 5, json!([{"class": "source", "x": 0, "y": 0}]));
        let (body, first) = wirings.of(one()).await.expect("wired");
        assert_eq!((body["elements"][0]["class"].as_str(), first.node_count), (Some("source"), 1));
        assert!(Arc::ptr_eq(&first, &wirings.of(one()).await.expect("wired").1), "not again");
        assert_eq!(wirings.of(record(1, 6, json!([]))).await.expect("wired").1.node_count, 0, "another one is stored");
        assert_eq!(wirings.of(one()).await.expect("wired").1.node_count, 1);
        for location in 2..=KEPT as i64 + 1 {
            wirings.of(record(location, 5, json!([]))).await.expect("wired");
        }
        assert!(wirings.slots.len() <= KEPT);
    }

    #[test]
    fn names_become_ids_and_the_points_are_described() {
        let drawing = json!({"format": "switchyard-sld", "elements": [
            {"id": "e1", "class": "breaker", "asset": "F3CB", "position": {"point": "F3/F3CB/Pos", "doublePoint": true}},
            {"id": "e2", "class": "values", "asset": "F3", "rows": [{"point": "F3/F3/Ir", "unit": "A"}, {"point": "F3/F3/Nothing"}]},
            {"id": "e3", "class": "text", "text": "plain", "assetId": 99},
            {"id": "e4", "class": "breaker", "asset": "no such asset"}
        ]});
        let served = served(drawing, &field(), LOCATION);
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
        assert_eq!(served(json!("text"), &field(), LOCATION), json!("text"));
        assert_eq!(served(json!({}), &field(), LOCATION), json!({"points": {}, "nodeCount": 0, "wiring": "cbf29ce484222325"}));
        assert_eq!(served(json!({"elements": 7}), &field(), LOCATION)["elements"], 7);
    }

    #[test]
    fn what_is_served_says_on_which_node_it_stands() {
        let drawing = json!({"elements": [
            {"class": "source", "x": 0, "y": 0, "nodes": [17]},
            {"class": "line", "path": [[0, 0], [0, 100]], "parts": "odd"},
            7,
            {"class": "breaker", "x": 0, "y": 40, "asset": "F3CB", "position": {"point": "F3/F3CB/Pos"}},
            {"class": "text", "text": "plain", "nodes": [1]}
        ]});
        let served = served(drawing, &field(), LOCATION);
        assert_eq!(served["nodeCount"], 2);
        assert_eq!(served["elements"][0]["nodes"], json!([0]));
        let parts = json!([{"node": 0, "path": [[0.0, 0.0], [0.0, 40.0]]}, {"node": 1, "path": [[0.0, 40.0], [0.0, 100.0]]}]);
        assert_eq!((&served["elements"][1]["parts"], served["elements"][1].get("nodes")), (&parts, None));
        assert_eq!((&served["elements"][3]["nodes"], &served["elements"][3]["assetId"]), (&json!([0, 1]), &json!(11)));
        assert_eq!(served["elements"][4].get("nodes"), None, "it stands on none");
    }
}
