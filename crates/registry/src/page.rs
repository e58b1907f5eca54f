//! Tables by id that are cheap to copy: rows are in pages of consecutive ids, and copies share all pages that are not
//! changed afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::Arc;

use grid::{AssetId, ClientId, GatewayId, NodeId, PointId};

/// Consecutive ids in one page. Ids of a table come from one sequence, so pages are nearly full.
const PAGE: i64 = 1_024;

/// An id that the database has assigned to a row.
pub(crate) trait Id: Copy + Ord {
    fn number(self) -> i64;
    fn from_number(number: i64) -> Self;
}

macro_rules! ids {
    ($($id:ident),*) => { $(impl Id for $id {
        fn number(self) -> i64 {
            self.0
        }
        fn from_number(number: i64) -> Self {
            Self(number)
        }
    })* };
}
ids!(AssetId, ClientId, GatewayId, NodeId, PointId);

/// A table by id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Paged<K, V> {
    pages: BTreeMap<i64, Arc<Vec<Option<V>>>>,
    len: usize,
    key: PhantomData<K>,
}

impl<K, V> Default for Paged<K, V> {
    fn default() -> Self {
        Self { pages: BTreeMap::new(), len: 0, key: PhantomData }
    }
}

/// Returns the page of an id, and its index in the page.
fn place(id: i64) -> (i64, usize) {
    (id.div_euclid(PAGE), usize::try_from(id.rem_euclid(PAGE)).unwrap_or_default())
}

impl<K: Id, V: Clone> Paged<K, V> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, id: K) -> Option<&V> {
        let (page, at) = place(id.number());
        self.pages.get(&page)?.get(at)?.as_ref()
    }

    /// Inserts or replaces a row; returns the previous one.
    pub(crate) fn put(&mut self, id: K, row: V) -> Option<V> {
        let (page, at) = place(id.number());
        let page = Arc::make_mut(self.pages.entry(page).or_default());
        if page.len() <= at {
            page.resize(at + 1, None);
        }
        let before = page[at].replace(row);
        self.len += usize::from(before.is_none());
        before
    }

    /// Removes a row and returns it.
    pub(crate) fn remove(&mut self, id: K) -> Option<V> {
        self.get(id)?;
        let (number, at) = place(id.number());
        let page = Arc::make_mut(self.pages.get_mut(&number)?);
        let before = page[at].take();
        self.len -= usize::from(before.is_some());
        // Trim the page, so that two tables with the same rows are equal.
        while page.last().is_some_and(Option::is_none) {
            page.pop();
        }
        if page.is_empty() {
            self.pages.remove(&number);
        }
        before
    }

    /// Returns the ids of rows that differ from `before` or exist only there. Shared pages cost nothing.
    pub(crate) fn changed_since(&self, before: &Self) -> Vec<K>
    where
        V: PartialEq,
    {
        let numbers: BTreeSet<i64> = self.pages.keys().chain(before.pages.keys()).copied().collect();
        let mut changed = Vec::new();
        for number in numbers {
            let (page, other) = (self.pages.get(&number), before.pages.get(&number));
            if page.zip(other).is_some_and(|(page, other)| Arc::ptr_eq(page, other)) {
                continue;
            }
            let row = |page: Option<&Arc<Vec<Option<V>>>>, at: usize| page.and_then(|page| page.get(at)).and_then(Option::as_ref).cloned();
            let rows = page.into_iter().chain(other).map(|page| page.len()).max().unwrap_or_default();
            let ids = (0..rows).filter(|at| row(page, *at) != row(other, *at)).filter_map(|at| i64::try_from(at).ok());
            changed.extend(ids.map(|at| K::from_number(number * PAGE + at)));
        }
        changed
    }

    /// Returns all rows, by id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> + Clone {
        self.pages.iter().flat_map(|(page, rows)| {
            let first = page * PAGE;
            let rows = rows.iter().enumerate();
            rows.filter_map(move |(at, row)| Some((K::from_number(first + i64::try_from(at).ok()?), row.as_ref()?)))
        })
    }
}

