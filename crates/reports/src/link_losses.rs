//! The times in which the link of a point was lost. A point that reports by exception keeps its last value until the next one, but after a
//! loss of the link the value is unknown.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use analysis::link_history::Links;
use grid::link::Change;
use grid::{GatewayId, Micros, Point, PointId};

use crate::error::Error;
use crate::valid_request::ValidRequest;

/// Tolerance for the clocks of gateways, ms. If the source time of a value is at most this long after the loss of its link, the value was received before the
/// loss.
const CLOCKS_MS: i64 = 60_000;

/// A loss of the link, and the time at which it was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Loss {
    at: Micros,
    back: Option<Micros>,
}

/// The losses of the link of one point, in chronological order. Points of one device share them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LinkLosses(Arc<[Loss]>);

impl LinkLosses {
    pub(crate) fn of(history: &[Change]) -> Self {
        let mut losses: Vec<Loss> = Vec::new();
        for change in history {
            let is_lost = change.holds == Some(false);
            match losses.last_mut().filter(|loss| loss.back.is_none()) {
                None if is_lost => losses.push(Loss { at: change.at, back: None }),
                Some(loss) if !is_lost => loss.back = Some(change.at),
                _ => {}
            }
        }
        Self(losses.into())
    }

    /// Returns the spans in which a value of this source time is unknown, in chronological order. The end is absent if the link is still
    /// lost.
    ///
    /// If a value was measured while the link was lost and was received afterwards, it is known, because the device reported no other value before it.
    pub(crate) fn behind(&self, measured: Micros) -> impl Iterator<Item = (Micros, Option<Micros>)> + '_ {
        self.losses_behind(measured).iter().map(move |loss| (loss.at.max(measured), loss.back))
    }

    fn losses_behind(&self, measured: Micros) -> &[Loss] {
        let is_before = |loss: &Loss| loss.back.is_some_and(|back| back <= measured || loss.at <= measured.plus_millis(-CLOCKS_MS));
        &self.0[self.0.partition_point(is_before)..]
    }

    /// If the link is lost throughout a span, returns when it is restored, or the end of time if it is still lost. Then a value that was measured before the
    /// loss is unknown within the whole span. `None` if the value may be known in a part of the span.
    pub(crate) fn lost_until(&self, measured: Micros, (from, to): (Micros, Micros)) -> Option<Micros> {
        let losses = self.losses_behind(measured);
        let loss = losses.get(losses.partition_point(|loss| loss.back.is_some_and(|back| back < to)))?;
        (loss.at.max(measured) <= from).then(|| loss.back.unwrap_or(Micros(i64::MAX)))
    }

    /// Returns for how long within a span a value that was measured at `measured` is known, ms.
    pub(crate) fn known_ms(&self, measured: Micros, (from, to): (Micros, Micros)) -> i64 {
        let lost = |(at, back): (Micros, Option<Micros>)| back.map_or(to, |back| back.min(to)).millis_since(at.max(from)).max(0);
        (to.millis_since(from) - self.behind(measured).map(lost).sum::<i64>()).max(0)
    }
}

/// Reads the link losses of the points that report by exception. For other points, the age of a value decides.
pub(crate) async fn read_link_losses<'a>(
    request: &ValidRequest,
    points: impl Iterator<Item = &'a Point>,
    (from, to): (Micros, Micros),
) -> Result<HashMap<PointId, LinkLosses>, Error> {
    let points: Vec<&Point> = points.filter(|point| point.age_limit_ms().is_none()).collect();
    if points.is_empty() {
        return Ok(HashMap::new());
    }
    let gateways: BTreeSet<GatewayId> = points.iter().map(|point| point.gateway).collect();
    let links = Links::read(request.reports.store(), &request.view, &gateways.into_iter().collect::<Vec<_>>(), from, to).await?;
    let mut of_devices: HashMap<(GatewayId, &str), LinkLosses> = HashMap::new();
    let of = |point: &&'a Point| {
        let device = point.device.as_str();
        let link_losses = of_devices.entry((point.gateway, device)).or_insert_with(|| LinkLosses::of(&links.device(point.gateway, device)));
        (point.id, link_losses.clone())
    };
    Ok(points.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(minute: i64) -> Micros {
        Micros::from_millis(minute * 60_000)
    }

    #[test]
    fn a_value_is_known_until_its_link_is_lost_and_again_when_it_is_back() {
        let states = [(0, Some(true)), (10, Some(false)), (20, Some(true)), (30, None), (40, Some(false))];
        let link_losses = LinkLosses::of(&states.map(|(at, holds)| Change { at: minute(at), holds }));
        let behind = |at: i64| -> Vec<_> { link_losses.behind(minute(at)).collect() };
        let (first, second) = ((minute(10), Some(minute(20))), (minute(40), None));
        assert_eq!(behind(-5), [first, second]);
        // A value with a source time within a loss was received after the loss, or before it if the link is still lost.
        assert_eq!(behind(15), [second]);
        assert_eq!(behind(25), [second]);
        assert_eq!(behind(45), [(minute(45), None)]);
        // The clock of the device is half a minute ahead.
        let ahead = minute(10).plus_millis(30_000);
        assert_eq!(link_losses.behind(ahead).collect::<Vec<_>>(), [(ahead, Some(minute(20))), second]);
        for (from, to, known) in [(0, 10, 10), (5, 15, 5), (12, 18, 0), (0, 60, 30), (50, 60, 0)] {
            assert_eq!(link_losses.known_ms(minute(-5), (minute(from), minute(to))), known * 60_000, "{from} to {to}");
        }
        let lost_until = |at: i64, from: i64, to: i64| link_losses.lost_until(minute(at), (minute(from), minute(to)));
        assert_eq!((lost_until(-5, 10, 20), lost_until(-5, 12, 15)), (Some(minute(20)), Some(minute(20))));
        assert_eq!((lost_until(-5, 9, 15), lost_until(-5, 15, 21), lost_until(15, 16, 18)), (None, None, None));
        assert_eq!(lost_until(-5, 50, 60), Some(Micros(i64::MAX)), "it stays lost");
        assert_eq!(LinkLosses::of(&[]).known_ms(minute(0), (minute(1), minute(2))), 60_000, "of a link of which nothing was told");
    }
}
