//! Writes the files of a network.

use std::collections::BTreeMap;

use network::description::{Electrical, Equipment, SequenceImpedance, Tap};
use network::{Description, EquipmentKind};

use super::columns::{
    ALL, BUSBARS, CONTAINERS, Columns, GENERATORS, LINES, LOADS, MEASUREMENTS, NODES, PAIRS, SHUNTS, SOURCES, SWITCHES, TRANSFORMERS,
};
use super::file::CsvFile;
use crate::Positions;

/// The cells of a row by the names of their columns.
#[derive(Default)]
struct Cells(BTreeMap<String, String>);

impl Cells {
    fn text(&mut self, column: &str, text: &str) -> &mut Self {
        self.0.insert(column.to_owned(), text.to_owned());
        self
    }

    fn value(&mut self, column: &str, value: impl std::fmt::Display) -> &mut Self {
        self.text(column, &value.to_string())
    }

    fn optional(&mut self, column: &str, value: Option<impl std::fmt::Display>) -> &mut Self {
        if let Some(value) = value {
            self.value(column, value);
        }
        self
    }

    fn place(&mut self, place: Option<[f64; 2]>) -> &mut Self {
        self.optional("longitude", place.map(|[longitude, _]| longitude)).optional("latitude", place.map(|[_, latitude]| latitude))
    }

    fn series(&mut self, suffix: &str, series: SequenceImpedance) -> &mut Self {
        self.value(&format!("r_ohm{suffix}"), series.r_ohm)
            .value(&format!("x_ohm{suffix}"), series.x_ohm)
            .optional(&format!("r0_ohm{suffix}"), series.r0_ohm)
            .optional(&format!("x0_ohm{suffix}"), series.x0_ohm)
    }

    fn tap(&mut self, end: usize, tap: &Tap) -> &mut Self {
        self.value(&format!("tap_step_{end}"), tap.step)
            .value(&format!("tap_neutral_{end}"), tap.neutral)
            .value(&format!("tap_low_{end}"), tap.low)
            .value(&format!("tap_high_{end}"), tap.high)
            .value(&format!("tap_step_percent_{end}"), tap.step_percent)
            .value(&format!("tap_step_degrees_{end}"), tap.step_degrees)
    }
}

/// Writes a network. The given positions of switches are written as their normal positions. For kinds without parts, no
/// file is written.
pub fn export(description: &Description, positions: &Positions) -> Vec<CsvFile> {
    let mut rows: BTreeMap<&str, Vec<Cells>> = BTreeMap::new();
    let mut add = |columns: Columns, cells: Cells| rows.entry(columns.0).or_default().push(cells);
    for container in &description.containers {
        let mut cells = Cells::default();
        cells.text("id", &container.id).text("name", &container.name).text("kind", container.kind.as_str());
        cells.optional("parent", container.parent.as_ref()).optional("nominal_kv", container.nominal_kv).place(container.place);
        add(CONTAINERS, cells);
    }
    for node in &description.nodes {
        let mut cells = Cells::default();
        cells.text("id", &node.id).text("name", &node.name).optional("container", node.container.as_ref());
        cells.optional("nominal_kv", node.nominal_kv).value("internal", node.is_internal).place(node.place);
        add(NODES, cells);
    }
    for (index, equipment) in description.equipment.iter().enumerate() {
        let (columns, cells) = of_equipment(equipment, positions.is_closed(index), positions.is_open(index));
        add(columns, cells);
    }
    for measurement in &description.measurements {
        let mut cells = Cells::default();
        cells.text("id", &measurement.id).text("equipment", &measurement.equipment).optional("terminal", measurement.terminal);
        cells.text("quantity", &measurement.quantity).value("phases", measurement.phases);
        cells.optional("point", measurement.point.as_deref());
        add(MEASUREMENTS, cells);
    }
    ALL.into_iter().filter_map(|columns| Some(file(columns, rows.get(columns.0)?))).collect()
}

