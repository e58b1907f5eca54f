//! Writes a network for pandapower's `from_json`.

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::PI;

use network::description::{
    Consumption, Container, Electrical, Equipment, Generation, Line, SequenceImpedance, Shunt, SourceVoltage, Switch,
};
use network::{Description, EquipmentKind, Phases};
use serde_json::{Map, Value, json};

use super::frame::NewTable;
use super::{FREQUENCY_HZ, SWITCH_TYPES, transformers};
use crate::rounding::round;
use crate::sequence::positive_sequence;
use crate::switched_ends::SwitchedEnds;
use crate::transformer_ends::{as_seen_from_first, fold_all_but_last_tap};
use crate::{ExportError, Exported, Note, Positions, exportable};

type Columns = &'static [(&'static str, &'static str)];

const BUS: Columns =
    &[("name", "object"), ("vn_kv", "float64"), ("type", "object"), ("zone", "object"), ("in_service", "bool"), ("geo", "object")];
const SWITCH: Columns = &[
    ("bus", "int64"),
    ("element", "int64"),
    ("et", "object"),
    ("type", "object"),
    ("closed", "bool"),
    ("name", "object"),
    ("z_ohm", "float64"),
    ("in_ka", "float64"),
];
const LINE: Columns = &[
    ("name", "object"),
    ("std_type", "object"),
    ("from_bus", "uint32"),
    ("to_bus", "uint32"),
    ("length_km", "float64"),
    ("r_ohm_per_km", "float64"),
    ("x_ohm_per_km", "float64"),
    ("c_nf_per_km", "float64"),
    ("g_us_per_km", "float64"),
    ("r0_ohm_per_km", "float64"),
    ("x0_ohm_per_km", "float64"),
    ("c0_nf_per_km", "float64"),
    ("max_i_ka", "float64"),
    ("df", "float64"),
    ("parallel", "uint32"),
    ("type", "object"),
    ("in_service", "bool"),
    ("geo", "object"),
];
const IMPEDANCE: Columns = &[
    ("name", "object"),
    ("from_bus", "uint32"),
    ("to_bus", "uint32"),
    ("rft_pu", "float64"),
    ("xft_pu", "float64"),
    ("rtf_pu", "float64"),
    ("xtf_pu", "float64"),
    ("rft0_pu", "float64"),
    ("xft0_pu", "float64"),
    ("gf_pu", "float64"),
    ("bf_pu", "float64"),
    ("gt_pu", "float64"),
    ("bt_pu", "float64"),
    ("sn_mva", "float64"),
    ("in_service", "bool"),
];
const DIRECT_CURRENT: Columns = &[
    ("name", "object"),
    ("from_bus", "uint32"),
    ("to_bus", "uint32"),
    ("p_mw", "float64"),
    ("loss_percent", "float64"),
    ("loss_mw", "float64"),
    ("vm_from_pu", "float64"),
    ("vm_to_pu", "float64"),
    ("max_p_mw", "float64"),
    ("min_q_from_mvar", "float64"),
    ("min_q_to_mvar", "float64"),
    ("max_q_from_mvar", "float64"),
    ("max_q_to_mvar", "float64"),
    ("in_service", "bool"),
];
const EXTERNAL_GRID: Columns = &[
    ("name", "object"),
    ("bus", "uint32"),
    ("vm_pu", "float64"),
    ("va_degree", "float64"),
    ("slack_weight", "float64"),
    ("in_service", "bool"),
    ("controllable", "bool"),
];
const GENERATOR: Columns = &[
    ("name", "object"),
    ("bus", "uint32"),
    ("p_mw", "float64"),
    ("vm_pu", "float64"),
    ("sn_mva", "float64"),
    ("scaling", "float64"),
    ("slack", "bool"),
    ("in_service", "bool"),
    ("slack_weight", "float64"),
    ("type", "object"),
];
const STATIC_GENERATOR: Columns = &[
    ("name", "object"),
    ("bus", "int64"),
    ("p_mw", "float64"),
    ("q_mvar", "float64"),
    ("sn_mva", "float64"),
    ("scaling", "float64"),
    ("in_service", "bool"),
    ("type", "object"),
    ("current_source", "bool"),
];
const STORAGE: Columns = &[
    ("name", "object"),
    ("bus", "int64"),
    ("p_mw", "float64"),
    ("q_mvar", "float64"),
    ("sn_mva", "float64"),
    ("soc_percent", "float64"),
    ("min_e_mwh", "float64"),
    ("max_e_mwh", "float64"),
    ("scaling", "float64"),
    ("in_service", "bool"),
    ("type", "object"),
];
const LOAD: Columns = &[
    ("name", "object"),
    ("bus", "uint32"),
    ("p_mw", "float64"),
    ("q_mvar", "float64"),
    ("const_z_percent", "float64"),
    ("const_i_percent", "float64"),
    ("sn_mva", "float64"),
    ("scaling", "float64"),
    ("in_service", "bool"),
    ("type", "object"),
];
const ASYMMETRIC_LOAD: Columns = &[
    ("name", "object"),
    ("bus", "uint32"),
    ("p_a_mw", "float64"),
    ("q_a_mvar", "float64"),
    ("p_b_mw", "float64"),
    ("q_b_mvar", "float64"),
    ("p_c_mw", "float64"),
    ("q_c_mvar", "float64"),
    ("sn_mva", "float64"),
    ("scaling", "float64"),
    ("in_service", "bool"),
    ("type", "object"),
];
const SHUNT: Columns = &[
    ("bus", "uint32"),
    ("name", "object"),
    ("q_mvar", "float64"),
    ("p_mw", "float64"),
    ("vn_kv", "float64"),
    ("step", "uint32"),
    ("max_step", "uint32"),
    ("in_service", "bool"),
];

