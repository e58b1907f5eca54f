//! Overview of a substation: its load, its dead feeders with the customers without supply, and whether its busbars are energised.

use std::collections::{BTreeMap, HashMap};

use super::shortest;
use crate::point::{Point, PointKind};
use crate::position::Encoding;
use crate::topology::{Contact, State, contact};
use crate::{AssetId, Micros, NodeId, PointId, Quality, Reading};

/// Asset types (specification 2, section 9).
const FEEDER: i32 = 1;
const BREAKER: i32 = 3;
const INCOMER: i32 = 4;

/// The facts of an asset that the overview needs.
#[derive(Debug, Clone, Copy)]
pub struct Asset<'a> {
    /// Its id.
    pub id: AssetId,
    /// Its code, used in diagrams.
    pub code: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub asset_type: i32,
    /// Its bay (Sparkplug device).
    pub device: &'a str,
    /// Customers supplied by it; `None` if the number was not entered.
    pub customers: Option<i32>,
    /// Whether it supplies another substation, where its customers are counted.
    pub feeds_substation: bool,
}

/// The position point of a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Breaker {
    point: PointId,
    encoding: Encoding,
    age_limit_ms: Option<i64>,
}

/// An outgoing feeder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Feeder {
    id: AssetId,
    code: String,
    name: String,
    customers: Option<i32>,
    feeds_substation: bool,
    /// The breaker of its bay.
    breaker: Option<Breaker>,
}

/// The layout of a substation's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Station {
    /// The substation.
    pub location: NodeId,
    feeders: Vec<Feeder>,
    /// Points whose sum is the load: incoming power, or outgoing power if incoming power is not measured.
    power: Vec<PointId>,
    /// Points that measure the frequency, busbars first.
    frequency: Vec<PointId>,
    /// Shortest age limit of the points shown, ms; `None` if all report by exception.
    pub age_limit_ms: Option<i64>,
}

/// The topology from the diagram: nodes by feeder code, busbar nodes, and the state of every node.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The node on the line side of each feeder in the diagram, by feeder code.
    pub feeders: &'a BTreeMap<String, usize>,
    /// The nodes of the busbars.
    pub busbars: &'a [usize],
    /// State of each node.
    pub states: &'a [State],
}

/// State of the busbars of a substation together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Energised {
    /// At least one busbar is energised.
    Energised,
    /// No busbar is energised, and not all are earthed.
    Dead,
    /// All busbars are earthed.
    Earthed,
    /// No busbar is known to be energised, and the state of at least one is unknown.
    Unknown,
}

impl Energised {
    /// Returns the identifier used in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Energised => "energised",
            Self::Dead => "dead",
            Self::Earthed => "earthed",
            Self::Unknown => "unknown",
        }
    }
}

/// A feeder without supply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadFeeder {
    /// Its asset.
    pub id: AssetId,
    /// Its name.
    pub name: String,
    /// Customers supplied by it; `None` if the number was not entered.
    pub customers: Option<i32>,
    /// Whether it supplies another substation, where its customers are counted.
    pub feeds_substation: bool,
}

/// The present row of a substation.
#[derive(Debug, Clone, PartialEq)]
pub struct SubstationRow {
    /// Load, MW; `None` if one of the values of the sum is missing.
    pub load_mw: Option<f64>,
    /// Frequency, Hz.
    pub hz: Option<f64>,
    /// Number of outgoing feeders.
    pub feeders: usize,
    /// The outgoing feeders that are certainly dead or earthed.
    pub dead: Vec<DeadFeeder>,
    /// Customers without supply: those of the network, and those of the dead feeders that it does not have, as far as their numbers are known.
    pub customers_without_supply: i64,
    /// State of the busbars; `None` without a diagram.
    pub energised: Option<Energised>,
    /// Worst quality of load and frequency, including values that were never received.
    pub quality: Quality,
    /// Source time of the newest value of load and frequency.
    pub reported: Option<Micros>,
}

impl SubstationRow {
    /// Adds the customers without supply that the network has, `by_network`, to those of the dead feeders whose customers it does not have.
    #[must_use]
    pub fn with_customers(self, by_network: u64, has_network: impl Fn(AssetId) -> bool) -> Self {
        let by_network = i64::try_from(by_network).unwrap_or(i64::MAX);
        let entered = customers(self.dead.iter().filter(|feeder| !has_network(feeder.id)));
        Self { customers_without_supply: by_network.saturating_add(entered), ..self }
    }
}

