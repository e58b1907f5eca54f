//! Reads the files of a network.

use std::collections::HashSet;

use network::description::{
    Connection, Consumption, Container, ContainerKind, Electrical, Equipment, Generation, Line, Measurement, Node, PhaseImpedance,
    SequenceImpedance, Shunt, SourceVoltage, Switch, Tap, Terminal, Transformer, TransformerEnd,
};
use network::{Description, EquipmentKind, Phases};

use super::columns::{
    ALL, BUSBARS, CONTAINERS, Columns, LINE_VALUES, LINES, LOAD_VALUES, LOADS, MEASUREMENTS, NODES, PAIRS, SERIES, SHUNTS, SOURCES,
    SWITCHES, TRANSFORMERS,
};
use super::file::CsvFile;
use crate::csv_table::{CsvRow, CsvTable};
use crate::{ImportError, Imported, Note, make_room};

/// Reads a network from its files. A missing file counts as a file without rows; only `nodes.csv` is required.
pub fn import(files: &[CsvFile]) -> Result<Imported, ImportError> {
    let mut notes = Vec::new();
    let mut description = Description::default();
    if !files.iter().any(|file| file.name == NODES.0) {
        return Err(ImportError::File { file: NODES.0.to_owned(), reason: "the file is missing".to_owned() });
    }
    for file in files.iter().filter(|file| !ALL.iter().any(|(name, _)| *name == file.name)) {
        notes.push(Note::new(&*file.name, "left out, because it is none of the files of a network"));
    }
    let mut names = HashSet::new();
    if let Some(second) = files.iter().find(|file| !names.insert(file.name.as_str())) {
        return Err(ImportError::second_file(&second.name));
    }
    for columns in ALL {
        let Some(file) = files.iter().find(|file| file.name == columns.0) else { continue };
        let table = CsvTable::parse(&file.name, &file.text, b',')?;
        notes.extend(table.columns_not_taken(&columns.1.iter().copied().collect(), str::is_empty));
        for row in table.rows() {
            add(&mut description, columns, row)?;
        }
    }
    Imported::check(description, notes)
}

fn add(description: &mut Description, columns: Columns, row: CsvRow<'_>) -> Result<(), ImportError> {
    if columns == CONTAINERS {
        let kind = row.required("kind")?;
        let Some(kind) = ContainerKind::parse(kind) else {
            let allowed = ContainerKind::ALL.map(ContainerKind::as_str).join(", ");
            return Err(row.refuse("kind", format!("{kind:?} is not known; allowed are {allowed}")));
        };
        make_room(&description.containers)?;
        description.containers.push(Container {
            id: row.required("id")?.to_owned(),
            name: row.text("name").to_owned(),
            kind,
            parent: row.optional("parent").map(str::to_owned),
            nominal_kv: row.positive("nominal_kv")?,
            place: place(row)?,
        });
    } else if columns == NODES {
        make_room(&description.nodes)?;
        description.nodes.push(Node {
            id: row.required("id")?.to_owned(),
            name: row.text("name").to_owned(),
            container: row.optional("container").map(str::to_owned),
            nominal_kv: row.positive("nominal_kv")?,
            is_internal: row.flag("internal", false)?,
            place: place(row)?,
        });
    } else if columns == MEASUREMENTS {
        make_room(&description.measurements)?;
        description.measurements.push(Measurement {
            id: row.required("id")?.to_owned(),
            equipment: row.required("equipment")?.to_owned(),
            terminal: row.whole("terminal")?,
            quantity: row.required("quantity")?.to_owned(),
            phases: phases(row, row.text("phases"))?,
            point: row.optional("point").map(str::to_owned),
        });
    } else {
        let kind = kind(columns, row)?;
        refuse_other_columns(columns, kind, row)?;
        let electrical = electrical(kind, row)?;
        make_room(&description.equipment)?;
        description.equipment.push(Equipment {
            id: row.required("id")?.to_owned(),
            name: row.text("name").to_owned(),
            kind,
            container: row.optional("container").map(str::to_owned),
            terminals: terminals(kind, row)?,
            is_in_service: row.flag("in_service", true)?,
            electrical,
        });
    }
    Ok(())
}

