//! Networks that pandapower has written with `to_json`.
//!
//! Ids are the names of the tables with the indexes of the rows: `bus:7`, `line:3`, `switch:12`. A switch between a bus and a line or a transformer
//! gets an internal node at its far side.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use network::{Consumer, Contact, EquipmentKind, ModelBuilder, NewEquipment, NodeId, Phases};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::table::{Row, Table};
use crate::{ImportError, Imported, Note, SIZE_LIMIT};

/// A table whose rows connect buses: its name, its columns with buses, and the kind of equipment.
const BRANCHES: [(&str, &[&str], EquipmentKind); 6] = [
    ("line", &["from_bus", "to_bus"], EquipmentKind::LineSegment),
    ("trafo", &["hv_bus", "lv_bus"], EquipmentKind::PowerTransformer),
    ("trafo3w", &["hv_bus", "mv_bus", "lv_bus"], EquipmentKind::PowerTransformer),
    ("impedance", &["from_bus", "to_bus"], EquipmentKind::SeriesCompensator),
    ("tcsc", &["from_bus", "to_bus"], EquipmentKind::SeriesCompensator),
    ("dcline", &["from_bus", "to_bus"], EquipmentKind::DirectCurrentLine),
];

/// A table whose rows are at one bus.
const AT_BUS: [(&str, EquipmentKind); 10] = [
    ("ext_grid", EquipmentKind::EnergySource),
    ("gen", EquipmentKind::GeneratingUnit),
    ("sgen", EquipmentKind::InverterUnit),
    ("storage", EquipmentKind::BatteryUnit),
    ("load", EquipmentKind::EnergyConsumer),
    ("shunt", EquipmentKind::ShuntCompensator),
    ("ward", EquipmentKind::EnergyConsumer),
    ("xward", EquipmentKind::EnergyConsumer),
    ("motor", EquipmentKind::EnergyConsumer),
    ("svc", EquipmentKind::ShuntCompensator),
];

/// Tables that describe no equipment: costs, places, groups, measurements. Results (`res_…`) and internal tables (`_…`) describe none either.
const WITHOUT_EQUIPMENT: [&str; 12] = [
    "poly_cost",
    "pwl_cost",
    "measurement",
    "controller",
    "group",
    "characteristic",
    "bus_geodata",
    "line_geodata",
    "profiles",
    "study_cases",
    "storage_capability_curve",
    "q_capability_curve_table",
];

/// The letters in the column `et` of a switch, and the tables that its column `element` refers to.
const SWITCHED: [(&str, &str); 4] = [("b", "bus"), ("l", "line"), ("t", "trafo"), ("t3", "trafo3w")];

#[derive(Deserialize)]
struct File<'a> {
    #[serde(rename = "_class")]
    class: Option<String>,
    #[serde(rename = "_object", borrow)]
    object: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(rename = "_class")]
    class: Option<String>,
    #[serde(rename = "_object", borrow)]
    object: Option<&'a RawValue>,
    orient: Option<String>,
}

/// Reads a network from the text of a file.
pub fn import(text: &str) -> Result<Imported, ImportError> {
    if text.len() as u64 > SIZE_LIMIT {
        return Err(ImportError::TooLarge(text.len() as u64));
    }
    let file: File<'_> = serde_json::from_str(text).map_err(ImportError::Json)?;
    if file.class.as_deref() != Some("pandapowerNet") {
        return Err(ImportError::NoNetwork("its _class is not pandapowerNet"));
    }
    let object = file.object.ok_or(ImportError::NoNetwork("it has no _object"))?;
    let tables: HashMap<String, &RawValue> = serde_json::from_str(object.get()).map_err(ImportError::Json)?;
    let mut import = Import { tables, builder: ModelBuilder::new(), buses: HashMap::new(), ends: HashMap::new(), notes: Vec::new() };
    if !import.tables.contains_key("bus") {
        return Err(ImportError::NoNetwork("it has no table bus"));
    }
    import.add_buses()?;
    import.add_switches()?;
    for (table, columns, kind) in BRANCHES {
        import.add_branches(table, columns, kind)?;
    }
    for (table, kind) in AT_BUS {
        import.add_at_bus(table, kind)?;
    }
    import.note_unknown_tables();
    Ok(Imported { model: import.builder.build(), notes: import.notes })
}

