//! Minimum and maximum of points since midnight. They are read from the database when the first client subscribes to an
//! asset's readings, and updated with each later value.
//!
//! A late value that does not change the process image is included only after the next subscription to the readings.

use std::collections::HashMap;

use grid::table::readings::Extremes;
use grid::{AssetId, Micros, PointId, Reading};
use store::day::DayExtremes;

/// Assumed length of a new day until the database returns the real length. A day with a clock change is an hour longer or shorter.
const DAY_MS: i64 = 24 * 3_600_000;

/// The extremes of an asset's points today.
#[derive(Debug, Default)]
struct Day {
    /// Start and end of the day; `None` until the database has answered.
    span: Option<(Micros, Micros)>,
    of: HashMap<PointId, Extremes>,
    /// The points whose extremes are kept.
    points: Vec<PointId>,
    /// Whether a query is running.
    queried: bool,
    /// Whether points were added since the present query started.
    again: bool,
    /// Whether this day has started since the last answer of the database, so that its length is not known yet.
    is_new: bool,
}

impl Day {
    /// Starts the next day, without values.
    fn turn(&mut self, from: Micros) {
        self.span = Some((from, from.plus_millis(DAY_MS)));
        self.of.clear();
        self.is_new = true;
    }
}

/// The extremes of subscribed assets. Bounded by their number.
#[derive(Debug, Default)]
pub(crate) struct Days {
    assets: HashMap<AssetId, Day>,
    /// The asset of each point.
    points: HashMap<PointId, AssetId>,
}

impl Days {
    /// Starts an asset, or applies its changed points. Returns whether the database must be queried: only for points that are new.
    pub(crate) fn watch(&mut self, asset: AssetId, points: &[PointId]) -> bool {
        let is_first = !self.assets.contains_key(&asset);
        let day = self.assets.entry(asset).or_default();
        let before = std::mem::replace(&mut day.points, points.to_vec());
        for gone in before.iter().filter(|point| !points.contains(point)) {
            day.of.remove(gone);
            if self.points.get(gone) == Some(&asset) {
                self.points.remove(gone);
            }
        }
        self.points.extend(points.iter().map(|point| (*point, asset)));
        if !is_first && points.iter().all(|point| before.contains(point)) {
            return false;
        }
        // The running query does not contain the new points.
        day.again = day.queried;
        !std::mem::replace(&mut day.queried, true)
    }

    /// Records that the day of an asset must be queried. Returns whether to send the query now, which is false while another one is running.
    pub(crate) fn ask(&mut self, asset: AssetId) -> bool {
        self.assets.get_mut(&asset).is_some_and(|day| !std::mem::replace(&mut day.queried, true))
    }

    /// Returns whether the database must be queried again, because points were added while it was answering.
    pub(crate) fn take_again(&mut self, asset: AssetId) -> bool {
        let Some(day) = self.assets.get_mut(&asset).filter(|day| day.again && !day.queried) else { return false };
        (day.again, day.queried) = (false, true);
        true
    }

    /// Removes an asset.
    pub(crate) fn forget(&mut self, asset: AssetId) {
        let day = self.assets.remove(&asset).unwrap_or_default();
        for point in day.points {
            if self.points.get(&point) == Some(&asset) {
                self.points.remove(&point);
            }
        }
    }

    /// Applies the result of a query. Returns whether an asset changed. Values that arrived during the query are included.
    pub(crate) fn learn(&mut self, asset: AssetId, answer: Option<&DayExtremes>) -> bool {
        let Some(day) = self.assets.get_mut(&asset) else { return false };
        day.queried = false;
        let Some(answer) = answer else { return false };
        if day.span.is_none_or(|(from, _)| from != answer.from) {
            day.of.clear();
        }
        day.span = Some((answer.from, answer.until));
        for (point, extremes) in &answer.of {
            day.of.entry(*point).and_modify(|held| *held = held.and(*extremes)).or_insert(*extremes);
        }
        true
    }

    /// Applies a value. A value of the next day starts that day.
    pub(crate) fn take(&mut self, point: PointId, reading: &Reading) {
        // Most points have no subscribers.
        if self.points.is_empty() {
            return;
        }
        let Some(day) = self.points.get(&point).and_then(|asset| self.assets.get_mut(asset)) else { return };
        let (Some((from, until)), Some(value)) = (day.span, Extremes::counts(reading)) else { return };
        if reading.source < from {
            return;
        }
        if reading.source >= until {
            day.turn(until);
        }
        day.of.entry(point).and_modify(|held| *held = held.and(Extremes::of(value))).or_insert_with(|| Extremes::of(value));
    }

