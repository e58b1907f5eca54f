//! The large utility of the demo: 100,000 nodes from 132 kV to the service connections, with the statistics of [`SupplyArea`].
//!
//! Three grid substations at 132/33 kV, each with two infeeds, supply substations at 33/11 kV over lines of their own. Some substations in the country are
//! supplied by a line from the one before them. Each of these substations has a second line on standby. The 11 kV feeders are open rings.

use grid::Level;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use super::area::{FeederDetail, SupplyArea};
use super::demo::{config, planned};
use super::geography::{distance_km, moved};
use super::{Client, Feeder, Node, Pace, Plan, Substation, Unit, supply};
use crate::physics::load::Class;

/// The grid substations. Each has the numbers of substations that it supplies in the city, in towns, and in the country.
const GRIDS: [(&str, [f64; 2], [usize; 3]); 3] =
    [("Meghpura", [16.52, 79.92], [3, 2, 4]), ("Navgaon", [16.31, 80.34], [2, 2, 4]), ("Dharapur", [16.08, 79.87], [1, 3, 3])];

/// Ratings of transformers at 132/33 kV, MVA.
const GRID_MVA: [f64; 6] = [31.5, 40.0, 50.0, 63.0, 80.0, 100.0];
/// Power factor at the highest load, with losses.
const POWER_FACTOR: f64 = 0.87;
/// The share of the load of the transformer that supplies the larger half.
const LARGER_HALF: f64 = 0.62;
/// Distance between a substation in the country and the substation that it supplies, km.
const NEXT_KM: (f64, f64) = (5.0, 8.0);

/// Names of the substations at 33/11 kV.
const NAMES: [&str; 24] = [
    "Ashoknagar",
    "Belapur",
    "Chandragiri",
    "Devipet",
    "Ektanagar",
    "Fatehbagh",
    "Gandhibagh",
    "Haripur",
    "Indrapuri",
    "Jalgunta",
    "Kesarpur",
    "Lakshmipet",
    "Madhavaram",
    "Nandipadu",
    "Ongarpalle",
    "Peddavagu",
    "Ramkheda",
    "Sitapalle",
    "Tulsipadu",
    "Udayagunta",
    "Vanapalle",
    "Yellareddy",
    "Zamindarpet",
    "Amravaram",
];

/// Names of feeders, by area.
const CITY: [&str; 10] = [
    "Market",
    "Station Road",
    "Collectorate",
    "Old Town",
    "Bus Stand",
    "Hospital Road",
    "Temple Street",
    "Nehru Nagar",
    "Stadium",
    "Railway Colony",
];
const TOWN: [&str; 6] = ["Bazaar", "College", "Teachers Colony", "High School", "Post Office", "Weavers Colony"];
const VILLAGE: [&str; 8] =
    ["North Villages", "South Villages", "East Villages", "West Villages", "Tank Bund", "Hill Road", "Canal Road", "Mango Groves"];
const PUMPS: [&str; 4] = ["Paddy Fields", "Cane Fields", "Borewells", "Lift Irrigation"];
const WORKS: [&str; 6] = ["Industrial Estate", "Rice Mills", "Cold Stores", "Spinning Mills", "Ceramics", "Food Park"];

/// The kinds of substations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StationKind {
    City,
    Town,
    Country,
}

impl StationKind {
    /// Returns the areas of its feeders. Feeders of one area are neighbours, so that they make open rings.
    fn areas(self) -> &'static [SupplyArea] {
        use SupplyArea::{City, Pumps, Town, Village, Works};
        match self {
            Self::City => &[City, City, City, City, Works],
            Self::Town => &[City, City, Town, Town, Town, Village, Works],
            Self::Country => &[Village, Village, Village, Town, Pumps],
        }
    }

    /// Returns the ratings of its transformers, MVA.
    fn units(self) -> &'static [f64] {
        match self {
            Self::City => &[12.5, 12.5],
            Self::Town => &[10.0, 10.0],
            Self::Country => &[5.0],
        }
    }

    /// Returns the smallest and the largest distance from its grid substation, km.
    fn distance_km(self) -> (f64, f64) {
        match self {
            Self::City => (2.5, 6.0),
            Self::Town => (6.0, 10.0),
            Self::Country => (11.0, 16.0),
        }
    }
}

