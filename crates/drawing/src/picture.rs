//! The node states of one diagram, with the points that they depend on. Used by hub and api.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use grid::position::Encoding;
use grid::table::overview;
use grid::topology::{Contact, Live, State, contact};
use grid::{Micros, NodeId, PointId, Quality, Reading};
use serde_json::Value;

use crate::wiring::{Inputs, Wiring};

/// A drawing with its wiring.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The substation.
    pub location: NodeId,
    /// When the drawing was stored.
    pub updated: Micros,
    inputs: Inputs,
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
    /// Computes the wiring. It can take milliseconds, so do not call it in a task that others wait for.
    pub fn new(location: NodeId, updated: Micros, body: &Value) -> Self {
        let wiring = Wiring::of_value(body);
        let lines = Arc::new(Lines::of(body, &wiring));
        Self { location, updated, inputs: wiring.network(), mark: wiring.mark(), lines }
    }
}

/// A status point as displayed: its reading, with the quality that the link permits.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    /// The encoding of its status.
    pub encoding: Encoding,
    /// Its age limit, ms; `None` for report by exception.
    pub age_limit_ms: Option<i64>,
    /// The latest reading.
    pub reading: Option<Reading>,
}

/// The node states of a diagram.
#[derive(Debug)]
pub struct Picture {
    updated: Micros,
    mark: String,
    live: Live,
    addresses: Vec<String>,
    /// The number of the input that determines whether unmonitored sources count as present.
    sources: usize,
    /// The point of each input; `None` if the substation has no such point.
    points: Vec<Option<PointId>>,
    lines: Arc<Lines>,
    /// When the first of the positions becomes stale.
    expires: Option<Micros>,
}

impl Picture {
    /// Creates the states of a drawing, with all inputs unknown.
    pub fn new(drawn: Drawn) -> Self {
        let Drawn { updated, inputs: Inputs { network, points, sources }, mark, lines, .. } = drawn;
        let live = Live::new(network, sources + 1);
        Self { updated, mark, live, points: vec![None; points.len()], addresses: points, sources, lines, expires: None }
    }

    /// When the drawing was stored.
    pub fn updated(&self) -> Micros {
        self.updated
    }

    /// Returns the mark of the wiring that the node numbers belong to.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// Returns the state of each node at the last [`Picture::settle`].
    pub fn states(&self) -> &[State] {
        self.live.states()
    }

    /// Returns the points that the states depend on.
    pub fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        self.points.iter().flatten().copied()
    }

    /// Returns the nodes of feeders and busbars, with all states.
    pub fn lines(&self) -> overview::Drawn<'_> {
        overview::Drawn { feeders: &self.lines.feeders, busbars: &self.lines.busbars, states: self.live.states() }
    }

    /// Resolves the addresses of its points with the points of the substation.
    pub fn bind(&mut self, points: &HashMap<String, PointId>) {
        self.points = self.addresses.iter().map(|address| points.get(address).copied()).collect();
    }

    /// Whether a position has become stale since the last [`Picture::settle`].
    pub fn has_aged(&self, now: Micros) -> bool {
        self.expires.is_some_and(|expires| expires < now)
    }

    /// Reads every input and recomputes the states. Returns the nodes whose state changed.
    pub fn settle(&mut self, now: Micros, sight: impl Fn(PointId) -> Option<Sight>) -> Vec<usize> {
        self.expires = None;
        let mut is_reported = false;
        for (input, point) in self.points.iter().enumerate() {
            let seen = point.and_then(&sight);
            let (says, until) =
                seen.map_or((Contact::Unknown, None), |seen| contact(seen.encoding, seen.reading.as_ref(), now, seen.age_limit_ms));
            self.live.set(input, says);
            is_reported |= seen.and_then(|seen| seen.reading).is_some_and(|reading| reading.quality < Quality::CommLost);
            self.expires = match (self.expires, until) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        // If no reading of a substation is current, the state of its incoming lines is unknown too.
        self.live.set(self.sources, if is_reported { Contact::Closed } else { Contact::Unknown });
        self.live.settle()
    }
}

#[cfg(test)]
mod tests {
    use grid::Ordinal;
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
        Sight { encoding: Encoding::DoublePoint, age_limit_ms, reading: Some(reading) }
    }

    #[test]
    fn what_changes_is_told_and_nothing_else() {
        let mut picture = picture(&["A", "B"]);
        let states = |picture: &Picture| picture.states().iter().map(|state| state.code()).collect::<Vec<_>>();
        let closed = |_| Some(sight(2.0, Quality::Good, None));
        assert_eq!(picture.settle(NOW, closed), [0, 1, 2]);
        assert_eq!(states(&picture), [1, 1, 1]);
        assert_eq!(picture.settle(NOW, closed), Vec::<usize>::new());
        let second_open = |point| Some(sight(if point == PointId(1) { 1.0 } else { 2.0 }, Quality::Good, None));
        assert_eq!((picture.settle(NOW, second_open), states(&picture)), (vec![2], vec![1, 1, 2]));
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
        picture.settle(NOW, |_| Some(sight(1.0, Quality::Good, None)));
        let lines = picture.lines();
        assert_eq!((lines.feeders.len(), lines.busbars.len()), (1, 1));
        assert_eq!((lines.states[lines.feeders["F1"]], lines.states[lines.busbars[0]]), (State::Dead, State::Energised));
        picture.settle(NOW, |_| Some(sight(2.0, Quality::Good, None)));
        assert_eq!(picture.states()[picture.lines().feeders["F1"]], State::Energised);
    }

    #[test]
    fn of_what_is_not_heard_nothing_is_known() {
        let mut picture = picture(&["A", "B"]);
        let first = |quality| move |point| (point == PointId(0)).then(|| sight(2.0, quality, None));
        picture.settle(NOW, first(Quality::Good));
        assert_eq!(picture.states(), [State::Energised, State::Energised, State::Unknown], "the second has never been received");
        picture.settle(NOW, first(Quality::Invalid));
        assert_eq!(picture.states(), [State::Energised, State::Unknown, State::Unknown]);
        picture.settle(NOW, first(Quality::CommLost));
        assert_eq!(picture.states(), [State::Unknown; 3], "the sources neither");
    }

    #[test]
    fn a_position_ages() {
        let mut picture = picture(&["A"]);
        let sight = |_| Some(sight(2.0, Quality::Good, Some(30_000)));
        picture.settle(NOW, sight);
        assert_eq!((picture.states(), picture.has_aged(NOW.plus_millis(30_000))), ([State::Energised; 2].as_slice(), false));
        let later = NOW.plus_millis(30_001);
        assert!(picture.has_aged(later));
        assert_eq!(picture.settle(later, sight), [1]);
        assert_eq!(picture.states(), [State::Energised, State::Unknown]);
        assert!(!picture.has_aged(later.plus_millis(60_000)), "it is known by now");
    }

    #[test]
    fn drawing_without_points_shows_nothing_as_energised() {
        let mut picture = picture(&[]);
        picture.settle(NOW, |_| None);
        assert_eq!(picture.states(), [State::Unknown], "nothing reports whether its source is there");
    }
}
