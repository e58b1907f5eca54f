//! Seeds the demo's cables: sections along the lines and feeders of its map, with conditions and faults of 2010 to 2018, and its transformers. The
//! data are generated from a seed, as files that a user could import.

use std::collections::HashMap;
use std::fmt::Write;

use anyhow::{Context, bail};
use grid::Level;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use simulators::utility::{Client, Way, feeds, ways};
use store::Store;
use store::audit::Origin;
use store::cable::CableFileKind;
use store::seed::ClientSeed;

use super::utility::{Written, operable};

/// Years with data (specification 3, section 9).
const YEARS: std::ops::RangeInclusive<i32> = 2010..=2018;
/// The substation that the screen shows first. Most of its feeders are of 33 kV.
const FIRST: &str = "SAMUDRA";
/// Approximate length of sections of 33 kV, and of sections of a lower voltage, km.
const STEP_KM: (f64, f64) = (0.22, 0.4);
/// Length of a degree of latitude, km.
const KM_A_DEGREE: f64 = 111.32;
/// Lines above this voltage are overhead lines, kV.
const OVERHEAD_KV: f64 = 100.0;
/// Changes the seed, so that these random numbers differ from those of the simulated field.
const SALT: u64 = 0xcab1e;

/// Imports the cables of a seeded utility; `today` is `YYYY-MM-DD`.
pub(crate) async fn write(store: &Store, client: &Client, written: &Written, seed: u64, today: &str) -> anyhow::Result<()> {
    let origin = Origin { client: Some(written.client), from: "setting up".to_owned(), ..Origin::default() };
    for (kind, file) in files(client, seed) {
        let imported = store.import_cable_health(written.client, (kind, file.as_bytes()), today, false, &origin).await?;
        if let Some(fault) = imported.faults.first() {
            bail!("the demo's {} of cables: {fault}", kind.as_str());
        }
    }
    begin_with(store, client, written).await
}

/// Configures what the screen shows first.
async fn begin_with(store: &Store, client: &Client, written: &Written) -> anyhow::Result<()> {
    let registry = store.registry(Some(written.client)).await?;
    let first = registry.nodes.iter().find(|node| node.level == Level::Substation && node.code == FIRST);
    let first = first.with_context(|| format!("there is no substation {FIRST}"))?;
    let mut config = operable(&client.config);
    if let Some(config) = config.as_object_mut() {
        config.insert("healthBands".to_owned(), "v2.1".into());
        config.insert("healthSubstation".to_owned(), Value::from(first.id.0));
        // Invented costs: money per km, in the currency of the methodology.
        config.insert("replacementPerKm".to_owned(), serde_json::json!({ "33": 300_000, "66": 480_000, "132": 1_200_000 }));
        config.insert("healthYear".to_owned(), (*YEARS.end()).into());
    }
    let seed = ClientSeed { code: client.code.clone(), name: client.name.clone(), time_zone: client.time_zone.clone(), config };
    store.put_client(&seed).await?;
    Ok(())
}

/// What is to be imported, in this order.
fn files(client: &Client, seed: u64) -> Vec<(CableFileKind, String)> {
    let mut rng = StdRng::seed_from_u64(seed ^ SALT);
    let mut files = Files {
        register: "cable_object_id,substation,feeder,cable,section,voltage_kv,insulation,sheath,conductor,installed_year,length_km,\
                   faults_since_year,load_mva,secure,financial_factor,environmental_factor,consumers,cable_consumers,line\n"
            .to_owned(),
        condition: "cable_object_id,year,utilisation_percent,operating_voltage_percent,sheath_test,partial_discharge,leakage,\
                    reliability_factor\n"
            .to_owned(),
        faults: "fault_id,cable_object_id,date,cause\n".to_owned(),
        fault: 0,
    };
    let fed: HashMap<(String, String), String> = feeds(client).into_iter().map(|((from, feeder), to)| ((from, to), feeder)).collect();
    let leads_on = |way: &Way| fed.iter().any(|((from, _), feeder)| (from, feeder) == (&way.asset.0, &way.asset.1));
    let ways = ways(client);
    for way in &ways {
        // A feeder to another substation is on the map twice. Only the incoming line is used.
        if way.kv > OVERHEAD_KV || way.to.is_none() && leads_on(way) {
            continue;
        }
        let sender = way
            .from
            .as_ref()
            .zip(way.to.as_ref())
            .and_then(|(from, to)| Some((from.clone(), fed.get(&(from.clone(), to.clone()))?.clone())));
        files.cable(way, sender.as_ref(), &mut rng);
    }
    if let Some(way) = ways.iter().find(|way| way.asset.0 == FIRST && way.to.is_none() && !leads_on(way)) {
        files.branch(way);
    }
    vec![
        (CableFileKind::Register, files.register),
        (CableFileKind::Condition, files.condition),
        (CableFileKind::Faults, files.faults),
        (CableFileKind::Plant, plant(client, &mut rng)),
    ]
}