/// A substation at 33/11 kV before its feeders are known.
struct Place {
    name: &'static str,
    /// The position of its grid substation.
    grid: usize,
    kind: StationKind,
    lon_lat: [f64; 2],
}

/// Creates the large utility. The same seed gives the same utility.
pub fn large(seed: u64) -> Client {
    let mut rng = StdRng::seed_from_u64(seed ^ 0x1a46e);
    let places = places(&mut rng);
    let supplied: Vec<Substation> = (0..places.len()).map(|at| distribution_substation(&mut rng, &places, at)).collect();
    let mut substations: Vec<Substation> = (0..GRIDS.len()).map(|grid| grid_substation(&places, grid, &supplied)).collect();
    substations.extend(supplied);
    let mut client = Client {
        code: "VISTAR".into(),
        name: "Vistar Power Distribution".into(),
        time_zone: "Asia/Kolkata".into(),
        pace: Pace::Slow,
        config: config(&json!({})),
        nodes: nodes(&places),
        substations,
    };
    supply::set_supplied(&mut client);
    client
}

fn places(rng: &mut StdRng) -> Vec<Place> {
    let mut names = NAMES.iter();
    let mut places: Vec<Place> = Vec::new();
    for (grid, (_, [lat, lon], [city, town, country])) in GRIDS.into_iter().enumerate() {
        let kinds = [(StationKind::City, city), (StationKind::Town, town), (StationKind::Country, country)];
        for (kind, count) in kinds {
            let turn = rng.random_range(0.0..std::f64::consts::TAU);
            for (number, name) in names.by_ref().take(count).enumerate() {
                let (least, most) = kind.distance_km();
                let heading = turn + std::f64::consts::TAU * number as f64 / count as f64;
                let place = match places.last() {
                    Some(before) if kind == StationKind::Country && number % 2 == 1 => {
                        moved(before.lon_lat, rng.random_range(NEXT_KM.0..NEXT_KM.1), heading)
                    }
                    _ => moved([lon, lat], rng.random_range(least..most), heading),
                };
                places.push(Place { name, grid, kind, lon_lat: place });
            }
        }
    }
    places
}

/// Returns the place at which the first line of a substation begins. For every second substation in the country, it is the previous substation; for all others,
/// it is the grid substation.
fn origin(places: &[Place], at: usize) -> &'static str {
    match chained(places, at) {
        Some(before) => places[before].name,
        None => GRIDS[places[at].grid].0,
    }
}

/// Returns the substation that supplies another one in the country.
fn chained(places: &[Place], at: usize) -> Option<usize> {
    let country = |place: &&Place| place.grid == places[at].grid && place.kind == StationKind::Country;
    let before = places[..at].iter().filter(country).count();
    (places[at].kind == StationKind::Country && before % 2 == 1).then(|| at - 1)
}

/// Returns the place at which the second line of a substation begins: the nearest substation that it does not supply.
fn standby(places: &[Place], at: usize) -> &'static str {
    let others =
        (0..places.len()).filter(|other| *other != at && chained(places, *other) != Some(at) && chained(places, at) != Some(*other));
    let distance = |other: &usize| distance_km(places[at].lon_lat, places[*other].lon_lat);
    others.min_by(|one, other| distance(one).total_cmp(&distance(other))).map_or(GRIDS[0].0, |nearest| places[nearest].name)
}

/// Returns a grid substation with transformers that carry its share of the load of all substations. `all` are in the order of their places.
fn grid_substation(places: &[Place], grid: usize, all: &[Substation]) -> Substation {
    let (name, [lat, lon], _) = GRIDS[grid];
    let supplied: Vec<usize> = (0..places.len()).filter(|at| places[*at].grid == grid && chained(places, *at).is_none()).collect();
    // Each of the two busbar sections gets every second line, so that both have substations of each kind.
    let in_order = supplied.iter().step_by(2).chain(supplied.iter().skip(1).step_by(2));
    let feeders = in_order.map(|at| Feeder {
        label: places[*at].name,
        class: Class::Residential,
        // Both follow from what is behind it.
        peak_mw: 1.0,
        customers: 0,
        km: 1.0,
        in_service: true,
        detail: None,
    });
    let own = places.iter().zip(all).filter(|(place, _)| place.grid == grid);
    let mw: f64 = own.flat_map(|(_, substation)| &substation.plan.feeders).map(|feeder| feeder.peak_mw).sum();
    let needed = mw * LARGER_HALF / POWER_FACTOR;
    let mva = GRID_MVA.into_iter().find(|mva| *mva >= needed).unwrap_or(GRID_MVA[GRID_MVA.len() - 1]);
    let plan = Plan {
        kv_high: 132.0,
        kv_low: 33.0,
        incomers: vec!["Grid-I", "Grid-II"],
        units: vec![Unit { mva, in_service: true }; 2],
        sections: 2,
        cap: None,
        feeders: feeders.collect(),
        site: None,
    };
    planned((&name.to_uppercase(), name, name), [lat, lon], plan, Pace::Slow)
}