/// Returns the sum of the entered customers of dead feeders, without those that supply another substation.
fn customers<'a>(dead: impl Iterator<Item = &'a DeadFeeder>) -> i64 {
    dead.filter(|feeder| !feeder.feeds_substation).filter_map(|feeder| feeder.customers).map(i64::from).sum()
}

/// Lays out a substation from its assets and points.
pub fn station<'a>(location: NodeId, assets: &[Asset<'a>], points: impl Iterator<Item = &'a Point>) -> Station {
    let points: Vec<&Point> = points.collect();
    let mut breakers: HashMap<&str, Breaker> = HashMap::new();
    for asset in assets.iter().filter(|asset| asset.asset_type == BREAKER) {
        let position = points.iter().filter(|point| point.asset == asset.id && point.code == "Pos").min_by_key(|point| point.id);
        if let Some((point, encoding)) = position.and_then(|point| Some((point, point.encoding()?))) {
            breakers.entry(asset.device).or_insert(Breaker { point: point.id, encoding, age_limit_ms: point.age_limit_ms() });
        }
    }
    let feeders = assets.iter().filter(|asset| asset.asset_type == FEEDER).map(|asset| Feeder {
        id: asset.id,
        code: asset.code.to_owned(),
        name: asset.name.to_owned(),
        customers: asset.customers,
        feeds_substation: asset.feeds_substation,
        breaker: breakers.get(asset.device).copied(),
    });
    let of = |code: &'static str| points.iter().filter(move |point| point.kind == PointKind::Measurand && point.code == code);
    let incoming: Vec<PointId> = of("P").filter(|point| point.asset_type == INCOMER).map(|point| point.id).collect();
    let outgoing = of("P").filter(|point| point.asset_type == FEEDER).map(|point| point.id);
    let power = if incoming.is_empty() { outgoing.collect() } else { incoming };
    let mut frequency: Vec<&&Point> = of("Hz").collect();
    frequency.sort_by_key(|point| ([FEEDER, INCOMER].contains(&point.asset_type), point.id));
    let frequency: Vec<PointId> = frequency.iter().map(|point| point.id).collect();
    let shown = points.iter().filter(|point| power.contains(&point.id) || frequency.contains(&point.id));
    let age_limit_ms = shown.map(|point| point.age_limit_ms()).fold(None, shortest);
    Station { location, feeders: feeders.collect(), power, frequency, age_limit_ms }
}

impl Station {
    /// Returns every point that its row depends on, except the points of the diagram.
    pub fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        let breakers = self.feeders.iter().filter_map(|feeder| Some(feeder.breaker?.point));
        self.power.iter().chain(&self.frequency).copied().chain(breakers)
    }

    /// Whether its row can change without a new value, because the position of a breaker can become stale.
    pub fn ages(&self) -> bool {
        self.feeders.iter().filter_map(|feeder| feeder.breaker).any(|breaker| breaker.age_limit_ms.is_some())
    }
}

/// Returns the present row, reading each point with `latest`. The qualities that `latest` returns must be those to display.
pub fn row(station: &Station, drawn: Option<Drawn<'_>>, now: Micros, latest: impl Fn(PointId) -> Option<Reading>) -> SubstationRow {
    let power: Vec<Option<Reading>> = station.power.iter().map(|point| latest(*point)).collect();
    let quality = |reading: &Option<Reading>| reading.map_or(Quality::Never, |reading| reading.quality);
    // Of several frequencies the first one with the best quality is used.
    let hz = station.frequency.iter().map(|point| latest(*point)).min_by_key(quality);
    let dead = station.feeders.iter().filter(|feeder| is_dead(feeder, drawn, now, &latest));
    let named = |feeder: &Feeder| {
        let Feeder { id, customers, feeds_substation, .. } = *feeder;
        DeadFeeder { id, name: feeder.name.clone(), customers, feeds_substation }
    };
    let dead: Vec<DeadFeeder> = dead.map(named).collect();
    let shown = || power.iter().chain(&hz);
    SubstationRow {
        load_mw: if power.is_empty() { None } else { power.iter().map(|reading| reading.and_then(|reading| reading.value)).sum() },
        hz: hz.flatten().and_then(|reading| reading.value),
        feeders: station.feeders.len(),
        customers_without_supply: customers(dead.iter()),
        dead,
        energised: drawn.map(busbars),
        quality: shown().map(quality).max().unwrap_or(Quality::Never),
        reported: shown().flatten().map(|reading| reading.source).max(),
    }
}

