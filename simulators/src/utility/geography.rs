//! The line paths of the demo's lines and feeders. They are invented, but lead between the right places and have the planned lengths.

use std::f64::consts::TAU;

use super::{Client, Substation};

/// Kilometres per degree of latitude.
const KM_A_DEGREE: f64 = 111.32;
/// Distance from the utility at which external lines start, km.
const OUTSIDE_KM: f64 = 9.0;
/// Distance between two points of a feeder's path, km.
const STEP_KM: f64 = 0.4;

/// A line or feeder with its path.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// Name.
    pub name: String,
    /// Voltage, kV.
    pub kv: f64,
    /// Code of the substation where it starts; `None` outside of the utility.
    pub from: Option<String>,
    /// Code of the substation where a line ends; `None` for a feeder.
    pub to: Option<String>,
    /// Its asset: codes of substation and asset.
    pub asset: (String, String),
    /// Longitude and latitude of its points, from its start.
    pub path: Vec<[f64; 2]>,
}

impl Way {
    /// Returns the length of its path, km.
    pub fn km(&self) -> f64 {
        self.path.windows(2).map(|ends| distance_km(ends[0], ends[1])).sum()
    }

    /// Returns the place at a share of its length, from its start.
    pub(super) fn at(&self, share: f64) -> [f64; 2] {
        let mut left = share * self.km();
        for ends in self.path.windows(2) {
            let km = distance_km(ends[0], ends[1]);
            if left <= km && km > 0.0 {
                return [0, 1].map(|axis| ends[0][axis] + (ends[1][axis] - ends[0][axis]) * left / km);
            }
            left -= km;
        }
        self.path[self.path.len() - 1]
    }
}

/// Returns the number of straight pieces in the path of a feeder.
pub(super) fn steps(km: f64) -> usize {
    (km / STEP_KM).ceil().max(1.0) as usize
}

/// Returns all lines and feeders of a utility. The same utility always gives the same paths.
pub fn ways(client: &Client) -> Vec<Way> {
    let mut ways = Vec::new();
    for to in &client.substations {
        for (index, incomer) in to.plan.incomers.iter().enumerate() {
            ways.push(line(client, to, index, incomer));
        }
    }
    for substation in &client.substations {
        for index in 0..substation.plan.feeders.len() {
            ways.push(feeder(substation, index));
        }
    }
    ways
}

/// Returns the feeders that supply another substation: codes of their substation and of the feeder, and the code of the
/// supplied substation.
pub fn feeds(client: &Client) -> Vec<((String, String), String)> {
    let mut feeds = Vec::new();
    for from in &client.substations {
        for (index, feeder) in from.plan.feeders.iter().enumerate() {
            let is_fed = |to: &&Substation| {
                let by_line = to.plan.incomers.iter().any(|incomer| origin(incomer) == from.code);
                by_line && to.code == feeder.label.to_uppercase() && to.plan.kv_high.total_cmp(&from.plan.kv_low).is_eq()
            };
            if let Some(to) = client.substations.iter().find(is_fed) {
                feeds.push(((from.code.clone(), format!("F{}", index + 1)), to.code.clone()));
            }
        }
    }
    feeds
}

/// Returns the code of the substation at which an incoming line starts: `Samudra-II` starts at Samudra, `Orchard F1` at
/// Orchard.
pub(super) fn origin(incomer: &str) -> String {
    incomer.split([' ', '-']).next().unwrap_or_default().to_uppercase()
}

fn line(client: &Client, to: &Substation, index: usize, incomer: &str) -> Way {
    let origin = origin(incomer);
    let from = client.substations.iter().find(|substation| substation.code == origin && substation.code != to.code);
    let mut chance = Chance::of(&[&to.code, incomer]);
    let end = [to.lon, to.lat];
    let begin = from.map_or_else(|| moved(end, OUTSIDE_KM, chance.next() * TAU), |from| [from.lon, from.lat]);
    let name = format!("{} kV {incomer} to {}", to.plan.kv_high, to.name.split(" kV ").last().unwrap_or(&to.name));
    Way {
        name,
        kv: to.plan.kv_high,
        from: from.map(|from| from.code.clone()),
        to: Some(to.code.clone()),
        asset: (to.code.clone(), format!("INC{}", index + 1)),
        path: bent(begin, end, &mut chance),
    }
}

