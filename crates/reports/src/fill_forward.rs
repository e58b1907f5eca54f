//! Fills the gaps of a point that reports by exception: its last value is valid until the next one, while its link is online. Pure
//! functions.

use grid::downsample::{Bucket, Held};
use grid::{Micros, Quality};
use store::series::Line;

use crate::link_losses::LinkLosses;

/// A bucket, and whether its value is from an earlier bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    pub bucket: Bucket,
    /// No value was received in the bucket; it has the last earlier value.
    pub is_held: bool,
}

/// Returns the buckets of a line. Empty buckets get the last earlier value, as if the device had reported it again at their start.
///
/// `edges` are the starts of the buckets and the end of the last one. Values after `now` are unknown.
pub(crate) fn filled(line: &Line, edges: &[Micros], link_losses: &LinkLosses, now: Micros) -> Vec<Option<Cell>> {
    let mut lasting = line.lasting;
    let mut cells = Vec::with_capacity(line.cells.len());
    for ((own, last), span) in line.cells.iter().zip(&line.lasts).zip(edges.windows(2)) {
        cells.push(if let Some(bucket) = own {
            lasting = *last;
            Some(Cell { bucket: *bucket, is_held: false })
        } else {
            let held = lasting.and_then(|lasting| held(lasting, (span[0], span[1].min(now)), link_losses));
            held.map(|bucket| Cell { bucket, is_held: true })
        });
    }
    cells
}

/// Returns the bucket of a value over a later span.
fn held((measured, value): (Micros, f64), (from, to): (Micros, Micros), link_losses: &LinkLosses) -> Option<Bucket> {
    let ms = link_losses.known_ms(measured, (from, to));
    let held = Held { value_ms: value * ms as f64, ms: ms as f64, from, to };
    (ms > 0).then(|| Bucket { last: Some((measured, value)), held: Some(held), ..Bucket::of(from, Some(value), Quality::Good) })
}

#[cfg(test)]
mod tests {
    use grid::PointId;
    use grid::link::Change;

    use super::*;

    fn minute(minute: i64) -> Micros {
        Micros::from_millis(minute * 60_000)
    }

    #[test]
    fn what_holds_fills_what_is_empty_until_now_and_not_behind_a_lost_link() {
        let own = |at: i64, value: Option<f64>| Some(Bucket::of(minute(at), value, Quality::Good));
        let cells = vec![None, own(15, Some(3.0)), None, None, None, own(55, None), None, own(75, Some(9.0)), None, None];
        let line = Line {
            point: PointId(1),
            before: None,
            lasting: Some((minute(-5), 7.0)),
            lasts: cells.iter().map(|cell| cell.as_ref().and_then(Bucket::lasting)).collect(),
            cells,
        };
        let edges: Vec<Micros> = (0..=10).map(|nth| minute(nth * 10)).collect();
        let lost = [(25, Some(false)), (42, Some(true))].map(|(at, holds)| Change { at: minute(at), holds });
        let found = filled(&line, &edges, &LinkLosses::of(&lost), minute(88));
        let filled: Vec<Option<(f64, f64, bool)>> = found
            .iter()
            .map(|cell| cell.and_then(|cell| Some((cell.bucket.mean()?, cell.bucket.held?.ms / 60_000.0, cell.is_held))))
            .collect();
        let held = |value: f64, minutes: f64| Some((value, minutes, true));
        let expected = [
            held(7.0, 10.0),
            Some((3.0, 0.0, false)),
            held(3.0, 5.0),
            None,
            held(3.0, 8.0),
            // An invalid value; after it the value is unknown.
            None,
            None,
            Some((9.0, 0.0, false)),
            held(9.0, 8.0),
            None,
        ];
        assert_eq!(filled, expected);
        assert_eq!(found[2].and_then(|cell| cell.bucket.last), Some((minute(15), 3.0)), "since when it is so");
    }
}
