//! The substation of a file as devices and nets between them.

use std::collections::HashMap;

use roxmltree::Node;

use crate::fault::{Fault, shown};
use crate::layout::{Item, SymbolKind};
use crate::schema::{Kv, Orientation};
use crate::xml::{self, fault};

/// Largest number of XML nodes in a file.
const NODES_MAX: u32 = 2_000_000;

/// Namespace of the coordinates.
const COORDINATES: &str = "http://www.iec.ch/61850/2003/SCLcoordinates";
/// Largest coordinate relative to the enclosing element. Five levels, at 40 drawing units each, fit on the largest
/// sheet.
const FAR: f64 = 2_000.0;
/// Distance between a transformer and its third winding, in units of the file.
const BESIDE: f64 = 2.0;
/// Name of the node for earth.
const EARTH: &str = "grounded";
/// Largest number of characters of a path.
const PATH_MAX: usize = 200;

/// A substation.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub name: String,
    pub devices: Vec<Device>,
    pub nets: Vec<Net>,
    pub notes: Vec<String>,
    /// Byte in the text at which it starts.
    pub begin: usize,
}

/// A device with terminals.
#[derive(Debug)]
pub(super) struct Device {
    /// Path from the voltage level down, such as `D1/Q01/QA1`.
    pub path: String,
    pub item: Item,
    /// Position, in units of the file.
    pub at: Option<(f64, f64)>,
    pub lies: Orientation,
    /// The nets of its terminals, without earth; for a transformer the highest voltage first.
    pub nets: Vec<usize>,
}

/// A connectivity node.
#[derive(Debug)]
pub(super) struct Net {
    /// Path from the substation down.
    pub path: String,
    /// For a busbar: the path of its bay from the voltage level down.
    pub bay: String,
    pub name: String,
    pub kv: Option<Kv>,
    pub at: Option<(f64, f64)>,
    pub lies: Orientation,
    pub is_bus: bool,
}

impl Model {
    /// Returns the busbars.
    pub(super) fn buses(&self) -> impl Iterator<Item = &Net> {
        self.nets.iter().filter(|net| net.is_bus)
    }
}

/// Reads the substation with the name `wanted`, or the only one.
pub(super) fn read(text: &str, substation: Option<&str>) -> Result<Model, Fault> {
    let document = xml::parse(text, NODES_MAX)?;
    let root = document.root_element();
    if root.tag_name().name() != "SCL" {
        return Err(fault(text, root, format!("{}: an SCL file begins with SCL", shown(root.tag_name().name()))));
    }
    let all: Vec<Node> = children(root, "Substation").collect();
    let name = |node: &Node| node.attribute("name").unwrap_or_default().to_owned();
    let found = match &all[..] {
        [] => return Err(fault(text, root, "there is no Substation in it")),
        [one] => *one,
        several => *several.iter().find(|node| substation.is_some_and(|substation| name(node) == substation)).ok_or_else(|| {
            let names = several.iter().map(|node| shown(&name(node))).take(20).collect::<Vec<_>>().join(", ");
            fault(text, root, format!("there are several substations, and none has the code of this one: {names}"))
        })?,
    };
    let mut reading = Reading {
        text,
        model: Model { name: name(&found), begin: found.range().start, ..Model::default() },
        known: HashMap::new(),
        seen: HashMap::new(),
        terminals: Vec::new(),
    };
    let place = place_of(text, found)?;
    reading.inside(
        found,
        &Around { path: reading.model.name.clone(), below: String::new(), place, kv: None, lies: Orientation::Horizontal },
    )?;
    reading.connect()?;
    Ok(reading.model)
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// Returns the position of an element relative to the enclosing one.
fn place_of(text: &str, node: Node) -> Result<Option<(f64, f64)>, Fault> {
    let number = |name: &str| {
        let coordinate = node.attribute((COORDINATES, name));
        let read = |coordinate: &str| coordinate.trim().parse::<f64>().ok().filter(|number| number.abs() <= FAR);
        let checked = |coordinate: &str| {
            read(coordinate).ok_or_else(|| fault(text, node, format!("{name} is {}: a number up to {FAR}", shown(coordinate))))
        };
        coordinate.map(checked).transpose()
    };
    Ok(number("x")?.zip(number("y")?))
}

struct Around {
    /// Path from the substation down.
    path: String,
    /// The path without the substation.
    below: String,
    place: Option<(f64, f64)>,
    kv: Option<Kv>,
    lies: Orientation,
}

struct Reading<'a> {
    text: &'a str,
    model: Model,
    /// Index of each net, by path.
    known: HashMap<String, usize>,
    /// Paths of devices, with the bytes at which they occur.
    seen: HashMap<String, usize>,
    /// For each device: the paths of its terminals' nodes with their bytes; `None` is earth.
    terminals: Vec<Vec<(Option<String>, usize)>>,
}

