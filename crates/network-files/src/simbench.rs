//! Networks in the CSV format of SimBench: one file for each kind of part, and files for the types of lines and transformers.
//!
//! Ids are taken from the files. Nodes of the type `auxiliary`, between a switch and a line or a transformer, are internal.

use std::collections::{HashMap, HashSet};

use network::description::{
    Connection, Consumption, Container, ContainerKind, Electrical, Equipment, Generation, Line, Measurement, Node, SequenceImpedance,
    Shunt, SourceVoltage, Switch, Tap, Terminal, Transformer, TransformerEnd,
};
use network::{Description, EquipmentKind, Phases};

use crate::bundle::Part;
use crate::csv_table::{CsvRow, CsvTable};
use crate::{ImportError, Imported, Note, make_room};

/// The file that every network has.
pub(crate) const NODES: &str = "Node.csv";

/// The columns of the files that are imported, with their meaning.
const TAKEN: [(&str, &[&str]); 14] = [
    ("Substation.csv", &["id"]),
    ("Node.csv", &["id", "type", "vmSetp", "vaSetp", "vmR", "substation", "coordID"]),
    ("Coordinates.csv", &["id", "x", "y"]),
    ("Switch.csv", &["id", "nodeA", "nodeB", "type", "cond", "substation"]),
    ("Line.csv", &["id", "nodeA", "nodeB", "type", "length"]),
    ("Transformer.csv", &["id", "nodeHV", "nodeLV", "type", "tappos", "substation"]),
    ("Transformer3W.csv", &["id", "nodeHV", "nodeMV", "nodeLV", "type", "tapposHV", "tapposMV", "tapposLV", "substation"]),
    ("ExternalNet.csv", &["id", "node", "calc_type", "pExtNet", "qExtNet"]),
    ("Load.csv", &["id", "node", "pLoad", "qLoad"]),
    ("RES.csv", &["id", "node", "calc_type", "pRES", "qRES", "sR"]),
    ("PowerPlant.csv", &["id", "node", "calc_type", "pPP", "qPP", "sR"]),
    ("Storage.csv", &["id", "node", "pStor", "qStor", "sR", "eStore"]),
    ("Shunt.csv", &["id", "node", "p0", "q0", "vmR", "step"]),
    ("Measurement.csv", &["id", "element1", "element2", "variable"]),
];

/// Files of types. A type is used for the lines or transformers that refer to it.
const TYPES: [&str; 4] = ["LineType.csv", "DCLineType.csv", "TransformerType.csv", "Transformer3WType.csv"];

pub(crate) fn import_parts(parts: &[Part]) -> Result<Imported, ImportError> {
    import(parts.iter().map(|part| (part.name.as_str(), part.text.as_str())))
}

/// Reads a network from the names and texts of its files.
pub fn import<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Imported, ImportError> {
    let mut tables = HashMap::new();
    let mut notes = Vec::new();
    for (name, text) in files {
        let taken = TAKEN.iter().find(|(known, _)| *known == name);
        if taken.is_none() && !TYPES.contains(&name) {
            notes.push(Note::new(name, "left out: profiles, study cases and results are no part of a network"));
            continue;
        }
        let table = CsvTable::parse(name, text, b';')?;
        if let Some((_, columns)) = taken {
            notes.extend(table.columns_not_taken(&columns.iter().copied().collect::<HashSet<_>>(), is_empty));
        }
        if tables.insert(name.to_owned(), table).is_some() {
            return Err(ImportError::second_file(name));
        }
    }
    if !tables.contains_key(NODES) {
        return Err(ImportError::File { file: NODES.to_owned(), reason: "the file is missing".to_owned() });
    }
    let mut import = Import { tables: &tables, description: Description::default(), nodes: HashMap::new(), notes };
    import.add_nodes()?;
    import.add_switches()?;
    import.add_lines()?;
    import.add_transformers()?;
    import.add_transformers_with_three_ends()?;
    import.add_external()?;
    import.add_powers()?;
    import.add_measurements()?;
    Imported::check(import.description, import.notes)
}

