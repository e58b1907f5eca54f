//! Finds the days of a period on which points have values, so that the time for a long period depends on the number of stored values and not on the length of
//! the period.
//!
//! A report calls [`ValueDays::within`] for each day in order. The database is queried again only after a day with values, to find the next day with values for
//! the points that had values. A day that is found may turn out to be empty; a day that is not found has no values.

use std::collections::{BTreeMap, HashMap, HashSet};

use grid::{Micros, Point, PointId};

use crate::error::Error;
use crate::link_losses::{LinkLosses, read_link_losses};
use crate::valid_request::ValidRequest;

/// Values up to this time after the end of the period are also found, ms, because the count of a register is known only from its next
/// reading.
const BEHIND_MS: i64 = 3 * 24 * 3_600_000;

/// Age up to which values may not be in the rollups yet, so that they are read as single values, plus one hour, ms.
const UNSETTLED_MS: i64 = 25 * 3_600_000;

/// The days of a period on which some points have values.
pub(crate) struct ValueDays<'a> {
    request: &'a ValidRequest,
    points: Vec<&'a Point>,
    with_held: bool,
    with_single_values: bool,
    /// Points by the next instant at which they may have values. Entries before the span of a call are looked up again.
    next: BTreeMap<Micros, Vec<PointId>>,
    held: HashMap<PointId, Held>,
    /// The link losses of the whole period, read when first needed. The link of an absent point counts as online.
    link_losses: Option<HashMap<PointId, LinkLosses>>,
}

/// The last value of a point that reports by exception, which is valid until the next one.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// When it was measured; `None` if no value is valid.
    measured: Option<Micros>,
    /// Until this instant a newer value that is not in the rollups yet may replace it.
    unsettled_until: Micros,
    /// The link is offline before this instant.
    received_from: Micros,
}

impl<'a> ValueDays<'a> {
    /// Creates a search over points of the utility. The first query is made by the first call of [`Self::within`].
    pub(crate) fn new(request: &'a ValidRequest, points: impl IntoIterator<Item = &'a Point>) -> Self {
        let points: Vec<&Point> = points.into_iter().collect();
        let next = BTreeMap::from([(Micros(i64::MIN), points.iter().map(|point| point.id).collect())]);
        Self { request, points, with_held: false, with_single_values: false, next, held: HashMap::new(), link_losses: None }
    }

    /// Also counts days on which the last value of a point that reports by exception is still valid, while its link is up.
    pub(crate) fn with_held(self) -> Self {
        Self { with_held: true, ..self }
    }

    /// Also counts single values that are in no rollup, for reports that read them.
    pub(crate) fn with_single_values(self) -> Self {
        Self { with_single_values: true, ..self }
    }

    /// Returns the points that may have values within a span. A span must not begin before the span of the previous call.
    pub(crate) async fn within(&mut self, (from, to): (Micros, Micros)) -> Result<HashSet<PointId>, Error> {
        let later = self.next.split_off(&from);
        let passed: Vec<PointId> = std::mem::replace(&mut self.next, later).into_values().flatten().collect();
        self.look_up(&passed, from).await?;
        let mut found: HashSet<PointId> = self.next.range(..to).flat_map(|(_, points)| points).copied().collect();
        self.add_held((from, to.min(self.request.calendar.now)), &mut found).await?;
        Ok(found)
    }

    /// Finds the next values of points, and the values that are valid until then.
    async fn look_up(&mut self, points: &[PointId], from: Micros) -> Result<(), Error> {
        let end = self.request.span.1.min(self.request.calendar.now).plus_millis(BEHIND_MS);
        if points.is_empty() || from >= end {
            return Ok(());
        }
        let (store, client) = (self.request.reports.store(), self.request.client());
        for presence in store.presence(client, points, (from, end), self.with_single_values).await? {
            if let Some((first, _)) = presence.values {
                self.next.entry(first).or_default().push(presence.point);
            }
            if self.with_held && (presence.held.is_some() || presence.is_unsettled) {
                let unsettled_until = if presence.is_unsettled { from.plus_millis(UNSETTLED_MS) } else { from };
                self.held.insert(presence.point, Held { measured: presence.held, unsettled_until, received_from: from });
            } else {
                self.held.remove(&presence.point);
            }
        }
        Ok(())
    }

    async fn add_held(&mut self, (from, to): (Micros, Micros), found: &mut HashSet<PointId>) -> Result<(), Error> {
        if from >= to || self.held.is_empty() {
            return Ok(());
        }
        let link_losses = match self.link_losses.take() {
            Some(link_losses) => link_losses,
            None => self.read_losses_of_period().await?,
        };
        for (point, held) in &mut self.held {
            if found.contains(point) {
                continue;
            }
            if from < held.unsettled_until {
                found.insert(*point);
                continue;
            }
            let Some(measured) = held.measured.filter(|_| held.received_from < to) else { continue };
            match link_losses.get(point).and_then(|link_losses| link_losses.lost_until(measured, (from, to))) {
                Some(back) => held.received_from = back,
                None => drop(found.insert(*point)),
            }
        }
        self.link_losses = Some(link_losses);
        Ok(())
    }

    async fn read_losses_of_period(&self) -> Result<HashMap<PointId, LinkLosses>, Error> {
        let (from, to) = self.request.span;
        let span = (from, to.min(self.request.calendar.now));
        match read_link_losses(self.request, self.points.iter().copied(), span).await {
            // There are too many link changes for one query, so each day is checked by itself.
            Err(Error::BadRequest(_)) => Ok(HashMap::new()),
            other => other,
        }
    }
}
