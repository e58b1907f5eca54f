//! Writes a network for power-grid-model, in the JSON of its input data (version 1.0).
//!
//! Ids of power-grid-model are numbers. `id_reference` of each component has the id of the part.

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::PI;

use network::description::{
    Connection, Consumption, Electrical, Equipment, Generation, Line, SequenceImpedance, Shunt, SourceVoltage, Transformer, TransformerEnd,
};
use network::{Description, EquipmentKind, Phases};
use serde_json::{Value, json};

use crate::rounding::round;
use crate::sequence::positive_sequence;
use crate::switched_ends::SwitchedEnds;
use crate::transformer_ends::{as_seen_from_first, fold_all_but_last_tap};
use crate::{ExportError, Exported, Note, Positions, exportable};

/// The frequency that power-grid-model assumes, Hz.
const FREQUENCY_HZ: f64 = 50.0;

/// The short-circuit power of a source that holds the voltage of its node, VA. It corresponds to the impedance of a link of power-grid-model.
const STIFF_VA: f64 = 1e12;

/// Returns the text of a file, and notes about data that power-grid-model cannot express.
pub fn export(description: &Description, positions: &Positions) -> Result<Exported, ExportError> {
    exportable::check(description)?;
    let ends = SwitchedEnds::find(description, |index| {
        matches!(description.equipment[index].kind, EquipmentKind::LineSegment | EquipmentKind::PowerTransformer)
    });
    let mut export = Export { positions, ends, nodes: HashMap::new(), data: BTreeMap::new(), next: 0, counts: BTreeMap::new() };
    for node in &description.nodes {
        if export.ends.by_node.contains_key(&node.id) {
            continue;
        }
        if node.nominal_kv.is_none() {
            export.count("node", "the nominal voltage is not known; power-grid-model cannot calculate without it");
        }
        let number = export.push("node", &node.id, json!({ "u_rated": volts(node.nominal_kv.unwrap_or(0.0)) }));
        export.nodes.insert(&node.id, (number, node.nominal_kv.unwrap_or(1.0)));
    }
    for (index, equipment) in description.equipment.iter().enumerate() {
        if equipment.terminals.iter().any(|terminal| terminal.phases != Phases::ABC) {
            export.count("equipment", "fewer than three phases are written with three");
        }
        export.add(index, equipment);
    }
    export.note_what_has_no_place(description);
    Ok(export.finish())
}

struct Export<'a> {
    positions: &'a Positions,
    ends: SwitchedEnds,
    /// For each id of a node, the number and the nominal voltage of the node.
    nodes: HashMap<&'a str, (usize, f64)>,
    data: BTreeMap<&'static str, Vec<Value>>,
    /// The id of the next component.
    next: usize,
    counts: BTreeMap<(&'static str, &'static str), usize>,
}