/// Cells without a value are NULL.
fn is_empty(text: &str) -> bool {
    text.is_empty() || text == "NULL" || text == "nan"
}

fn number(row: CsvRow<'_>, column: &str) -> Result<Option<f64>, ImportError> {
    if is_empty(row.text(column)) { Ok(None) } else { row.number(column) }
}

fn number_or(row: CsvRow<'_>, column: &str, default: f64) -> Result<f64, ImportError> {
    Ok(number(row, column)?.unwrap_or(default))
}

fn text<'t>(row: CsvRow<'t>, column: &str) -> Option<&'t str> {
    Some(row.text(column)).filter(|text| !is_empty(text))
}

/// The data of a node that are needed later.
#[derive(Debug, Clone, Copy)]
struct AtNode {
    kv: Option<f64>,
    voltage_pu: Option<f64>,
    angle_deg: Option<f64>,
}

struct Import<'t> {
    tables: &'t HashMap<String, CsvTable>,
    description: Description,
    nodes: HashMap<&'t str, AtNode>,
    notes: Vec<Note>,
}

impl<'t> Import<'t> {
    fn rows(&self, file: &str) -> impl Iterator<Item = CsvRow<'t>> + use<'t> {
        self.tables.get(file).into_iter().flat_map(CsvTable::rows)
    }

    /// Returns the rows of a file of types by their ids.
    fn types(&self, file: &str) -> HashMap<&'t str, CsvRow<'t>> {
        self.rows(file).map(|row| (row.text("id"), row)).collect()
    }