/// The tables that are written, in the order of the file.
const TABLES: [(&str, Columns); 14] = [
    ("bus", BUS),
    ("switch", SWITCH),
    ("line", LINE),
    ("trafo", transformers::TWO_ENDS),
    ("trafo3w", transformers::THREE_ENDS),
    ("impedance", IMPEDANCE),
    ("dcline", DIRECT_CURRENT),
    ("ext_grid", EXTERNAL_GRID),
    ("gen", GENERATOR),
    ("sgen", STATIC_GENERATOR),
    ("storage", STORAGE),
    ("load", LOAD),
    ("asymmetric_load", ASYMMETRIC_LOAD),
    ("shunt", SHUNT),
];

/// Returns the text of a file for `from_json`, and notes about data that pandapower cannot express.
///
/// Some data are written to additional columns, which pandapower ignores. Ids that do not have the form `table:number` are in the column `source_id`.
pub fn export(description: &Description, positions: &Positions) -> Result<Exported, ExportError> {
    exportable::check(description)?;
    let ids = || {
        let nodes = description.nodes.iter().map(|node| node.id.as_str());
        nodes.chain(description.equipment.iter().map(|equipment| equipment.id.as_str()))
    };
    let tables = TABLES.into_iter().map(|(name, columns)| (name, NewTable::new(name, columns, ids()))).collect();
    let ends = SwitchedEnds::find(description, |index| {
        matches!(description.equipment[index].kind, EquipmentKind::LineSegment | EquipmentKind::PowerTransformer)
    });
    let mut export =
        Export { positions, tables, ends, buses: HashMap::new(), branches: HashMap::new(), counts: BTreeMap::new(), notes: Vec::new() };
    export.add_buses(description);
    let (branches, others): (Vec<_>, Vec<_>) = description
        .equipment
        .iter()
        .enumerate()
        .partition(|(_, equipment)| equipment.kind.terminals().1 > 1 && !equipment.kind.is_switch());
    for (index, equipment) in branches {
        export.add_branch(index, equipment);
    }
    for (index, equipment) in others {
        if equipment.kind.is_switch() {
            export.add_switch(index, equipment);
        } else {
            export.add_at_bus(index, equipment);
        }
    }
    export.count_what_has_no_place(description);
    Ok(export.finish())
}