impl Export<'_> {
    fn count(&mut self, component: &'static str, reason: &'static str) {
        *self.counts.entry((component, reason)).or_default() += 1;
    }

    fn push(&mut self, component: &'static str, id: &str, mut values: Value) -> usize {
        let number = self.next;
        self.next += 1;
        values["id"] = json!(number);
        values["id_reference"] = json!(id);
        self.data.entry(component).or_default().push(values);
        number
    }

    /// Returns the node of a terminal, and whether the switches before it are closed. `None` if there is no such terminal.
    fn end(&self, equipment: &Equipment, terminal: usize) -> Option<(usize, bool)> {
        let node = equipment.terminals.get(terminal)?.node.as_str();
        let (node, is_closed) =
            self.ends.by_node.get(node).map_or((node, true), |(outer, switches)| {
                (outer.as_str(), switches.iter().all(|switch| self.positions.is_closed(*switch)))
            });
        Some((self.nodes.get(node)?.0, is_closed))
    }

    fn add(&mut self, index: usize, equipment: &Equipment) {
        if equipment.terminals.len() > 1 {
            self.add_branch(index, equipment);
        } else {
            self.add_at_node(index, equipment);
        }
    }

    fn add_branch(&mut self, index: usize, equipment: &Equipment) {
        if self.ends.by_switch.contains_key(&index) {
            return;
        }
        let is_closed = self.positions.is_closed(index);
        let Some(ends) = (0..equipment.terminals.len()).map(|terminal| self.end(equipment, terminal)).collect::<Option<Vec<_>>>() else {
            self.count("equipment", "left out, because its node is missing");
            return;
        };
        let status = |end: usize| u8::from(is_closed && ends[end].1);
        let between = json!({ "from_node": ends[0].0, "to_node": ends[1].0, "from_status": status(0), "to_status": status(1) });
        let (component, values) = match (&equipment.electrical, equipment.kind) {
            (_, kind) if kind.is_switch() => ("link", json!({})),
            (Electrical::Line(line), _) => {
                if line.by_phase.is_some() {
                    self.count("line", "the impedance by phase is written as its positive sequence");
                }
                ("line", of_line(line))
            }
            (Electrical::Series(series), _) => ("line", series_element(*series)),
            (Electrical::Transformer(transformer), _) => {
                let transformer = &mut as_seen_from_first(transformer);
                if fold_all_but_last_tap(transformer) {
                    self.count("transformer", "power-grid-model takes one tap changer: the others are put into the rated voltages");
                }
                if transformer.ends.iter().any(|end| end.series.r0_ohm.or(end.series.x0_ohm).is_some()) {
                    self.count("transformer", "the impedance in the zero sequence is left out: power-grid-model computes it");
                }
                if transformer.ends.iter().filter_map(|end| end.tap).any(|tap| tap.step_degrees != 0.0) {
                    self.count("transformer", "the angle of the tap changer is left out: power-grid-model has none");
                }
                self.note_windings(transformer);
                if let [one, two, three] = transformer.ends.as_slice() {
                    let mut values = three_ends([one, two, three]);
                    for end in 0..ends.len() {
                        values[format!("node_{}", end + 1)] = json!(ends[end].0);
                        values[format!("status_{}", end + 1)] = json!(status(end));
                    }
                    self.push("three_winding_transformer", &equipment.id, values);
                    return;
                }
                let [from, to] = transformer.ends.as_slice() else { return };
                ("transformer", two_ends(from, to))
            }
            (_, EquipmentKind::DirectCurrentLine) => {
                self.count("line", "lines with direct current are left out: power-grid-model has none");
                return;
            }
            _ => {
                self.count("line", "nothing is known of the impedance: left out");
                return;
            }
        };
        let mut values = values;
        if let (Value::Object(values), Value::Object(between)) = (&mut values, between) {
            values.extend(between);
        }
        self.push(component, &equipment.id, values);
    }

    fn note_windings(&mut self, transformer: &Transformer) {
        let Some((first, others)) = transformer.ends.split_first() else { return };
        if others.iter().any(|end| !fit(first.connection, end)) {
            self.count("transformer", "the connections of the windings do not fit the clock number: they are written as Dyn or YNyn");
        }
    }

    fn add_at_node(&mut self, index: usize, equipment: &Equipment) {
        let status = u8::from(self.positions.is_closed(index));
        let Some((node, _)) = self.end(equipment, 0) else {
            self.count("equipment", "left out, because its node is missing");
            return;
        };
        let nominal_kv = equipment.terminals.first().and_then(|at| self.nodes.get(at.node.as_str())).map_or(1.0, |(_, kv)| *kv);
        let components = match (&equipment.electrical, equipment.kind) {
            (Electrical::Source(source), _) => vec![("source", of_source(source, nominal_kv))],
            (_, EquipmentKind::EnergySource) => vec![("source", of_source(&SourceVoltage::default(), nominal_kv))],
            (Electrical::Consumer(consumption), _) => {
                if consumption.customers > 0 {
                    self.count("sym_load", "the number of customers is left out");
                }
                if consumption.is_delta {
                    self.count("sym_load", "loads in delta are written as loads in star");
                }
                loads(consumption)
            }
            (Electrical::Generator(generation), _) => {
                if generation.voltage_pu.is_some() {
                    self.count("sym_gen", "the voltage that a generator holds is left out");
                }
                if generation.rated_kva.is_some() || generation.stored_kwh.is_some() {
                    self.count("sym_gen", "the rated power and the stored energy are left out");
                }
                vec![("sym_gen", of_generator(generation))]
            }
            (Electrical::Shunt(shunt), _) => vec![("shunt", of_shunt(*shunt))],
            (_, EquipmentKind::GroundDisconnector) => {
                self.count("link", "ground disconnectors are left out: power-grid-model has none");
                return;
            }
            (_, EquipmentKind::BusbarSection) => {
                self.count("node", "busbar sections are left out: power-grid-model has none beside its nodes");
                return;
            }
            _ => {
                self.count("equipment", "nothing is known of the power: left out");
                return;
            }
        };
        for (component, mut values) in components {
            values["node"] = json!(node);
            values["status"] = json!(status);
            self.push(component, &equipment.id, values);
        }
    }

    fn note_what_has_no_place(&mut self, description: &Description) {
        let all = |count: usize, place: &'static str, reason: &'static str| (count > 0).then_some(((place, reason), count));
        let is_rated = |equipment: &&Equipment| matches!(equipment.electrical, Electrical::Switch(switch) if switch.rated_a.or(switch.breaking_ka).is_some());
        self.counts.extend(
            [
                all(description.containers.len(), "containers", "left out: power-grid-model has no substations, bays or feeders"),
                all(description.measurements.len(), "measurements", "left out: measurements of power-grid-model are values, not points"),
                all(description.nodes.iter().filter(|node| node.place.is_some()).count(), "node", "the place is left out"),
                all(
                    description.equipment.iter().filter(is_rated).count(),
                    "link",
                    "the rated and the breaking current of a switch are left out",
                ),
            ]
            .into_iter()
            .flatten(),
        );
    }

    fn finish(self) -> Exported {
        let notes = self.counts.into_iter().map(|((place, reason), count)| Note::new(place, format!("{count}: {reason}"))).collect();
        let file = json!({ "version": "1.0", "type": "input", "is_batch": false, "attributes": {}, "data": self.data });
        Exported { text: file.to_string(), notes }
    }
}