    fn note(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note::new(place, reason));
    }

    fn add_nodes(&mut self) -> Result<(), ImportError> {
        let mut places = HashMap::new();
        for row in self.rows("Coordinates.csv") {
            if let (Some(x), Some(y)) = (number(row, "x")?, number(row, "y")?) {
                places.insert(row.required("id")?, [x, y]);
            }
        }
        for row in self.rows("Substation.csv") {
            let id = row.required("id")?.to_owned();
            let container =
                Container { name: id.clone(), id, kind: ContainerKind::Substation, parent: None, nominal_kv: None, place: None };
            make_room(&self.description.containers)?;
            self.description.containers.push(container);
        }
        let substations: HashSet<String> = self.description.containers.iter().map(|container| container.id.clone()).collect();
        for row in self.rows(NODES) {
            let id = row.required("id")?;
            let kv = number(row, "vmR")?;
            if kv.is_some_and(|kv| kv <= 0.0) {
                return Err(row.refuse("vmR", "a nominal voltage is greater than 0".to_owned()));
            }
            self.nodes.insert(id, AtNode { kv, voltage_pu: number(row, "vmSetp")?, angle_deg: number(row, "vaSetp")? });
            let place = text(row, "coordID").and_then(|id| places.get(id).copied());
            make_room(&self.description.nodes)?;
            self.description.nodes.push(Node {
                id: id.to_owned(),
                name: id.to_owned(),
                container: text(row, "substation").filter(|id| substations.contains(*id)).map(str::to_owned),
                nominal_kv: kv,
                is_internal: row.text("type").contains("auxiliary"),
                place: place.filter(|[x, y]: &[f64; 2]| x.abs() <= 180.0 && y.abs() <= 90.0),
            });
        }
        Ok(())
    }

    fn add(&mut self, row: CsvRow<'t>, kind: EquipmentKind, columns: &[&str], electrical: Electrical) -> Result<(), ImportError> {
        let id = row.required("id")?.to_owned();
        let mut terminals = Vec::with_capacity(columns.len());
        for column in columns {
            let node = row.required(column)?;
            if !self.nodes.contains_key(node) {
                self.note(id, format!("left out, because its node {node} is missing"));
                return Ok(());
            }
            terminals.push(Terminal { node: node.to_owned(), phases: Phases::ABC });
        }
        let container = text(row, "substation").map(str::to_owned);
        let equipment = Equipment { name: id.clone(), id, kind, container, terminals, is_in_service: true, electrical };
        make_room(&self.description.equipment)?;
        self.description.equipment.push(equipment);
        Ok(())
    }

    fn add_switches(&mut self) -> Result<(), ImportError> {
        for row in self.rows("Switch.csv") {
            let kind = match row.text("type") {
                "CB" => EquipmentKind::Breaker,
                "LBS" | "LS" => EquipmentKind::LoadBreakSwitch,
                "DS" => EquipmentKind::Disconnector,
                _ => EquipmentKind::Switch,
            };
            let switch = Switch { is_normally_open: !row.flag("cond", true)?, ..Switch::default() };
            self.add(row, kind, &["nodeA", "nodeB"], Electrical::Switch(switch))?;
        }
        Ok(())
    }

    fn add_lines(&mut self) -> Result<(), ImportError> {
        let (types, of_direct_current) = (self.types("LineType.csv"), self.types("DCLineType.csv"));
        for row in self.rows("Line.csv") {
            let name = row.required("type")?;
            if let Some(direct) = of_direct_current.get(name) {
                let kw = number_or(*direct, "pDCLine", 0.0)? * 1_000.0;
                self.add(row, EquipmentKind::DirectCurrentLine, &["nodeA", "nodeB"], Electrical::DirectCurrent { kw })?;
                continue;
            }
            let length = number(row, "length")?;
            let electrical = match types.get(name) {
                None => {
                    self.note(row.required("id")?, format!("its type {name} is missing: nothing is known of its impedance"));
                    Electrical::Nothing
                }
                Some(of) => {
                    let km = length.unwrap_or(1.0);
                    Electrical::Line(Line {
                        length_km: length,
                        series: SequenceImpedance {
                            r_ohm: number_or(*of, "r", 0.0)? * km,
                            x_ohm: number_or(*of, "x", 0.0)? * km,
                            ..SequenceImpedance::default()
                        },
                        b_s: number_or(*of, "b", 0.0)? * 1e-6 * km,
                        rated_a: number(*of, "iMax")?,
                        ..Line::default()
                    })
                }
            };
            self.add(row, EquipmentKind::LineSegment, &["nodeA", "nodeB"], electrical)?;
        }
        Ok(())
    }

    fn add_transformers(&mut self) -> Result<(), ImportError> {
        let types = self.types("TransformerType.csv");
        for row in self.rows("Transformer.csv") {
            let name = row.required("type")?;
            let electrical = match types.get(name) {
                None => {
                    self.note(row.required("id")?, format!("its type {name} is missing: nothing is known of its impedance"));
                    Electrical::Nothing
                }
                Some(of) => Electrical::Transformer(two_ends(row, *of)?),
            };
            self.add(row, EquipmentKind::PowerTransformer, &["nodeHV", "nodeLV"], electrical)?;
        }
        Ok(())
    }

    fn add_transformers_with_three_ends(&mut self) -> Result<(), ImportError> {
        let types = self.types("Transformer3WType.csv");
        for row in self.rows("Transformer3W.csv") {
            let name = row.required("type")?;
            let electrical = match types.get(name) {
                None => {
                    self.note(row.required("id")?, format!("its type {name} is missing: nothing is known of its impedance"));
                    Electrical::Nothing
                }
                Some(of) => Electrical::Transformer(three_ends(row, *of)?),
            };
            self.add(row, EquipmentKind::PowerTransformer, &["nodeHV", "nodeMV", "nodeLV"], electrical)?;
        }
        Ok(())
    }

    fn at(&self, row: CsvRow<'t>) -> AtNode {
        self.nodes.get(row.text("node")).copied().unwrap_or(AtNode { kv: None, voltage_pu: None, angle_deg: None })
    }

    fn add_external(&mut self) -> Result<(), ImportError> {
        let mut wards = 0;
        for row in self.rows("ExternalNet.csv") {
            let at = self.at(row);
            let (kind, electrical) = match row.text("calc_type") {
                "vavm" => {
                    let source =
                        SourceVoltage { voltage_pu: at.voltage_pu.unwrap_or(1.0), angle_deg: at.angle_deg.unwrap_or(0.0), impedance: None };
                    (EquipmentKind::EnergySource, Electrical::Source(source))
                }
                calculation => {
                    wards += usize::from(calculation.to_ascii_lowercase().contains("ward"));
                    let generation = Generation {
                        kw: number_or(row, "pExtNet", 0.0)? * 1_000.0,
                        kvar: number_or(row, "qExtNet", 0.0)? * 1_000.0,
                        voltage_pu: at.voltage_pu.filter(|_| calculation == "pvm"),
                        ..Generation::default()
                    };
                    (EquipmentKind::GeneratingUnit, Electrical::Generator(generation))
                }
            };
            self.add(row, kind, &["node"], electrical)?;
        }
        if wards > 0 {
            self.note("ExternalNet.csv", format!("{wards} wards: only their constant power is taken"));
        }
        Ok(())
    }

    fn add_powers(&mut self) -> Result<(), ImportError> {
        for row in self.rows("Load.csv") {
            let (kw, kvar) = (number_or(row, "pLoad", 0.0)? * 1_000.0, number_or(row, "qLoad", 0.0)? * 1_000.0);
            let load = Consumption { kw, kvar, ..Consumption::default() };
            self.add(row, EquipmentKind::EnergyConsumer, &["node"], Electrical::Consumer(load))?;
        }
        for (file, active, reactive, kind) in [
            ("RES.csv", "pRES", "qRES", EquipmentKind::InverterUnit),
            ("PowerPlant.csv", "pPP", "qPP", EquipmentKind::GeneratingUnit),
            ("Storage.csv", "pStor", "qStor", EquipmentKind::BatteryUnit),
        ] {
            // A storage consumes what is positive.
            let sign = if kind == EquipmentKind::BatteryUnit { -1.0 } else { 1.0 };
            for row in self.rows(file) {
                let at = self.at(row);
                let calculation = row.text("calc_type");
                if calculation == "vavm" {
                    let source =
                        SourceVoltage { voltage_pu: at.voltage_pu.unwrap_or(1.0), angle_deg: at.angle_deg.unwrap_or(0.0), impedance: None };
                    self.add(row, EquipmentKind::EnergySource, &["node"], Electrical::Source(source))?;
                    continue;
                }
                let generation = Generation {
                    kw: number_or(row, active, 0.0)? * 1_000.0 * sign + 0.0,
                    kvar: number_or(row, reactive, 0.0)? * 1_000.0 * sign + 0.0,
                    voltage_pu: at.voltage_pu.filter(|_| calculation == "pvm"),
                    rated_kva: number(row, "sR")?.map(|mva| mva * 1_000.0),
                    stored_kwh: number(row, "eStore")?.map(|mwh| mwh * 1_000.0),
                };
                self.add(row, kind, &["node"], Electrical::Generator(generation))?;
            }
        }
        for row in self.rows("Shunt.csv") {
            let steps = number_or(row, "step", 1.0)?;
            let electrical = match number(row, "vmR")?.filter(|kv| *kv > 0.0).or(self.at(row).kv) {
                None => Electrical::Nothing,
                Some(kv) => Electrical::Shunt(Shunt {
                    g_s: number_or(row, "p0", 0.0)? * steps / (kv * kv),
                    b_s: 0.0 - number_or(row, "q0", 0.0)? * steps / (kv * kv),
                }),
            };
            self.add(row, EquipmentKind::ShuntCompensator, &["node"], electrical)?;
        }
        Ok(())
    }

    /// Adds the measurements. A measurement of a voltage names a node. A measurement of a power or a current names equipment and the node at its end.
    fn add_measurements(&mut self) -> Result<(), ImportError> {
        let terminals: HashMap<String, Vec<String>> = self
            .description
            .equipment
            .iter()
            .map(|equipment| (equipment.id.clone(), equipment.terminals.iter().map(|terminal| terminal.node.clone()).collect()))
            .collect();
        let mut of_nodes = 0;
        for row in self.rows("Measurement.csv") {
            let elements = [row.text("element1"), row.text("element2")];
            let Some((equipment, nodes)) = elements.iter().find_map(|element| terminals.get_key_value(*element)) else {
                of_nodes += 1;
                continue;
            };
            let terminal = nodes.iter().position(|node| elements.contains(&node.as_str()));
            make_room(&self.description.measurements)?;
            self.description.measurements.push(Measurement {
                id: row.required("id")?.to_owned(),
                equipment: equipment.clone(),
                terminal: terminal.map(|position| position as u8 + 1),
                quantity: row.text("variable").to_owned(),
                phases: Phases::ABC,
                point: None,
            });
        }
        if of_nodes > 0 {
            self.note("Measurement.csv", format!("{of_nodes} rows left out, because they are bound to a node, not to equipment"));
        }
        Ok(())
    }
}