fn file((name, columns): Columns, rows: &[Cells]) -> CsvFile {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let cells = |row: &Cells| columns.iter().map(|column| row.0.get(*column).cloned().unwrap_or_default()).collect::<Vec<_>>();
    // Writing into memory does not fail.
    let _ = writer.write_record(columns);
    for row in rows {
        debug_assert!(row.0.keys().all(|column| columns.contains(&column.as_str())), "{name} lacks a column");
        let _ = writer.write_record(cells(row));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    CsvFile { name: name.to_owned(), text: String::from_utf8(bytes).unwrap_or_default() }
}

fn of_equipment(equipment: &Equipment, is_closed: bool, is_open: bool) -> (Columns, Cells) {
    let mut cells = Cells::default();
    cells.text("id", &equipment.id).text("name", &equipment.name).optional("container", equipment.container.as_ref());
    let all: Vec<String> = equipment.terminals.iter().map(|terminal| terminal.phases.to_string()).collect();
    let phases = if all.windows(2).all(|pair| pair[0] == pair[1]) { all.first().cloned().unwrap_or_default() } else { all.join("/") };
    cells.text("phases", &phases);
    if equipment.kind.terminals().1 == 1 {
        cells.optional("node", equipment.terminals.first().map(|terminal| &terminal.node));
    } else {
        for (end, terminal) in equipment.terminals.iter().enumerate() {
            cells.text(&format!("node_{}", end + 1), &terminal.node);
        }
    }
    if equipment.kind.is_switch() {
        cells.value("in_service", equipment.is_in_service).value("normally_open", is_open).text("kind", equipment.kind.as_str());
        if let Electrical::Switch(switch) = equipment.electrical {
            cells.optional("rated_a", switch.rated_a).optional("breaking_ka", switch.breaking_ka);
        }
        return (SWITCHES, cells);
    }
    let earth = match equipment.electrical {
        Electrical::Switch(switch) if equipment.kind == EquipmentKind::GroundDisconnector => Some(switch),
        _ => None,
    };
    if let Some(switch) = earth {
        cells.value("in_service", equipment.is_in_service).value("normally_open", is_open);
        cells.optional("rated_a", switch.rated_a).optional("breaking_ka", switch.breaking_ka);
    } else {
        cells.value("in_service", is_closed);
    }
    let columns = match equipment.kind {
        EquipmentKind::LineSegment | EquipmentKind::SeriesCompensator | EquipmentKind::DirectCurrentLine => LINES,
        EquipmentKind::PowerTransformer => TRANSFORMERS,
        EquipmentKind::EnergyConsumer => LOADS,
        EquipmentKind::EnergySource => SOURCES,
        EquipmentKind::ShuntCompensator => SHUNTS,
        EquipmentKind::GeneratingUnit | EquipmentKind::BatteryUnit | EquipmentKind::InverterUnit => GENERATORS,
        EquipmentKind::GroundDisconnector => {
            let node = cells.0.remove("node").unwrap_or_default();
            cells.text("node_1", &node);
            SWITCHES
        }
        _ => BUSBARS,
    };
    if columns.1.contains(&"kind") {
        cells.text("kind", equipment.kind.as_str());
    }
    add_values(&mut cells, &equipment.electrical);
    (columns, cells)
}

fn add_values(cells: &mut Cells, electrical: &Electrical) {
    match electrical {
        Electrical::Nothing | Electrical::Switch(_) => {}
        Electrical::Line(line) => {
            cells.optional("length_km", line.length_km).series("", line.series).value("g_s", line.g_s).value("b_s", line.b_s);
            cells.optional("b0_s", line.b0_s).optional("rated_a", line.rated_a);
            if let Some(by_phase) = &line.by_phase {
                for (at, pair) in PAIRS.iter().enumerate() {
                    cells.value(&format!("r_{pair}_ohm"), by_phase.r_ohm[at]).value(&format!("x_{pair}_ohm"), by_phase.x_ohm[at]);
                    cells.value(&format!("b_{pair}_s"), by_phase.b_s[at]);
                }
            }
        }
        Electrical::Series(series) => drop(cells.series("", *series)),
        Electrical::DirectCurrent { kw } => drop(cells.value("kw", kw)),
        Electrical::Transformer(transformer) => {
            for (end, values) in transformer.ends.iter().enumerate() {
                let end = end + 1;
                cells.value(&format!("rated_kv_{end}"), values.rated_kv).optional(&format!("rated_kva_{end}"), values.rated_kva);
                cells.text(&format!("connection_{end}"), values.connection.as_str()).value(&format!("clock_{end}"), values.clock);
                cells.series(&format!("_{end}"), values.series);
                cells.value(&format!("g_s_{end}"), values.g_s).value(&format!("b_s_{end}"), values.b_s);
                if let Some(tap) = &values.tap {
                    cells.tap(end, tap);
                }
            }
        }
        Electrical::Shunt(shunt) => drop(cells.value("g_s", shunt.g_s).value("b_s", shunt.b_s)),
        Electrical::Source(source) => {
            cells.value("voltage_pu", source.voltage_pu).value("angle_deg", source.angle_deg);
            if let Some(series) = source.impedance {
                cells.series("", series);
            }
        }
        Electrical::Consumer(load) => {
            cells.value("customers", load.customers).value("kw", load.kw).value("kvar", load.kvar).value("delta", load.is_delta);
            cells.value("constant_impedance", load.constant_impedance).value("constant_current", load.constant_current);
            for (phase, powers) in ["a", "b", "c"].into_iter().zip(load.by_phase.iter().flatten()) {
                cells.value(&format!("kw_{phase}"), powers[0]).value(&format!("kvar_{phase}"), powers[1]);
            }
        }
        Electrical::Generator(generation) => {
            cells.value("kw", generation.kw).value("kvar", generation.kvar).optional("voltage_pu", generation.voltage_pu);
            cells.optional("rated_kva", generation.rated_kva).optional("stored_kwh", generation.stored_kwh);
        }
    }
}
