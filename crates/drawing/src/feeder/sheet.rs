//! Writes the layout of a feeder as a drawing.

use std::collections::{HashMap, HashSet};

use network::description::{ContainerKind, Electrical, Measurement, POSITION};
use network::{Description, EquipmentKind};

use super::block::{Axis, Block, Drawn, Item, Spot};
use super::graph::Graph;
use super::names::{Beyond, busbar_name, name_of};
use crate::schema::{
    Address, Breaker, Busbar, Capacitor, Category, Continuation, Coordinate, Element, EquipmentRef, Extent, File, Fuse, Generator, Id,
    Inverter, Isolator, Kilowatts, Kv, Label, Line, Load, LoadBreakSwitch, Name, Nodes, NormalPosition, Orientation, Path, Position,
    Rating, Reactor, Recloser, Rows, Sectionaliser, Size, Source, Switch, TextSide, Transformer, ValueRow, Values,
};

/// Space around the drawing.
const MARGIN: f64 = 24.0;
/// Measured values that are shown beside a breaker, by the codes of their points.
const SHOWN: [&str; 3] = ["Ir", "P", "Q"];

/// The positions of the measurements that a drawing shows, in the order of the ids of their equipment.
#[derive(Debug)]
pub(super) struct MeasurementOrder(Vec<u32>);

impl MeasurementOrder {
    pub(super) fn new(network: &Description) -> Self {
        let is_shown = |of: &Measurement| address(of).is_some() && (of.quantity == POSITION || SHOWN.contains(&of.quantity.as_str()));
        let shown = (0..).zip(&network.measurements).filter(|(_, measurement)| is_shown(measurement)).map(|(at, _)| at);
        let mut shown: Vec<u32> = shown.collect();
        shown.sort_by_key(|at| network.measurements[*at as usize].equipment.as_str());
        Self(shown)
    }
}

/// Returns the address of a point without its gateway, because a drawing does not contain gateways.
fn address(measurement: &Measurement) -> Option<&str> {
    measurement.point.as_deref()?.split_once('/').map(|(_, address)| address)
}

/// The points of equipment.
pub(super) struct Points<'a> {
    network: &'a Description,
    order: &'a [u32],
}

impl<'a> Points<'a> {
    pub(super) fn new(network: &'a Description, order: &'a MeasurementOrder) -> Self {
        Self { network, order: &order.0 }
    }

    /// Returns the measurements of a piece of equipment, in the order of the network.
    fn of(&self, equipment: &str) -> impl DoubleEndedIterator<Item = &'a Measurement> {
        let network = self.network;
        let at = |at: &u32| &network.measurements[*at as usize];
        let start = self.order.partition_point(|of| at(of).equipment.as_str() < equipment);
        let count = self.order[start..].partition_point(|of| at(of).equipment == equipment);
        self.order[start..start + count].iter().map(move |of| &network.measurements[*of as usize])
    }

    pub(super) fn has_values(&self, equipment: &str) -> bool {
        self.of(equipment).any(|measurement| measurement.quantity != POSITION)
    }

    fn position(&self, equipment: &str) -> Option<Position> {
        let point = self.of(equipment).rev().find(|measurement| measurement.quantity == POSITION).and_then(address)?;
        let point = Address::try_from(point).ok()?;
        Some(Position { point, double_point: None, zeros_color: None, ones_color: None })
    }

    fn rows(&self, equipment: &str) -> Rows {
        let of = |code: &&str| self.of(equipment).find(|measurement| measurement.quantity == **code);
        let row = |measurement: &Measurement| {
            Some(ValueRow { point: Address::try_from(address(measurement)?).ok()?, unit: None, decimals: None })
        };
        Rows(SHOWN.iter().filter_map(of).filter_map(row).collect())
    }
}

/// The sets of nodes of the network that are one node of the drawing, because lines connect them.
struct Joined(HashMap<usize, usize>);

impl Joined {
    fn new(graph: &Graph<'_>, block: &Block) -> Self {
        let mut joined = Self(HashMap::new());
        for item in &block.items {
            let Drawn::Wire { equipment: Some(line), .. } = &item.drawn else { continue };
            if let [a, b] = graph.ends[*line].as_slice() {
                let (a, b) = (joined.root(*a), joined.root(*b));
                if a != b {
                    joined.0.insert(a, b);
                }
            }
        }
        joined
    }