/// Returns a path with bends. Parallel circuits have different bends.
fn bent(begin: [f64; 2], end: [f64; 2], chance: &mut Chance) -> Vec<[f64; 2]> {
    const BENDS: usize = 5;
    let (dx, dy) = (end[0] - begin[0], end[1] - begin[1]);
    let between = (1..BENDS).map(|bend| {
        let along = bend as f64 / BENDS as f64;
        let aside = (chance.next() - 0.5) * 0.16;
        [begin[0] + dx * along - dy * aside, begin[1] + dy * along + dx * aside]
    });
    let between: Vec<[f64; 2]> = between.collect();
    [begin].into_iter().chain(between).chain([end]).map(rounded).collect()
}

fn feeder(substation: &Substation, index: usize) -> Way {
    let plan = &substation.plan;
    let (feeder, code) = (&plan.feeders[index], format!("F{}", index + 1));
    let mut chance = Chance::of(&[&substation.code, feeder.label]);
    let mut heading = TAU * (index as f64 + 0.3 * chance.next()) / plan.feeders.len() as f64;
    let mut path = vec![[substation.lon, substation.lat]];
    let steps = steps(feeder.km);
    for _ in 0..steps {
        // The feeder follows streets, but leads away from the substation overall.
        heading += (chance.next() - 0.5) * 0.9;
        path.push(moved(path[path.len() - 1], feeder.km / steps as f64, heading));
    }
    Way {
        name: format!("{code} {}", feeder.label),
        kv: plan.kv_low,
        from: Some(substation.code.clone()),
        to: None,
        asset: (substation.code.clone(), code),
        path: path.into_iter().map(rounded).collect(),
    }
}

/// Returns the place at a distance and heading.
pub(super) fn moved([lon, lat]: [f64; 2], km: f64, heading: f64) -> [f64; 2] {
    let (sin, cos) = heading.sin_cos();
    [lon + km * sin / (KM_A_DEGREE * lat.to_radians().cos()), lat + km * cos / KM_A_DEGREE]
}

/// Returns the distance between two places, km.
pub(super) fn distance_km(from: [f64; 2], to: [f64; 2]) -> f64 {
    let east = (to[0] - from[0]) * KM_A_DEGREE * from[1].to_radians().cos();
    east.hypot((to[1] - from[1]) * KM_A_DEGREE)
}

/// Rounds to about a metre.
fn rounded(place: [f64; 2]) -> [f64; 2] {
    place.map(|degrees| (degrees * 1e5).round() / 1e5)
}

/// Reproducible numbers between 0 and 1 that follow from a name (FNV-1a, then splitmix64). They are independent of the other
/// random numbers of the demo.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn of(names: &[&str]) -> Self {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(names.iter().flat_map(|name| name.bytes().chain([0])).fold(0xcbf2_9ce4_8422_2325, fold))
    }

    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utility::demo;

    #[test]
    fn ways_lead_from_where_they_begin_to_where_they_end_and_feeders_are_as_long_as_planned() {
        let world = demo(33);
        for client in &world.clients {
            let all = ways(client);
            assert_eq!(all, ways(client));
            let at = |code: &String| client.substations.iter().find(|substation| substation.code == *code).expect("a substation");
            for way in &all {
                let (first, last) = (way.path[0], way.path[way.path.len() - 1]);
                if let Some(from) = &way.from {
                    assert!(distance_km(first, [at(from).lon, at(from).lat]) < 0.01, "{}", way.name);
                }
                if let Some(to) = &way.to {
                    assert!(distance_km(last, [at(to).lon, at(to).lat]) < 0.01, "{}", way.name);
                }
                let assets = &at(&way.asset.0).assets;
                assert!(assets.iter().any(|asset| asset.code == way.asset.1), "{}", way.name);
                if way.to.is_none() {
                    let length = way.km();
                    let planned =
                        at(&way.asset.0).plan.feeders.iter().find(|feeder| way.name.ends_with(feeder.label)).expect("a feeder").km;
                    assert!((length - planned).abs() < 0.05, "{}: {length} of {planned} km", way.name);
                }
            }
        }
        let main = ways(&world.clients[0]);
        let lines = main.iter().filter(|way| way.to.is_some()).count();
        let inside = main.iter().filter(|way| way.to.is_some() && way.from.is_some()).count();
        assert_eq!((lines, lines - inside), (12, 2), "the grid alone feeds from outside");
    }

    #[test]
    fn the_feeders_of_the_grid_lead_to_substations_and_all_others_to_customers() {
        let found: Vec<String> =
            feeds(&demo(33).clients[0]).into_iter().map(|((from, feeder), to)| format!("{from} {feeder} {to}")).collect();
        let expected = ["SAMUDRA F1 QUAYSIDE", "SAMUDRA F2 LIGHTHOUSE", "SAMUDRA F3 BAZAAR", "SAMUDRA F4 ORCHARD", "SAMUDRA F5 CANAL"];
        assert_eq!(found, expected);
    }
}
