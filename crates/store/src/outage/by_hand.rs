//! What users have entered by hand, as far as outages depend on it: entered positions and presences of sources, jumpers and cuts.

use grid::{ClientId, Micros, PointId, Quality};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, quality, sql};
use crate::manual_entry_record::{self, ManualEntry};
use crate::temporary_record::{self, TemporaryRecord};
use crate::{Error, Result, Store};

/// Maximum number of entries, and of temporary changes, of a recomputed time.
pub const BY_HAND_MAX: i64 = 100_000;

/// An entry with the time in which it was current.
#[derive(Debug, Clone, PartialEq)]
pub struct PastEntry {
    /// The entry.
    pub entry: ManualEntry,
    /// When it was withdrawn; `None` while it is current.
    pub withdrawn: Option<Micros>,
}

/// What a user has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByHand {
    /// An entry, by its number.
    Entry(i64),
    /// A temporary change, by its number.
    Temporary(i64),
}

/// Something that a user has entered, withdrawn, placed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedByHand {
    /// What it is.
    pub what: ByHand,
    /// Whether it ended.
    pub is_end: bool,
    /// When.
    pub at: Micros,
    /// The point of an entry for a point.
    pub point: Option<PointId>,
}

/// An entry that yields to a report of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AwaitedReport {
    /// The number of the entry.
    pub entry: i64,
    /// The point.
    pub point: PointId,
    /// Time of the observation.
    pub observed: Micros,
    /// Time of the entry.
    pub entered: Micros,
}

/// The first report that is newer than an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstReport {
    /// The number of the entry.
    pub entry: i64,
    /// The point.
    pub point: PointId,
    /// From when on it counts: its source time, or when it was received if it had been measured before the observation.
    pub at: Micros,
    /// Raw value, in the encoding of the point.
    pub value: Option<f64>,
    /// Its quality.
    pub quality: Quality,
}

/// A time; without an end while it lasts.
pub type Span = (Micros, Option<Micros>);

impl Store {
    /// Returns what users had entered at a time or later, in the order of entry: at most the newest [`BY_HAND_MAX`].
    pub async fn past_entries(&self, client: ClientId, from: Micros) -> Result<Vec<PastEntry>> {
        let rows = self.query_bound(client, sql!("outage_work/entries"), &[&client.0, &Stamp(from), &BY_HAND_MAX]).await?;
        let read = |row: &Row| Ok(PastEntry { entry: manual_entry_record::entry(row)?, withdrawn: micros_or_null(row, "withdrawn")? });
        rows.iter().rev().map(read).collect()
    }

    /// Returns the jumpers and cuts that were there at a time or later, by their numbers: at most the newest [`BY_HAND_MAX`].
    pub async fn past_temporary_changes(&self, client: ClientId, from: Micros) -> Result<Vec<TemporaryRecord>> {
        let statement = sql!("temporary_change/rows", "outage_work/temporary");
        let rows = self.query_bound(client, statement, &[&client.0, &Stamp(from), &BY_HAND_MAX]).await?;
        rows.iter().rev().map(temporary_record::record).collect()
    }

    /// Returns what users have entered, withdrawn, placed and removed from a time on, in order.
    pub async fn changed_by_hand(&self, client: ClientId, from: Micros) -> Result<Vec<ChangedByHand>> {
        let rows = self.query_bound(client, sql!("outage_work/changed_by_hand"), &[&client.0, &Stamp(from)]).await?;
        let read = |row: &Row| {
            let (what, id): (&str, i64) = (row.try_get("what")?, row.try_get("id")?);
            let what = if what == "entry" { ByHand::Entry(id) } else { ByHand::Temporary(id) };
            let point = row.try_get::<_, Option<i64>>("point_id")?.map(PointId);
            Ok(ChangedByHand { what, is_end: row.try_get("is_end")?, at: micros(row, "at")?, point })
        };
        rows.iter().map(read).collect()
    }

    /// Returns the first report that is newer than each entry, if there is one.
    pub async fn first_reports(&self, client: ClientId, awaited: &[AwaitedReport]) -> Result<Vec<FirstReport>> {
        if awaited.is_empty() {
            return Ok(Vec::new());
        }
        let points: Vec<i64> = awaited.iter().map(|of| of.point.0).collect();
        let observed: Vec<Stamp> = awaited.iter().map(|of| Stamp(of.observed)).collect();
        let entered: Vec<Stamp> = awaited.iter().map(|of| Stamp(of.entered)).collect();
        let rows = self.query_bound(client, sql!("outage_work/first_reports"), &[&client.0, &points, &observed, &entered]).await?;
        let read = |row: &Row| {
            let nth: i64 = row.try_get("nth")?;
            let of = usize::try_from(nth).ok().and_then(|nth| awaited.get(nth.checked_sub(1)?));
            let of = of.ok_or_else(|| Error::Data(format!("report {nth} of {}", awaited.len())))?;
            Ok(FirstReport {
                entry: of.entry,
                point: of.point,
                at: micros(row, "at")?,
                value: row.try_get("value")?,
                quality: quality(row)?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Returns when the event with an offset was received; `None` if it is not stored.
    pub async fn event_received(&self, client: ClientId, offset: i64) -> Result<Option<Micros>> {
        let rows = self.query_bound(client, sql!("outage_work/received"), &[&client.0, &offset]).await?;
        rows.first().map(|row| micros(row, "recv_ts")).transpose()
    }

    /// Returns the times within a period in which a jumper or a cut was there of which it is not known that it fits the version that was active, the newest
    /// `limit`.
    pub async fn unfitting_times(&self, client: ClientId, (from, to): (Micros, Micros), limit: i64) -> Result<Vec<Span>> {
        let rows = self.of(client).query(sql!("outage/unfitting"), &[&client.0, &Stamp(from), &Stamp(to), &limit]).await?;
        rows.iter().map(|row| Ok((micros(row, "since")?, micros_or_null(row, "until")?))).collect()
    }
}