/// Returns the kind of the equipment of a row, from the file or from the column `kind`.
fn kind(columns: Columns, row: CsvRow<'_>) -> Result<EquipmentKind, ImportError> {
    let (default, is_allowed): (EquipmentKind, fn(EquipmentKind) -> bool) = match columns {
        BUSBARS => return Ok(EquipmentKind::BusbarSection),
        TRANSFORMERS => return Ok(EquipmentKind::PowerTransformer),
        LOADS => return Ok(EquipmentKind::EnergyConsumer),
        SOURCES => return Ok(EquipmentKind::EnergySource),
        SHUNTS => return Ok(EquipmentKind::ShuntCompensator),
        SWITCHES => (EquipmentKind::Switch, |kind| kind.is_switch() || kind == EquipmentKind::GroundDisconnector),
        LINES => (EquipmentKind::LineSegment, |kind| {
            matches!(kind, EquipmentKind::LineSegment | EquipmentKind::SeriesCompensator | EquipmentKind::DirectCurrentLine)
        }),
        _ => (EquipmentKind::GeneratingUnit, |kind| {
            matches!(kind, EquipmentKind::GeneratingUnit | EquipmentKind::BatteryUnit | EquipmentKind::InverterUnit)
        }),
    };
    let Some(text) = row.optional("kind") else { return Ok(default) };
    EquipmentKind::parse(text).filter(|kind| is_allowed(*kind)).ok_or_else(|| {
        let allowed: Vec<_> = EquipmentKind::ALL.into_iter().filter(|kind| is_allowed(*kind)).map(EquipmentKind::as_str).collect();
        row.refuse("kind", format!("{text:?} is not known; allowed are {}", allowed.join(", ")))
    })
}

/// Refuses a value that equipment of this kind does not have. It would be lost.
fn refuse_other_columns(columns: Columns, kind: EquipmentKind, row: CsvRow<'_>) -> Result<(), ImportError> {
    let is_other = |column: &str| match kind {
        EquipmentKind::GroundDisconnector => column == "node_2",
        EquipmentKind::LineSegment => column == "kw",
        EquipmentKind::SeriesCompensator => LINE_VALUES.contains(&column) && !SERIES.contains(&column),
        EquipmentKind::DirectCurrentLine => LINE_VALUES.contains(&column) && column != "kw",
        EquipmentKind::PowerTransformer if row.optional("node_3").is_none() => column.ends_with("_3") && column != "node_3",
        _ => false,
    };
    match columns.1.iter().find(|column| is_other(column) && row.optional(column).is_some()) {
        Some(column) => Err(row.refuse(column, format!("{} has no value of this column; clear the cell", kind.as_str()))),
        None => Ok(()),
    }
}

fn phases(row: CsvRow<'_>, text: &str) -> Result<Phases, ImportError> {
    match text {
        "" => Ok(Phases::ABC),
        text => Phases::parse(text)
            .ok_or_else(|| row.refuse("phases", format!("{text:?} are no phases; allowed are the letters A, B, C and N"))),
    }
}

fn terminals(kind: EquipmentKind, row: CsvRow<'_>) -> Result<Vec<Terminal>, ImportError> {
    let mut nodes = Vec::new();
    match kind {
        _ if kind.terminals().1 == 1 && kind != EquipmentKind::GroundDisconnector => nodes.push(row.required("node")?),
        EquipmentKind::GroundDisconnector => nodes.push(row.required("node_1")?),
        _ => {
            nodes.extend([row.required("node_1")?, row.required("node_2")?]);
            nodes.extend(row.optional("node_3"));
        }
    }
    let texts: Vec<&str> = row.text("phases").split('/').collect();
    if texts.len() > 1 && texts.len() != nodes.len() {
        return Err(row.refuse("phases", format!("there are {} sets of phases for {} nodes", texts.len(), nodes.len())));
    }
    nodes
        .into_iter()
        .enumerate()
        .map(|(end, node)| {
            let text = texts.get(end).or(texts.first()).copied().unwrap_or_default();
            Ok(Terminal { node: node.to_owned(), phases: phases(row, text)? })
        })
        .collect()
}

fn place(row: CsvRow<'_>) -> Result<Option<[f64; 2]>, ImportError> {
    let (longitude, latitude) = (row.number("longitude")?, row.number("latitude")?);
    for (column, value, most) in [("longitude", longitude, 180.0), ("latitude", latitude, 90.0)] {
        if value.is_some_and(|value| value.abs() > most) {
            return Err(row.refuse(column, format!("it is not between -{most} and {most} degrees")));
        }
    }
    if longitude.is_some() != latitude.is_some() {
        return Err(
            row.refuse(if longitude.is_some() { "latitude" } else { "longitude" }, "it is empty, and the other one is not".to_owned())
        );
    }
    Ok(longitude.zip(latitude).map(|(longitude, latitude)| [longitude, latitude]))
}