fn distribution_substation(rng: &mut StdRng, places: &[Place], at: usize) -> Substation {
    let Place { name, kind, lon_lat: [lon, lat], .. } = places[at];
    let mut used = std::collections::HashMap::new();
    let feeders = kind.areas().iter().map(|area| {
        let used: &mut usize = used.entry(*area).or_insert(at);
        *used += 1;
        feeder(rng, *area, *used)
    });
    let feeders: Vec<Feeder> = feeders.collect();
    let units = kind.units().iter().map(|mva| Unit { mva: *mva, in_service: true });
    let plan = Plan {
        kv_high: 33.0,
        kv_low: 11.0,
        incomers: vec![origin(places, at), standby(places, at)],
        units: units.collect(),
        sections: kind.units().len(),
        cap: None,
        feeders,
        site: None,
    };
    planned((&name.to_uppercase(), name, name), [lat, lon], plan, Pace::Slow)
}

/// Draws a feeder from the statistics of its area.
fn feeder(rng: &mut StdRng, area: SupplyArea, number: usize) -> Feeder {
    let statistics = area.statistics();
    let labels: &[&'static str] = match area {
        SupplyArea::City => &CITY,
        SupplyArea::Town => &TOWN,
        SupplyArea::Village => &VILLAGE,
        SupplyArea::Pumps => &PUMPS,
        SupplyArea::Works => &WORKS,
    };
    let class = match area {
        SupplyArea::City if number.is_multiple_of(3) => Class::Commercial,
        SupplyArea::City | SupplyArea::Town | SupplyArea::Village => Class::Residential,
        SupplyArea::Pumps => Class::Agriculture,
        SupplyArea::Works => Class::Industry,
    };
    let transformers = rng.random_range(statistics.transformers.0..=statistics.transformers.1);
    let customers: u32 = (0..transformers).map(|_| rng.random_range(statistics.customers.0..=statistics.customers.1)).sum();
    let on_trunk = f64::from(transformers) * (1.0 - statistics.on_branches);
    let km = on_trunk * rng.random_range(statistics.trunk_km.0..statistics.trunk_km.1);
    Feeder {
        label: labels[number % labels.len()],
        class,
        peak_mw: f64::from(customers) * statistics.kw / 1_000.0,
        customers: customers as i32,
        km: (km * 10.0).round() / 10.0,
        in_service: true,
        detail: Some(FeederDetail { area, transformers }),
    }
}

/// Returns the hierarchy: a circle for each grid substation, with a division for the city and one for the country.
fn nodes(places: &[Place]) -> Vec<Node> {
    let mut nodes = Vec::new();
    let code = |name: &str| name.to_uppercase().replace(' ', "-");
    let mut add = |level, name: String, suffix: &str, parent: Option<&str>| {
        nodes.push(Node { level, code: code(&name), name: format!("{name}{suffix}"), parent: parent.map(code) });
        name
    };
    for (grid, (name, ..)) in GRIDS.into_iter().enumerate() {
        let circle = add(Level::Circle, name.to_owned(), " circle", None);
        for (part, is_city) in [("Urban", true), ("Rural", false)] {
            let division = add(Level::Division, format!("{name} {part}"), " division", Some(&circle));
            let town = add(Level::Town, division.clone(), "", Some(&division));
            let subdivision = add(Level::Subdivision, division, " subdivision", Some(&town));
            if is_city {
                add(Level::Section, name.to_owned(), " section", Some(&subdivision));
            }
            for place in places.iter().filter(|place| place.grid == grid && (place.kind == StationKind::City) == is_city) {
                add(Level::Section, place.name.to_owned(), " section", Some(&subdivision));
            }
        }
    }
    nodes
}