/// Whether a feeder is dead, by its line-side node, or by its breaker if the node is not drawn. Unknown does not count as dead.
fn is_dead(feeder: &Feeder, drawn: Option<Drawn<'_>>, now: Micros, latest: &impl Fn(PointId) -> Option<Reading>) -> bool {
    let node = drawn.and_then(|drawn| drawn.states.get(*drawn.feeders.get(&feeder.code)?));
    if let Some(state) = node {
        return matches!(state, State::Dead | State::Earthed);
    }
    feeder.breaker.is_some_and(|breaker| {
        let reading = latest(breaker.point);
        contact(breaker.encoding, reading.as_ref(), now, breaker.age_limit_ms).0 == Contact::Open
    })
}

/// Returns the common state of the busbars, or of all nodes if no busbar is drawn.
fn busbars(drawn: Drawn<'_>) -> Energised {
    let of: Vec<State> = match drawn.busbars {
        [] => drawn.states.to_vec(),
        busbars => busbars.iter().filter_map(|node| drawn.states.get(*node).copied()).collect(),
    };
    let any = |states: &[State]| of.iter().any(|state| states.contains(state));
    if any(&[State::Energised, State::Conflict]) {
        Energised::Energised
    } else if of.is_empty() || any(&[State::Unknown]) {
        Energised::Unknown
    } else if any(&[State::Dead]) {
        Energised::Dead
    } else {
        Energised::Earthed
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{point, reading};
    use super::*;

    const NOW: Micros = Micros(100_000_000);

    fn asset(id: i64, code: &'static str, asset_type: i32, device: &'static str, customers: i32) -> Asset<'static> {
        Asset { id: AssetId(id), code, name: code, asset_type, device, customers: Some(customers), feeds_substation: false }
    }

    fn position(id: i64, asset: i64) -> Point {
        Point { expected_ms: None, ..point(id, asset, BREAKER, "Pos") }
    }

    /// Two feeders with their breakers, an incoming line, a busbar.
    fn small() -> Station {
        let assets = [
            asset(1, "F1", FEEDER, "F1", 100),
            asset(2, "F1CB", BREAKER, "F1", 100),
            asset(3, "F2", FEEDER, "F2", 50),
            asset(4, "F2CB", BREAKER, "F2", 50),
            asset(5, "INC1", INCOMER, "INC1", 0),
            asset(6, "BUS", 12, "BUS", 0),
        ];
        let points = [
            position(1, 2),
            position(2, 4),
            point(3, 5, INCOMER, "P"),
            point(4, 1, FEEDER, "P"),
            point(5, 5, INCOMER, "Hz"),
            point(6, 6, 12, "Hz"),
        ];
        station(NodeId(3), &assets, points.iter())
    }

    fn at(id: i64, value: f64) -> impl Fn(PointId) -> Option<Reading> {
        move |point| (point.0 == id).then(|| reading(value, 90))
    }

    #[test]
    fn without_a_drawing_an_open_breaker_makes_a_feeder_dead_and_an_unknown_one_does_not() {
        let small = small();
        for (position, quality, dead, customers) in [
            (1.0, Quality::Good, 1, 100),
            (2.0, Quality::Good, 0, 0),
            (0.0, Quality::Good, 0, 0),
            (3.0, Quality::Good, 0, 0),
            (1.0, Quality::CommLost, 0, 0),
        ] {
            let row = row(&small, None, NOW, |id| at(1, position)(id).map(|reading| Reading { quality, ..reading }));
            assert_eq!((row.feeders, row.dead.len(), row.customers_without_supply), (2, dead, customers), "{position} {quality:?}");
            assert_eq!((row.energised, row.load_mw, row.quality), (None, None, Quality::Never));
        }
    }

    #[test]
    fn dead_feeders_without_customers_are_named() {
        let spare = |customers, feeds_substation| {
            let assets = [Asset { customers, feeds_substation, ..asset(1, "F7", FEEDER, "F7", 0) }, asset(2, "F7CB", BREAKER, "F7", 0)];
            let row = row(&station(NodeId(3), &assets, [position(1, 2)].iter()), None, NOW, at(1, 1.0));
            (row.customers_without_supply, row.dead)
        };
        for customers in [None, Some(0), Some(7)] {
            let dead = DeadFeeder { id: AssetId(1), name: "F7".to_owned(), customers, feeds_substation: false };
            assert_eq!(spare(customers, false), (customers.unwrap_or(0).into(), vec![dead.clone()]));
            // The customers of a feeder to another substation are counted there.
            assert_eq!(spare(customers, true), (0, vec![DeadFeeder { feeds_substation: true, ..dead }]));
        }
    }

    #[test]
    fn network_adds_to_the_dead_feeders_that_it_does_not_have() {
        let row = || row(&small(), None, NOW, |id| (id.0 < 3).then(|| reading(1.0, 90)));
        assert_eq!(row().customers_without_supply, 150);
        for (by_network, has, expected) in [(0, [].as_slice(), 150), (7, &[1], 57), (7, &[1, 3], 7), (0, &[3], 100)] {
            let counted = row().with_customers(by_network, |asset| has.contains(&asset.0));
            assert_eq!(counted.customers_without_supply, expected, "{by_network} of {has:?}");
        }
        assert_eq!(row().with_customers(u64::MAX, |_| true).customers_without_supply, i64::MAX);
    }

    #[test]
    fn a_drawing_tells_more_than_a_breaker() {
        let small = small();
        let feeders = BTreeMap::from([("F1".to_owned(), 1), ("F2".to_owned(), 2)]);
        for (states, dead, energised) in [
            ([State::Energised, State::Energised, State::Energised], 0, Energised::Energised),
            ([State::Dead, State::Dead, State::Earthed], 2, Energised::Dead),
            ([State::Earthed, State::Unknown, State::Conflict], 0, Energised::Earthed),
            ([State::Unknown, State::Dead, State::Unknown], 1, Energised::Unknown),
            ([State::Conflict, State::Dead, State::Dead], 2, Energised::Energised),
        ] {
            let drawn = Drawn { feeders: &feeders, busbars: &[0], states: &states };
            // Both breakers are open; the diagram takes precedence.
            let row = row(&small, Some(drawn), NOW, |id| (id.0 < 3).then(|| reading(1.0, 90)));
            assert_eq!((row.dead.len(), row.energised), (dead, Some(energised)), "{states:?}");
        }
        let none = Drawn { feeders: &BTreeMap::new(), busbars: &[], states: &[] };
        let row = row(&small, Some(none), NOW, at(1, 1.0));
        assert_eq!((row.dead.len(), row.energised), (1, Some(Energised::Unknown)), "what is not drawn goes by its breaker");
    }

    #[test]
    fn the_load_is_what_comes_in_and_the_frequency_that_of_a_busbar() {
        let small = small();
        let latest = |id: PointId| [0.0, 0.0, 0.0, 12.5, 7.0, 50.01, 49.98].get(id.0 as usize).map(|value| reading(*value, 90 + id.0));
        let row = row(&small, None, NOW, latest);
        assert_eq!((row.load_mw, row.hz, row.quality), (Some(12.5), Some(49.98), Quality::Good));
        assert_eq!(row.reported, Some(Micros::from_millis(96_000)));
        let lost =
            |id: PointId| latest(id).map(|reading| if id.0 == 6 { Reading { quality: Quality::CommLost, ..reading } } else { reading });
        assert_eq!(super::row(&small, None, NOW, lost).hz, Some(50.01), "the one that can be believed");
        let outgoing = station(NodeId(3), &[], [point(1, 1, FEEDER, "P"), point(2, 2, FEEDER, "P")].iter());
        let load = |known: i64| super::row(&outgoing, None, NOW, |id| (id.0 <= known).then(|| reading(2.0, 1))).load_mw;
        assert_eq!((load(2), load(1), load(0)), (Some(4.0), None, None), "a part of a sum is no sum");
        assert_eq!(small.points().count(), 5);
        assert!(!small.ages());
    }
}