struct Import<'a> {
    tables: HashMap<String, &'a RawValue>,
    builder: ModelBuilder,
    /// The node of each bus in service.
    buses: HashMap<String, NodeId>,
    /// Where equipment ends that has a switch: (equipment, bus) to the node behind the switch.
    ends: HashMap<(String, String), NodeId>,
    notes: Vec<Note>,
}

impl Import<'_> {
    fn note(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note { place: place.into(), reason: reason.into() });
    }

    /// Reads a table; one without rows if the file does not have it.
    fn table(&self, name: &'static str) -> Result<Table, ImportError> {
        let Some(raw) = self.tables.get(name) else { return Ok(Table::empty(name)) };
        let refuse = |reason: String| ImportError::Table { table: name, reason };
        let frame: Frame<'_> = serde_json::from_str(raw.get()).map_err(|error| refuse(error.to_string()))?;
        if !frame.is_table() {
            return Err(refuse("it is not a DataFrame in the form split".to_owned()));
        }
        let object = frame.object.ok_or_else(|| refuse("it has no _object".to_owned()))?;
        Table::parse(name, &split_of(object))
    }

    fn add_buses(&mut self) -> Result<(), ImportError> {
        for bus in self.table("bus")?.rows() {
            let id = bus.id();
            if !bus.flag("in_service", true)? {
                self.note(id, "left out, because it is out of service");
                continue;
            }
            let nominal_kv = bus.number("vn_kv")?;
            if nominal_kv.is_some_and(|kv| kv <= 0.0) {
                return Err(bus.refuse("vn_kv", "a nominal voltage is greater than 0".to_owned()));
            }
            let nominal_kv = nominal_kv.map(|kv| kv as f32);
            let node = self.builder.add_node(&id, nominal_kv)?;
            self.buses.insert(id, node);
        }
        Ok(())
    }

    /// Returns the node of a bus. Leaves a note, and returns `None`, if it is not in the model.
    fn bus(&mut self, place: &str, bus: &str) -> Option<NodeId> {
        let node = self.buses.get(bus).copied();
        if node.is_none() {
            self.note(place, format!("left out, because {bus} is out of service or missing"));
        }
        node
    }

    fn add(&mut self, id: &str, kind: EquipmentKind, nodes: &[NodeId], is_closed: bool, consumer: Consumer) -> Result<(), ImportError> {
        let terminals: Vec<_> = nodes.iter().map(|node| (*node, Phases::ABC)).collect();
        let normal = if is_closed { Contact::Closed } else { Contact::Open };
        self.builder.add(NewEquipment { id, kind, terminals: &terminals, normal, consumer })?;
        Ok(())
    }

    fn add_switches(&mut self) -> Result<(), ImportError> {
        // Of equipment that is in the file: a switch at something else is noted.
        let mut known: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (_, table) in SWITCHED {
            known.insert(table, self.table(table)?.rows().map(Row::id).collect());
        }
        for switch in self.table("switch")?.rows() {
            let id = switch.id();
            let letters = switch.text("et").unwrap_or_default();
            let Some((_, table)) = SWITCHED.into_iter().find(|(known, _)| *known == letters) else {
                let allowed = "allowed are b, l, t and t3";
                return Err(switch.refuse("et", format!("{letters:?} is not known; {allowed}")));
            };
            let bus = switch.reference("bus", "bus")?;
            let element = switch.reference("element", table)?;
            let is_closed = switch.required_flag("closed")?;
            let kind = kind_of_switch(switch.text("type"));
            let Some(near) = self.bus(&id, &bus) else { continue };
            if !known[table].contains(&element) {
                self.note(&id, format!("left out, because {element} is missing"));
                continue;
            }
            if table == "bus" {
                let Some(far) = self.bus(&id, &element) else { continue };
                self.add(&id, kind, &[near, far], is_closed, Consumer::default())?;
                continue;
            }
            // Several switches at one end are in series.
            let near = self.ends.get(&(element.clone(), bus.clone())).copied().unwrap_or(near);
            let far = self.builder.add_internal_node(&format!("{id}:{element}"))?;
            self.add(&id, kind, &[near, far], is_closed, Consumer::default())?;
            self.ends.insert((element, bus), far);
        }
        Ok(())
    }

    fn add_branches(&mut self, table: &'static str, columns: &[&'static str], kind: EquipmentKind) -> Result<(), ImportError> {
        'rows: for row in self.table(table)?.rows() {
            let id = row.id();
            let mut nodes = Vec::with_capacity(columns.len());
            for column in columns {
                let bus = row.reference(column, "bus")?;
                let Some(node) = self.bus(&id, &bus) else { continue 'rows };
                nodes.push(self.ends.remove(&(id.clone(), bus)).unwrap_or(node));
            }
            self.add(&id, kind, &nodes, row.flag("in_service", true)?, Consumer::default())?;
        }
        let left: Vec<_> = self.ends.extract_if(|(element, _), _| element.split(':').next() == Some(table)).map(|(end, _)| end).collect();
        for (element, bus) in left {
            self.note(element, format!("the switch at {bus} is not at an end of it, and switches nothing"));
        }
        Ok(())
    }

    fn add_at_bus(&mut self, table: &'static str, kind: EquipmentKind) -> Result<(), ImportError> {
        for row in self.table(table)?.rows() {
            let id = row.id();
            let bus = row.reference("bus", "bus")?;
            let Some(node) = self.bus(&id, &bus) else { continue };
            let is_in_service = row.flag("in_service", true)?;
            // A generator that holds the voltage and the angle supplies as an external grid does.
            let kind = if table == "gen" && row.flag("slack", false)? { EquipmentKind::EnergySource } else { kind };
            let load_kw = if table == "load" && is_in_service {
                1_000.0 * row.number("p_mw")?.unwrap_or(0.0) * row.number("scaling")?.unwrap_or(1.0)
            } else {
                0.0
            };
            self.add(&id, kind, &[node], is_in_service, Consumer { customers: 0, load_kw })?;
        }
        Ok(())
    }

    fn note_unknown_tables(&mut self) {
        let known = |name: &str| {
            let (branch, at_bus) = (BRANCHES.iter().any(|(table, ..)| *table == name), AT_BUS.iter().any(|(table, _)| *table == name));
            branch || at_bus || ["bus", "switch"].contains(&name) || WITHOUT_EQUIPMENT.contains(&name)
        };
        let mut unknown: Vec<(String, &RawValue)> = self
            .tables
            .iter()
            .filter(|(name, _)| !known(name) && !name.starts_with(['_']) && !name.starts_with("res_"))
            .map(|(name, raw)| (name.clone(), *raw))
            .collect();
        unknown.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, raw) in unknown {
            // Anything but a table is a setting.
            let Some(text) = serde_json::from_str::<Frame<'_>>(raw.get()).ok().filter(Frame::is_table).and_then(|frame| frame.object)
            else {
                continue;
            };
            let rows = Table::parse("it", &split_of(text)).map(|table| table.rows().count());
            match rows {
                Ok(0) => {}
                Ok(rows) => self.note(name, format!("{rows} rows left out, because the import does not know this table")),
                Err(error) => {
                    self.note(name, format!("left out, because the import does not know this table, and cannot read it: {error}"));
                }
            }
        }
    }
}

impl Frame<'_> {
    fn is_table(&self) -> bool {
        self.class.as_deref() == Some("DataFrame") && self.orient.as_deref().is_none_or(|orient| orient == "split")
    }
}

/// Returns the content of a table. It is a text with JSON in it; some versions write the JSON itself.
fn split_of(object: &RawValue) -> Cow<'_, str> {
    serde_json::from_str::<String>(object.get()).map_or_else(|_| Cow::Borrowed(object.get()), Cow::Owned)
}

/// Returns the kind of a switch from pandapower's column `type`.
fn kind_of_switch(text: Option<&str>) -> EquipmentKind {
    match text {
        Some("CB") => EquipmentKind::Breaker,
        Some("LBS" | "LS") => EquipmentKind::LoadBreakSwitch,
        Some("DS") => EquipmentKind::Disconnector,
        _ => EquipmentKind::Switch,
    }
}
