//! What users have entered about the recomputed time: entered positions, presences of sources, jumpers and cuts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use grid::manual_entry::EntryRule;
use grid::{ClientId, Micros, PointId, Quality};
use store::manual_entry::{EntrySubject, ManualEntry};
use store::outage::{AwaitedReport, BY_HAND_MAX, FirstReport, InfeedChange, PastEntry};
use store::temporary_change::TemporaryRecord;

use super::past_networks::Activation;

/// A change that is no event.
#[derive(Debug)]
pub(super) enum Step {
    /// Entries that were made or withdrawn at the same time.
    Entries { entered: Vec<ManualEntry>, withdrawn: Vec<i64> },
    /// A report that repeats a position and ends an entry.
    Report(ReportedPosition),
    /// An incoming line.
    Line(InfeedChange),
}

/// A reported position.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportedPosition {
    pub(super) point: PointId,
    pub(super) value: Option<f64>,
    pub(super) quality: Quality,
    pub(super) at: Micros,
}

/// A network that begins at a time: another version becomes active, or a jumper or a cut is placed or removed.
#[derive(Debug)]
pub(super) struct NextNetwork {
    pub(super) since: Micros,
    /// The version that becomes active; `None` if the one before stays.
    pub(super) activation: Option<Activation>,
    /// The jumpers and cuts that are there, in the order of their numbers.
    pub(super) temporary: Vec<TemporaryRecord>,
}

/// What users have entered about a time.
#[derive(Debug, Default)]
pub(super) struct ByHand {
    /// In the order of entry.
    entries: Vec<PastEntry>,
    /// In the order of their numbers.
    temporary: Vec<TemporaryRecord>,
    /// Reports that end entries.
    pub(super) reports: Vec<FirstReport>,
}

impl ByHand {
    /// Reads what counts at a time or later, without the reports. `has_network`: whether a version was active.
    pub(super) async fn read(store: &store::Store, client: ClientId, from: Micros, has_network: bool) -> store::Result<Self> {
        let mut entries = store.past_entries(client, from).await?;
        entries.retain(|past| past.withdrawn.is_none_or(|withdrawn| withdrawn > past.entry.terms.entered));
        let temporary = if has_network { store.past_temporary_changes(client, from).await? } else { Vec::new() };
        if entries.len().max(temporary.len()) as i64 >= BY_HAND_MAX {
            tracing::error!(%client, limit = BY_HAND_MAX, "outages follow only the newest of what users have entered");
        }
        Ok(Self { entries, temporary, reports: Vec::new() })
    }

    /// Returns the entries.
    pub(super) fn entries(&self) -> impl Iterator<Item = &ManualEntry> + Clone {
        self.entries.iter().map(|past| &past.entry)
    }

    /// Returns the entries that are current before a time, and the reports before it that end entries.
    pub(super) fn before(&self, at: Micros) -> (Vec<ManualEntry>, Vec<ReportedPosition>) {
        let is_current = |past: &&PastEntry| past.entry.terms.entered < at && past.withdrawn.is_none_or(|withdrawn| withdrawn >= at);
        let entries = self.entries.iter().filter(is_current).map(|past| past.entry.clone());
        (entries.collect(), self.reports.iter().filter(|report| report.at < at).map(reported).collect())
    }

    /// Returns the changes of entries at a time or later, and the reports that end entries.
    pub(super) fn steps(&self, from: Micros) -> Vec<(Micros, Step)> {
        let mut changes: BTreeMap<Micros, (Vec<ManualEntry>, Vec<i64>)> = BTreeMap::new();
        for PastEntry { entry, withdrawn } in &self.entries {
            if entry.terms.entered >= from {
                changes.entry(entry.terms.entered).or_default().0.push(entry.clone());
            }
            if let Some(withdrawn) = withdrawn.filter(|withdrawn| *withdrawn >= from) {
                changes.entry(withdrawn).or_default().1.push(entry.id);
            }
        }
        let changes = changes.into_iter().map(|(at, (entered, withdrawn))| (at, Step::Entries { entered, withdrawn }));
        let reports = self.reports.iter().filter(|report| report.at >= from).map(|report| (report.at, Step::Report(reported(report))));
        changes.chain(reports).collect()
    }

    /// Returns the networks of a time in order. If one is valid at its start, it is the first one.
    pub(super) fn networks(&self, activations: &[Activation], from: Micros) -> Vec<NextNetwork> {
        let there = |is_there: &dyn Fn(&TemporaryRecord) -> bool| -> Vec<TemporaryRecord> {
            self.temporary.iter().filter(|record| is_there(record)).cloned().collect()
        };
        let removed = |record: &TemporaryRecord| record.removal.as_ref().map(|removal| removal.at);
        // A change at the start of the time is a step of it: it can begin an outage.
        let at_start = || there(&|record| record.placed < from && removed(record).is_none_or(|at| at >= from));
        let at = |time: Micros| there(&|record| record.placed <= time && removed(record).is_none_or(|at| at > time));
        let mut networks: BTreeMap<(Micros, bool), NextNetwork> = BTreeMap::new();
        for activation in activations {
            let since = activation.0;
            let temporary = if since <= from { at_start() } else { at(since) };
            networks.insert((since, false), NextNetwork { since, activation: Some(*activation), temporary });
        }
        for time in self.temporary.iter().flat_map(|record| [Some(record.placed), removed(record)]).flatten().filter(|time| *time >= from) {
            let active = activations.partition_point(|(since, _)| *since <= time).checked_sub(1).map(|nth| activations[nth]);
            if active.is_some_and(|(since, _)| since != time || time == from) {
                networks.entry((time, true)).or_insert_with(|| NextNetwork { since: time, activation: None, temporary: at(time) });
            }
        }
        networks.into_values().collect()
    }
}

/// Returns the equipment of entries that a report can end.
pub(super) fn awaited_equipment<'a>(entries: impl Iterator<Item = &'a ManualEntry>) -> BTreeSet<&'a str> {
    let of = |entry: &'a ManualEntry| match &entry.subject {
        EntrySubject::Equipment { id, .. } if entry.terms.rule == EntryRule::UntilReported => Some(id.as_str()),
        _ => None,
    };
    entries.filter_map(of).collect()
}

/// Returns the reports that end entries. `points_of` returns the points of the position of equipment.
pub(super) fn awaited<'a, 'p>(
    entries: impl Iterator<Item = &'a ManualEntry>,
    points_of: impl Fn(&str) -> &'p [PointId],
) -> Vec<AwaitedReport> {
    let mut awaited: HashMap<(i64, PointId), AwaitedReport> = HashMap::new();
    for entry in entries.filter(|entry| entry.terms.rule == EntryRule::UntilReported) {
        let points = match &entry.subject {
            EntrySubject::Point(point) => std::slice::from_ref(point),
            EntrySubject::Equipment { id, .. } => points_of(id),
        };
        for point in points.iter().copied() {
            let of = AwaitedReport { entry: entry.id, point, observed: entry.terms.observed, entered: entry.terms.entered };
            awaited.insert((entry.id, point), of);
        }
    }
    let mut awaited: Vec<AwaitedReport> = awaited.into_values().collect();
    awaited.sort_unstable_by_key(|of| (of.entry, of.point));
    awaited
}

fn reported(report: &FirstReport) -> ReportedPosition {
    ReportedPosition { point: report.point, value: report.value, quality: report.quality, at: report.at }
}