struct Files {
    register: String,
    condition: String,
    faults: String,
    /// Number of the last fault.
    fault: u32,
}

/// Properties that all sections of a cable share.
struct Build {
    installed: i32,
    insulation: &'static str,
    reliability: f64,
    load_mva: f64,
    secure: &'static str,
    utilisation: f64,
    kv: f64,
}

impl Build {
    fn draw(kv: f64, rng: &mut StdRng) -> Self {
        let installed = rng.random_range(1950..=2008);
        let is_old = installed < 1982 && kv > 30.0;
        let insulation = match rng.random_range(0..20) {
            0..=8 if is_old => "oil",
            9 if is_old => "gas",
            _ => "non_pressurised",
        };
        Self {
            installed,
            insulation,
            reliability: pick(rng, &[0.9, 1.0, 1.0, 1.2, 1.4]),
            load_mva: tenth(rng.random_range(3.0..14.0)),
            secure: pick(rng, &["yes", "yes", "yes", "no"]),
            utilisation: rng.random_range(30.0..85.0),
            kv,
        }
    }
}

impl Files {
    /// Adds a cable along a line path. For a line between two substations, the first half of the sections belongs to the feeder at its start.
    fn cable(&mut self, way: &Way, sender: Option<&(String, String)>, rng: &mut StdRng) {
        let build = Build::draw(way.kv, rng);
        let pieces = pieces(&way.path, if way.kv > 30.0 { STEP_KM.0 } else { STEP_KM.1 });
        let consumers = if way.to.is_some() { 0 } else { rng.random_range(8..60) };
        let all = consumers * pieces.len();
        for (index, piece) in pieces.iter().enumerate() {
            let place = sender.filter(|_| index < pieces.len() / 2).unwrap_or(&way.asset);
            let code = format!("{}-{}-{:03}", way.asset.0, way.asset.1, index + 1);
            // One section in eight was replaced later.
            let is_new = rng.random_range(0..8) == 0;
            let installed = if is_new { rng.random_range(build.installed.max(1990)..=2014) } else { build.installed };
            let insulation = if is_new { "non_pressurised" } else { build.insulation };
            let (sheath, conductor) =
                (if installed < 1990 { "lead" } else { "aluminium" }, if installed < 1985 { "copper" } else { "aluminium" });
            let since = pick(rng, &["", "2008", "2008", "2008"]);
            let financial = pick(rng, &[0.6, 0.9, 1.0, 1.0, 1.3, 1.7, 2.4]);
            let environmental = pick(rng, &[0.5, 1.0, 1.0, 1.5, 2.2]);
            let line: Vec<String> = piece.iter().map(|[lon, lat]| format!("{lon:.5} {lat:.5}")).collect();
            // Writing to a `String` cannot fail.
            let _ = writeln!(
                self.register,
                "{code},{},{},{},{},{},{insulation},{sheath},{conductor},{installed},{:.3},{since},{},{},{financial},{environmental},{consumers},{all},{}",
                place.0,
                place.1,
                way.name,
                index + 1,
                build.kv,
                km(piece).max(0.01),
                build.load_mva,
                build.secure,
                line.join("; ")
            );
            self.years(&code, installed, insulation, &build, rng);
        }
    }

    /// Adds an 11 kV branch behind a small transformer at the end of a feeder, so that the first screen also shows sections without a health model.
    fn branch(&mut self, way: &Way) {
        let pieces = pieces(&way.path, STEP_KM.1);
        for (index, piece) in pieces.iter().rev().take(3).enumerate() {
            let (station, feeder) = &way.asset;
            let line: Vec<String> = piece.iter().map(|[lon, lat]| format!("{:.5} {lat:.5}", lon + 0.001)).collect();
            // Writing to a `String` cannot fail.
            let _ = writeln!(
                self.register,
                "{station}-{feeder}-11KV-{:03},{station},{feeder},11 kV branch of {},{},11,non_pressurised,lead,aluminium,1988,{:.3},,1.2,yes,1,1,40,120,{}",
                index + 1,
                way.name,
                index + 1,
                km(piece).max(0.01),
                line.join("; ")
            );
        }
    }

