//! Values of points by hours or days of local time.

use std::collections::{HashMap, HashSet};

use analysis::energy_meters::Meter;
use analysis::energy_sums::energy_of_meters;
use grid::downsample::{Bucket, Resolution};
use grid::{Micros, PointId};
use jiff::ToSpan as _;
use store::series::{REGISTERS_MAX, Registers, Wanted};

use crate::error::Error;
use crate::fill_forward::filled;
use crate::link_losses::{LinkLosses, read_link_losses};
use crate::valid_request::ValidRequest;

/// The length of the rows of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// One hour, from ten-minute rollups.
    Hour,
    /// One day.
    Day,
    /// The part of a day that is over, computed from minutes.
    SoFar,
}

/// Consecutive rows of time: their starts, and the end of the last one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slots {
    pub edges: Vec<Micros>,
    length: Length,
}

impl Slots {
    /// Returns the requested days that have started, each with its hours or as one row.
    pub(crate) fn days(request: &ValidRequest, length: Length) -> Vec<Self> {
        let midnight = |day| request.calendar.midnight(day).ok();
        let day = |day: jiff::civil::Date| {
            let (from, to) = (midnight(day)?, midnight(day.checked_add(1.day()).ok()?)?);
            let edges = match length {
                Length::Day | Length::SoFar => vec![from, to],
                // A day on which the clocks change has 23 or 25 hours.
                Length::Hour => (0..=to.millis_since(from) / 3_600_000).map(|hour| from.plus_millis(hour * 3_600_000)).collect(),
            };
            (from < request.calendar.now).then_some(Self { edges, length })
        };
        request.period.days().filter_map(day).collect()
    }

    /// Returns the part of a day up to `settled`, as one row; `None` if the day is over by then or has just started.
    pub(crate) fn so_far(&self, settled: Micros) -> Option<Self> {
        let (from, to) = (self.edges[0], self.edges[self.edges.len() - 1]);
        (from < settled && settled < to).then(|| Self { edges: vec![from, settled], length: Length::SoFar })
    }

    /// Joins consecutive parts.
    pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        parts.into_iter().fold(None, |all: Option<Self>, part| match all {
            None => Some(part.clone()),
            Some(mut all) => {
                all.edges.extend_from_slice(&part.edges[1..]);
                Some(all)
            }
        })
    }

    /// Returns the span of values that the rows need. It extends a day beyond the last row, because the count of a register at the end of a row is known only
    /// from the next reading.
    pub(crate) fn reach(&self) -> (Micros, Micros) {
        const NEXT_MS: i64 = 25 * 3_600_000;
        (self.edges[0], self.edges[self.edges.len() - 1].plus_millis(NEXT_MS))
    }

    pub(crate) fn starts(&self) -> &[Micros] {
        &self.edges[..self.edges.len() - 1]
    }

    fn of(&self, at: Micros) -> Option<usize> {
        let nth = self.edges.partition_point(|edge| *edge <= at).checked_sub(1)?;
        (nth + 1 < self.edges.len()).then_some(nth)
    }
}

/// The values of some points in the rows of time.
pub(crate) struct Measured<'a> {
    slots: &'a Slots,
    registers: Registers,
    /// Finer rollups for days, for points that report by exception. They are needed because the last value of a day is valid until the end of the day, until
    /// now, or until the link was lost.
    finer: Option<Registers>,
    /// The link losses of points that report by exception.
    link_losses: HashMap<PointId, LinkLosses>,
    now: Micros,
}

impl<'a> Measured<'a> {
    /// Reads the values of at most [`REGISTERS_MAX`] points.
    pub(crate) async fn read(request: &ValidRequest, points: &[PointId], slots: &'a Slots) -> Result<Self, Error> {
        let (from, to) = (slots.edges[0], slots.edges[slots.edges.len() - 1]);
        let coarsest = match slots.length {
            Length::Hour => Resolution::TenMinutes,
            Length::Day => Resolution::Day,
            // Every midnight is at a full minute of UTC, but not at ten full minutes in every zone.
            Length::SoFar => Resolution::Minute,
        };
        let store = request.reports.store();
        // Where ten-minute rollups are no longer stored, hourly ones are used.
        let kept = if slots.length == Length::Day { coarsest } else { store.finest(request.client(), points, coarsest, from).await? };
        let registers = store.registers(request.client(), points, (from, to), Wanted::Of(kept)).await?;
        let ids: HashSet<PointId> = points.iter().copied().collect();
        let read = request.points(&ids);
        let link_losses = read_link_losses(request, read, (from, to)).await?;
        let by_exception: Vec<PointId> = link_losses.keys().copied().collect();
        let finer = if slots.length == Length::Day && !by_exception.is_empty() {
            let finest = store.finest(request.client(), &by_exception, Resolution::TenMinutes, from).await?;
            Some(store.registers(request.client(), &by_exception, (from, to), Wanted::Of(finest)).await?)
        } else {
            None
        };
        Ok(Self { slots, registers, finer, link_losses, now: request.calendar.now })
    }

