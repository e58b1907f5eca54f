//! The substation of a file as devices and nets between them.

use std::collections::{HashMap, HashSet};

use roxmltree::Node;

use super::coordinates::{self, Own};
use crate::fault::{Fault, LineIndex, shown};
use crate::layout::{Item, SymbolKind};
use crate::schema::{Kv, Orientation};
use crate::xml::{self, fault};

/// Largest number of XML nodes in a file.
const NODES_MAX: u32 = 2_000_000;

/// Name of the node for earth.
const EARTH: &str = "grounded";
/// Largest number of characters of a path.
const PATH_MAX: usize = 200;
/// Largest number of characters of a description that is shown as a name.
const LABEL_MAX: usize = 24;

/// A substation.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub name: String,
    pub devices: Vec<Device>,
    pub nets: Vec<Net>,
    /// Notes about elements that were dropped or changed, each with its line.
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
    /// Byte in the text at which it starts.
    pub byte: usize,
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
    /// Byte in the text at which it starts.
    pub byte: usize,
}

impl Model {
    /// Returns the busbars.
    pub(super) fn buses(&self) -> impl Iterator<Item = &Net> {
        self.nets.iter().filter(|net| net.is_bus)
    }
}

/// Reads the substation with the name `wanted`, or the only one.
pub(super) fn read(text: &str, lines: &LineIndex, substation: Option<&str>) -> Result<Model, Fault> {
    let document = xml::parse(text, NODES_MAX)?;
    let root = document.root_element();
    if root.tag_name().name() != "SCL" {
        return Err(fault(text, root, format!("{}: an SCL file begins with SCL", shown(root.tag_name().name()))));
    }
    let all: Vec<Node> = children(root, "Substation").collect();
    let name = |node: &Node| node.attribute("name").unwrap_or_default().to_owned();
    let found = match &all[..] {
        [] => return Err(fault(text, root, "there is no Substation in it: export the substation section too (an SSD or SCD file)")),
        [one] => *one,
        several => *several.iter().find(|node| substation.is_some_and(|substation| name(node) == substation)).ok_or_else(|| {
            let names = several.iter().map(|node| shown(&name(node))).take(20).collect::<Vec<_>>().join(", ");
            fault(text, root, format!("there are several substations, and none has the requested name: name one of {names} with --name"))
        })?,
    };
    let mut reading = Reading {
        text,
        lines,
        model: Model { name: name(&found), begin: found.range().start, ..Model::default() },
        levels: HashMap::new(),
        known: HashMap::new(),
        seen: HashMap::new(),
        terminals: Vec::new(),
    };
    let begin = Around { path: reading.model.name.clone(), lies: Orientation::Horizontal, ..Around::default() };
    let around = reading.around(found, &begin, begin.path.clone(), String::new());
    reading.inside(found, &around)?;
    for other in root.children().filter(|node| matches!(node.tag_name().name(), "Line" | "Process")) {
        let what = format!("{} {} belongs to no substation and is not drawn", other.tag_name().name(), shown(&name(&other)));
        reading.note(other.range().start, what);
    }
    reading.connect()?;
    Ok(reading.model)
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

#[derive(Default)]
struct Around {
    /// Path from the substation down.
    path: String,
    /// The path without the substation.
    below: String,
    place: Option<(f64, f64)>,
    /// Whether the element itself has coordinates.
    is_placed: bool,
    /// Whether the coordinates of an enclosing element cannot be used. Then the coordinates of the elements inside have
    /// no meaning.
    is_lost: bool,
    kv: Option<Kv>,
    lies: Orientation,
    /// The orientation that the element itself has.
    direction: Option<Orientation>,
}

impl Around {
    fn at(&self) -> Option<(f64, f64)> {
        self.place.filter(|_| self.is_placed && !self.is_lost)
    }
}

/// A terminal, with the byte at which it starts.
struct Terminal {
    end: End,
    byte: usize,
}

/// What a terminal is connected to.
enum End {
    Earth,
    /// The path of a connectivity node.
    Node(String),
    /// Nothing.
    Open,
}

struct Reading<'a> {
    text: &'a str,
    lines: &'a LineIndex,
    model: Model,
    /// The voltage of each voltage level, by path.
    levels: HashMap<String, Option<Kv>>,
    /// Index of each net, by path.
    known: HashMap<String, usize>,
    /// Paths of devices, with the bytes at which they occur.
    seen: HashMap<String, usize>,
    /// The terminals of each device.
    terminals: Vec<Vec<Terminal>>,
}

