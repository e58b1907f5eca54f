//! Finds from when on outages must be recomputed because users have entered, withdrawn, placed or removed something, or because an entry has yielded to a report
//! that is no event.

use std::collections::{HashMap, HashSet};

use grid::{ClientId, Micros, PointId};
use registry::Utility;
use store::Store;
use store::alarm::Cursor;
use store::manual_entry::{EntrySubject, ManualEntry};
use store::outage::{ByHand, Changed};

use super::by_hand::{awaited, awaited_equipment};
use super::version::VersionPoints;

/// How much later a change may be committed than its own time says, and how much the clocks of two services may differ.
const MARGIN_MS: i64 = 5 * 60_000;

/// From when on outages must be recomputed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChangesByHand {
    /// In the network.
    pub(super) of_network: Option<Micros>,
    /// At substations, because of entries for points that are in no network.
    pub(super) at_stations: Vec<Changed>,
}

/// A change that was taken into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Taken {
    /// With whether it is the end.
    Change(ByHand, bool),
    /// The report of a point to which the entry with a number has yielded.
    Yielded(i64, PointId),
}

/// What was taken into account.
#[derive(Debug)]
pub(super) struct SeenByHand {
    /// Everything before was taken into account by an earlier process.
    began: Micros,
    /// The time of the newest change.
    through: Micros,
    taken: HashSet<Taken>,
}

impl SeenByHand {
    /// Everything before the last event that was processed was taken into account with that event. Later changes may not have been.
    pub(super) async fn after(store: &Store, client: ClientId, cursor: &Cursor) -> store::Result<Self> {
        let received = store.event_received(client, cursor.through).await?;
        let began = received.map_or(Micros(0), |received| received.plus_millis(-MARGIN_MS));
        Ok(Self { began, through: began, taken: HashSet::new() })
    }

    /// Finds what has changed since. `newest`: the version that is active.
    pub(super) async fn look(
        self,
        store: &Store,
        client: ClientId,
        utility: &Utility,
        newest: Option<&VersionPoints>,
    ) -> store::Result<(Self, ChangesByHand)> {
        let Self { began, through, taken } = self;
        let mut seen = Self { began, through, taken: HashSet::new() };
        let mut changes = ChangesByHand::default();
        let mut add = |of: Taken, at: Micros, point: Option<PointId>| {
            if at >= began && !taken.contains(&of) {
                match point.map(|point| utility.point(point).map(|point| point.location)) {
                    Some(Some(location)) => changes.at_stations.push(Changed { location, since: at, recent: None, events: 0 }),
                    // The point does not exist any more.
                    Some(None) => {}
                    None => changes.of_network = changes.of_network.into_iter().chain([at]).min(),
                }
            }
            seen.taken.insert(of);
            seen.through = seen.through.max(at);
        };
        for change in store.changed_by_hand(client, through.plus_millis(-MARGIN_MS).max(Micros(0))).await? {
            add(Taken::Change(change.what, change.is_end), change.at, change.point);
        }
        let entries = store.manual_entries(client).await?;
        let points: HashMap<&str, Vec<PointId>> = newest.map_or_else(HashMap::new, |version| {
            awaited_equipment(entries.iter()).into_iter().map(|id| (id, version.points_beside(id))).collect()
        });
        let awaited = awaited(entries.iter(), |id| points.get(id).map_or(&[][..], Vec::as_slice));
        for report in store.first_reports(client, &awaited).await? {
            let is_for_point = |entry: &&ManualEntry| entry.id == report.entry && entry.subject == EntrySubject::Point(report.point);
            let point = entries.iter().find(is_for_point).map(|_| report.point);
            add(Taken::Yielded(report.entry, report.point), report.at, point);
        }
        Ok((seen, changes))
    }
}