    fn root(&self, node: usize) -> usize {
        let mut at = node;
        while let Some(next) = self.0.get(&at) {
            at = *next;
        }
        at
    }
}

struct Sheet<'a> {
    graph: &'a Graph<'a>,
    points: &'a Points<'a>,
    joined: Joined,
    /// Nodes that are drawn at more than one place.
    named: HashSet<usize>,
    ids: HashSet<String>,
    elements: Vec<Element>,
}

/// Writes a layout as a drawing. Also returns, for each element, its node in the network.
pub(super) fn write(graph: &Graph<'_>, points: &Points<'_>, block: &Block, name: &str) -> (File, Vec<String>) {
    let bounds = block
        .taken
        .iter()
        .fold([0.0_f64; 4], |all, area| [all[0].min(area[0]), all[1].min(area[1]), all[2].max(area[2]), all[3].max(area[3])]);
    let (dx, dy) = ((MARGIN - bounds[0]).ceil(), (MARGIN - bounds[1]).ceil());
    let joined = Joined::new(graph, block);
    let mut ends: HashMap<usize, usize> = HashMap::new();
    for item in &block.items {
        if let Drawn::End { beyond, .. } = &item.drawn {
            *ends.entry(joined.root(beyond.node)).or_default() += if beyond.is_inside { 2 } else { 1 };
        }
    }
    let named = ends.into_iter().filter(|(_, count)| *count > 1).map(|(node, _)| node).collect();
    let mut sheet = Sheet { graph, points, joined, named, ids: HashSet::new(), elements: Vec::new() };
    for item in &block.items {
        sheet.write(item, [item.at[0] + dx, item.at[1] + dy]);
    }
    let mut file = File::new(Name::shortened(name), sheet.elements);
    let (width, height) = (bounds[2] + dx + MARGIN, bounds[3] + dy + MARGIN);
    file.size = Size { width: Extent::nearest(width.ceil()), height: Extent::nearest(height.ceil()) };
    let nodes =
        block.items.iter().map(|item| node_of(graph, &item.drawn).map_or_else(String::new, |node| graph.network.nodes[node].id.clone()));
    let nodes = nodes.collect();
    (file, nodes)
}

/// Returns the id of the substation that each element belongs to.
pub(super) fn stations(graph: &Graph<'_>, block: &Block) -> Vec<Option<String>> {
    let of_equipment = |of: usize| graph.inside(graph.equipment(of).container.as_deref(), ContainerKind::Substation);
    let of_node = |node: usize| {
        let own = graph.inside(graph.container_of_node(node), ContainerKind::Substation);
        own.or_else(|| graph.at[node].iter().find_map(|equipment| of_equipment(*equipment)))
    };
    let station_of = |drawn: &Drawn| match drawn {
        Drawn::Symbol { equipment, .. }
        | Drawn::Hanging { equipment, .. }
        | Drawn::Consumer { equipment, .. }
        | Drawn::Values { equipment } => of_equipment(*equipment),
        Drawn::Bar { equipment, node, .. } | Drawn::Wire { equipment, node, .. } => equipment.map_or_else(|| of_node(*node), of_equipment),
        Drawn::LowVoltage(sum) => sum.transformer.and_then(of_equipment),
        Drawn::End { beyond, .. } => beyond.station,
    };
    let id = |station: usize| graph.network.containers[station].id.clone();
    block.items.iter().map(|item| station_of(&item.drawn).map(id)).collect()
}

fn node_of(graph: &Graph<'_>, drawn: &Drawn) -> Option<usize> {
    match drawn {
        Drawn::Symbol { from, .. } | Drawn::Hanging { from, .. } => Some(*from),
        Drawn::Bar { node, .. } | Drawn::Wire { node, .. } => Some(*node),
        Drawn::Consumer { equipment, .. } => graph.ends[*equipment].first().copied(),
        Drawn::End { beyond, .. } => Some(beyond.node),
        Drawn::LowVoltage(_) | Drawn::Values { .. } => None,
    }
}

/// Sets fields of an element that most symbols have.
macro_rules! symbol {
    ($type:ident, $id:expr, $at:expr, $common:expr $(, $field:ident: $value:expr)*) => {{
        let mut element = $type::new($id, $at[0], $at[1]);
        let common: Common = $common;
        element.kv = common.kv;
        element.equipment = common.equipment;
        element.name = Some(common.name);
        $(element.$field = $value;)*
        element.into()
    }};
}

