//! The node states of one diagram. They come from the network of the utility, if the substation is part of it. Otherwise the drawing is a network of its own,
//! with the points of its switches. Used by hub and api.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use grid::table::overview;
use grid::topology::State;
use grid::{Micros, NodeId, PointId};
use network::NetworkState;
use network::live::{LiveNetwork, Sight};
use serde_json::Value;

use crate::onto::{DrawnEquipment, Places};
use crate::wiring::{Connections, Wiring};

/// A drawing with its wiring.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The substation.
    pub location: NodeId,
    /// When the drawing was stored.
    pub updated: Micros,
    connections: Connections,
    equipment: Arc<[DrawnEquipment]>,
    mark: String,
    lines: Arc<Lines>,
}

/// The nodes of feeders and busbars.
#[derive(Debug, Default)]
struct Lines {
    /// The node on the line side of each feeder, by asset code.
    feeders: BTreeMap<String, usize>,
    busbars: Vec<usize>,
}

impl Lines {
    fn of(body: &Value, wiring: &Wiring) -> Self {
        let mut lines = Self::default();
        let elements = body.get("elements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (element, wired) in elements.iter().zip(&wiring.elements) {
            let Some(node) = wired.nodes.first() else { continue };
            let text = |key: &str| element.get(key).and_then(Value::as_str);
            match (text("class"), text("asset")) {
                (Some("feeder"), Some(asset)) => drop(lines.feeders.entry(asset.to_owned()).or_insert(*node)),
                (Some("busbar"), _) => lines.busbars.push(*node),
                _ => {}
            }
        }
        lines
    }
}

impl Drawn {
    /// Computes the wiring. This can take some milliseconds, so do not call it in a task for which other tasks wait.
    pub fn new(location: NodeId, updated: Micros, body: &Value) -> Self {
        let wiring = Wiring::of_value(body);
        let lines = Arc::new(Lines::of(body, &wiring));
        let equipment = DrawnEquipment::of(body, &wiring).into();
        Self { location, updated, connections: wiring.connections(), equipment, mark: wiring.mark(), lines }
    }

    /// Returns the node on the line side of each feeder, by the code of its asset.
    pub fn feeders(&self) -> &BTreeMap<String, usize> {
        &self.lines.feeders
    }

    /// Finds the nodes of this drawing in the network of the utility. `station` is the code of the substation; `of_point` returns the equipment whose position
    /// is reported by a point `device/metric`.
    pub fn places<'n>(
        &self,
        station: &str,
        network: &network::Model,
        of_point: impl Fn(&str) -> &'n [network::EquipmentId],
    ) -> Option<Places> {
        Places::find(&self.equipment, self.connections.nodes.len(), station, network, of_point)
    }

    /// Returns the ids of the elements that are equipment of the network, each with its equipment; an element can be several pieces. The parameters are those of [`Drawn::places`].
    pub fn elements<'a, 'n: 'a>(
        &'a self,
        station: &'a str,
        network: &'a network::Model,
        of_point: impl Fn(&str) -> &'n [network::EquipmentId] + 'a,
    ) -> impl Iterator<Item = (&'a str, network::EquipmentId)> {
        let drawn = self.equipment.iter().filter_map(|drawn| Some((drawn, drawn.element()?)));
        drawn.flat_map(move |(drawn, id)| drawn.in_network(station, network, &of_point).into_iter().map(move |of| (id, of)))
    }

    /// Returns the mark of the wiring that the node numbers belong to.
    pub fn mark(&self) -> &str {
        &self.mark
    }
}

/// What determines the states of a diagram.
#[derive(Debug)]
enum Basis {
    /// The drawing itself.
    Own(Box<LiveNetwork>),
    /// The network of the utility.
    Utility(Places),
}

/// The node states of a diagram.
#[derive(Debug)]
pub struct Picture {
    drawn: Drawn,
    basis: Basis,
    states: Vec<State>,
}

impl Picture {
    /// Creates the states of a drawing, with all positions unknown.
    pub fn new(drawn: Drawn) -> Self {
        let basis = own(&drawn, &HashMap::new());
        let mut picture = Self { states: vec![State::Unknown; drawn.connections.nodes.len()], drawn, basis };
        picture.read_own();
        picture
    }

    /// Returns the drawing.
    pub fn drawn(&self) -> &Drawn {
        &self.drawn
    }

    /// When the drawing was stored.
    pub fn updated(&self) -> Micros {
        self.drawn.updated
    }