/// Returns the clock number of an angle in degrees.
fn clock(degrees: f64) -> u8 {
    ((degrees / 30.0).round() as i64).rem_euclid(12) as u8
}

/// Returns resistance and reactance in ohms from the copper losses in kW and the short-circuit voltage in percent.
fn impedance(copper_kw: f64, percent: f64, kv: f64, mva: f64) -> (f64, f64) {
    let base = kv * kv / mva;
    let (whole, resistive) = (percent / 100.0, copper_kw / 1_000.0 / mva);
    (resistive * base, (whole * whole - resistive * resistive).max(0.0).sqrt() * base)
}

/// Returns conductance and susceptance in siemens from the core losses in kW and the current without load in percent.
fn core(of: CsvRow<'_>, kv: f64, mva: f64) -> Result<(f64, f64), ImportError> {
    let losses = number_or(of, "pFe", 0.0)? / 1_000.0;
    let whole = number_or(of, "iNoLoad", 0.0)? / 100.0 * mva;
    let reactive = (whole * whole - losses * losses).max(0.0).sqrt();
    Ok((losses / (kv * kv), 0.0 - reactive / (kv * kv)))
}

fn positive(row: CsvRow<'_>, column: &str) -> Result<f64, ImportError> {
    number(row, column)?.filter(|number| *number > 0.0).ok_or_else(|| row.refuse(column, "it must be greater than 0".to_owned()))
}