    /// Adds the conditions of a section in the years, and its faults. A worn section fails more often and continues to wear.
    fn years(&mut self, code: &str, installed: i32, insulation: &str, build: &Build, rng: &mut StdRng) {
        let (sheath, discharge, leak) = (rng.random::<f64>(), rng.random::<f64>(), rng.random::<f64>());
        for year in YEARS.filter(|year| *year >= installed) {
            let later = f64::from(year - YEARS.start()) * 0.012;
            let word = |wear: f64, words: &[(f64, &'static str)]| {
                words.iter().find(|(limit, _)| wear + later >= *limit).map_or("", |(_, word)| *word)
            };
            let is_solid = insulation == "non_pressurised";
            let (tested, measured) = (
                word(sheath, &[(0.96, "failed_major"), (0.8, "failed_minor"), (0.1, "pass")]),
                word(discharge, &[(0.96, "high"), (0.85, "medium"), (0.2, "low")]),
            );
            let leaking = word(leak, &[(1.0, "very_high"), (0.72, "high"), (0.5, "low_moderate"), (0.0, "none")]);
            let (tested, measured, leaking) = if is_solid { (tested, measured, "") } else { ("", "", leaking) };
            if build.kv > 30.0 || (year - YEARS.start()) % 4 == 0 {
                let utilisation = tenth(build.utilisation + 1.5 * f64::from(year - YEARS.start()));
                let _ = writeln!(self.condition, "{code},{year},{utilisation},100,{tested},{measured},{leaking},{}", build.reliability);
            }
            let worn = (sheath.max(discharge) - 0.7).max(0.0);
            if rng.random::<f64>() < 0.002 + worn * 0.05 {
                self.fault += 1;
                let cause = pick(rng, &["insulation", "joint", "dug up", "termination", "not known"]);
                let (month, day) = (rng.random_range(1..=12), rng.random_range(1..=28));
                let _ = writeln!(self.faults, "CF-{year}-{:04},{code},{year}-{month:02}-{day:02},{cause}", self.fault);
            }
        }
    }
}

/// Returns the file of transformers, and of tap changers of large ones.
fn plant(client: &Client, rng: &mut StdRng) -> String {
    let mut file =
        "substation,asset,part,year,kind,voltage_kv,made_year,duty_factor,condition_factor,condition_collar,reliability_factor,secure\n"
            .to_owned();
    for substation in &client.substations {
        let plan = &substation.plan;
        for unit in 1..=plan.units.len() {
            let made = rng.random_range(1968..=2006);
            let reliability = pick(rng, &[0.9, 1.0, 1.0, 1.2]);
            let secure = if plan.units.len() > 1 { "yes" } else { "no" };
            for part in ["main", "tap_changer"].into_iter().filter(|part| *part == "main" || plan.kv_high > 30.0) {
                let worn = rng.random::<f64>();
                for year in YEARS.filter(|year| *year >= made && (year - YEARS.start()) % 2 == 0) {
                    let wear = worn + f64::from(year - YEARS.start()) * 0.02;
                    let (factor, collar) = if wear > 0.95 {
                        (1.4, 5.5)
                    } else if wear > 0.7 {
                        (1.2, 0.5)
                    } else {
                        (1.0, 0.5)
                    };
                    let _ = writeln!(
                        file,
                        "{},TX{unit},{part},{year},transformer,{},{made},1,{factor},{collar},{reliability},{secure}",
                        substation.code, plan.kv_high
                    );
                }
            }
        }
    }
    file
}

fn pick<T: Copy>(rng: &mut StdRng, of: &[T]) -> T {
    of[rng.random_range(0..of.len())]
}

fn tenth(figure: f64) -> f64 {
    (figure * 10.0).round() / 10.0
}

fn km(path: &[[f64; 2]]) -> f64 {
    path.windows(2).map(|ends| distance(ends[0], ends[1])).sum()
}

fn distance(from: [f64; 2], to: [f64; 2]) -> f64 {
    let east = (to[0] - from[0]) * from[1].to_radians().cos();
    east.hypot(to[1] - from[1]) * KM_A_DEGREE
}

/// Divides a line path into pieces of equal length, near `step_km`. A piece follows the bends of the path.
fn pieces(path: &[[f64; 2]], step_km: f64) -> Vec<Vec<[f64; 2]>> {
    let count = (km(path) / step_km).round().max(1.0);
    let step = km(path) / count;
    let mut pieces = Vec::new();
    let mut piece: Vec<[f64; 2]> = path.first().copied().into_iter().collect();
    let mut left = step;
    for ends in path.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        let mut rest = distance(from, to);
        while rest > left && (pieces.len() as f64) < count - 1.0 {
            let part = left / rest;
            from = [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
            piece.push(from);
            pieces.push(std::mem::replace(&mut piece, vec![from]));
            rest -= left;
            left = step;
        }
        piece.push(to);
        left -= rest;
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_as_long_as_each_other_and_as_the_way_together() {
        let path = [[83.0, 17.0], [83.02, 17.0], [83.02, 17.001], [83.05, 17.03]];
        let pieces = pieces(&path, 0.3);
        let whole = km(&path);
        assert!(pieces.iter().all(|piece| (km(piece) - whole / pieces.len() as f64).abs() < 1e-3 && piece.len() >= 2), "{pieces:?}");
        assert!(
            pieces.windows(2).all(|pair| pair[0].last() == pair[1].first())
                && (pieces.iter().map(|piece| km(piece)).sum::<f64>() - whole).abs() < 1e-3
        );
    }
}

#[cfg(test)]
mod with_servers {
    use std::collections::{BTreeMap, BTreeSet};

    use grid::cable_health::{Bands, Criticality, HealthIndex, Matrix};
    use grid::{ClientId, NodeId};

    use super::*;

    /// Returns the modelled sections of a utility's substations in a year, and the number of all sections, by code of the substation.
    async fn matrices(store: &Store, client: ClientId, year: i32) -> BTreeMap<String, (Matrix, usize)> {
        let registry = store.registry(Some(client)).await.expect("read");
        let mut found = BTreeMap::new();
        for station in store.cable_stations(client).await.expect("read") {
            assert_eq!((station.first, station.last), (2010, 2018), "{station:?}");
            let code = registry.nodes.iter().find(|node| node.id == station.location).expect("a substation").code.clone();
            let sections = store.cable_sections(client, station.location, year).await.expect("read");
            let known: Vec<_> = sections.iter().filter_map(|section| section.entry.section(year).ok()).collect();
            let known: Vec<_> = known.iter().map(|section| section.assess(Bands::V2_1).expect("figures that make sense")).collect();
            found.insert(code, (Matrix::of(&known), sections.len()));
        }
        found
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn all_classes_of_health_and_criticality_occur() {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 2).await.expect("connected");
        let world = simulators::utility::demo(33);
        let client = &world.clients[0];
        let written = crate::seed::utility::write(&store, client).await.expect("written");
        write(&store, client, &written, 33, "2026-01-01").await.expect("written");
        // A second run changes nothing.
        write(&store, client, &written, 33, "2026-01-01").await.expect("written");
        let last = matrices(&store, written.client, 2018).await;
        let sections: usize = last.values().map(|(_, sections)| sections).sum();
        assert!((300..1_000).contains(&sections) && last.len() == client.substations.len(), "{sections} sections at {:?}", last.keys());
        let (matrix, of_first) = &last[FIRST];
        assert!(matrix.total().sections < *of_first, "what is not modelled is seen at {FIRST}: {matrix:?}");
        let count = |criticality: Option<Criticality>, health: Option<HealthIndex>| {
            let fields = Criticality::ALL.into_iter().flat_map(|row| HealthIndex::ALL.map(|column| (row, column)));
            let within =
                fields.filter(|(row, column)| criticality.is_none_or(|one| one == *row) && health.is_none_or(|one| one == *column));
            within.map(|(row, column)| matrix.cell(row, column).sections).sum::<usize>()
        };
        for health in HealthIndex::ALL {
            assert!(count(None, Some(health)) > 0, "{health:?} does not occur: {matrix:?}");
        }
        for criticality in Criticality::ALL {
            assert!(count(Some(criticality), None) > 0, "{criticality:?} does not occur: {matrix:?}");
        }
        let worn = count(None, Some(HealthIndex::Hi4)) + count(None, Some(HealthIndex::Hi5));
        assert!(worn * 4 < count(None, None), "few cables are near their end: {matrix:?}");
        let first = matrices(&store, written.client, 2010).await;
        assert!(first[FIRST].0.total().risk < matrix.total().risk, "{first:?}");
        assert!(last.values().any(|(matrix, sections)| matrix.total().sections < *sections), "11 kV is listed without a model");
        let stored = store.client(written.client).await.expect("read").expect("it").config;
        assert_eq!((&stored["healthYear"], &stored["simulated"]), (&Value::from(2018), &Value::Bool(true)));
        let registry = store.registry(Some(written.client)).await.expect("read");
        let begins =
            registry.nodes.iter().find(|node| Some(node.id) == stored["healthSubstation"].as_i64().map(NodeId)).expect("a substation");
        assert_eq!(begins.code, FIRST);
        let plant = store.plant(written.client, begins.id, 2018).await.expect("read");
        let parts: BTreeSet<bool> = plant.iter().map(|part| part.tap_changer).collect();
        assert!(
            parts.len() == 2 && plant.iter().all(|part| part.plant.is_some_and(|kind| kind.assess(&part.state, Bands::V2_1).is_ok())),
            "{plant:?}"
        );
    }
}