struct Export<'a> {
    positions: &'a Positions,
    tables: BTreeMap<&'static str, NewTable>,
    ends: SwitchedEnds,
    /// Index and nominal voltage of the bus of each node.
    buses: HashMap<&'a str, (u32, Option<f64>)>,
    /// The table and the row of lines and transformers by their positions in the description.
    branches: HashMap<usize, (&'static str, u32)>,
    /// The numbers of parts for notes that are the same for many parts.
    counts: BTreeMap<(&'static str, &'static str), usize>,
    notes: Vec<Note>,
}

impl<'a> Export<'a> {
    fn count(&mut self, table: &'static str, reason: &'static str) {
        *self.counts.entry((table, reason)).or_default() += 1;
    }

    fn push(&mut self, table: &'static str, id: &str, row: Value) -> u32 {
        self.tables.get_mut(table).expect("a table of the list").push(id, row)
    }

    fn add_buses(&mut self, description: &'a Description) {
        for node in &description.nodes {
            if self.ends.by_node.contains_key(&node.id) {
                continue;
            }
            if node.nominal_kv.is_none() {
                self.count("bus", "the nominal voltage is not known; pandapower cannot calculate without it");
            }
            let geo = node.place.map(|[longitude, latitude]| format!("{{\"coordinates\":[{longitude},{latitude}],\"type\":\"Point\"}}"));
            let row = json!({
                "name": name(&node.name), "vn_kv": node.nominal_kv.map(round), "type": "b", "in_service": true, "geo": geo,
            });
            let index = self.push("bus", &node.id, row);
            self.buses.insert(&node.id, (index, node.nominal_kv));
        }
    }

    /// Returns the index and the nominal voltage of the bus of each terminal. If a terminal is behind a switch, it is the bus before the switch. `None` if a
    /// bus is missing.
    fn buses_of(&self, equipment: &Equipment) -> Option<Vec<(u32, Option<f64>)>> {
        equipment.terminals.iter().map(|terminal| self.bus(&terminal.node)).collect()
    }

    fn bus(&self, node: &str) -> Option<(u32, Option<f64>)> {
        let node = self.ends.by_node.get(node).map_or(node, |(outer, _)| outer.as_str());
        self.buses.get(node).copied()
    }

    fn leave_out(&mut self) {
        self.count("bus", "left out, because its node is missing");
    }

    fn add_branch(&mut self, index: usize, equipment: &Equipment) {
        let is_closed = self.positions.is_closed(index);
        let Some(buses) = self.buses_of(equipment) else { return self.leave_out() };
        let [(from, kv), (to, _), ..] = buses[..] else { return self.leave_out() };
        let mut row = json!({ "name": name(&equipment.name), "in_service": is_closed });
        let (table, values) = match (&equipment.electrical, equipment.kind) {
            (Electrical::Transformer(transformer), _) => {
                let mut transformer = as_seen_from_first(transformer);
                if fold_all_but_last_tap(&mut transformer) {
                    self.count("trafo", "pandapower takes one tap changer: the others are put into the rated voltages");
                }
                if transformer.ends.len() > 2 && transformer.ends.iter().any(|end| end.series.r0_ohm.or(end.series.x0_ohm).is_some()) {
                    self.count("trafo3w", "the impedance in the zero sequence is left out");
                }
                transformers::export(&transformer)
            }
            (_, EquipmentKind::PowerTransformer) => {
                self.count("trafo", "nothing is known of the impedance; pandapower cannot calculate without it");
                (if equipment.terminals.len() == 2 { "trafo" } else { "trafo3w" }, json!({}))
            }
            (Electrical::Series(series), _) if kv.is_some() => ("impedance", impedance(*series, kv)),
            (_, EquipmentKind::SeriesCompensator) => {
                self.count("impedance", "nothing is known of the impedance or the voltage; pandapower cannot calculate without it");
                ("impedance", json!({ "sn_mva": 1.0 }))
            }
            (Electrical::DirectCurrent { kw }, _) => ("dcline", direct_current(*kw)),
            (_, EquipmentKind::DirectCurrentLine) => ("dcline", direct_current(0.0)),
            (Electrical::Line(line), _) => {
                if line.by_phase.is_some() {
                    self.count("line", "the impedance by phase is written as its positive sequence");
                }
                ("line", of_line(line))
            }
            _ => {
                self.count("line", "nothing is known of the impedance; pandapower cannot calculate without it");
                ("line", json!({ "df": 1.0, "parallel": 1 }))
            }
        };
        merge(&mut row, values);
        let places = match table {
            "trafo" => json!({ "hv_bus": from, "lv_bus": to }),
            "trafo3w" => json!({ "hv_bus": from, "mv_bus": to, "lv_bus": buses.get(2).map(|(bus, _)| bus) }),
            _ => json!({ "from_bus": from, "to_bus": to }),
        };
        merge(&mut row, places);
        let number = self.push(table, &equipment.id, row);
        self.branches.insert(index, (table, number));
    }