/// Returns the tap changer of an end. The columns have the suffix of the end, or none.
fn tap(row: CsvRow<'_>, of: CsvRow<'_>, suffix: &str) -> Result<Option<Tap>, ImportError> {
    let column = |name: &str| format!("{name}{suffix}");
    let whole = |row: CsvRow<'_>, name: &str| number(row, &column(name)).map(|number| number.map(|number| number.round() as i32));
    let Some(step) = whole(row, "tappos")? else { return Ok(None) };
    let neutral = whole(of, "tapNeutr")?.unwrap_or(0);
    Ok(Some(Tap {
        step,
        neutral,
        low: whole(of, "tapMin")?.unwrap_or(step.min(neutral)),
        high: whole(of, "tapMax")?.unwrap_or(step.max(neutral)),
        step_percent: number_or(of, &column("dVm"), 0.0)?,
        step_degrees: number_or(of, &column("dVa"), 0.0)?,
    }))
}

fn two_ends(row: CsvRow<'_>, of: CsvRow<'_>) -> Result<Transformer, ImportError> {
    let (mva, high_kv, low_kv) = (positive(of, "sR")?, positive(of, "vmHV")?, positive(of, "vmLV")?);
    let (r_ohm, x_ohm) = impedance(number_or(of, "pCu", 0.0)?, number_or(of, "vmImp", 0.0)?, high_kv, mva);
    let (g_s, b_s) = core(of, high_kv, mva)?;
    let rated_kva = Some(mva * 1_000.0);
    let mut ends = vec![
        TransformerEnd {
            rated_kv: high_kv,
            rated_kva,
            series: SequenceImpedance { r_ohm, x_ohm, ..SequenceImpedance::default() },
            g_s,
            b_s,
            ..TransformerEnd::default()
        },
        TransformerEnd { rated_kv: low_kv, rated_kva, clock: clock(number_or(of, "va0", 0.0)?), ..TransformerEnd::default() },
    ];
    // The name of a type ends with its vector group.
    if let Some((high, low)) = of.text("id").split_whitespace().find_map(vector_group) {
        (ends[0].connection, ends[1].connection) = (high, low);
    }
    if number_or(of, "tapable", 0.0)? != 0.0 {
        let side = usize::from(of.text("tapside") == "LV");
        ends[side].tap = tap(row, of, "")?;
    }
    Ok(Transformer { ends })
}