    /// Starts the next day when it is due. Returns the assets with a new day, for which the database must be queried.
    pub(crate) fn turn(&mut self, now: Micros) -> Vec<AssetId> {
        let mut turned = Vec::new();
        for (asset, day) in &mut self.assets {
            if let Some((_, until)) = day.span.filter(|(_, until)| *until <= now) {
                day.turn(until);
            }
            // Also if a value of the next day arrived first.
            if day.is_new && !std::mem::replace(&mut day.queried, true) {
                day.is_new = false;
                turned.push(*asset);
            }
        }
        turned
    }

    /// Returns the extremes of a point today; `None` while unknown.
    pub(crate) fn of(&self, asset: AssetId, point: PointId) -> Option<Extremes> {
        self.assets.get(&asset)?.of.get(&point).copied()
    }
}

#[cfg(test)]
mod tests {
    use grid::{Ordinal, Quality};

    use super::*;

    const ASSET: AssetId = AssetId(1);
    const POINT: PointId = PointId(7);

    fn reading(value: f64, at_ms: i64) -> Reading {
        let at = Micros::from_millis(at_ms);
        Reading { value: Some(value), quality: Quality::Good, source: at, received: at, ordinal: Ordinal::default() }
    }

    fn answer(from_ms: i64, until_ms: i64, of: &[(PointId, f64, f64)]) -> DayExtremes {
        let of = of.iter().map(|(point, min, max)| (*point, Extremes { min: *min, max: *max })).collect();
        DayExtremes { from: Micros::from_millis(from_ms), until: Micros::from_millis(until_ms), of }
    }

    fn of(days: &Days) -> Option<(f64, f64)> {
        days.of(ASSET, POINT).map(|extremes| (extremes.min, extremes.max))
    }

    #[test]
    fn nothing_is_told_before_the_database_has_spoken_and_then_both_count() {
        let mut days = Days::default();
        days.take(POINT, &reading(9.0, 150));
        assert!(days.watch(ASSET, &[POINT]), "the database is queried");
        assert!(!days.watch(ASSET, &[POINT]), "once");
        days.take(POINT, &reading(99.0, 150));
        assert_eq!(of(&days), None, "it is not known yet which day it is");
        assert!(days.learn(ASSET, Some(&answer(100, 200, &[(POINT, 2.0, 5.0)]))));
        days.take(POINT, &reading(6.0, 160));
        days.take(POINT, &Reading { quality: Quality::Stale, ..reading(60.0, 161) });
        days.take(POINT, &reading(1.0, 99));
        assert_eq!(of(&days), Some((2.0, 6.0)), "neither what is no good nor what is of yesterday");
        days.forget(ASSET);
        days.take(POINT, &reading(7.0, 170));
        assert_eq!((of(&days), days.learn(ASSET, None)), (None, false));
    }

    #[test]
    fn day_is_read_again_only_for_points_that_are_new() {
        const OTHER: PointId = PointId(8);
        let mut days = Days::default();
        assert!(days.watch(ASSET, &[POINT]));
        days.learn(ASSET, Some(&answer(100, 200, &[(POINT, 2.0, 5.0)])));
        assert!(!days.watch(ASSET, &[POINT]), "known already");
        assert!(days.watch(ASSET, &[POINT, OTHER]), "a point that is new");
        days.learn(ASSET, Some(&answer(100, 200, &[(POINT, 2.0, 5.0), (OTHER, 1.0, 1.0)])));
        assert!(!days.watch(ASSET, &[OTHER]), "a point less");
        days.take(POINT, &reading(9.0, 150));
        assert_eq!(of(&days), None, "a point that is not watched any more");
        // A point that comes during a query is read by the next one.
        assert!(days.watch(ASSET, &[OTHER, POINT]) && !days.watch(ASSET, &[OTHER, POINT, PointId(9)]));
        assert!(!days.take_again(ASSET), "the answer is under way");
        days.learn(ASSET, Some(&answer(100, 200, &[])));
        assert!(days.take_again(ASSET) && !days.take_again(ASSET));
    }

    #[test]
    fn at_midnight_everything_begins_anew() {
        let mut days = Days::default();
        days.watch(ASSET, &[POINT]);
        days.learn(ASSET, Some(&answer(100, 200, &[(POINT, 2.0, 5.0)])));
        assert!(days.turn(Micros::from_millis(199)).is_empty());
        assert_eq!(days.turn(Micros::from_millis(200)), [ASSET]);
        assert_eq!(of(&days), None, "nothing has been yet");
        days.take(POINT, &reading(3.0, 210));
        assert!(days.turn(Micros::from_millis(211)).is_empty(), "queried once");
        days.learn(ASSET, Some(&answer(200, 300, &[(POINT, 4.0, 4.0)])));
        assert_eq!(of(&days), Some((3.0, 4.0)), "what came before the answer is kept");
        // A value of the next day arrives before the local clock reaches that day.
        days.take(POINT, &reading(8.0, 301));
        assert_eq!((of(&days), days.turn(Micros::from_millis(299))), (Some((8.0, 8.0)), vec![ASSET]));
    }
}