fn series(row: CsvRow<'_>, suffix: &str) -> Result<Option<SequenceImpedance>, ImportError> {
    let [r, x, r0_ohm, x0_ohm] = SERIES.map(|column| row.number(&format!("{column}{suffix}")));
    let (r, x, r0_ohm, x0_ohm) = (r?, x?, r0_ohm?, x0_ohm?);
    if [r, x, r0_ohm, x0_ohm].iter().all(Option::is_none) {
        return Ok(None);
    }
    Ok(Some(SequenceImpedance { r_ohm: r.unwrap_or(0.0), x_ohm: x.unwrap_or(0.0), r0_ohm, x0_ohm }))
}

fn has_any(row: CsvRow<'_>, columns: &[&str]) -> bool {
    columns.iter().any(|column| row.optional(column).is_some())
}

fn electrical(kind: EquipmentKind, row: CsvRow<'_>) -> Result<Electrical, ImportError> {
    Ok(match kind {
        // An earth switch without a normal position is closed when it is in service.
        EquipmentKind::GroundDisconnector if !has_any(row, &["normally_open", "rated_a", "breaking_ka"]) => Electrical::Nothing,
        _ if kind.is_switch() || kind == EquipmentKind::GroundDisconnector => Electrical::Switch(Switch {
            is_normally_open: row.flag("normally_open", false)?,
            rated_a: row.number("rated_a")?,
            breaking_ka: row.number("breaking_ka")?,
        }),
        EquipmentKind::LineSegment => line(row)?.map_or(Electrical::Nothing, Electrical::Line),
        EquipmentKind::SeriesCompensator => series(row, "")?.map_or(Electrical::Nothing, Electrical::Series),
        EquipmentKind::DirectCurrentLine => row.number("kw")?.map_or(Electrical::Nothing, |kw| Electrical::DirectCurrent { kw }),
        EquipmentKind::PowerTransformer => transformer(row)?,
        EquipmentKind::ShuntCompensator if has_any(row, &["g_s", "b_s"]) => {
            Electrical::Shunt(Shunt { g_s: row.number_or("g_s", 0.0)?, b_s: row.number_or("b_s", 0.0)? })
        }
        EquipmentKind::EnergySource if has_any(row, &["voltage_pu", "angle_deg"]) || has_any(row, &SERIES) => {
            Electrical::Source(SourceVoltage {
                voltage_pu: row.number_or("voltage_pu", 1.0)?,
                angle_deg: row.number_or("angle_deg", 0.0)?,
                impedance: series(row, "")?,
            })
        }
        EquipmentKind::EnergyConsumer if has_any(row, LOAD_VALUES) => Electrical::Consumer(load(row)?),
        EquipmentKind::GeneratingUnit | EquipmentKind::BatteryUnit | EquipmentKind::InverterUnit
            if has_any(row, &["kw", "kvar", "voltage_pu", "rated_kva", "stored_kwh"]) =>
        {
            Electrical::Generator(Generation {
                kw: row.number_or("kw", 0.0)?,
                kvar: row.number_or("kvar", 0.0)?,
                voltage_pu: row.number("voltage_pu")?,
                rated_kva: row.number("rated_kva")?,
                stored_kwh: row.number("stored_kwh")?,
            })
        }
        _ => Electrical::Nothing,
    })
}

fn line(row: CsvRow<'_>) -> Result<Option<Line>, ImportError> {
    let series = series(row, "")?;
    if !has_any(row, LINE_VALUES) {
        return Ok(None);
    }
    let is_by_phase = PAIRS.iter().any(|pair| has_any(row, &[&format!("r_{pair}_ohm"), &format!("x_{pair}_ohm"), &format!("b_{pair}_s")]));
    let of_pairs = |before: &str, after: &str| {
        let mut values = [0.0; 6];
        for (value, pair) in values.iter_mut().zip(PAIRS) {
            *value = row.number_or(&format!("{before}_{pair}_{after}"), 0.0)?;
        }
        Ok::<_, ImportError>(values)
    };
    let by_phase = if is_by_phase {
        Some(PhaseImpedance { r_ohm: of_pairs("r", "ohm")?, x_ohm: of_pairs("x", "ohm")?, b_s: of_pairs("b", "s")? })
    } else {
        None
    };
    Ok(Some(Line {
        length_km: row.number("length_km")?,
        series: series.unwrap_or_default(),
        g_s: row.number_or("g_s", 0.0)?,
        b_s: row.number_or("b_s", 0.0)?,
        b0_s: row.number("b0_s")?,
        by_phase,
        rated_a: row.number("rated_a")?,
    }))
}