impl<'a> Reading<'a> {
    fn note(&mut self, byte: usize, what: impl std::fmt::Display) {
        self.model.notes.push(self.lines.finding(byte, what));
    }

    fn inside(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "VoltageLevel" => {
                    let mut level = self.named(child, around)?;
                    level.kv = self.voltage(child);
                    self.levels.insert(level.path.clone(), level.kv);
                    self.inside(child, &level)?;
                }
                "Bay" => self.bay(child, around)?,
                "ConnectivityNode" => self.net(child, around)?,
                "ConductingEquipment" | "GeneralEquipment" => self.equipment(child, around)?,
                "PowerTransformer" => self.transformer(child, around)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn bay(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        let bay = self.named(node, around)?;
        let first = self.model.nets.len();
        let devices = self.model.devices.len();
        self.inside(node, &bay)?;
        // A bay that contains only connectivity nodes is a busbar.
        if self.model.devices.len() == devices {
            let own = bay.below.rsplit('/').next().unwrap_or_default().to_owned();
            let nets = &mut self.model.nets[first..];
            let is_alone = nets.len() == 1;
            for net in nets {
                (net.is_bus, net.at, net.lies) = (true, net.at.or(bay.place.filter(|_| !bay.is_lost)), bay.lies);
                net.bay = if is_alone { bay.below.clone() } else { format!("{}/{}", bay.below, net.name) };
                net.name = if is_alone { own.clone() } else { format!("{own} {}", net.name) };
            }
        }
        Ok(())
    }

    /// Returns the context for the children of an element.
    fn named(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<Around, Fault> {
        let named = node.attribute("name").filter(|name| !name.is_empty()).map(str::to_owned);
        let name = named.unwrap_or_else(|| {
            let tag = node.tag_name().name();
            let number = node.prev_siblings().filter(|other| other.tag_name().name() == tag).count();
            let name = format!("{tag} {number}");
            self.note(node.range().start, format!("a {tag} has no name and is called {}", shown(&name)));
            name
        });
        let path = format!("{}/{name}", around.path);
        if path.chars().count() > PATH_MAX || path.chars().any(char::is_control) {
            return Err(fault(self.text, node, format!("{}: a path of up to {PATH_MAX} characters: shorten a name in it", shown(&path))));
        }
        let below = if around.below.is_empty() { name } else { format!("{}/{name}", around.below) };
        Ok(self.around(node, around, path, below))
    }

    /// Reads the coordinates of an element, which are relative to those of the enclosing one.
    fn around(&mut self, node: Node<'a, 'a>, around: &Around, path: String, below: String) -> Around {
        let name = if below.is_empty() { path.clone() } else { below.clone() };
        let mut report = |what: String| self.model.notes.push(self.lines.finding(node.range().start, format!("{} {what}", shown(&name))));
        let own = coordinates::place(node, &mut report);
        let direction = coordinates::direction(node, &mut report);
        let (place, is_lost) = match (around.place, own) {
            (Some((x, y)), Own::At(dx, dy)) => (Some((x + dx, y + dy)), around.is_lost),
            (None, Own::At(x, y)) => (Some((x, y)), around.is_lost),
            (around_place, Own::Absent) => (around_place, around.is_lost),
            (_, Own::Unusable) => (None, true),
        };
        let lies = direction.unwrap_or(around.lies);
        Around { path, below, place, is_placed: matches!(own, Own::At(..)), is_lost, kv: around.kv, lies, direction }
    }

    fn voltage(&mut self, level: Node<'a, 'a>) -> Option<Kv> {
        let voltage = children(level, "Voltage").next()?;
        let text = voltage.text().unwrap_or_default().trim();
        let factor = match voltage.attribute("multiplier").unwrap_or_default() {
            "m" => Some(1e-6),
            "" => Some(1e-3),
            "k" => Some(1.0),
            "M" => Some(1e3),
            _ => None,
        };
        let number = text.parse::<f64>().ok().zip(factor).and_then(|(number, factor)| Kv::try_from(number * factor).ok());
        if number.is_none() {
            let multiplier = voltage.attribute("multiplier").unwrap_or_default();
            let what = format!("{} with multiplier {} is no voltage: the level is drawn without one", shown(text), shown(multiplier));
            self.note(voltage.range().start, what);
        }
        number
    }

    fn net(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        let here = self.named(node, around)?;
        let path = node.attribute("pathName").map_or_else(|| here.path.clone(), str::to_owned);
        if path.ends_with(&format!("/{EARTH}")) {
            return Ok(());
        }
        if path.chars().count() > PATH_MAX || path.chars().any(char::is_control) {
            return Err(fault(self.text, node, format!("{}: a path of up to {PATH_MAX} characters: shorten a name in it", shown(&path))));
        }
        if let Some(first) = self.known.get(&path) {
            let line = self.lines.line(self.model.nets[*first].byte);
            self.note(node.range().start, format!("there is a node {} already, on line {line}: they are one", shown(&path)));
            return Ok(());
        }
        self.known.insert(path.clone(), self.model.nets.len());
        let name = node.attribute("name").unwrap_or_default().to_owned();
        let (at, byte) = (here.at(), node.range().start);
        self.model.nets.push(Net { path, bay: here.below, name, kv: around.kv, at, lies: around.lies, is_bus: false, byte });
        Ok(())
    }

    fn equipment(&mut self, node: Node<'a, 'a>, around: &Around) -> Result<(), Fault> {
        let here = self.named(node, around)?;
        let terminals = self.terminals(node, &here);
        let word = node.attribute("type").unwrap_or_default();
        let has_earth = terminals.iter().any(|terminal| matches!(terminal.end, End::Earth));
        let kind = match word {
            "CBR" => SymbolKind::Breaker,
            "DIS" if has_earth => SymbolKind::EarthSwitch,
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
                let beginning = format!("{} is of type {}, which is", shown(&here.below), shown(other));
                match connected(&terminals) {
                    0 | 1 => {
                        self.note(node.range().start, format!("{beginning} not drawn"));
                        return Ok(());
                    }
                    // Without a symbol the line would be interrupted, and everything beyond it would be shown as dead.
                    2 => self.note(
                        node.range().start,
                        format!("{beginning} drawn as an isolator: what lies beyond it is known if its asset has a position"),
                    ),
                    many => {
                        let what =
                            format!("{beginning} not known, and it has {many} connected terminals: give it a known type, or remove it");
                        return Err(fault(self.text, node, what));
                    }
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
            let name = format!("{}/{}", here.below, winding.attribute("name").unwrap_or_default());
            // The second terminal of a winding is its neutral point, which is earthed or open.
            let mut own = self.terminals(winding, &here).into_iter();
            if let Some(first) = own.next() {
                terminals.push(first);
            } else {
                let byte = winding.range().start;
                self.note(byte, format!("{} has no terminal: this winding is drawn open", shown(&name)));
                terminals.push(Terminal { end: End::Open, byte });
            }
            for other in own.filter(|other| matches!(other.end, End::Node(_))) {
                self.note(other.byte, format!("{} has another connected terminal, which is not drawn", shown(&name)));
            }
        }
        let item = Item { kind: SymbolKind::Transformer, name: label(node, &here), ..Item::default() };
        self.device(node, here, item, terminals)
    }

    fn device(&mut self, node: Node, here: Around, item: Item, terminals: Vec<Terminal>) -> Result<(), Fault> {
        let byte = node.range().start;
        if let Some(first) = self.seen.insert(here.path.clone(), byte) {
            let line = self.lines.line(first);
            return Err(fault(self.text, node, format!("{} is already on line {line}: give one another name", shown(&here.below))));
        }
        // Devices are vertical by default; the direction of an enclosing busbar does not apply to them.
        let (at, lies) = (here.at(), here.direction.unwrap_or(Orientation::Vertical));
        self.model.devices.push(Device { path: here.below, item, at, lies, nets: Vec::new(), byte });
        self.terminals.push(terminals);
        Ok(())
    }

    /// Returns the terminals of an element.
    fn terminals(&mut self, node: Node<'a, 'a>, here: &Around) -> Vec<Terminal> {
        let mut terminals = Vec::new();
        for terminal in children(node, "Terminal") {
            let byte = terminal.range().start;
            let parts = ["substationName", "voltageLevelName", "bayName", "cNodeName"].map(|name| terminal.attribute(name));
            let by_parts = || parts.into_iter().collect::<Option<Vec<&str>>>().map(|parts| parts.join("/"));
            let path = terminal.attribute("connectivityNode").filter(|path| !path.is_empty()).map(str::to_owned).or_else(by_parts);
            let is_earth = parts[3] == Some(EARTH) || path.as_ref().is_some_and(|path| path.ends_with(&format!("/{EARTH}")));
            let end = match path {
                _ if is_earth => End::Earth,
                Some(path) if path.chars().count() <= PATH_MAX && !path.chars().any(char::is_control) => End::Node(path),
                _ => {
                    self.note(byte, format!("a terminal of {} names no connectivityNode and is drawn open", shown(&here.below)));
                    End::Open
                }
            };
            terminals.push(Terminal { end, byte });
        }
        terminals
    }

    /// Resolves the nodes of all terminals. This is the last step, because a terminal can name a node that is defined
    /// later.
    fn connect(&mut self) -> Result<(), Fault> {
        let mut same = Vec::new();
        let all = std::mem::take(&mut self.terminals);
        for (at, terminals) in all.iter().enumerate() {
            let kind = self.model.devices[at].item.kind;
            let mut nets = Vec::new();
            for terminal in terminals {
                match &terminal.end {
                    End::Node(path) => nets.push(self.net_of(at, path, terminal.byte)),
                    End::Open if kind == SymbolKind::Transformer => nets.push(self.open_net(at, nets.len())),
                    End::Earth | End::Open => {}
                }
            }
            // A device can have a terminal for each phase.
            if kind != SymbolKind::Transformer && nets.len() > 2 {
                nets.dedup();
            }
            let most = if kind == SymbolKind::Transformer { 3 } else { 2 };
            if nets.len() > most {
                let device = &self.model.devices[at];
                let what = format!(
                    "{} has {} connected terminals, and a device of its type has {most}: divide it into several",
                    shown(&device.path),
                    nets.len()
                );
                return Err(Fault::at(self.text, device.byte, what));
            }
            self.model.devices[at].nets = nets;
            // A device in shunt needs one node; its other terminal is earthed, open, or continues the same line.
            if let ([a, b], true) = (&self.model.devices[at].nets[..], continues_line(kind)) {
                same.push((*a, *b));
            }
            if one_terminal(kind) {
                self.model.devices[at].nets.truncate(1);
            } else if !self.model.devices[at].nets.is_empty() || kind == SymbolKind::Transformer {
                while self.model.devices[at].nets.len() < 2 {
                    let net = self.open_net(at, self.model.devices[at].nets.len());
                    self.model.devices[at].nets.push(net);
                }
            }
        }
        self.merge(&same);
        self.windings();
        self.drop_shorted();
        self.buses();
        Ok(())
    }

    /// Returns the net of a path. A node that is named only by terminals still connects these terminals.
    fn net_of(&mut self, device: usize, path: &str, byte: usize) -> usize {
        if let Some(net) = self.known.get(path) {
            return *net;
        }
        let whose = shown(&self.model.devices[device].path);
        self.note(byte, format!("there is no connectivity node {}: it is added for {whose}", shown(path)));
        let level = path.match_indices('/').nth(1).and_then(|(end, _)| self.levels.get(&path[..end]).copied());
        let kv = level.unwrap_or(self.model.devices[device].item.kv);
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        self.add_net(path.to_owned(), name, kv, byte)
    }

    /// Adds a net for a terminal that is connected to nothing.
    fn open_net(&mut self, device: usize, terminal: usize) -> usize {
        let device = &self.model.devices[device];
        let (path, kv, byte) = (format!("open {terminal} {}", device.path), device.item.kv, device.byte);
        self.add_net(path, String::new(), kv, byte)
    }

    fn add_net(&mut self, path: String, name: String, kv: Option<Kv>, byte: usize) -> usize {
        let net = self.model.nets.len();
        self.known.insert(path.clone(), net);
        let (bay, lies) = (String::new(), Orientation::Horizontal);
        self.model.nets.push(Net { path, bay, name, kv, at: None, lies, is_bus: false, byte });
        net
    }

    /// Merges nodes that no switch can separate, such as the two nodes of a current transformer. A busbar is kept.
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

    /// Sorts the windings of transformers by voltage and sets their voltages.
    fn windings(&mut self) {
        let Model { devices, nets, .. } = &mut self.model;
        for device in devices.iter_mut().filter(|device| device.item.kind == SymbolKind::Transformer) {
            let kv = |net: &usize| nets[*net].kv;
            device.nets.sort_by(|a, b| kv(b).map_or(0.0, Kv::get).total_cmp(&kv(a).map_or(0.0, Kv::get)));
            let of = |winding: usize| device.nets.get(winding).and_then(kv);
            (device.item.kv, device.item.kv_low, device.item.kv_tertiary) = (of(0), of(1), of(2));
        }
    }

    /// Removes devices with two terminals on one node. Such a device separates nothing, and a drawing that contains one
    /// is refused.
    fn drop_shorted(&mut self) {
        let Model { devices, notes, .. } = &mut self.model;
        devices.retain(|device| {
            let distinct: HashSet<&usize> = device.nets.iter().collect();
            let is_good = distinct.len() == device.nets.len();
            if !is_good {
                let what = format!("{} has two of its terminals on one node and is not drawn", shown(&device.path));
                notes.push(self.lines.finding(device.byte, what));
            }
            is_good
        });
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

fn connected(terminals: &[Terminal]) -> usize {
    terminals.iter().filter(|terminal| matches!(terminal.end, End::Node(_))).count()
}

/// Whether a line continues behind a device of this kind, although its symbol has only one terminal.
fn continues_line(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Ct | SymbolKind::Feeder | SymbolKind::Reactor | SymbolKind::Capacitor)
}

/// Whether a kind of device has a single node.
pub(super) fn one_terminal(kind: SymbolKind) -> bool {
    kind.is_end() || matches!(kind, SymbolKind::EarthSwitch | SymbolKind::Ct | SymbolKind::Pt | SymbolKind::Arrester | SymbolKind::Battery)
}

/// Returns the name of a device for users: a short description, or bay and name.
fn label(node: Node, here: &Around) -> String {
    let short = node.attribute("desc").filter(|desc| !desc.is_empty() && desc.chars().count() <= LABEL_MAX);
    short.map_or_else(
        || {
            let parts: Vec<&str> = here.below.split('/').collect();
            parts[parts.len().saturating_sub(2)..].join(" ")
        },
        str::to_owned,
    )
}