    /// Returns the result of [`Self::read`] for points without values.
    pub(crate) fn empty(request: &ValidRequest, slots: &'a Slots) -> Self {
        let registers = Registers::empty(Resolution::Day, 1);
        Self { slots, registers, finer: None, link_losses: HashMap::new(), now: request.calendar.now }
    }

    /// Reads the points if one of them is in `present` (see [`Slots::reach`]); otherwise returns [`Self::empty`].
    pub(crate) async fn read_if_any(
        request: &ValidRequest,
        points: &[PointId],
        slots: &'a Slots,
        present: &HashSet<PointId>,
    ) -> Result<Self, Error> {
        let is_any = points.iter().any(|point| present.contains(point));
        if is_any { Self::read(request, points, slots).await } else { Ok(Self::empty(request, slots)) }
    }

    /// Returns the values of a point by row. A point that reports by exception keeps its last value in rows without a new one.
    pub(crate) fn buckets(&self, point: PointId) -> Vec<Option<Bucket>> {
        let mut found: Vec<Option<Bucket>> = vec![None; self.slots.starts().len()];
        let link_losses = self.link_losses.get(&point);
        let registers = self.finer.as_ref().filter(|_| link_losses.is_some()).unwrap_or(&self.registers);
        let Some(line) = registers.lines.iter().find(|line| line.point == point) else { return found };
        let cells = match link_losses {
            Some(link_losses) => filled(line, &registers.edges, link_losses, self.now).into_iter().map(|cell| Some(cell?.bucket)).collect(),
            None => line.cells.clone(),
        };
        for (start, cell) in registers.edges.iter().zip(&cells).take(registers.count) {
            if let (Some(nth), Some(cell)) = (self.slots.of(*start), cell) {
                match &mut found[nth] {
                    Some(bucket) => bucket.merge(cell),
                    empty => *empty = Some(*cell),
                }
            }
        }
        found
    }

    /// Returns the net energy of a meter towards the load, kWh by row; `None` if a part of it is unknown.
    pub(crate) fn energy(&self, meter: &Meter) -> Vec<Option<f64>> {
        let counted = energy_of_meters(&self.registers, std::slice::from_ref(meter)).pop().unwrap_or_default();
        let mut found: Vec<Option<Option<f64>>> = vec![None; self.slots.starts().len()];
        for (start, unit) in self.registers.edges.iter().zip(counted).take(self.registers.count) {
            let Some(nth) = self.slots.of(*start) else { continue };
            let sum = found[nth].unwrap_or(Some(0.0));
            found[nth] = Some(sum.zip(unit.known()).map(|(sum, kwh)| sum + kwh));
        }
        found.into_iter().map(Option::flatten).collect()
    }
}

/// Returns the factor from a unit of power to kW, kVA or kVAr; `None` if the unit is not one of power.
pub(crate) fn kilo_power(unit: &str) -> Option<f64> {
    let prefix = ["W", "VA", "VAr", "VAR"].iter().find_map(|power| unit.strip_suffix(power).filter(|prefix| prefix.len() < 2))?;
    match prefix {
        "" => Some(0.001),
        "k" => Some(1.0),
        "M" => Some(1_000.0),
        "G" => Some(1_000_000.0),
        _ => None,
    }
}

/// Splits a list so that the points of each part fit into one query.
pub(crate) fn parts<T>(all: &[T], points_each: usize) -> impl Iterator<Item = &[T]> {
    all.chunks((REGISTERS_MAX / points_each.max(1)).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_all_kinds_are_told_in_thousands() {
        for (unit, expected) in [
            ("W", Some(0.001)),
            ("kW", Some(1.0)),
            ("MW", Some(1_000.0)),
            ("kVA", Some(1.0)),
            ("MVA", Some(1_000.0)),
            ("VAr", Some(0.001)),
            ("MVAr", Some(1_000.0)),
            ("GVAR", Some(1_000_000.0)),
            ("kWh", None),
            ("mW", None),
            ("A", None),
            ("", None),
        ] {
            assert_eq!(kilo_power(unit), expected, "{unit}");
        }
    }
}
