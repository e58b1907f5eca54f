//! The metadata of an SVG: the meaning of its groups, and the connections of wires.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::component::kind;
use crate::check::{nesting, read};
use crate::fault::{self, Fault, shown};

/// Largest size of the metadata in bytes.
const BYTES_MAX: usize = 16 * 1024 * 1024;
/// Largest number of characters of a name or an id. PowSyBl builds the ids of junctions from those of their neighbours.
const TEXT_MAX: usize = 1_000;

/// The fields of the metadata that are used; the file has more.
#[derive(Debug)]
pub(super) struct Metadata {
    pub nodes: Vec<Node>,
    pub wires: Vec<Wire>,
    sizes: HashMap<String, [f64; 2]>,
}

/// A symbol or a junction of wires.
#[derive(Debug)]
pub(super) struct Node {
    pub id: String,
    /// `None` for a label.
    pub component: Option<String>,
    pub rotation: Option<f64>,
    /// Name for users.
    pub name: String,
    /// Path, starting with the voltage level.
    pub path: String,
}

/// A wire.
#[derive(Debug)]
pub(super) struct Wire {
    pub id: String,
    pub from: String,
    pub to: String,
}

#[derive(Deserialize)]
struct Raw {
    nodes: Vec<RawNode>,
    #[serde(default)]
    wires: Vec<RawWire>,
    #[serde(default)]
    components: Vec<RawComponent>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawNode {
    id: String,
    component_type: Option<String>,
    rotation_angle: Option<f64>,
    vid: Option<String>,
    equipment_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawWire {
    id: String,
    node_id1: String,
    node_id2: String,
}

#[derive(Deserialize)]
struct RawComponent {
    r#type: String,
    size: Option<RawSize>,
}

#[derive(Deserialize)]
struct RawSize {
    width: f64,
    height: f64,
}

impl Metadata {
    /// Reads the metadata.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let text = fault::text(bytes, BYTES_MAX)?;
        nesting::check(text)?;
        let raw: Raw = serde_json::from_str(text).map_err(|error| read::place(text, 0, &error))?;
        let mut seen = HashSet::new();
        let mut nodes = Vec::new();
        for node in raw.nodes {
            for name in [Some(&node.id), node.vid.as_ref(), node.equipment_id.as_ref()].into_iter().flatten() {
                if name.chars().count() > TEXT_MAX || name.chars().any(char::is_control) {
                    return Err(Fault::whole(format!("{}: a name of up to {TEXT_MAX} characters", shown(name))));
                }
            }
            if !seen.insert(node.id.clone()) {
                return Err(Fault::whole(format!("there are two nodes {}: export the diagram again", shown(&node.id))));
            }
            let name = node.equipment_id.filter(|name| !name.is_empty()).unwrap_or_else(|| plain(&node.id));
            let path = node.vid.filter(|level| !level.is_empty()).map_or_else(|| name.clone(), |level| format!("{level}/{name}"));
            nodes.push(Node { id: node.id, component: node.component_type, rotation: node.rotation_angle, name, path });
        }
        let wires = raw.wires.into_iter().map(|wire| Wire { id: wire.id, from: wire.node_id1, to: wire.node_id2 }).collect();
        let size = |component: RawComponent| {
            let size = component.size.filter(|size| (0.0..=1_000.0).contains(&size.width) && (0.0..=1_000.0).contains(&size.height))?;
            Some((component.r#type, [size.width, size.height]))
        };
        Ok(Self { nodes, wires, sizes: raw.components.into_iter().filter_map(size).collect() })
    }

    /// Returns the size of a component type. The position of a component is its upper left corner.
    pub(super) fn size(&self, component: &str) -> [f64; 2] {
        self.sizes.get(component).copied().unwrap_or([8.0, 8.0])
    }
}

impl Node {
    /// Whether it is drawn as a symbol.
    pub(super) fn is_drawn(&self) -> bool {
        self.component.as_deref().is_some_and(|word| word == "BUSBAR_SECTION" || kind(word).is_some())
    }
}

/// Decodes an id to a name: removes the prefix `id`, and decodes each `_code_` to its character.
fn plain(id: &str) -> String {
    let mut rest = id.strip_prefix("id").filter(|rest| !rest.is_empty()).unwrap_or(id);
    let mut name = String::new();
    while let Some((before, after)) = rest.split_once('_') {
        name.push_str(before);
        let letter = after.split_once('_').and_then(|(code, more)| Some((code.parse::<u32>().ok().and_then(char::from_u32)?, more)));
        let (letter, more) = letter.filter(|(letter, _)| !letter.is_control()).unwrap_or(('_', after));
        name.push(letter);
        rest = more;
    }
    name.push_str(rest);
    name
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_come_out_of_ids() {
        for (id, name) in [
            ("idbbs4", "bbs4"),
            ("idFICT_95_vl1_95_x", "FICT_vl1_x"),
            ("F1_32_CB", "F1 CB"),
            ("a_b", "a_b"),
            ("id", "id"),
            ("x_7_y", "x_7_y"),
            ("", ""),
        ] {
            assert_eq!(super::plain(id), name, "{id}");
        }
    }
}
