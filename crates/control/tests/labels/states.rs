//! Random states of the demo's network, and operations in them. The same seed gives the same states.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use grid::NodeId;
use network::description::Electrical;
use network::{Description, EquipmentKind};
use serde_json::{Value, json};

use crate::POSITION_AGE_S;
use crate::utility::Utility;

const SEED: u64 = 26;
pub(crate) const STATES: usize = 100;
pub(crate) const OPERATIONS: usize = 20;
/// Bays where something is not as in the normal state. Most operations, unknown positions and portable earths are there.
const MOVED_BAYS: usize = 9;
/// Ages of entered positions, s: newer and older than the reports of positions, and older than measured voltages.
const ENTRY_AGES_S: [i64; 2] = [5, 20];

/// What a point reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Report {
    pub(crate) value: f64,
    pub(crate) is_good: bool,
}

/// An inhibit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inhibit {
    /// Of a switch.
    Switch(String),
    /// Of the bay of a feeder, by the name of its asset.
    Feeder { asset: String, station: String, device: String },
}

/// A position that a user has entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entered {
    pub(crate) is_closed: bool,
    /// Whether it counts until it is withdrawn; otherwise until a newer report.
    pub(crate) is_until_withdrawn: bool,
    pub(crate) age_s: i64,
}

/// Who holds an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// The desk of the user.
    Own,
    /// Another desk.
    Other,
    Nobody,
}

/// The areas of responsibility: one with a part of the hierarchy, one with a container of the network, and the rest.
#[derive(Debug, Clone)]
pub(crate) struct Areas {
    pub(crate) node: (NodeId, Holder),
    pub(crate) container: (String, Holder),
    pub(crate) rest: Holder,
}

/// An operation. Without areas, the desk of the user holds everything.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) switch: String,
    pub(crate) closes: bool,
    pub(crate) areas: Option<Areas>,
}

/// A state of the network, with operations.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// By the names of the points.
    pub(crate) reports: BTreeMap<String, Report>,
    /// Positions that users have entered.
    pub(crate) entered: BTreeMap<String, Entered>,
    /// Nodes, by the numbers of the earths.
    pub(crate) portable_earths: BTreeMap<i64, String>,
    /// Switches with a command that was sent.
    pub(crate) commanded: BTreeSet<String>,
    pub(crate) inhibits: Vec<Inhibit>,
    /// Switches that check synchronism themselves.
    pub(crate) synchronism_checked: BTreeSet<String>,
    pub(crate) operations: Vec<Case>,
}

/// A switch or an earth switch of the network.
struct Switch {
    id: String,
    kind: EquipmentKind,
    is_normally_open: bool,
    /// The name of the point of its position, its bay, and whether the point is a double point.
    point: Option<(String, String, bool)>,
}

impl Switch {
    fn bay(&self) -> Option<&str> {
        self.point.as_ref().map(|(_, bay, _)| bay.as_str())
    }

    fn is_earth(&self) -> bool {
        self.kind == EquipmentKind::GroundDisconnector
    }
}

/// The parts of the network from which states are drawn.
pub(crate) struct Drawn<'a> {
    utility: &'a Utility,
    network: &'a Description,
    switches: Vec<Switch>,
    /// The names of the points of the voltages of each source, with the nominal voltage, kV.
    sources: Vec<(Vec<String>, f64)>,
    /// The same of lines that are no sources.
    lines: Vec<(Vec<String>, f64)>,
    /// The bays of the incoming lines of sources.
    source_bays: BTreeSet<String>,
    /// The nodes of the hierarchy, as parts of areas.
    nodes: Vec<NodeId>,
    /// The containers of each switch, the nearest first.
    containers: BTreeMap<String, Vec<String>>,
}

