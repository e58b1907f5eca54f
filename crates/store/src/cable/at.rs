//! The known data of a substation's cable sections and plant at the end of a year.

use std::collections::HashMap;

use grid::cable_health::{
    Conductor, Consequence, Discharge, Entry, Exposure, FaultHistory, FaultList, Housing, Insulation, Leakage, Metal, Modifier, Plant,
    PlantState, Sheath,
};
use grid::{AssetId, ClientId, NodeId};
use serde_json::Value;
use tokio_postgres::Row;

use crate::convert::sql;
use crate::geography::LonLat;
use crate::{Error, Result, Store};

/// A cable section.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionRecord {
    /// The utility's own identifier of the section.
    pub code: String,
    /// The feeder or line that the section belongs to.
    pub asset: AssetId,
    /// Name of the cable.
    pub cable: String,
    /// Number of the section in the cable.
    pub section: String,
    /// Input of the health model.
    pub entry: Entry,
    /// Recorded faults since the section was laid; `None` without a list of faults.
    pub faults: Option<usize>,
    /// Customers supplied by the section; `None` if not known.
    pub consumers: Option<i32>,
    /// Customers supplied by the whole cable.
    pub cable_consumers: Option<i32>,
    /// Line path of the section.
    pub line: Option<Vec<LonLat>>,
}

/// A breaker, or a part of a transformer.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantRecord {
    /// Id of the asset.
    pub asset: AssetId,
    /// Whether this is the tap changer of a transformer.
    pub tap_changer: bool,
    /// `transformer` or `breaker`.
    pub kind: String,
    /// Voltage that decides the class, kV.
    pub kv: f64,
    /// Category of the health model; `None` if there is no model for it.
    pub plant: Option<Plant>,
    /// Input of the health model.
    pub state: PlantState,
}

/// The years with data about a substation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StationYears {
    /// Id of the substation.
    pub location: NodeId,
    /// First year: the first year with a known condition; without any, the same as the last year.
    pub first: i32,
    /// Last year: the last year in which a condition or fault was recorded, or in which equipment was laid or taken out of service.
    pub last: i32,
}

impl Store {
    /// Returns the substations with sections or plant and their years with data, in no particular order.
    pub async fn cable_stations(&self, client: ClientId) -> Result<Vec<StationYears>> {
        let rows = self.of(client).query(sql!("cable/years"), &[&client.0]).await?;
        let read = |row: &Row| {
            let (first, last): (Option<i32>, i32) = (row.try_get("first")?, row.try_get("last")?);
            Ok(StationYears { location: NodeId(row.try_get("location_id")?), first: first.unwrap_or(last).min(last), last })
        };
        rows.iter().map(read).collect()
    }

    /// Returns the sections of a substation at the end of a year, ordered by feeder and cable.
    pub async fn cable_sections(&self, client: ClientId, location: NodeId, year: i32) -> Result<Vec<SectionRecord>> {
        let rows = self.of(client).query(sql!("cable/sections"), &[&client.0, &location.0, &year]).await?;
        let (mut records, mut lists) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for row in &rows {
            let record = section(row)?;
            lists.push(List { since: row.try_get("faults_since")?, years: row.try_get("fault_years")? });
            records.push(record);
        }
        count_faults(&mut records, &lists, year);
        Ok(records)
    }

    /// Returns the plant of a substation with known data at the end of a year, ordered by asset. The parts of a transformer are separate entries.
    pub async fn plant(&self, client: ClientId, location: NodeId, year: i32) -> Result<Vec<PlantRecord>> {
        let rows = self.of(client).query(sql!("cable/plant"), &[&client.0, &location.0, &year]).await?;
        rows.iter().map(|row| plant(row, year)).collect()
    }
}

/// Parses a stored text; `None` for NULL.
fn word<T>(row: &Row, column: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
    let word: Option<&str> = row.try_get(column)?;
    word.map(|word| read(word).ok_or_else(|| Error::Unreadable(format!("{column} {word}")))).transpose()
}

fn consequence(row: &Row, load_mva: Option<f64>) -> Result<Consequence> {
    Ok(Consequence {
        financial: row.try_get("financial")?,
        safety: row.try_get("safety")?,
        environmental: row.try_get("environmental")?,
        load_mva,
        secure: row.try_get("secure")?,
    })
}

/// The list of faults of a section.
struct List {
    since: Option<i32>,
    years: Vec<i32>,
}

