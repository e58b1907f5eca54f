//! Reads of a decision under the lock of the utility's commands: only what has changed since the last decision.

use std::collections::HashSet;
use std::sync::Arc;

use deadpool_postgres::Transaction;
use grid::{ClientId, Micros, PointId};

use super::known::{Doubts, Entries, Known, Utility};
use super::rows::{doubts, rows};
use crate::convert::{micros_or_null, sql};
use crate::manual_entry_record::{self, EntrySubject, ManualEntry};
use crate::pool::Params;
use crate::{Error, Result};

/// The stream of a utility's commands, which a transaction has locked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Locked<'a> {
    pub(crate) known: &'a Known,
    pub(crate) epoch: &'a str,
    pub(crate) top: i64,
}

impl Locked<'_> {
    fn get<T>(&self, client: ClientId, part: impl FnOnce(&Utility) -> Option<T>) -> Option<T> {
        self.known.lock().get(&client).filter(|of| of.epoch == self.epoch).and_then(part)
    }

    fn keep(&self, client: ClientId, change: impl FnOnce(&mut Utility)) {
        let mut utilities = self.known.lock();
        let of = utilities.entry(client).or_default();
        if of.epoch != self.epoch {
            *of = Utility { epoch: self.epoch.to_owned(), ..Utility::default() };
        }
        change(of);
    }

    /// Returns the current manual entries, in the order of `manual_entry/current`.
    pub(super) async fn entries(&self, transaction: &Transaction<'_>, client: ClientId) -> Result<Arc<Vec<ManualEntry>>> {
        let held = self.get(client, |of| of.entries.clone());
        let followed = match held {
            Some(held) => self.follow(transaction, client, held).await?,
            None => None,
        };
        let entries = match followed {
            Some(entries) => entries,
            None => read_all(transaction, client).await?,
        };
        let list = Arc::clone(&entries.list);
        self.keep(client, |of| of.entries = Some(entries));
        Ok(list)
    }

    /// Returns the current entries by what has changed since they were read; `None` if they have to be read again.
    async fn follow(&self, transaction: &Transaction<'_>, client: ClientId, held: Entries) -> Result<Option<Entries>> {
        let of: Params<'_> = &[&client.0];
        let after: Params<'_> = &[&client.0, &held.last];
        let (marks, newer) = tokio::try_join!(
            rows(transaction, sql!("manual_entry/marks"), of),
            rows(transaction, sql!("manual_entry/rows", "manual_entry/newer"), after),
        )?;
        let Some(marks) = marks.first() else { return Ok(None) };
        let (count, last): (i64, i64) = (marks.try_get("count")?, marks.try_get("last")?);
        let newer: Vec<ManualEntry> = newer.iter().map(manual_entry_record::entry).collect::<Result<_>>()?;
        let count = usize::try_from(count).unwrap_or_default();
        let Some(gone) = (held.list.len() + newer.len()).checked_sub(count).filter(|_| last >= held.last) else { return Ok(None) };
        if gone == 0 && newer.is_empty() {
            return Ok(Some(Entries { last, ..held }));
        }
        // An entry that is gone was most often replaced by one for the same subject.
        let is_same = |entry: &&ManualEntry| newer.iter().any(|new| subject(new) == subject(entry));
        let near: Vec<i64> = held.list.iter().filter(|_| gone > 0).filter(is_same).map(|entry| entry.id).collect();
        let mut ended = no_longer_current(transaction, client, near).await?;
        if ended.len() != gone {
            ended = no_longer_current(transaction, client, held.list.iter().map(|entry| entry.id).collect()).await?;
        }
        if ended.len() != gone {
            return Ok(None);
        }
        // The list is changed in place, unless an earlier decision still uses it.
        self.keep(client, |of| of.entries = None);
        let mut list = held.list;
        let changed = Arc::make_mut(&mut list);
        changed.retain(|entry| !ended.contains(&entry.id));
        for entry in newer {
            let at = changed.partition_point(|other| key(other) < key(&entry));
            changed.insert(at, entry);
        }
        Ok(Some(Entries { list, last }))
    }

    /// Returns the switches of the utility whose newest operation ended without a known outcome, and when.
    pub(super) async fn doubts(&self, transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<(PointId, Micros)>> {
        let held = self.get(client, |of| of.doubts.clone()).filter(|held| held.top <= self.top);
        let list = match held {
            Some(held) if held.top == self.top => held.list,
            Some(held) => {
                let mut list = (*held.list).clone();
                for row in rows(transaction, sql!("control/doubts_since"), &[&client.0, &held.top]).await? {
                    let point = PointId(row.try_get("point_id")?);
                    match micros_or_null(&row, "changed_at")? {
                        Some(since) => list.insert(point, since),
                        None => list.remove(&point),
                    };
                }
                Arc::new(list)
            }
            None => {
                let everywhere: Option<i64> = None;
                let read = rows(transaction, sql!("control/doubts"), &[&client.0, &everywhere]).await?;
                Arc::new(doubts(&read)?.into_iter().collect())
            }
        };
        let found = list.iter().map(|(point, since)| (*point, *since)).collect();
        self.keep(client, |of| of.doubts = Some(Doubts { list, top: self.top }));
        Ok(found)
    }
}

async fn read_all(transaction: &Transaction<'_>, client: ClientId) -> Result<Entries> {
    let (marks, list) = tokio::try_join!(
        async { rows(transaction, sql!("manual_entry/marks"), &[&client.0]).await },
        manual_entry_record::current(transaction, client)
    )?;
    let marks = marks.first().ok_or_else(|| Error::Data("no row of the marks of manual entries".to_owned()))?;
    Ok(Entries { list: Arc::new(list), last: marks.try_get("last")? })
}

async fn no_longer_current(transaction: &Transaction<'_>, client: ClientId, of: Vec<i64>) -> Result<HashSet<i64>> {
    if of.is_empty() {
        return Ok(HashSet::new());
    }
    let current = rows(transaction, sql!("manual_entry/still_current"), &[&client.0, &of]).await?;
    let mut ended: HashSet<i64> = of.into_iter().collect();
    for row in current {
        ended.remove(&row.try_get::<_, i64>("id")?);
    }
    Ok(ended)
}

fn subject(entry: &ManualEntry) -> (Option<&str>, Option<PointId>) {
    match &entry.subject {
        EntrySubject::Equipment { id, .. } => (Some(id.as_str()), None),
        EntrySubject::Point(point) => (None, Some(*point)),
    }
}

/// The order of `manual_entry/current`: entries for points come last.
fn key(entry: &ManualEntry) -> (bool, &str, &str, Micros, i64) {
    let (equipment, _) = subject(entry);
    (equipment.is_none(), equipment.unwrap_or_default(), entry.quantity.as_str(), entry.terms.entered, entry.id)
}