fn volts(kv: f64) -> f64 {
    round(kv * 1_000.0)
}

fn of_line(line: &Line) -> Value {
    let (series, b_s) = line.by_phase.as_ref().map_or((line.series, line.b_s), positive_sequence);
    let farads = |siemens: f64| round(siemens / (2.0 * PI * FREQUENCY_HZ));
    let tangent = if b_s == 0.0 { 0.0 } else { line.g_s / b_s };
    let mut values = series_element(series);
    values["c1"] = json!(farads(b_s));
    values["tan1"] = json!(round(tangent));
    values["i_n"] = json!(line.rated_a.map_or(0.0, round));
    if series.r0_ohm.is_some() {
        values["c0"] = json!(farads(line.b0_s.unwrap_or(b_s)));
        values["tan0"] = json!(round(tangent));
    }
    if line.rated_a.is_none() {
        values.as_object_mut().expect("an object").remove("i_n");
    }
    values
}

fn series_element(series: SequenceImpedance) -> Value {
    let mut values = json!({ "r1": round(series.r_ohm), "x1": round(series.x_ohm), "c1": 0.0, "tan1": 0.0 });
    if let (Some(r0), Some(x0)) = (series.r0_ohm, series.x0_ohm) {
        values["r0"] = json!(round(r0));
        values["x0"] = json!(round(x0));
        values["c0"] = json!(0.0);
        values["tan0"] = json!(0.0);
    }
    values
}