    fn add_switch(&mut self, index: usize, equipment: &Equipment) {
        let rated_a = match equipment.electrical {
            Electrical::Switch(Switch { rated_a, breaking_ka, .. }) => {
                if breaking_ka.is_some() {
                    self.count("switch", "the breaking current is left out");
                }
                rated_a
            }
            _ => None,
        };
        let (et, bus, element) = match self.ends.by_switch.get(&index) {
            Some((branch, outer)) => {
                let (Some((table, number)), Some((bus, _))) = (self.branches.get(branch), self.bus(outer)) else { return self.leave_out() };
                let letters = super::SWITCHED.iter().find(|(_, known)| known == table).map_or("l", |(letters, _)| letters);
                (letters, bus, *number)
            }
            None => match self.buses_of(equipment).as_deref() {
                Some([(from, _), (to, _)]) => ("b", *from, *to),
                _ => return self.leave_out(),
            },
        };
        let of_pandapower = SWITCH_TYPES.iter().find(|(_, kind)| *kind == equipment.kind).map(|(text, _)| *text);
        let kind = of_pandapower.or_else(|| (equipment.kind != EquipmentKind::Switch).then(|| equipment.kind.as_str()));
        let row = json!({
            "bus": bus, "element": element, "et": et, "type": kind, "closed": self.positions.is_closed(index), "name": name(&equipment.name),
            "z_ohm": 0.0, "in_ka": rated_a.map(|a| round(a / 1_000.0)),
        });
        self.push("switch", &equipment.id, row);
    }

    fn add_at_bus(&mut self, index: usize, equipment: &Equipment) {
        let Some((bus, kv)) = self.buses_of(equipment).and_then(|buses| buses.first().copied()) else { return self.leave_out() };
        let mut row = json!({ "name": name(&equipment.name), "bus": bus, "in_service": self.positions.is_closed(index) });
        let (table, values) = match (&equipment.electrical, equipment.kind) {
            (Electrical::Source(source), _) => {
                self.add_impedance_of_source(equipment, source, &mut row, kv);
                ("ext_grid", external_grid(source))
            }
            (_, EquipmentKind::EnergySource) => ("ext_grid", external_grid(&SourceVoltage::default())),
            (Electrical::Consumer(consumption), _) => {
                if consumption.customers > 0 {
                    self.count("load", "the number of customers is left out");
                }
                if consumption.by_phase.is_some() && (consumption.constant_impedance != 0.0 || consumption.constant_current != 0.0) {
                    self.count("asymmetric_load", "the shares of constant impedance and current are left out");
                }
                load(consumption)
            }
            (_, EquipmentKind::EnergyConsumer) => load(&Consumption::default()),
            (Electrical::Generator(generation), EquipmentKind::BatteryUnit) => {
                if generation.voltage_pu.is_some() {
                    self.count("storage", "the voltage that a battery holds is left out");
                }
                ("storage", storage(generation))
            }
            (_, EquipmentKind::BatteryUnit) => ("storage", storage(&Generation::default())),
            (Electrical::Generator(generation), _) => generator(generation),
            (_, EquipmentKind::GeneratingUnit | EquipmentKind::InverterUnit) => generator(&Generation::default()),
            (Electrical::Shunt(shunt), _) if kv.is_some() => ("shunt", of_shunt(*shunt, kv)),
            (_, EquipmentKind::ShuntCompensator) => {
                self.count("shunt", "nothing is known of the admittance or the voltage: the admittance is written as 0");
                ("shunt", of_shunt(Shunt::default(), kv))
            }
            (_, EquipmentKind::GroundDisconnector) => {
                self.count("switch", "ground disconnectors are left out: pandapower has none");
                return;
            }
            _ => {
                self.count("bus", "busbar sections are left out: pandapower has none beside its buses");
                return;
            }
        };
        merge(&mut row, values);
        self.push(table, &equipment.id, row);
    }

