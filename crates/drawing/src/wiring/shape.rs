//! The role of an element in the wiring: a line, a busbar, a device with two terminals, or an element with one terminal.

use serde_json::{Map, Value};

use super::excess::{ELEMENTS_MAX, Excess, VERTICES_MAX};

/// Largest distance at which elements touch, drawing units. Drawings use a grid of 20 units.
pub const TOLERANCE: f64 = 3.0;
/// Largest distance between the middle of a symbol with one terminal and the end of its line, drawing units.
pub const REACH: f64 = 18.0;
/// Distance from the middle of a transformer to the terminals of its first two windings, drawing units.
const WINDINGS: f64 = 26.0;
/// Distance from the middle of a transformer to the terminal of its third winding, drawing units. No terminal of any device is farther away.
pub(crate) const THIRD_WINDING: f64 = 33.0;
/// Largest coordinate, drawing units.
const FAR: f64 = 1e6;

pub(super) type Spot = [f64; 2];

/// What determines whether a device conducts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    /// It always conducts.
    Always,
    /// The status point `device/metric`.
    Point(String),
    /// Not known.
    Unknown,
}

/// The effect of an element with one terminal on its node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Role {
    Source(Switch),
    Earth(Switch),
    /// No effect: feeders, instrument transformers and similar.
    Other,
}

#[derive(Debug)]
pub(super) enum Shape {
    /// Not wired.
    None,
    Line {
        path: Vec<Spot>,
        names: Vec<String>,
    },
    Busbar {
        /// Empty if only its name determines its node.
        path: Vec<Spot>,
        names: Vec<String>,
    },
    /// Two terminals, each `half` from the middle along the axis; a transformer can have a third one across it.
    Device {
        at: Option<Spot>,
        is_horizontal: bool,
        half: f64,
        has_third: bool,
        /// Whether its terminals are windings of a transformer.
        is_winding: bool,
        switch: Switch,
        names: Vec<String>,
    },
    Terminal {
        at: Option<Spot>,
        role: Role,
        names: Vec<String>,
    },
}

/// Reads the elements; an error if they exceed a limit.
pub(super) fn read<'a>(elements: impl Iterator<Item = Option<&'a Map<String, Value>>>) -> Result<Vec<Shape>, Excess> {
    let (mut wired, mut vertices) = (0, 0);
    let mut read = |element: &Map<String, Value>| {
        let shape = shape(element);
        vertices += match &shape {
            Shape::None => return Ok(shape),
            Shape::Line { path, .. } | Shape::Busbar { path, .. } => path.len(),
            Shape::Device { .. } | Shape::Terminal { .. } => 0,
        };
        wired += 1;
        match (wired > ELEMENTS_MAX, vertices > VERTICES_MAX) {
            (true, _) => Err(Excess::Elements),
            (_, true) => Err(Excess::Vertices),
            _ => Ok(shape),
        }
    };
    elements.map(|element| element.map_or(Ok(Shape::None), &mut read)).collect()
}

fn shape(element: &Map<String, Value>) -> Shape {
    let class = text(element, "class").unwrap_or_default();
    let category = text(element, "category").unwrap_or_default();
    let is_earth_switch = class == "earthSwitch" || class == "isolator" && category.starts_with("earthSwitch");
    match class {
        "line" => {
            let names = names(element, usize::MAX);
            match line(element) {
                Some(path) => Shape::Line { path, names },
                None => Shape::None,
            }
        }
        "busbar" => {
            let names = names(element, 1);
            match (spot(element, "x1", "y1"), spot(element, "x2", "y2")) {
                (Some(from), Some(to)) => Shape::Busbar { path: vec![from, to], names },
                _ if !names.is_empty() => Shape::Busbar { path: Vec::new(), names },
                _ => Shape::None,
            }
        }
        _ if is_earth_switch => terminal(element, Role::Earth(switch(element, Switch::Unknown))),
        "breaker" => device(element, 8.0, switch(element, Switch::Unknown)),
        "isolator" | "switch" | "loadBreakSwitch" | "recloser" | "sectionaliser" => device(element, 10.0, switch(element, Switch::Unknown)),
        // A monitored fuse has a point; others conduct.
        "fuse" => device(element, 10.0, switch(element, Switch::Always)),
        "transformer" => transformer(element),
        "source" => terminal(element, Role::Source(switch(element, Switch::Always))),
        // Without a point it is unknown whether a generator runs.
        "generator" => terminal(element, Role::Source(switch(element, Switch::Unknown))),
        "feeder" | "capacitor" | "ct" | "pt" | "arrester" | "load" | "reactor" | "inverter" | "continuation" => {
            terminal(element, Role::Other)
        }
        _ => Shape::None,
    }
}

/// Reads a transformer. It has three windings if it has a voltage or a node for a third winding.
fn transformer(element: &Map<String, Value>) -> Shape {
    let node_count = element.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
    let has_third = element.contains_key("kvTertiary") || node_count == 3;
    with_terminals(element, WINDINGS, Switch::Always, has_third, true)
}

fn device(element: &Map<String, Value>, half: f64, switch: Switch) -> Shape {
    with_terminals(element, half, switch, false, false)
}

fn with_terminals(element: &Map<String, Value>, half: f64, switch: Switch, has_third: bool, is_winding: bool) -> Shape {
    let names = names(element, if has_third { 3 } else { 2 });
    let at = spot(element, "x", "y");
    if at.is_none() && names.is_empty() {
        return Shape::None;
    }
    Shape::Device { at, is_horizontal: text(element, "orientation") == Some("horizontal"), half, has_third, is_winding, switch, names }
}

fn terminal(element: &Map<String, Value>, role: Role) -> Shape {
    let names = names(element, 1);
    let at = spot(element, "x", "y");
    if at.is_none() && names.is_empty() { Shape::None } else { Shape::Terminal { at, role, names } }
}

fn switch(element: &Map<String, Value>, otherwise: Switch) -> Switch {
    let point = element.get("position").and_then(|position| position.get("point")).and_then(Value::as_str);
    point.map_or(otherwise, |point| Switch::Point(point.to_owned()))
}

/// Returns the names of its nodes if there is one for each terminal (for a line any number, one for each of its pieces). Names that are numbers are ignored,
/// because they come from a drawing that the API returned.
fn names(element: &Map<String, Value>, terminals: usize) -> Vec<String> {
    let named = element.get("nodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names: Vec<String> = named.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let is_right = names.len() == named.len() && (terminals == usize::MAX || names.len() == terminals);
    if is_right { names } else { Vec::new() }
}

/// Reads a line. A line with an invalid point is not wired at all, because a part of it could connect separate nodes.
fn line(element: &Map<String, Value>) -> Option<Vec<Spot>> {
    let path = element.get("path")?.as_array()?;
    let place = |place: &Value| match place.as_array()?.as_slice() {
        [x, y] => Some([number(x)?, number(y)?]),
        _ => None,
    };
    let path: Vec<Spot> = path.iter().map(place).collect::<Option<_>>()?;
    (path.len() >= 2).then_some(path)
}

fn text<'a>(element: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    element.get(key).and_then(Value::as_str)
}

fn spot(element: &Map<String, Value>, x: &str, y: &str) -> Option<Spot> {
    Some([number(element.get(x)?)?, number(element.get(y)?)?])
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.abs() <= FAR)
}