    /// Returns the mark of the wiring that the node numbers belong to.
    pub fn mark(&self) -> &str {
        &self.drawn.mark
    }

    /// Returns the state of each node at the last [`Picture::settle`].
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Returns the points that the states depend on. None if they come from the network of the utility.
    pub fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        match &self.basis {
            Basis::Own(network) => Some(network.points()),
            Basis::Utility(_) => None,
        }
        .into_iter()
        .flatten()
    }

    /// Returns the nodes of the utility's network that are drawn here, each with its number in the drawing. None if the drawing is a network of its own.
    pub fn places(&self) -> impl Iterator<Item = (usize, network::NodeId)> + '_ {
        match &self.basis {
            Basis::Own(_) => None,
            Basis::Utility(places) => Some(places.iter()),
        }
        .into_iter()
        .flatten()
    }

    /// Returns the nodes of feeders and busbars, with all states.
    pub fn lines(&self) -> overview::Drawn<'_> {
        overview::Drawn { feeders: &self.drawn.lines.feeders, busbars: &self.drawn.lines.busbars, states: &self.states }
    }

    /// Uses the drawing as a network of its own, with the points of the substation.
    pub fn bind(&mut self, points: &HashMap<String, PointId>) {
        self.basis = own(&self.drawn, points);
    }

    /// From now on, uses the states of the network of the utility.
    pub fn join(&mut self, places: Places) {
        self.basis = Basis::Utility(places);
    }

    /// From now on, the states are unknown: the network of the utility is not available.
    pub fn forget(&mut self) {
        self.basis = Basis::Utility(Places::none(self.states.len()));
    }

    /// Whether a position of the drawing's own network has become stale since the last [`Picture::settle`].
    pub fn has_aged(&self, now: Micros) -> bool {
        match &self.basis {
            Basis::Own(network) => !network.due(now).is_empty(),
            Basis::Utility(_) => false,
        }
    }

    /// Reads every point and recomputes the states. Returns the nodes whose state changed. If the states come from the network of the utility, they are read
    /// from it; without this network they are unknown.
    pub fn settle(&mut self, now: Micros, sight: impl Fn(PointId) -> Option<Sight>, utility: Option<&NetworkState>) -> Vec<usize> {
        match &mut self.basis {
            Basis::Own(network) => {
                let points: Vec<PointId> = network.points().collect();
                for point in points {
                    network.see(point, now, sight(point));
                }
                network.settle();
                self.read_own()
            }
            Basis::Utility(places) => {
                let of = |place: Option<network::NodeId>| place.zip(utility).map_or(State::Unknown, |(node, state)| state.state(node));
                take(&mut self.states, places.all().iter().map(|place| of(*place)))
            }
        }
    }

    fn read_own(&mut self) -> Vec<usize> {
        let Basis::Own(network) = &self.basis else { return Vec::new() };
        take(&mut self.states, self.drawn.connections.nodes.iter().map(|node| network.state().state(*node)))
    }
}

fn own(drawn: &Drawn, points: &HashMap<String, PointId>) -> Basis {
    let bindings = drawn.connections.bind(points);
    Basis::Own(Box::new(LiveNetwork::new(Arc::clone(&drawn.connections.model), Arc::new(bindings))))
}

/// Replaces the states. Returns the nodes whose state changed.
fn take(states: &mut [State], new: impl Iterator<Item = State>) -> Vec<usize> {
    let changed = |(node, (held, new)): (usize, (&mut State, State))| (std::mem::replace(held, new) != new).then_some(node);
    states.iter_mut().zip(new).enumerate().filter_map(changed).collect()
}

#[cfg(test)]
mod tests {
    use grid::position::Encoding;
    use grid::{Ordinal, Quality, Reading};
    use serde_json::json;

    use super::*;

    const NOW: Micros = Micros(1_000_000_000);

    fn picture(points: &[&str]) -> Picture {
        let breaker = |y: i32, name: &str| json!({ "class": "breaker", "x": 0, "y": y, "position": { "point": name } });
        let mut elements = vec![json!({ "class": "source", "x": 0, "y": 0 }), json!({ "class": "line", "path": [[0, 0], [0, 500]] })];
        elements.extend(points.iter().enumerate().map(|(index, name)| breaker(100 * (index as i32 + 1), name)));
        let mut picture = Picture::new(Drawn::new(NodeId(1), Micros(0), &json!({ "elements": elements })));
        picture.bind(&points.iter().enumerate().map(|(index, name)| ((*name).to_owned(), PointId(index as i64))).collect());
        picture
    }