impl List {
    fn of<'a>(&'a self, entry: &Entry) -> FaultList<'a> {
        FaultList { since: self.since, years: &self.years, installed: entry.installed, length_km: entry.length_km }
    }
}

/// Sets the number of faults of each section: the number for all sections of its cable that were laid together with it.
fn count_faults(records: &mut [SectionRecord], lists: &[List], year: i32) {
    // Sections laid together: of the same feeder, cable, year, voltage and insulation.
    let together = |record: &SectionRecord| {
        (
            record.asset,
            record.cable.clone(),
            record.entry.installed,
            record.entry.kv.to_bits(),
            record.entry.insulation.map(Insulation::as_str),
        )
    };
    let mut cables: HashMap<_, Exposure> = HashMap::new();
    for (record, list) in records.iter().zip(lists) {
        let all = cables.entry(together(record)).or_default();
        *all = all.and(list.of(&record.entry).exposure(year));
    }
    for (record, list) in records.iter_mut().zip(lists) {
        let of_cable = cables.get(&together(record)).copied().unwrap_or_default();
        let kept = list.of(&record.entry);
        record.faults = kept.is_kept(year).then_some(list.years.len());
        record.entry.faults = kept.history(year, of_cable);
    }
}

/// Reads a section without its faults.
fn section(row: &Row) -> Result<SectionRecord> {
    let (installed, length_km) = (row.try_get("installed")?, row.try_get("length_km")?);
    let entry = Entry {
        kv: row.try_get("kv")?,
        insulation: word(row, "insulation", Insulation::parse)?,
        sheath: word(row, "sheath", Metal::parse)?,
        conductor: word(row, "conductor", Conductor::parse)?,
        installed,
        length_km,
        utilisation_percent: row.try_get("utilisation")?,
        voltage_percent: row.try_get("voltage")?,
        // A section without a known condition has no row of conditions.
        sheath_test: word(row, "sheath_test", Sheath::parse)?.unwrap_or(Sheath::Unknown),
        discharge: word(row, "discharge", Discharge::parse)?.unwrap_or(Discharge::Unknown),
        leakage: word(row, "leakage", Leakage::parse)?.unwrap_or(Leakage::Unknown),
        faults: FaultHistory::Unknown,
        reliability: row.try_get::<_, Option<f64>>("reliability")?.unwrap_or(1.0),
        consequence: consequence(row, row.try_get("load_mva")?)?,
    };
    Ok(SectionRecord {
        code: row.try_get("code")?,
        asset: AssetId(row.try_get("asset_id")?),
        cable: row.try_get("cable")?,
        section: row.try_get("section")?,
        entry,
        faults: None,
        consumers: row.try_get("consumers")?,
        cable_consumers: row.try_get("cable_consumers")?,
        line: row.try_get::<_, Option<Value>>("line")?.map(|line| places(&line)).transpose()?,
    })
}

fn places(line: &Value) -> Result<Vec<LonLat>> {
    let place = |place: &Value| Some([place.get(0)?.as_f64()?, place.get(1)?.as_f64()?]);
    let places: Option<Vec<LonLat>> = line.as_array().and_then(|line| line.iter().map(place).collect());
    places.ok_or_else(|| Error::Unreadable("the line of a section".to_owned()))
}

fn plant(row: &Row, year: i32) -> Result<PlantRecord> {
    let (kind, part): (String, &str) = (row.try_get("kind")?, row.try_get("part")?);
    let (kv, made, tap_changer): (f64, i32, bool) = (row.try_get("kv")?, row.try_get("made")?, part == "tap_changer");
    let housing = Housing { gas: row.try_get("gas")?, outdoor: row.try_get("outdoor")? };
    let category = match kind.as_str() {
        "transformer" => Plant::transformer(kv, tap_changer, made),
        "breaker" => Plant::breaker(kv, row.try_get("in_primary")?, housing),
        other => return Err(Error::Unreadable(format!("plant {other}"))),
    };
    let state = PlantState {
        age_years: f64::from(year - made),
        duty: row.try_get("duty")?,
        location: row.try_get("location")?,
        modifier: Modifier {
            factor: row.try_get("condition_factor")?,
            cap: row.try_get("condition_cap")?,
            collar: row.try_get("condition_collar")?,
        },
        reliability: row.try_get("reliability")?,
        consequence: consequence(row, None)?,
    };
    Ok(PlantRecord { asset: AssetId(row.try_get("asset_id")?), tap_changer, kind, kv, plant: category, state })
}