/// Ids of rows by the id of their owner, ascending.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Index<K, V>(Paged<K, Arc<Vec<V>>>);

impl<K, V> Default for Index<K, V> {
    fn default() -> Self {
        Self(Paged::default())
    }
}

impl<K: Id, V: Id> Index<K, V> {
    pub(crate) fn of(&self, owner: K) -> &[V] {
        self.0.get(owner).map_or(&[], |ids| ids.as_slice())
    }

    pub(crate) fn add(&mut self, owner: K, id: V) {
        let mut ids = self.0.remove(owner).unwrap_or_default();
        if let Err(at) = ids.binary_search(&id) {
            Arc::make_mut(&mut ids).insert(at, id);
        }
        self.0.put(owner, ids);
    }

    pub(crate) fn remove(&mut self, owner: K, id: V) {
        let Some(mut ids) = self.0.remove(owner) else { return };
        if let Ok(at) = ids.binary_search(&id) {
            Arc::make_mut(&mut ids).remove(at);
        }
        if !ids.is_empty() {
            self.0.put(owner, ids);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use grid::{AssetId, PointId};
    use proptest::prelude::*;

    use super::{Index, Paged};

    proptest! {
        #[test]
        fn paged_table_equals_an_ordinary_map(steps in prop::collection::vec((0_i64..5_000, any::<Option<u8>>()), 0..300)) {
            let (mut paged, mut map) = (Paged::<PointId, u8>::default(), BTreeMap::new());
            for (id, row) in steps {
                let before = match row {
                    Some(row) => (paged.put(PointId(id), row), map.insert(id, row)),
                    None => (paged.remove(PointId(id)), map.remove(&id)),
                };
                prop_assert_eq!(before.0, before.1);
            }
            prop_assert_eq!(paged.len(), map.len());
            prop_assert!(paged.iter().map(|(id, row)| (id.0, *row)).eq(map.iter().map(|(id, row)| (*id, *row))));
            let mut again = Paged::default();
            for (id, row) in map {
                again.put(PointId(id), row);
            }
            prop_assert!(again == paged, "the same rows make the same table");
        }

        #[test]
        fn changed_rows_are_those_that_differ(
            first in prop::collection::btree_map(0_i64..5_000, any::<u8>(), 0..100),
            steps in prop::collection::vec((0_i64..5_000, any::<Option<u8>>()), 0..30),
        ) {
            let mut before = Paged::<PointId, u8>::default();
            for (id, row) in &first {
                before.put(PointId(*id), *row);
            }
            let (mut after, mut map) = (before.clone(), first.clone());
            for (id, row) in steps {
                match row {
                    Some(row) => drop((after.put(PointId(id), row), map.insert(id, row))),
                    None => drop((after.remove(PointId(id)), map.remove(&id))),
                }
            }
            let differ: Vec<PointId> = (0..5_000).filter(|id| first.get(id) != map.get(id)).map(PointId).collect();
            prop_assert_eq!(after.changed_since(&before), differ);
        }
    }

    #[test]
    fn copy_keeps_its_rows_when_the_original_changes() {
        let mut table = Paged::<PointId, u8>::default();
        table.put(PointId(7), 1);
        let copy = table.clone();
        table.put(PointId(7), 2);
        table.put(PointId(-1), 3);
        assert_eq!((copy.get(PointId(7)), copy.get(PointId(-1)), copy.len()), (Some(&1), None, 1));
    }

    #[test]
    fn index_keeps_ids_in_order_and_once() {
        let mut index = Index::<AssetId, PointId>::default();
        for id in [5, 1, 3, 3] {
            index.add(AssetId(1), PointId(id));
        }
        index.remove(AssetId(1), PointId(1));
        assert_eq!(index.of(AssetId(1)), [PointId(3), PointId(5)]);
        index.remove(AssetId(1), PointId(3));
        index.remove(AssetId(1), PointId(5));
        assert_eq!(index, Index::default());
    }
}