/// Whether the connections of two windings fit the clock number. It must be even for two windings of the same kind, and odd for a delta and a star.
fn fit(first: Connection, end: &TransformerEnd) -> bool {
    let is_delta = |connection| matches!(connection, Connection::Delta | Connection::Zigzag | Connection::ZigzagEarthed);
    (is_delta(first) == is_delta(end.connection)) == end.clock.is_multiple_of(2)
}

/// Returns the winding types of power-grid-model, in the order of the ends.
fn windings(ends: &[&TransformerEnd]) -> Vec<u8> {
    let number = |connection| match connection {
        Connection::Star | Connection::Single => 0,
        Connection::StarEarthed => 1,
        Connection::Delta => 2,
        Connection::Zigzag => 3,
        Connection::ZigzagEarthed => 4,
    };
    if ends[1..].iter().all(|end| fit(ends[0].connection, end)) {
        return ends.iter().map(|end| number(end.connection)).collect();
    }
    let of_other = |end: &&TransformerEnd| if end.clock.is_multiple_of(2) { 1 } else { 2 };
    std::iter::once(1).chain(ends[1..].iter().map(of_other)).collect()
}

/// Returns the short-circuit voltage per unit and the copper losses in W.
fn short_circuit(r_ohm: f64, x_ohm: f64, kv: f64, mva: f64) -> (f64, f64) {
    let base = kv * kv / mva;
    (round(r_ohm.hypot(x_ohm) / base), round(r_ohm / base * mva * 1e6))
}

/// Returns the no-load current per unit and the core losses in W.
fn no_load(end: &TransformerEnd, mva: f64) -> (f64, f64) {
    let square = end.rated_kv * end.rated_kv;
    (round(end.g_s.hypot(end.b_s) * square / mva), round(end.g_s * square * 1e6))
}

fn two_ends(from: &TransformerEnd, to: &TransformerEnd) -> Value {
    let mva = from.rated_kva.or(to.rated_kva).map_or(1.0, |kva| kva / 1_000.0);
    // power-grid-model refuses a short-circuit voltage of 1 and more, which ratings that are no real ones lead to.
    let most = 0.5 * from.rated_kv * from.rated_kv / from.series.r_ohm.hypot(from.series.x_ohm);
    let mva = if mva > most { most } else { mva };
    let (uk, pk) = short_circuit(from.series.r_ohm, from.series.x_ohm, from.rated_kv, mva);
    let (i0, p0) = no_load(from, mva);
    let windings = windings(&[from, to]);
    let mut values = json!({
        "u1": volts(from.rated_kv), "u2": volts(to.rated_kv), "sn": round(mva * 1e6), "uk": uk, "pk": pk, "i0": i0, "p0": p0,
        "winding_from": windings[0], "winding_to": windings[1], "clock": to.clock,
    });
    add_tap(&mut values, &[from, to]);
    values
}

fn three_ends(ends: [&TransformerEnd; 3]) -> Value {
    let rated = ends.map(|end| end.rated_kva.unwrap_or(1_000.0) / 1_000.0);
    let star = ends.map(|end| {
        let ratio = (ends[0].rated_kv / end.rated_kv).powi(2);
        (end.series.r_ohm * ratio, end.series.x_ohm * ratio)
    });
    let [one_two, one_three, two_three] = [(0, 1), (0, 2), (1, 2)].map(|(one, other): (usize, usize)| {
        let (r, x) = (star[one].0 + star[other].0, star[one].1 + star[other].1);
        short_circuit(r, x, ends[0].rated_kv, rated[one].min(rated[other]))
    });
    let core = ends.into_iter().find(|end| end.g_s != 0.0 || end.b_s != 0.0).unwrap_or(ends[0]);
    let (i0, p0) = no_load(core, rated[0]);
    let windings = windings(&ends);
    let mut values = json!({
        "u1": volts(ends[0].rated_kv), "u2": volts(ends[1].rated_kv), "u3": volts(ends[2].rated_kv),
        "sn_1": round(rated[0] * 1e6), "sn_2": round(rated[1] * 1e6), "sn_3": round(rated[2] * 1e6),
        "uk_12": one_two.0, "uk_13": one_three.0, "uk_23": two_three.0, "pk_12": one_two.1, "pk_13": one_three.1, "pk_23": two_three.1,
        "i0": i0, "p0": p0, "winding_1": windings[0], "winding_2": windings[1], "winding_3": windings[2],
        "clock_12": ends[1].clock, "clock_13": ends[2].clock,
    });
    add_tap(&mut values, &ends);
    values
}