struct Common {
    kv: Option<Kv>,
    equipment: Option<EquipmentRef>,
    name: Name,
}

impl Sheet<'_> {
    /// Returns an id that no other element has. If possible, it is the id of the equipment.
    fn id(&mut self, equipment: Option<&str>) -> Id {
        let own = equipment.and_then(|id| Id::try_from(id).ok()).filter(|id| !self.ids.contains(id.as_str()));
        let numbered = (self.elements.len() + 1..=self.elements.len() + self.ids.len() + 1)
            .map(|number| format!("#{number}"))
            .find(|id| !self.ids.contains(id));
        let id = own.or_else(|| Id::try_from(numbered?).ok()).expect("a sign and a number");
        self.ids.insert(id.as_str().to_owned());
        id
    }

    fn kv(&self, node: usize) -> Option<Kv> {
        self.graph.kv(node).and_then(|kv| Kv::try_from(kv).ok())
    }

    fn common(&self, equipment: usize, node: usize) -> Common {
        let of = self.graph.equipment(equipment);
        let name = Name::shortened(&name_of(self.graph, of));
        Common { kv: self.kv(node), equipment: EquipmentRef::try_from(of.id.as_str()).ok(), name }
    }

    fn write(&mut self, item: &Item, at: Spot) {
        let element = match &item.drawn {
            Drawn::Symbol { equipment, axis, from } => self.symbol(*equipment, *axis, *from, at),
            Drawn::Hanging { equipment, from, customers } => {
                let mut element = self.transformer(*equipment, Axis::Down, *from, at);
                element.customers = Some(*customers);
                element.into()
            }
            Drawn::Consumer { equipment, has_text } => {
                let node = self.graph.ends[*equipment].first().copied().unwrap_or_default();
                let (customers, kw) = match &self.graph.equipment(*equipment).electrical {
                    Electrical::Consumer(consumed) => (consumed.customers, consumed.kw),
                    _ => (0, 0.0),
                };
                let side = (!has_text).then_some(TextSide::Hidden);
                let id = self.id(Some(&self.graph.equipment(*equipment).id));
                let kw = Some(Kilowatts::nearest(kw));
                symbol!(Load, id, at, self.common(*equipment, node), customers: Some(customers), kw: kw, text_side: side)
            }
            Drawn::LowVoltage(sum) => {
                let mut element = Load::new(self.id(None), at[0], at[1]);
                (element.customers, element.kw) = (Some(sum.customers), Some(Kilowatts::nearest(sum.kw)));
                element.text_side = Some(TextSide::Hidden);
                element.into()
            }
            Drawn::Bar { equipment, node, to } => self.busbar(*equipment, *node, at, *to),
            Drawn::Wire { equipment, node, path } => self.line(*equipment, *node, at, path),
            Drawn::End { beyond, axis } => self.end(beyond, *axis, at),
            Drawn::Values { equipment } => {
                let rows = self.points.rows(&self.graph.equipment(*equipment).id);
                Values::new(self.id(None), at[0], at[1], rows).into()
            }
        };
        self.elements.push(element);
    }

    fn symbol(&mut self, equipment: usize, axis: Axis, from: usize, at: Spot) -> Element {
        let of = self.graph.equipment(equipment);
        let id = self.id(Some(&of.id));
        let common = self.common(equipment, from);
        let orientation = (axis == Axis::Across).then_some(Orientation::Horizontal);
        let position = self.points.position(&of.id);
        let normal = Some(if self.graph.is_open(equipment) { NormalPosition::Open } else { NormalPosition::Closed });
        macro_rules! switch {
            ($type:ident) => {
                symbol!($type, id, at, common, orientation: orientation, position: position, normal: normal)
            };
        }
        match of.kind {
            EquipmentKind::Breaker => switch!(Breaker),
            EquipmentKind::Disconnector => switch!(Isolator),
            EquipmentKind::LoadBreakSwitch => switch!(LoadBreakSwitch),
            EquipmentKind::Fuse => switch!(Fuse),
            EquipmentKind::Recloser => switch!(Recloser),
            EquipmentKind::Sectionaliser => switch!(Sectionaliser),
            EquipmentKind::GroundDisconnector => {
                let category = Some(Category::EarthSwitchDown);
                symbol!(Isolator, id, at, common, category: category, position: position, normal: normal)
            }
            EquipmentKind::PowerTransformer => {
                self.ids.remove(id.as_str());
                self.transformer(equipment, axis, from, at).into()
            }
            EquipmentKind::ShuntCompensator => match of.electrical {
                Electrical::Shunt(shunt) if shunt.b_s < 0.0 => symbol!(Reactor, id, at, common),
                _ => symbol!(Capacitor, id, at, common),
            },
            EquipmentKind::EnergySource => symbol!(Source, id, at, common),
            EquipmentKind::GeneratingUnit => symbol!(Generator, id, at, common),
            EquipmentKind::BatteryUnit | EquipmentKind::InverterUnit => {
                let rated = match &of.electrical {
                    Electrical::Generator(generation) => generation.rated_kva,
                    _ => None,
                };
                symbol!(Inverter, id, at, common, mva: rated.map(|kva| Rating::nearest(kva / 1_000.0)))
            }
            _ => switch!(Switch),
        }
    }

    fn transformer(&mut self, equipment: usize, axis: Axis, from: usize, at: Spot) -> Transformer {
        let of = self.graph.equipment(equipment);
        let mut element = Transformer::new(self.id(Some(&of.id)), at[0], at[1]);
        let common = self.common(equipment, from);
        (element.equipment, element.name) = (common.equipment, Some(common.name));
        element.orientation = (axis == Axis::Across).then_some(Orientation::Horizontal);
        element.text_side = Some(TextSide::Below);
        let others: Vec<Option<Kv>> = self.graph.others(equipment, from).into_iter().map(|node| self.kv(node)).collect();
        element.kv_high = common.kv;
        element.kv_low = others.first().copied().flatten();
        // A third winding is drawn with a voltage; without one in the network, that of the second counts.
        element.kv_tertiary = others.get(1).map(|kv| kv.or(element.kv_low).unwrap_or(Kv::nearest(1.0)));
        if let Electrical::Transformer(transformer) = &of.electrical {
            element.mva = transformer.ends.iter().find_map(|end| end.rated_kva).map(|kva| Rating::nearest(kva / 1_000.0));
        }
        element
    }

    fn node_name(&self, node: usize) -> Option<Nodes> {
        let node = self.joined.root(node);
        let id = self.graph.network.nodes[node].id.as_str();
        self.named.contains(&node).then(|| Nodes::named(&[id])).flatten()
    }

    fn busbar(&mut self, equipment: Option<usize>, node: usize, at: Spot, to: Spot) -> Element {
        let of = equipment.map(|equipment| self.graph.equipment(equipment));
        let [x1, y1, x2, y2] = [at[0], at[1], at[0] + to[0], at[1] + to[1]].map(Coordinate::nearest);
        // Busbars of ring-main units lie among other names.
        let is_station = to[0].abs() < 1.0;
        let name = is_station.then(|| Name::shortened(&busbar_name(self.graph, node)));
        let id = self.id(of.map(|of| of.id.as_str()));
        let equipment = of.and_then(|of| EquipmentRef::try_from(of.id.as_str()).ok());
        Busbar { id, x1, y1, x2, y2, kv: self.kv(node), asset: None, equipment, name, nodes: self.node_name(node) }.into()
    }

    fn line(&mut self, equipment: Option<usize>, node: usize, at: Spot, path: &[Spot]) -> Element {
        let of = equipment.map(|equipment| self.graph.equipment(equipment));
        let places: Vec<Spot> = path.iter().map(|[x, y]| [x + at[0], y + at[1]]).collect();
        let id = self.id(of.map(|of| of.id.as_str()));
        let equipment = of.and_then(|of| EquipmentRef::try_from(of.id.as_str()).ok());
        let name = of.map(|of| Name::shortened(&name_of(self.graph, of)));
        Line { id, path: Path::through(&places), kv: self.kv(node), asset: None, equipment, name, nodes: None }.into()
    }

    fn end(&mut self, beyond: &Beyond, axis: Axis, at: Spot) -> Element {
        let mut element = Continuation::new(self.id(None), at[0], at[1]);
        element.orientation = (axis == Axis::Across).then_some(Orientation::Horizontal);
        element.kv = self.kv(beyond.node);
        element.name = (!beyond.name.is_empty()).then(|| Name::shortened(&beyond.name));
        element.label = (!beyond.label.is_empty()).then(|| Label::shortened(&beyond.label));
        element.nodes = self.node_name(beyond.node);
        element.into()
    }
}
