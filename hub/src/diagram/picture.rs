//! One diagram's nodes: what they rest on, and their states now.

use std::collections::HashMap;

use drawing::wiring::{Inputs, Wiring};
use grid::position::Encoding;
use grid::topology::{Contact, Live, State, contact};
use grid::{Micros, NodeId, PointId, Quality, Reading};
use serde_json::Value;

/// A drawing, wired.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(super) location: NodeId,
    pub(super) updated: Micros,
    inputs: Inputs,
    mark: String,
}

impl Drawn {
    /// Finds the nodes, which may take milliseconds: not for the core.
    pub(super) fn new(location: NodeId, updated: Micros, body: &Value) -> Self {
        let wiring = Wiring::of_value(body);
        Self { location, updated, inputs: wiring.network(), mark: wiring.mark() }
    }
}

/// What is seen of a status point: its reading with the quality that the link allows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    pub(crate) encoding: Encoding,
    pub(crate) age_limit_ms: Option<i64>,
    pub(crate) reading: Option<Reading>,
}

/// A diagram's nodes.
#[derive(Debug)]
pub(super) struct Picture {
    updated: Micros,
    mark: String,
    live: Live,
    addresses: Vec<String>,
    /// The input that says whether the sources may be taken for known.
    sources: usize,
    /// The point of each input that has one.
    points: Vec<Option<PointId>>,
    /// When the oldest of the positions will be too old.
    expires: Option<Micros>,
}

impl Picture {
    pub(super) fn new(drawn: Drawn) -> Self {
        let Drawn { updated, inputs: Inputs { network, points, sources }, mark, .. } = drawn;
        let live = Live::new(network, sources + 1);
        Self { updated, mark, live, points: vec![None; points.len()], addresses: points, sources, expires: None }
    }

    pub(super) fn updated(&self) -> Micros {
        self.updated
    }

    /// What the nodes are of.
    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    pub(super) fn states(&self) -> &[State] {
        self.live.states()
    }

    /// The points that it rests on.
    pub(super) fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        self.points.iter().flatten().copied()
    }

    pub(super) fn bind(&mut self, points: &HashMap<String, PointId>) {
        self.points = self.addresses.iter().map(|address| points.get(address).copied()).collect();
    }

    pub(super) fn has_aged(&self, now: Micros) -> bool {
        self.expires.is_some_and(|expires| expires < now)
    }

    /// Looks at every input; answers the nodes whose state is another now.
    pub(super) fn settle(&mut self, now: Micros, sight: impl Fn(PointId) -> Option<Sight>) -> Vec<usize> {
        self.expires = None;
        let mut is_heard = self.points.is_empty();
        for (input, point) in self.points.iter().enumerate() {
            let seen = point.and_then(&sight);
            let (says, until) =
                seen.map_or((Contact::Unknown, None), |seen| contact(seen.encoding, seen.reading.as_ref(), now, seen.age_limit_ms));
            self.live.set(input, says);
            is_heard |= seen.and_then(|seen| seen.reading).is_some_and(|reading| reading.quality < Quality::CommLost);
            self.expires = match (self.expires, until) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        // Of a substation from which nothing is heard nothing is known, whether its incoming lines are live as little as anything else.
        self.live.set(self.sources, if is_heard { Contact::Closed } else { Contact::Unknown });
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
    fn a_drawing_that_names_no_points_is_taken_at_its_word() {
        let mut picture = picture(&[]);
        picture.settle(NOW, |_| None);
        assert_eq!(picture.states(), [State::Energised]);
    }
}