/// Parses a vector group of two windings, such as `YNd5`.
fn vector_group(text: &str) -> Option<(Connection, Connection)> {
    let letters = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let second = letters.find(|letter: char| letter.is_ascii_lowercase())?;
    let winding = |text: &str| match text.to_ascii_uppercase().as_str() {
        "D" => Some(Connection::Delta),
        "Y" => Some(Connection::Star),
        "YN" => Some(Connection::StarEarthed),
        "Z" => Some(Connection::Zigzag),
        "ZN" => Some(Connection::ZigzagEarthed),
        _ => None,
    };
    Some((winding(&letters[..second])?, winding(&letters[second..])?))
}

fn three_ends(row: CsvRow<'_>, of: CsvRow<'_>) -> Result<Transformer, ImportError> {
    let sides = ["HV", "MV", "LV"];
    let mut rated = [(0.0, 0.0); 3];
    for (rated, side) in rated.iter_mut().zip(sides) {
        *rated = (positive(of, &format!("vm{side}"))?, positive(of, &format!("sR{side}"))?);
    }
    let high_kv = rated[0].0;
    let pair = |voltage: &str, copper: &str, one: usize, other: usize| {
        let mva = rated[one].1.min(rated[other].1);
        Ok::<_, ImportError>(impedance(number_or(of, copper, 0.0)?, number_or(of, voltage, 0.0)?, high_kv, mva))
    };
    let (one_two, two_three, one_three) =
        (pair("vmImpHVMV", "pCuHV", 0, 1)?, pair("vmImpMVLV", "pCuMV", 1, 2)?, pair("vmImpHVLV", "pCuLV", 0, 2)?);
    let star = |one: (f64, f64), two: (f64, f64), other: (f64, f64)| (0.5 * (one.0 + two.0 - other.0), 0.5 * (one.1 + two.1 - other.1));
    let series = [star(one_two, one_three, two_three), star(one_two, two_three, one_three), star(one_three, two_three, one_two)];
    let clocks = [0, clock(number_or(of, "vaHVMV", 0.0)?), clock(number_or(of, "vaHVLV", 0.0)?)];
    let mut ends = Vec::with_capacity(3);
    for (at, side) in sides.into_iter().enumerate() {
        let (kv, mva) = rated[at];
        let ratio = (kv / high_kv).powi(2);
        let is_tapped = number_or(of, "tapable", 0.0)? != 0.0 && of.text("tapside") == side;
        ends.push(TransformerEnd {
            rated_kv: kv,
            rated_kva: Some(mva * 1_000.0),
            clock: clocks[at],
            series: SequenceImpedance { r_ohm: series[at].0 * ratio, x_ohm: series[at].1 * ratio, ..SequenceImpedance::default() },
            tap: if is_tapped { tap(row, of, side)? } else { None },
            ..TransformerEnd::default()
        });
    }
    (ends[0].g_s, ends[0].b_s) = core(of, high_kv, rated[0].1)?;
    Ok(Transformer { ends })
}