    /// Writes the impedance of a source as an impedance of the network, with a bus behind it.
    fn add_impedance_of_source(&mut self, equipment: &Equipment, source: &SourceVoltage, row: &mut Value, kv: Option<f64>) {
        let Some(series) = source.impedance else { return };
        if kv.is_none() {
            self.count("ext_grid", "the impedance of the source is left out, because its node has no nominal voltage");
            return;
        }
        let node = json!({ "vn_kv": kv.map(round), "type": "b", "in_service": true });
        let behind = self.push("bus", &format!("{}:node", equipment.id), node);
        let mut branch = json!({ "from_bus": row["bus"], "to_bus": behind, "in_service": true });
        merge(&mut branch, impedance(series, kv));
        self.push("impedance", &format!("{}:impedance", equipment.id), branch);
        row["bus"] = json!(behind);
    }

    fn count_what_has_no_place(&mut self, description: &Description) {
        let all = |count: usize| if count == 0 { None } else { Some(count) };
        let named = |container: &&Container| !container.id.is_empty();
        let single = description.equipment.iter().filter(|equipment| equipment.terminals.iter().any(|at| at.phases != Phases::ABC)).count();
        for (place, count, reason) in [
            (
                "containers",
                all(description.containers.iter().filter(named).count()),
                "left out: pandapower has no substations, bays or feeders",
            ),
            ("measurements", all(description.measurements.len()), "left out: measurements of pandapower are values, not points"),
            ("equipment", all(single), "have fewer than three phases and are written with three"),
        ] {
            if let Some(count) = count {
                self.notes.push(Note::new(place, format!("{count} {reason}")));
            }
        }
    }

    fn finish(self) -> Exported {
        let mut notes = self.notes;
        notes.extend(self.counts.into_iter().map(|((table, reason), count)| Note::new(table, format!("{count} rows: {reason}"))));
        let mut tables = self.tables;
        let mut object: Map<String, Value> =
            TABLES.iter().filter_map(|(name, _)| Some(((*name).to_owned(), tables.remove(name)?.into_json()))).collect();
        for (setting, value) in [
            ("version", json!("3.1.2")),
            ("format_version", json!("3.0.0")),
            ("name", json!("")),
            ("f_hz", json!(FREQUENCY_HZ)),
            ("sn_mva", json!(1.0)),
        ] {
            object.insert(setting.to_owned(), value);
        }
        let file = json!({ "_module": "pandapower.auxiliary", "_class": "pandapowerNet", "_object": object });
        Exported { text: file.to_string(), notes }
    }
}

/// Adds columns to a row.
fn merge(row: &mut Value, columns: Value) {
    if let (Value::Object(row), Value::Object(columns)) = (row, columns) {
        row.extend(columns);
    }
}

