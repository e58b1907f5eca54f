//! Networks that pandapower has written with `to_json`, and networks for pandapower's `from_json`.
//!
//! Ids are the names of the tables with the indexes of the rows: `bus:7`, `line:3`, `switch:12`. A switch between a bus and a line or a transformer
//! gets an internal node at its far side. Values follow pandapower's formulas, see docs/NETWORK-FILES.md.

mod at_bus;
mod branches;
mod export;
mod frame;
mod transformers;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use network::description::{self, Electrical, Equipment, Node, Terminal};
use network::{Description, EquipmentKind, Phases};
use serde::Deserialize;
use serde_json::value::RawValue;

pub use export::export;

use crate::table::{Row, SOURCE_ID, Table};
use crate::{ImportError, Imported, Note, SIZE_LIMIT, make_room};
use frame::Frame;

/// Tables that do not describe equipment: costs, places, groups. Tables of results (`res_…`) and internal tables (`_…`) do not describe equipment either.
const WITHOUT_EQUIPMENT: [&str; 11] = [
    "poly_cost",
    "pwl_cost",
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

/// Tables that are read.
const KNOWN: [&str; 20] = [
    "bus",
    "switch",
    "line",
    "trafo",
    "trafo3w",
    "impedance",
    "tcsc",
    "dcline",
    "ext_grid",
    "gen",
    "sgen",
    "storage",
    "load",
    "asymmetric_load",
    "asymmetric_sgen",
    "shunt",
    "ward",
    "xward",
    "motor",
    "svc",
];

/// The letters in the column `et` of a switch, and the tables that its column `element` refers to.
const SWITCHED: [(&str, &str); 4] = [("b", "bus"), ("l", "line"), ("t", "trafo"), ("t3", "trafo3w")];

/// The texts in the column `type` of a switch. For other kinds the text is the name of the class.
const SWITCH_TYPES: [(&str, EquipmentKind); 4] = [
    ("CB", EquipmentKind::Breaker),
    ("LBS", EquipmentKind::LoadBreakSwitch),
    ("LS", EquipmentKind::LoadBreakSwitch),
    ("DS", EquipmentKind::Disconnector),
];

/// Columns of every table.
const OF_ALL: [&str; 3] = ["name", "in_service", SOURCE_ID];

/// The frequency that pandapower assumes if a file has none, and that exports use, Hz.
const FREQUENCY_HZ: f64 = 50.0;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(rename = "_class")]
    class: Option<String>,
    #[serde(rename = "_object", borrow)]
    object: Option<&'a RawValue>,
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
    if !tables.contains_key("bus") {
        return Err(ImportError::NoNetwork("it has no table bus"));
    }
    let frequency = tables.get("f_hz").and_then(|raw| serde_json::from_str::<f64>(raw.get()).ok()).filter(|hz| *hz > 0.0);
    let mut import = Import {
        tables,
        frequency_hz: frequency.unwrap_or(FREQUENCY_HZ),
        description: Description::default(),
        buses: HashMap::new(),
        ends: HashMap::new(),
        notes: Vec::new(),
    };
    import.add_buses()?;
    import.add_switches()?;
    import.add_lines()?;
    import.add_transformers()?;
    import.add_transformers_with_three_ends()?;
    import.add_series()?;
    import.add_direct_current()?;
    import.add_all_at_bus()?;
    import.note_unknown_tables();
    Imported::check(import.description, import.notes)
}

/// A bus in service.
#[derive(Debug, Clone)]
struct Bus {
    node: String,
    nominal_kv: Option<f64>,
}

struct Import<'a> {
    tables: HashMap<String, &'a RawValue>,
    frequency_hz: f64,
    description: Description,
    /// The buses in service by the ids of their rows.
    buses: HashMap<String, Bus>,
    /// The ends of equipment that have a switch: for an equipment and a bus, the node behind the switch.
    ends: HashMap<(String, String), String>,
    notes: Vec<Note>,
}