/// Adds the tap changer. power-grid-model requires one, so a transformer without a tap changer gets one with the only step 0.
fn add_tap(values: &mut Value, ends: &[&TransformerEnd]) {
    let found = ends.iter().enumerate().find_map(|(side, end)| Some((side, end.tap?, end.rated_kv)));
    let (side, step, low, high, neutral, size) = match found {
        None => (0, 0, 0, 0, 0, 0.0),
        // A step is not negative in power-grid-model: the numbers are turned round.
        Some((side, tap, kv)) if tap.step_percent < 0.0 => {
            (side, -tap.step, -tap.high, -tap.low, -tap.neutral, -tap.step_percent / 100.0 * kv)
        }
        Some((side, tap, kv)) => (side, tap.step, tap.low, tap.high, tap.neutral, tap.step_percent / 100.0 * kv),
    };
    for (name, value) in [("tap_pos", step), ("tap_min", low), ("tap_max", high), ("tap_nom", neutral)] {
        values[name] = json!(value);
    }
    values["tap_side"] = json!(side);
    values["tap_size"] = json!(volts(size));
}

fn of_source(source: &SourceVoltage, kv: f64) -> Value {
    let mut values = json!({ "u_ref": round(source.voltage_pu), "u_ref_angle": round(source.angle_deg.to_radians()), "sk": STIFF_VA });
    if let Some(series) = source.impedance {
        let whole = series.r_ohm.hypot(series.x_ohm);
        if whole > 0.0 {
            values["sk"] = json!(round(kv * kv / whole * 1e6));
        }
        if series.x_ohm != 0.0 {
            values["rx_ratio"] = json!(round(series.r_ohm / series.x_ohm));
        }
        if let Some(x0) = series.x0_ohm.filter(|_| whole > 0.0) {
            values["z01_ratio"] = json!(round(x0.hypot(series.r0_ohm.unwrap_or(0.0)) / whole));
        }
    }
    values
}

/// Returns a load for each share: constant power, constant impedance and constant current.
fn loads(consumption: &Consumption) -> Vec<(&'static str, Value)> {
    let (impedance, current) = (consumption.constant_impedance, consumption.constant_current);
    [(0, 1.0 - impedance - current), (1, impedance), (2, current)]
        .into_iter()
        .filter(|(kind, share)| share.abs() > 1e-12 || (*kind == 0 && impedance == 0.0 && current == 0.0))
        .map(|(kind, share)| {
            let watts = |kilo: f64| round(kilo * share * 1_000.0);
            if let Some(phases) = consumption.by_phase {
                let part = |part: usize| phases.map(|phase| watts(phase[part]));
                return ("asym_load", json!({ "type": kind, "p_specified": part(0), "q_specified": part(1) }));
            }
            ("sym_load", json!({ "type": kind, "p_specified": watts(consumption.kw), "q_specified": watts(consumption.kvar) }))
        })
        .collect()
}

fn of_generator(generation: &Generation) -> Value {
    json!({ "type": 0, "p_specified": round(generation.kw * 1_000.0), "q_specified": round(generation.kvar * 1_000.0) })
}

fn of_shunt(shunt: Shunt) -> Value {
    json!({ "g1": round(shunt.g_s), "b1": round(shunt.b_s), "g0": round(shunt.g_s), "b0": round(shunt.b_s) })
}