impl<'a> Reading<'a> {
    fn inside(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "VoltageLevel" => {
                    let mut level = self.named(child, around)?;
                    level.kv = self.voltage(child)?;
                    self.inside(child, &level)?;
                }
                "Bay" => {
                    let bay = self.named(child, around)?;
                    let first = self.model.nets.len();
                    let devices = self.model.devices.len();
                    self.inside(child, &bay)?;
                    // A bay that contains only connectivity nodes is a busbar.
                    if self.model.devices.len() == devices {
                        for net in &mut self.model.nets[first..] {
                            (net.is_bus, net.at, net.lies) = (true, net.at.or(bay.place), bay.lies);
                            net.bay.clone_from(&bay.below);
                            bay.below.rsplit('/').next().unwrap_or_default().clone_into(&mut net.name);
                        }
                    }
                }
                "ConnectivityNode" => self.net(child, around)?,
                "ConductingEquipment" | "GeneralEquipment" => self.equipment(child, around)?,
                "PowerTransformer" => self.transformer(child, around)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the context for the children of an element.
    fn named(&self, node: Node, around: &Around) -> Result<Around, Fault> {
        let name = node.attribute("name").filter(|name| !name.is_empty()).ok_or_else(|| fault(self.text, node, "has no name"))?;
        let path = format!("{}/{name}", around.path);
        if path.chars().count() > PATH_MAX || path.chars().any(char::is_control) {
            return Err(fault(self.text, node, format!("{}: a path of up to {PATH_MAX} characters", shown(&path))));
        }
        let below = if around.below.is_empty() { name.to_owned() } else { format!("{}/{name}", around.below) };
        let own = place_of(self.text, node)?;
        // Positions are relative to the enclosing element.
        let place = match (around.place, own) {
            (Some((x, y)), Some((dx, dy))) => Some((x + dx, y + dy)),
            (None, own) => own,
            (around, None) => around,
        };
        let lies = match node.attribute((COORDINATES, "dir")) {
            None => around.lies,
            Some("horizontal") => Orientation::Horizontal,
            Some("vertical") => Orientation::Vertical,
            Some(other) => return Err(fault(self.text, node, format!("dir is {}: horizontal or vertical", shown(other)))),
        };
        Ok(Around { path, below, place, kv: around.kv, lies })
    }

    fn voltage(&self, level: Node<'a, 'a>) -> Result<Option<Kv>, Fault> {
        let Some(voltage) = children(level, "Voltage").next() else { return Ok(None) };
        let text = voltage.text().unwrap_or_default().trim();
        let factor = match voltage.attribute("multiplier").unwrap_or_default() {
            "" => 1e-3,
            "k" => 1.0,
            "M" => 1e3,
            other => return Err(fault(self.text, voltage, format!("multiplier {}: k, M or none", shown(other)))),
        };
        let number = text.parse::<f64>().map_err(|_| fault(self.text, voltage, format!("{} is no voltage", shown(text))))?;
        Kv::try_from(number * factor).map(Some).map_err(|what| fault(self.text, voltage, format!("kV: {what}")))
    }

    fn net(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        let here = self.named(node, around)?;
        let path = node.attribute("pathName").map_or_else(|| here.path.clone(), str::to_owned);
        if path.ends_with(&format!("/{EARTH}")) {
            return Ok(());
        }
        if path.chars().count() > PATH_MAX || path.chars().any(char::is_control) {
            return Err(fault(self.text, node, format!("{}: a path of up to {PATH_MAX} characters", shown(&path))));
        }
        if self.known.insert(path.clone(), self.model.nets.len()).is_some() {
            return Err(fault(self.text, node, format!("there is a node {} already", shown(&path))));
        }
        let at = place_of(self.text, node)?.and(here.place);
        let name = node.attribute("name").unwrap_or_default().to_owned();
        self.model.nets.push(Net { path, bay: here.below, name, kv: around.kv, at, lies: around.lies, is_bus: false });
        Ok(())
    }

    fn equipment(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        let here = self.named(node, around)?;
        let word = node.attribute("type").ok_or_else(|| fault(self.text, node, format!("{} has no type", shown(&here.below))))?;
        let terminals = self.terminals(node)?;
        let connected = terminals.iter().filter(|(path, _)| path.is_some()).count();
        let kind = match word {
            "CBR" => SymbolKind::Breaker,
            "DIS" if connected < terminals.len() => SymbolKind::EarthSwitch,
            "DIS" => SymbolKind::Isolator,
            "CTR" => SymbolKind::Ct,
            "VTR" => SymbolKind::Pt,
            "SAR" => SymbolKind::Arrester,
            "FUS" | "EFUS" => SymbolKind::Fuse,
            "CAP" => SymbolKind::Capacitor,
            "REA" => SymbolKind::Reactor,
            "GEN" => SymbolKind::Generator,
            "MOT" => SymbolKind::Motor,
            "IFL" => SymbolKind::Source,
            "LIN" | "CAB" | "GIL" => SymbolKind::Feeder,
            "BAT" => SymbolKind::Battery,
            other => {
                let line = fault(self.text, node, "").line;
                let beginning = format!("line {line}: {} is of type {}, which is", shown(&here.below), shown(other));
                match connected {
                    0 | 1 => {
                        self.model.notes.push(format!("{beginning} not drawn"));
                        return Ok(());
                    }
                    // Without a symbol the line would be interrupted, and everything beyond it would be shown as dead.
                    2 => self
                        .model
                        .notes
                        .push(format!("{beginning} drawn as an isolator: what lies beyond it is known if its asset has a position")),
                    _ => return Err(fault(self.text, node, format!("{beginning} not known, and it has {connected} connected terminals"))),
                }
                SymbolKind::Isolator
            }
        };
        let item = Item { kind, name: label(node, &here), kv: around.kv, ..Item::default() };
        self.device(node, here, item, terminals)
    }

    fn transformer(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        let here = self.named(node, around)?;
        let mut terminals = Vec::new();
        for winding in children(node, "TransformerWinding") {
            terminals.extend(self.terminals(winding)?.into_iter().take(1));
        }
        let item = Item { kind: SymbolKind::Transformer, name: label(node, &here), ..Item::default() };
        self.device(node, here, item, terminals)
    }

    fn device(&mut self, node: Node, here: Around, item: Item, terminals: Vec<(Option<String>, usize)>) -> Result<(), Fault> {
        let begin = node.range().start;
        if let Some(first) = self.seen.insert(here.path.clone(), begin) {
            let line = Fault::at(self.text, first, "").line;
            return Err(fault(self.text, node, format!("{} is already on line {line}", shown(&here.below))));
        }
        let at = place_of(self.text, node)?.and(here.place);
        // Devices are vertical by default; the direction of an enclosing busbar does not apply to them.
        let lies = if node.attribute((COORDINATES, "dir")) == Some("horizontal") { Orientation::Horizontal } else { Orientation::Vertical };
        self.model.devices.push(Device { path: here.below, item, at, lies, nets: Vec::new() });
        self.terminals.push(terminals);
        Ok(())
    }

    /// Returns the nodes of an element's terminals.
    fn terminals(&self, node: Node<'a, 'a>) -> Result<Vec<(Option<String>, usize)>, Fault> {
        let terminal = |terminal: Node<'a, 'a>| {
            let path = terminal.attribute("connectivityNode");
            let earth = terminal.attribute("cNodeName") == Some(EARTH) || path.is_some_and(|path| path.ends_with(&format!("/{EARTH}")));
            match path {
                _ if earth => Ok((None, terminal.range().start)),
                Some(path) => Ok((Some(path.to_owned()), terminal.range().start)),
                None => Err(fault(self.text, terminal, "a terminal names no connectivityNode")),
            }
        };
        children(node, "Terminal").map(terminal).collect()
    }

    /// Resolves the nodes of all terminals. This is the last step, because a terminal can name a node that is defined
    /// later.
    fn connect(&mut self) -> Result<(), Fault> {
        let mut same = Vec::new();
        let mut thirds = Vec::new();
        for (device, terminals) in self.model.devices.iter_mut().zip(&self.terminals) {
            for (path, at) in terminals {
                let Some(path) = path else { continue };
                let net = *self
                    .known
                    .get(path)
                    .ok_or_else(|| Fault::at(self.text, *at, format!("there is no connectivity node {}", shown(path))))?;
                device.nets.push(net);
            }
            let most = if device.item.kind == SymbolKind::Transformer { 3 } else { 2 };
            if device.nets.len() > most {
                let at = terminals.first().map_or(0, |(_, at)| *at);
                return Err(Fault::at(
                    self.text,
                    at,
                    format!("{} has {} connected terminals, and a device of its type has {most}", shown(&device.path), device.nets.len()),
                ));
            }
            if device.item.kind == SymbolKind::Transformer {
                let kv = |net: &usize| self.model.nets[*net].kv;
                device.nets.sort_by(|a, b| kv(b).map_or(0.0, Kv::get).total_cmp(&kv(a).map_or(0.0, Kv::get)));
                if let [high, _, third] = device.nets[..] {
                    self.model.notes.push(format!("{} has three windings: it is drawn as two transformers", shown(&device.path)));
                    device.nets.truncate(2);
                    let name = format!("{} (third winding)", device.item.name);
                    thirds.push(Device {
                        path: format!("{}/third winding", device.path),
                        item: Item { name, kv: kv(&high), kv_low: kv(&third), ..device.item.clone() },
                        at: device.at.map(|(x, y)| (x + BESIDE, y)),
                        lies: device.lies,
                        nets: vec![high, third],
                    });
                }
                (device.item.kv, device.item.kv_low) = (device.nets.first().and_then(kv), device.nets.get(1).and_then(kv));
            }
            // A device in shunt needs one node; its other terminal is earthed, open, or continues the same line.
            if let ([a, b], SymbolKind::Ct | SymbolKind::Feeder | SymbolKind::Reactor) = (&device.nets[..], device.item.kind) {
                same.push((*a, *b));
            }
            if one_terminal(device.item.kind) {
                device.nets.truncate(1);
            }
        }
        self.model.devices.extend(thirds);
        self.merge(&same);
        self.buses();
        Ok(())
    }

    /// Merges nodes that no switch can separate, such as those of a current transformer. A busbar is kept.
    fn merge(&mut self, same: &[(usize, usize)]) {
        let mut stands_for: Vec<usize> = (0..self.model.nets.len()).collect();
        for (a, b) in same {
            let (a, b) = (stands_for[*a], stands_for[*b]);
            let (kept, gone) = if self.model.nets[b].is_bus { (b, a) } else { (a, b) };
            if self.model.nets[gone].is_bus && kept != gone {
                continue;
            }
            stands_for.iter_mut().filter(|net| **net == gone).for_each(|net| *net = kept);
        }
        self.model.devices.iter_mut().flat_map(|device| &mut device.nets).for_each(|net| *net = stands_for[*net]);
    }

    /// For each voltage without a busbar, makes the node with the most devices a busbar.
    fn buses(&mut self) {
        let mut hung = vec![0_usize; self.model.nets.len()];
        self.model.devices.iter().flat_map(|device| &device.nets).for_each(|net| hung[*net] += 1);
        let levels: Vec<Option<Kv>> = self.model.nets.iter().map(|net| net.kv).collect();
        for level in levels.iter().enumerate().filter(|(at, level)| !levels[..*at].contains(level)).map(|(_, level)| *level) {
            let of_level = |net: &usize| levels[*net] == level;
            if self.model.nets.iter().any(|net| net.kv == level && net.is_bus) {
                continue;
            }
            let most =
                (0..hung.len()).filter(of_level).filter(|net| hung[*net] >= 3).max_by_key(|net| (hung[*net], std::cmp::Reverse(*net)));
            if let Some(net) = most {
                self.model.nets[net].is_bus = true;
            }
        }
    }
}

/// Whether a kind of device has a single node.
pub(super) fn one_terminal(kind: SymbolKind) -> bool {
    kind.is_end() || matches!(kind, SymbolKind::EarthSwitch | SymbolKind::Ct | SymbolKind::Pt | SymbolKind::Arrester | SymbolKind::Battery)
}

fn label(node: Node, here: &Around) -> String {
    node.attribute("desc").filter(|desc| !desc.is_empty()).map_or_else(|| here.below.clone(), str::to_owned)
}