fn transformer(row: CsvRow<'_>) -> Result<Electrical, ImportError> {
    let mut ends = Vec::new();
    let count = if row.optional("node_3").is_some() { 3 } else { 2 };
    for end in 1..=count {
        let column = |name: &str| format!("{name}_{end}");
        let Some(rated_kv) = row.positive(&column("rated_kv"))? else {
            // Without the voltage of an end, the transformer has no values at all.
            let of_end = |name: &&&str| name.ends_with(&format!("_{end}")) && !name.starts_with("node_");
            if let Some(name) = TRANSFORMERS.1.iter().filter(of_end).find(|name| row.optional(name).is_some()) {
                return Err(row.refuse(&column("rated_kv"), format!("it is empty, and {name} is not")));
            }
            break;
        };
        let connection = row.text(&column("connection"));
        let connection = match connection {
            "" => Connection::default(),
            text => Connection::parse(text).ok_or_else(|| {
                let allowed = Connection::ALL.map(Connection::as_str).join(", ");
                row.refuse(&column("connection"), format!("{text:?} is not known; allowed are {allowed}"))
            })?,
        };
        let clock: u8 = row.whole(&column("clock"))?.unwrap_or(0);
        if clock > 11 {
            return Err(row.refuse(&column("clock"), format!("{clock} is not between 0 and 11")));
        }
        ends.push(TransformerEnd {
            rated_kv,
            rated_kva: row.number(&column("rated_kva"))?,
            connection,
            clock,
            series: series(row, &format!("_{end}"))?.unwrap_or_default(),
            g_s: row.number_or(&column("g_s"), 0.0)?,
            b_s: row.number_or(&column("b_s"), 0.0)?,
            tap: tap(row, end)?,
        });
    }
    match ends.len() {
        0 => Ok(Electrical::Nothing),
        found if found == count => Ok(Electrical::Transformer(Transformer { ends })),
        found => Err(row.refuse(&format!("rated_kv_{}", found + 1), format!("it is empty, and the transformer has {count} ends"))),
    }
}

fn tap(row: CsvRow<'_>, end: usize) -> Result<Option<Tap>, ImportError> {
    let column = |name: &str| format!("tap_{name}_{end}");
    let Some(step) = row.whole(&column("step"))? else {
        let others = ["neutral", "low", "high", "step_percent", "step_degrees"].map(column);
        return match others.iter().find(|other| row.optional(other).is_some()) {
            Some(other) => Err(row.refuse(&column("step"), format!("it is empty, and {other} is not"))),
            None => Ok(None),
        };
    };
    let neutral = row.whole(&column("neutral"))?.unwrap_or(0);
    Ok(Some(Tap {
        step,
        neutral,
        low: row.whole(&column("low"))?.unwrap_or(step.min(neutral)),
        high: row.whole(&column("high"))?.unwrap_or(step.max(neutral)),
        step_percent: row.number_or(&column("step_percent"), 0.0)?,
        step_degrees: row.number_or(&column("step_degrees"), 0.0)?,
    }))
}

fn load(row: CsvRow<'_>) -> Result<Consumption, ImportError> {
    let mut by_phase = [[0.0; 2]; 3];
    let mut is_by_phase = false;
    for (powers, phase) in by_phase.iter_mut().zip(["a", "b", "c"]) {
        for (power, name) in powers.iter_mut().zip(["kw", "kvar"]) {
            let value = row.number(&format!("{name}_{phase}"))?;
            is_by_phase |= value.is_some();
            *power = value.unwrap_or(0.0);
        }
    }
    let sum = |part: usize| if is_by_phase { by_phase.iter().map(|powers| powers[part]).sum() } else { 0.0 };
    Ok(Consumption {
        customers: row.whole("customers")?.unwrap_or(0),
        kw: row.number("kw")?.unwrap_or_else(|| sum(0)),
        kvar: row.number("kvar")?.unwrap_or_else(|| sum(1)),
        by_phase: is_by_phase.then_some(by_phase),
        constant_impedance: row.number_or("constant_impedance", 0.0)?,
        constant_current: row.number_or("constant_current", 0.0)?,
        is_delta: row.flag("delta", false)?,
    })
}