impl Import<'_> {
    fn note(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note::new(place, reason));
    }

    /// Adds a note for each column with values that are not imported.
    fn note_columns(&mut self, name: &'static str, table: &Table, taken: &[&str]) {
        let found: Vec<_> = table
            .columns_not_taken(&[taken, &OF_ALL])
            .into_iter()
            .map(|(column, rows)| Note::new(name, format!("column {column} is not taken; {rows} rows have a value")))
            .collect();
        self.notes.extend(found);
    }

    /// Reads a table. If the file does not have it, the result is a table without rows.
    fn table(&self, name: &'static str) -> Result<Table, ImportError> {
        let Some(raw) = self.tables.get(name) else { return Ok(Table::empty(name)) };
        let refuse = |reason: String| ImportError::Table { table: name, reason };
        let frame: Frame<'_> = serde_json::from_str(raw.get()).map_err(|error| refuse(error.to_string()))?;
        if !frame.is_table() {
            return Err(refuse("it is not a DataFrame in the form split".to_owned()));
        }
        let content = frame.content().ok_or_else(|| refuse("it has no _object".to_owned()))?;
        Table::parse(name, &content)
    }

    fn add_buses(&mut self) -> Result<(), ImportError> {
        let table = self.table("bus")?;
        let places = self.places_of_old_files()?;
        self.note_columns("bus", &table, &["vn_kv", "type", "geo"]);
        let mut is_without_place = 0;
        for bus in table.rows() {
            let id = bus.id();
            if !bus.flag("in_service", true)? {
                self.note(id, "left out, because it is out of service");
                continue;
            }
            let nominal_kv = bus.number("vn_kv")?;
            if nominal_kv.is_some_and(|kv| kv <= 0.0) {
                return Err(bus.refuse("vn_kv", "a nominal voltage is greater than 0".to_owned()));
            }
            let given = bus.place().or_else(|| places.get(id.trim_start_matches("bus:")).copied());
            let place = given.filter(|[longitude, latitude]| longitude.abs() <= 180.0 && latitude.abs() <= 90.0);
            is_without_place += usize::from(given.is_some() && place.is_none());
            let node = bus.source_id();
            let found = Bus { node: node.clone(), nominal_kv };
            if self.buses.insert(id, found).is_some() {
                return Err(network::BuildError::NodeExists(node).into());
            }
            make_room(&self.description.nodes)?;
            self.description.nodes.push(Node { id: node, name: bus.name(), container: None, nominal_kv, is_internal: false, place });
        }
        if is_without_place > 0 {
            self.note("bus", format!("{is_without_place} places left out, because they are no longitudes and latitudes in degrees"));
        }
        Ok(())
    }

    /// Returns the places in the table `bus_geodata` of files before pandapower 3, by the index of the bus.
    fn places_of_old_files(&self) -> Result<HashMap<String, [f64; 2]>, ImportError> {
        let mut places = HashMap::new();
        for row in self.table("bus_geodata")?.rows() {
            if let (Some(x), Some(y)) = (row.number("x")?, row.number("y")?) {
                places.insert(row.id().trim_start_matches("bus_geodata:").to_owned(), [x, y]);
            }
        }
        Ok(places)
    }

    /// Returns a bus. If it is not in the network, adds a note and returns `None`.
    fn bus(&mut self, place: &str, bus: &str) -> Option<Bus> {
        let found = self.buses.get(bus).cloned();
        if found.is_none() {
            self.note(place, format!("left out, because {bus} is out of service or missing"));
        }
        found
    }

    /// Returns the buses of a row. If one of them is not in the network, adds a note and returns `None`.
    fn buses<const N: usize>(&mut self, row: Row<'_>, columns: [&'static str; N]) -> Result<Option<[Bus; N]>, ImportError> {
        let id = row.id();
        let mut found = Vec::with_capacity(N);
        for column in columns {
            let reference = row.reference(column, "bus")?;
            let Some(mut bus) = self.bus(&id, &reference) else { return Ok(None) };
            if let Some(behind) = self.ends.remove(&(id.clone(), reference)) {
                bus.node = behind;
            }
            found.push(bus);
        }
        Ok(found.try_into().ok())
    }

    /// Adds an internal node.
    fn add_internal_node(&mut self, id: String, nominal_kv: Option<f64>) -> String {
        let node = Node { id: id.clone(), name: String::new(), container: None, nominal_kv, is_internal: true, place: None };
        self.description.nodes.push(node);
        id
    }

    /// Adds the equipment of a row.
    fn add<'n>(
        &mut self,
        row: Row<'_>,
        kind: EquipmentKind,
        nodes: impl IntoIterator<Item = &'n str>,
        electrical: Electrical,
    ) -> Result<(), ImportError> {
        make_room(&self.description.equipment)?;
        self.description.equipment.push(Equipment {
            id: row.source_id(),
            name: row.name(),
            kind,
            container: None,
            terminals: nodes.into_iter().map(terminal).collect(),
            is_in_service: row.flag("in_service", true)?,
            electrical,
        });
        Ok(())
    }

    fn add_switches(&mut self) -> Result<(), ImportError> {
        // Of equipment that is in the file: a switch at something else is noted.
        let mut known: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (_, table) in SWITCHED {
            known.insert(table, self.table(table)?.rows().map(Row::id).collect());
        }
        let switches = self.table("switch")?;
        self.note_columns("switch", &switches, &["bus", "element", "et", "type", "closed", "in_ka"]);
        for switch in switches.rows() {
            let id = switch.id();
            let letters = switch.text("et").unwrap_or_default();
            let Some((_, table)) = SWITCHED.into_iter().find(|(known, _)| *known == letters) else {
                let allowed = "allowed are b, l, t and t3";
                return Err(switch.refuse("et", format!("{letters:?} is not known; {allowed}")));
            };
            let bus = switch.reference("bus", "bus")?;
            let element = switch.reference("element", table)?;
            let is_closed = switch.required_flag("closed")?;
            let rated_a = switch.number("in_ka")?.map(|ka| ka * 1_000.0);
            let electrical = Electrical::Switch(description::Switch { is_normally_open: !is_closed, rated_a, breaking_ka: None });
            let kind = kind_of_switch(switch.text("type"));
            let Some(near) = self.bus(&id, &bus) else { continue };
            if !known[table].contains(&element) {
                self.note(&id, format!("left out, because {element} is missing"));
                continue;
            }
            if table == "bus" {
                let Some(far) = self.bus(&id, &element) else { continue };
                self.add(switch, kind, [near.node.as_str(), far.node.as_str()], electrical)?;
                continue;
            }
            // Several switches at one end are in series.
            let end = (element, bus);
            let first = self.ends.get(&end).cloned().unwrap_or(near.node);
            let far = self.add_internal_node(format!("{}:{}", switch.source_id(), end.0), near.nominal_kv);
            self.add(switch, kind, [first.as_str(), far.as_str()], electrical)?;
            self.ends.insert(end, far);
        }
        Ok(())
    }

    /// Adds a note for each switch that is not at an end of its equipment. Call it after all rows of a table were read.
    fn note_ends(&mut self, table: &str) {
        let mut left: Vec<_> =
            self.ends.extract_if(|(element, _), _| element.split(':').next() == Some(table)).map(|(end, _)| end).collect();
        left.sort_unstable();
        for (element, bus) in left {
            self.note(element, format!("the switch at {bus} is not at an end of it, and switches nothing"));
        }
    }

    fn note_unknown_tables(&mut self) {
        let known = |name: &str| KNOWN.contains(&name) || WITHOUT_EQUIPMENT.contains(&name);
        let mut unknown: Vec<(String, &RawValue)> = self
            .tables
            .iter()
            .filter(|(name, _)| !known(name) && !name.starts_with(['_']) && !name.starts_with("res_"))
            .map(|(name, raw)| (name.clone(), *raw))
            .collect();
        unknown.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, raw) in unknown {
            // Anything but a table is a setting.
            let Some(frame) = serde_json::from_str::<Frame<'_>>(raw.get()).ok().filter(Frame::is_table) else { continue };
            let Some(content) = frame.content() else { continue };
            let rows = Table::parse("it", &content).map(|table| table.rows().count());
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

fn terminal(node: &str) -> Terminal {
    Terminal { node: node.to_owned(), phases: Phases::ABC }
}

/// Returns the kind of a switch from pandapower's column `type`.
fn kind_of_switch(text: Option<&str>) -> EquipmentKind {
    let of_pandapower = |text: &str| SWITCH_TYPES.iter().find(|(known, _)| *known == text).map(|(_, kind)| *kind);
    let of_class = |text: &str| EquipmentKind::parse(text).filter(|kind| kind.is_switch());
    text.and_then(|text| of_pandapower(text).or_else(|| of_class(text))).unwrap_or(EquipmentKind::Switch)
}