fn name(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn of_line(line: &Line) -> Value {
    let length = line.length_km.filter(|length| *length > 0.0);
    let per_km = |whole: f64| round(whole / length.unwrap_or(1.0));
    let nanofarads = |siemens: f64| round(siemens / (2.0 * PI * FREQUENCY_HZ * 1e-9) / length.unwrap_or(1.0));
    let (series, b_s) = line.by_phase.as_ref().map_or((line.series, line.b_s), positive_sequence);
    json!({
        "length_km": length.map_or(1.0, round), "r_ohm_per_km": per_km(series.r_ohm), "x_ohm_per_km": per_km(series.x_ohm),
        "c_nf_per_km": nanofarads(b_s), "g_us_per_km": per_km(line.g_s * 1e6), "r0_ohm_per_km": series.r0_ohm.map(per_km),
        "x0_ohm_per_km": series.x0_ohm.map(per_km), "c0_nf_per_km": line.b0_s.map(nanofarads),
        "max_i_ka": line.rated_a.map(|a| round(a / 1_000.0)), "df": 1.0, "parallel": 1,
    })
}

/// Returns an impedance per unit of 1 MVA and the voltage of the first bus.
fn impedance(series: SequenceImpedance, kv: Option<f64>) -> Value {
    let base = kv.map_or(1.0, |kv| kv * kv);
    let per_unit = |ohm: f64| round(ohm / base);
    let (r, x) = (per_unit(series.r_ohm), per_unit(series.x_ohm));
    json!({
        "rft_pu": r, "xft_pu": x, "rtf_pu": r, "xtf_pu": x, "rft0_pu": series.r0_ohm.map(per_unit), "xft0_pu": series.x0_ohm.map(per_unit),
        "gf_pu": 0.0, "bf_pu": 0.0, "gt_pu": 0.0, "bt_pu": 0.0, "sn_mva": 1.0,
    })
}

fn direct_current(kw: f64) -> Value {
    json!({ "p_mw": round(kw / 1_000.0), "loss_percent": 0.0, "loss_mw": 0.0, "vm_from_pu": 1.0, "vm_to_pu": 1.0 })
}

fn external_grid(source: &SourceVoltage) -> Value {
    json!({ "vm_pu": round(source.voltage_pu), "va_degree": round(source.angle_deg), "slack_weight": 1.0, "controllable": false })
}

fn load(consumption: &Consumption) -> (&'static str, Value) {
    let mega = |kilo: f64| round(kilo / 1_000.0);
    let kind = if consumption.is_delta { "delta" } else { "wye" };
    let Some([a, b, c]) = consumption.by_phase else {
        let row = json!({
            "p_mw": mega(consumption.kw), "q_mvar": mega(consumption.kvar), "const_z_percent": round(consumption.constant_impedance * 100.0),
            "const_i_percent": round(consumption.constant_current * 100.0), "scaling": 1.0, "type": kind,
        });
        return ("load", row);
    };
    let row = json!({
        "p_a_mw": mega(a[0]), "q_a_mvar": mega(a[1]), "p_b_mw": mega(b[0]), "q_b_mvar": mega(b[1]), "p_c_mw": mega(c[0]), "q_c_mvar": mega(c[1]),
        "scaling": 1.0, "type": kind,
    });
    ("asymmetric_load", row)
}

fn generator(generation: &Generation) -> (&'static str, Value) {
    let mega = |kilo: f64| round(kilo / 1_000.0);
    let rated = generation.rated_kva.map(mega);
    if let Some(voltage) = generation.voltage_pu {
        let row = json!({
            "p_mw": mega(generation.kw), "vm_pu": round(voltage), "sn_mva": rated, "scaling": 1.0, "slack": false, "slack_weight": 0.0,
        });
        ("gen", row)
    } else {
        let row = json!({
            "p_mw": mega(generation.kw), "q_mvar": mega(generation.kvar), "sn_mva": rated, "scaling": 1.0, "current_source": true,
        });
        ("sgen", row)
    }
}

/// Adds a storage. In pandapower, positive powers of a storage are consumed.
fn storage(generation: &Generation) -> Value {
    let mega = |kilo: f64| round(0.0 - kilo / 1_000.0);
    json!({
        "p_mw": mega(generation.kw), "q_mvar": mega(generation.kvar), "sn_mva": generation.rated_kva.map(|kva| round(kva / 1_000.0)),
        "min_e_mwh": 0.0, "max_e_mwh": generation.stored_kwh.map(|kwh| round(kwh / 1_000.0)), "scaling": 1.0,
    })
}

fn of_shunt(shunt: Shunt, kv: Option<f64>) -> Value {
    let square = kv.map_or(1.0, |kv| kv * kv);
    json!({
        "p_mw": round(shunt.g_s * square), "q_mvar": round(0.0 - shunt.b_s * square), "vn_kv": kv.map(round), "step": 1, "max_step": 1,
    })
}