    fn sight(value: f64, quality: Quality, age_limit_ms: Option<i64>) -> Sight {
        let reading = Reading { value: Some(value), quality, source: NOW, received: NOW, ordinal: Ordinal::default() };
        Sight { encoding: Some(Encoding::DoublePoint), age_limit_ms, reading: Some(reading) }
    }

    #[test]
    fn what_changes_is_told_and_nothing_else() {
        let mut picture = picture(&["A", "B"]);
        let states = |picture: &Picture| picture.states().iter().map(|state| state.code()).collect::<Vec<_>>();
        let closed = |_| Some(sight(2.0, Quality::Good, None));
        assert_eq!(picture.settle(NOW, closed, None), [0, 1, 2]);
        assert_eq!(states(&picture), [1, 1, 1]);
        assert_eq!(picture.settle(NOW, closed, None), Vec::<usize>::new());
        let second_open = |point| Some(sight(if point == PointId(1) { 1.0 } else { 2.0 }, Quality::Good, None));
        assert_eq!((picture.settle(NOW, second_open, None), states(&picture)), (vec![2], vec![1, 1, 2]));
    }

    #[test]
    fn a_feeder_stands_on_its_line_side_and_a_busbar_on_its_own_node() {
        let breaker = json!({ "class": "breaker", "x": 0, "y": 100, "asset": "F1CB", "position": { "point": "A" } });
        let elements = json!([
            { "class": "source", "x": 0, "y": 0 },
            { "class": "busbar", "x1": -50, "y1": 40, "x2": 50, "y2": 40, "asset": "BUSA" },
            { "class": "line", "path": [[0, 0], [0, 40]] },
            { "class": "line", "path": [[0, 40], [0, 200]] },
            breaker,
            { "class": "feeder", "x": 0, "y": 200, "asset": "F1" },
            { "class": "feeder", "x": 900, "y": 900 },
        ]);
        let mut picture = Picture::new(Drawn::new(NodeId(1), Micros(0), &json!({ "elements": elements })));
        picture.bind(&HashMap::from([("A".to_owned(), PointId(1))]));
        picture.settle(NOW, |_| Some(sight(1.0, Quality::Good, None)), None);
        let lines = picture.lines();
        assert_eq!((lines.feeders.len(), lines.busbars.len()), (1, 1));
        assert_eq!((lines.states[lines.feeders["F1"]], lines.states[lines.busbars[0]]), (State::Dead, State::Energised));
        picture.settle(NOW, |_| Some(sight(2.0, Quality::Good, None)), None);
        assert_eq!(picture.states()[picture.lines().feeders["F1"]], State::Energised);
    }

    #[test]
    fn of_what_is_not_heard_nothing_is_known() {
        let mut picture = picture(&["A", "B"]);
        let first = |quality| move |point| (point == PointId(0)).then(|| sight(2.0, quality, None));
        picture.settle(NOW, first(Quality::Good), None);
        assert_eq!(picture.states(), [State::Energised, State::Energised, State::Unknown], "the second has never been received");
        picture.settle(NOW, first(Quality::Invalid), None);
        assert_eq!(picture.states(), [State::Energised, State::Unknown, State::Unknown]);
        picture.settle(NOW, first(Quality::CommLost), None);
        assert_eq!(picture.states(), [State::Unknown; 3], "the sources neither");
    }

    #[test]
    fn a_position_ages() {
        let mut picture = picture(&["A"]);
        let sight = |_| Some(sight(2.0, Quality::Good, Some(30_000)));
        picture.settle(NOW, sight, None);
        assert_eq!((picture.states(), picture.has_aged(NOW.plus_millis(30_000))), ([State::Energised; 2].as_slice(), false));
        let later = NOW.plus_millis(30_001);
        assert!(picture.has_aged(later));
        assert_eq!(picture.settle(later, sight, None), [1]);
        assert_eq!(picture.states(), [State::Energised, State::Unknown]);
        assert!(!picture.has_aged(later.plus_millis(60_000)), "it is known by now");
    }

    #[test]
    fn drawing_without_points_shows_nothing_as_energised() {
        let mut picture = picture(&[]);
        picture.settle(NOW, |_| None, None);
        assert_eq!(picture.states(), [State::Unknown], "nothing reports whether its source is there");
    }
}
