//! What points measured in hours or days of the utility's own clock.

use std::collections::{HashMap, HashSet};

use analysis::energy_meters::Meter;
use analysis::energy_sums::of;
use grid::downsample::{Bucket, Resolution};
use grid::{Micros, PointId};
use jiff::ToSpan as _;
use store::series::{REGISTERS_MAX, Registers, Wanted};

use crate::asked::Asked;
use crate::error::Error;
use crate::holds::filled;
use crate::link_losses::{LinkLosses, read_link_losses};

/// How long the rows of a report are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// An hour, made of ten minutes.
    Hour,
    /// A day.
    Day,
}

/// A time that is over, by the starts of its rows and the end of the last.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slots {
    pub edges: Vec<Micros>,
    length: Length,
}

impl Slots {
    /// The days of the question one by one, each with its hours or as one; none of what has not begun.
    pub(crate) fn days(asked: &Asked, length: Length) -> Vec<Self> {
        let midnight = |day| asked.calendar.midnight(day).ok();
        let day = |day: jiff::civil::Date| {
            let (from, to) = (midnight(day)?, midnight(day.checked_add(1.day()).ok()?)?);
            let edges = match length {
                Length::Day => vec![from, to],
                // A day of a clock change has 23 or 25 of them.
                Length::Hour => (0..=to.millis_since(from) / 3_600_000).map(|hour| from.plus_millis(hour * 3_600_000)).collect(),
            };
            (from < asked.calendar.now).then_some(Self { edges, length })
        };
        asked.period.days().filter_map(day).collect()
    }

    /// Some that follow each other as one.
    pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        parts.into_iter().fold(None, |all: Option<Self>, part| match all {
            None => Some(part.clone()),
            Some(mut all) => {
                all.edges.extend_from_slice(&part.edges[1..]);
                Some(all)
            }
        })
    }

    /// The span of values that the slots need: the count of a register at the end of the last slot is known from its next reading, within a day.
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

/// What some points measured in them.
pub(crate) struct Measured<'a> {
    slots: &'a Slots,
    registers: Registers,
    /// Of days, what those that report by exception measured in their parts: what a day ended with holds to its end, to now, or as far as its link was heard.
    finer: Option<Registers>,
    /// Of those that report by exception.
    link_losses: HashMap<PointId, LinkLosses>,
    now: Micros,
}

impl<'a> Measured<'a> {
    /// Of at most [`REGISTERS_MAX`] points.
    pub(crate) async fn read(asked: &Asked, points: &[PointId], slots: &'a Slots) -> Result<Self, Error> {
        let (from, to) = (slots.edges[0], slots.edges[slots.edges.len() - 1]);
        let wanted = match slots.length {
            Length::Hour => Resolution::TenMinutes,
            Length::Day => Resolution::Day,
        };
        let store = asked.reports.store();
        // Ten minutes that are not kept any more leave hours.
        let kept = if slots.length == Length::Day { wanted } else { store.finest(asked.client(), points, wanted, from).await? };
        let registers = store.registers(asked.client(), points, (from, to), Wanted::Of(kept)).await?;
        let ids: HashSet<PointId> = points.iter().copied().collect();
        let read = asked.view.field.points().filter(|point| ids.contains(&point.id));
        let link_losses = read_link_losses(asked, read, (from, to)).await?;
        let by_exception: Vec<PointId> = link_losses.keys().copied().collect();
        let finer = if slots.length == Length::Day && !by_exception.is_empty() {
            let finest = store.finest(asked.client(), &by_exception, Resolution::TenMinutes, from).await?;
            Some(store.registers(asked.client(), &by_exception, (from, to), Wanted::Of(finest)).await?)
        } else {
            None
        };
        Ok(Self { slots, registers, finer, link_losses, now: asked.calendar.now })
    }

    /// Creates what [`Self::read`] returns for points without values.
    pub(crate) fn empty(asked: &Asked, slots: &'a Slots) -> Self {
        let registers = Registers { of: Resolution::Day, times: 1, count: 0, edges: Vec::new(), lines: Vec::new() };
        Self { slots, registers, finer: None, link_losses: HashMap::new(), now: asked.calendar.now }
    }

    /// Reads the points if one of them is in `present` (see [`Slots::reach`]); otherwise returns [`Self::empty`].
    pub(crate) async fn read_if_any(
        asked: &Asked,
        points: &[PointId],
        slots: &'a Slots,
        present: &HashSet<PointId>,
    ) -> Result<Self, Error> {
        let is_any = points.iter().any(|point| present.contains(point));
        if is_any { Self::read(asked, points, slots).await } else { Ok(Self::empty(asked, slots)) }
    }

    /// A point's values by slot; of one that reports by exception what holds where nothing came.
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

    /// What a meter counted towards the load less what came back, kWh by slot; unknown where a part of it is.
    pub(crate) fn energy(&self, meter: &Meter) -> Vec<Option<f64>> {
        let counted = of(&self.registers, std::slice::from_ref(meter)).pop().unwrap_or_default();
        let mut found: Vec<Option<Option<f64>>> = vec![None; self.slots.starts().len()];
        for (start, unit) in self.registers.edges.iter().zip(counted).take(self.registers.count) {
            let Some(nth) = self.slots.of(*start) else { continue };
            let sum = found[nth].unwrap_or(Some(0.0));
            found[nth] = Some(sum.zip(unit.known()).map(|(sum, kwh)| sum + kwh));
        }
        found.into_iter().map(Option::flatten).collect()
    }
}

/// Thousands of W, VA or VAr of one unit of a measured power; `None` where the unit is none of power.
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

/// Parts of a list whose points fit one question.
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