impl<'a> Drawn<'a> {
    pub(crate) fn new(utility: &'a Utility, network: &'a Description) -> Self {
        let nominal: BTreeMap<&str, f64> = network.nodes.iter().filter_map(|node| Some((node.id.as_str(), node.nominal_kv?))).collect();
        let mut positions: BTreeMap<&str, &str> = BTreeMap::new();
        let mut voltages: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for measurement in &network.measurements {
            let Some(point) = measurement.point.as_deref() else { continue };
            match measurement.quantity.as_str() {
                "Pos" => drop(positions.insert(&measurement.equipment, point)),
                "Vry" | "Vyb" | "Vbr" => voltages.entry(&measurement.equipment).or_default().push(point.to_owned()),
                _ => {}
            }
        }
        let (mut switches, mut sources, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for equipment in &network.equipment {
            if let Electrical::Switch(switch) = &equipment.electrical {
                let point = positions.get(equipment.id.as_str()).map(|name| {
                    let point = &utility.points[*name];
                    let is_double = point.encoding() == Some(grid::position::Encoding::DoublePoint);
                    ((*name).to_owned(), format!("{}/{}", equipment.id.split('/').next().unwrap_or_default(), point.device), is_double)
                });
                let (id, kind, is_normally_open) = (equipment.id.clone(), equipment.kind, switch.is_normally_open);
                switches.push(Switch { id, kind, is_normally_open, point });
            }
            let Some(points) = voltages.remove(equipment.id.as_str()) else { continue };
            let kv = nominal[equipment.terminals[0].node.as_str()];
            if equipment.kind == EquipmentKind::EnergySource { sources.push((points, kv)) } else { lines.push((points, kv)) }
        }
        let of_source = |equipment: &&network::description::Equipment| equipment.kind == EquipmentKind::EnergySource;
        let source_bays =
            network.equipment.iter().filter(of_source).filter_map(|source| source.id.strip_suffix("/source")).map(str::to_owned).collect();
        let nodes = utility.nodes().map(|node| node.id).collect();
        let parents: BTreeMap<&str, Option<&str>> = network.containers.iter().map(|of| (of.id.as_str(), of.parent.as_deref())).collect();
        let above = |of: &network::description::Equipment| -> Vec<String> {
            let next = |at: &&str| parents.get(at).copied().flatten();
            std::iter::successors(of.container.as_deref(), next).map(str::to_owned).collect()
        };
        let containers = network.equipment.iter().map(|of| (of.id.clone(), above(of))).collect();
        Self { utility, network, switches, sources, lines, source_bays, nodes, containers }
    }

    /// Returns all states.
    pub(crate) fn states(&self) -> Vec<State> {
        let mut rng = Rng::with_seed(SEED);
        (0..STATES).map(|_| self.state(&mut rng)).collect()
    }

    fn state(&self, rng: &mut Rng) -> State {
        let mut state = State::default();
        let mut closed: BTreeMap<&str, bool> = self.switches.iter().map(|switch| (switch.id.as_str(), !switch.is_normally_open)).collect();
        let stations = self.utility.stations();
        // A substation whose incoming lines are open, so that it is dead, in half of the states.
        let focus = stations[rng.usize(..stations.len())];
        let is_dead = rng.u8(..100) < 60;
        let bays: Vec<&str> = self.switches.iter().filter_map(Switch::bay).collect::<BTreeSet<&str>>().into_iter().collect();
        let mut moved: BTreeSet<&str> = (0..MOVED_BAYS).map(|_| bays[rng.usize(..bays.len())]).collect();
        // The bays of sources, so that sources meet.
        moved.extend(self.source_bays.iter().filter(|_| rng.u8(..100) < 70).map(String::as_str));
        for switch in &self.switches {
            let is_moved = switch.bay().is_some_and(|bay| moved.contains(bay));
            let is_incoming = switch.id.contains("/INC");
            let is_of_source = switch.bay().is_some_and(|bay| self.source_bays.contains(bay));
            let position = closed.get_mut(switch.id.as_str()).expect("a switch");
            let percent = rng.u8(..100);
            match (switch.kind, switch.bay()) {
                (EquipmentKind::GroundDisconnector, Some(_)) if is_moved => *position = percent < if is_of_source { 8 } else { 30 },
                (EquipmentKind::Disconnector, Some(_)) if is_moved && is_incoming => *position = percent < 80,
                (EquipmentKind::Disconnector, Some(_)) if is_moved => *position = percent < 55,
                (EquipmentKind::Breaker, Some(_)) if is_moved => *position ^= percent < 65,
                (_, None) => *position ^= percent == 0 && rng.bool(),
                _ => {}
            }
            if is_dead && is_incoming && switch.kind == EquipmentKind::Breaker && switch.id.starts_with(&format!("{focus}/")) {
                *position = false;
            }
        }
        let unknown = self.unknown(rng, &moved);
        self.report(rng, &mut state, &closed, &unknown);
        self.disbelieve(rng, &mut state, &moved, &closed);
        self.measure(rng, &mut state);
        self.place(rng, &mut state, focus, &moved);
        self.operate(rng, &mut state, focus, &moved, &closed, &unknown);
        state
    }

    /// Returns switches of unknown position, most of them in bays where something has moved.
    fn unknown(&self, rng: &mut Rng, moved: &BTreeSet<&str>) -> BTreeSet<&str> {
        let count = [0, 2, 3, 4, 5, 6, 7, 8][rng.usize(..8)];
        let is_near = |switch: &&Switch| switch.bay().is_some_and(|bay| moved.contains(bay));
        let near: Vec<&Switch> = self.switches.iter().filter(is_near).collect();
        let pick = |rng: &mut Rng| {
            if rng.u8(..100) < 60 && !near.is_empty() {
                near[rng.usize(..near.len())]
            } else {
                &self.switches[rng.usize(..self.switches.len())]
            }
        };
        (0..count).map(|_| pick(rng).id.as_str()).collect()
    }

    fn report(&self, rng: &mut Rng, state: &mut State, closed: &BTreeMap<&str, bool>, unknown: &BTreeSet<&str>) {
        for switch in &self.switches {
            let (is_closed, is_unknown) = (closed[switch.id.as_str()], unknown.contains(switch.id.as_str()));
            let Some((point, _, is_double)) = &switch.point else {
                if !is_unknown {
                    state.entered.insert(switch.id.clone(), Entered { is_closed, is_until_withdrawn: false, age_s: ENTRY_AGES_S[1] });
                }
                continue;
            };
            let value = f64::from(u8::from(is_closed) + u8::from(*is_double));
            let doubtful = [
                // It travels, or its encoding has no such value.
                Some(Report { value: if *is_double { 0.0 } else { 2.0 }, is_good: true }),
                Some(Report { value: 3.0, is_good: true }),
                Some(Report { value, is_good: false }),
                None,
            ];
            let report = if is_unknown { doubtful[rng.usize(..4)] } else { Some(Report { value, is_good: true }) };
            state.reports.extend(report.map(|report| (point.clone(), report)));
            if is_unknown && rng.u8(..100) < 20 {
                let (is_until_withdrawn, age_s) = (rng.bool(), ENTRY_AGES_S[rng.usize(..2)]);
                state.entered.insert(switch.id.clone(), Entered { is_closed, is_until_withdrawn, age_s });
            }
        }
    }

    /// Enters positions of switches whose points are said to be wrong.
    fn disbelieve(&self, rng: &mut Rng, state: &mut State, moved: &BTreeSet<&str>, closed: &BTreeMap<&str, bool>) {
        let near: Vec<&Switch> = self.switches.iter().filter(|switch| switch.bay().is_some_and(|bay| moved.contains(bay))).collect();
        for _ in 0..rng.usize(..3) {
            let id = &near[rng.usize(..near.len())].id;
            let entered =
                Entered { is_closed: closed[id.as_str()] ^ rng.bool(), is_until_withdrawn: true, age_s: ENTRY_AGES_S[rng.usize(..2)] };
            state.entered.insert(id.clone(), entered);
        }
    }

    fn measure(&self, rng: &mut Rng, state: &mut State) {
        for (points, kv) in &self.sources {
            let value = match rng.u8(..100) {
                0..85 => *kv,
                85..93 => 0.0,
                _ => continue,
            };
            state.reports.extend(points.iter().map(|point| (point.clone(), Report { value, is_good: true })));
        }
        for (points, kv) in &self.lines {
            // The line of a source has its points.
            if rng.u8(..100) < 3 && !self.sources.iter().any(|(of, _)| of.iter().any(|point| points.contains(point))) {
                let value = if rng.u8(..4) > 0 { *kv } else { 0.0 };
                state.reports.extend(points.iter().map(|point| (point.clone(), Report { value, is_good: true })));
            }
        }
    }

    /// Places portable earths and inhibits, sends commands, and chooses the switches that check synchronism.
    fn place(&self, rng: &mut Rng, state: &mut State, focus: &str, moved: &BTreeSet<&str>) {
        let at_bays: Vec<&str> = self.network.nodes.iter().map(|node| node.id.as_str()).filter(|id| id.ends_with("/line")).collect();
        let near: Vec<&&str> = at_bays.iter().filter(|id| moved.contains(id.trim_end_matches("/line"))).collect();
        for number in 0..[1, 3, 4, 6][rng.usize(..4)] {
            let node = match rng.u8(..100) {
                0..75 if !near.is_empty() => (*near[rng.usize(..near.len())]).to_owned(),
                0..85 => at_bays[rng.usize(..at_bays.len())].to_owned(),
                _ => self.network.nodes[rng.usize(..self.network.nodes.len())].id.clone(),
            };
            state.portable_earths.insert(number + 1, node);
        }
        let reported: Vec<&Switch> = self.switches.iter().filter(|switch| switch.point.is_some()).collect();
        let in_focus: Vec<&&Switch> =
            reported.iter().filter(|switch| switch.id.starts_with(&format!("{focus}/")) && !switch.is_earth()).collect();
        for _ in 0..2 + rng.usize(..4) {
            let switch = if rng.u8(..100) < 80 && !in_focus.is_empty() {
                in_focus[rng.usize(..in_focus.len())]
            } else {
                &reported[rng.usize(..reported.len())]
            };
            let (station, part) = switch.id.split_once('/').unwrap_or_default();
            let device = switch.bay().and_then(|bay| bay.rsplit('/').next()).unwrap_or_default();
            if part.starts_with('F') && rng.bool() {
                let (station, device) = (station.to_owned(), device.to_owned());
                state.inhibits.push(Inhibit::Feeder { asset: format!("{station}/{device}"), station, device });
            } else if !switch.is_earth() {
                state.inhibits.push(Inhibit::Switch(switch.id.clone()));
            }
        }
        if rng.u8(..100) < 30 {
            let switch = &reported[rng.usize(..reported.len())].id;
            if !state.entered.contains_key(switch) {
                state.commanded.insert(switch.clone());
            }
        }
        let incoming: Vec<&&Switch> = reported.iter().filter(|switch| switch.id.contains("/INC")).collect();
        state.synchronism_checked.extend((0..rng.usize(..4)).map(|_| incoming[rng.usize(..incoming.len())].id.clone()));
    }

    fn operate(
        &self,
        rng: &mut Rng,
        state: &mut State,
        focus: &str,
        moved: &BTreeSet<&str>,
        closed: &BTreeMap<&str, bool>,
        unknown: &BTreeSet<&str>,
    ) {
        let operable: Vec<&Switch> = self
            .switches
            .iter()
            .filter(|switch| switch.point.is_some() && !unknown.contains(switch.id.as_str()) && !state.commanded.contains(&switch.id))
            .collect();
        let pool = |is_in: &dyn Fn(&&&Switch) -> bool| -> Vec<&Switch> { operable.iter().filter(is_in).copied().collect() };
        let is_moved = |switch: &&&Switch| switch.bay().is_some_and(|bay| moved.contains(bay));
        let is_closed = |switch: &Switch| closed[switch.id.as_str()];
        let is_open_incoming =
            |switch: &&&Switch| switch.id.contains("/INC") && switch.kind == EquipmentKind::Breaker && !is_closed(switch);
        let pools = [
            (4, pool(&|switch| switch.id.starts_with(&format!("{focus}/")) && is_open_incoming(switch))),
            (3, pool(&|switch| switch.is_earth() && is_moved(switch) && !is_closed(switch))),
            (5, pool(&|switch| is_moved(switch) && !switch.is_earth())),
            (4, pool(&|switch| is_open_incoming(switch) && switch.bay().is_some_and(|bay| self.source_bays.contains(bay)))),
            (2, pool(&|switch| switch.kind == EquipmentKind::Disconnector)),
            (2, operable.clone()),
        ];
        while state.operations.len() < OPERATIONS {
            for (share, of) in &pools {
                for _ in 0..*share {
                    if of.is_empty() || state.operations.len() == OPERATIONS {
                        continue;
                    }
                    let switch = of[rng.usize(..of.len())];
                    let areas = (rng.u8(..100) < 20).then(|| self.draw_areas(rng, switch));
                    state.operations.push(Case { switch: switch.id.clone(), closes: !is_closed(switch), areas });
                }
            }
        }
    }

    /// Returns areas, of which some are those of a switch.
    fn draw_areas(&self, rng: &mut Rng, switch: &Switch) -> Areas {
        let holder = |rng: &mut Rng| [Holder::Own, Holder::Own, Holder::Other, Holder::Nobody][rng.usize(..4)];
        let path = switch.id.split('/').next().and_then(|station| self.utility.path(station)).unwrap_or_default();
        let of = if rng.bool() { path } else { self.nodes.as_slice() };
        let node = (of[rng.usize(..of.len())], holder(rng));
        let above = &self.containers[&switch.id];
        let container = if rng.bool() && !above.is_empty() {
            above[rng.usize(..above.len())].clone()
        } else {
            self.network.containers[rng.usize(..self.network.containers.len())].id.clone()
        };
        Areas { node, container: (container, holder(rng)), rest: holder(rng) }
    }

    /// Returns the states as the script reads them.
    pub(crate) fn described(&self, states: &[State]) -> Value {
        let of_state = |state: &State| {
            let report = |(point, report): (&String, &Report)| {
                let encoding = match self.utility.points[point].encoding() {
                    Some(grid::position::Encoding::SinglePoint) => "single",
                    Some(_) => "double",
                    None => "measured",
                };
                let quality = if report.is_good { "good" } else { "invalid" };
                (point.clone(), json!({ "value": report.value, "quality": quality, "encoding": encoding, "age_s": POSITION_AGE_S }))
            };
            let inhibit = |inhibit: &Inhibit| match inhibit {
                Inhibit::Switch(switch) => json!({ "scope": "device", "switch": switch }),
                Inhibit::Feeder { station, device, .. } => json!({ "scope": "bay", "bay": [station, device] }),
            };
            let holder = |holder: Holder| match holder {
                Holder::Own => "own",
                Holder::Other => "other",
                Holder::Nobody => "nobody",
            };
            let areas = |areas: &Areas| {
                json!({
                    "node": { "id": areas.node.0.0, "holder": holder(areas.node.1) },
                    "container": { "id": areas.container.0, "holder": holder(areas.container.1) },
                    "rest": holder(areas.rest),
                })
            };
            let entered = |(switch, entered): (&String, &Entered)| {
                let position = if entered.is_closed { "closed" } else { "open" };
                let rule = if entered.is_until_withdrawn { "untilWithdrawn" } else { "untilReported" };
                (switch.clone(), json!({ "position": position, "rule": rule, "age_s": entered.age_s }))
            };
            let operation = |case: &Case| {
                json!({
                    "switch": case.switch,
                    "to": if case.closes { "closed" } else { "open" },
                    "areas": case.areas.as_ref().map(areas),
                    "checks_synchronism": state.synchronism_checked.contains(&case.switch),
                })
            };
            json!({
                "reports": state.reports.iter().map(report).collect::<serde_json::Map<_, _>>(),
                "entered": state.entered.iter().map(entered).collect::<serde_json::Map<_, _>>(),
                "portable_earths": state.portable_earths.iter().map(|(number, node)| (number.to_string(), json!(node))).collect::<serde_json::Map<_, _>>(),
                "commanded": state.commanded,
                "inhibits": state.inhibits.iter().map(inhibit).collect::<Vec<_>>(),
                "operations": state.operations.iter().map(operation).collect::<Vec<_>>(),
            })
        };
        let hierarchy =
            |station: &&str| Some(((*station).to_owned(), self.utility.path(station)?.iter().map(|node| json!(node.0)).collect()));
        json!({
            "hierarchy": self.utility.stations().iter().filter_map(hierarchy).collect::<serde_json::Map<_, Value>>(),
            "states": states.iter().map(of_state).collect::<Vec<_>>(),
        })
    }
}
