//! The tags on devices by substation, for diagrams. Pure.

use std::collections::HashMap;

use grid::{ClientId, NodeId};
use wire::control::TagRow;

/// All tags of all utilities. Bounded by the number of tags in the database.
#[derive(Debug, Default)]
pub(crate) struct Tags {
    by_location: HashMap<NodeId, Vec<TagRow>>,
    /// The version of each substation's list.
    versions: HashMap<NodeId, i64>,
}

impl Tags {
    /// Returns the tags at a substation.
    pub(crate) fn at(&self, location: NodeId) -> Vec<TagRow> {
        self.by_location.get(&location).cloned().unwrap_or_default()
    }

    /// Replaces the list of one substation. Returns whether it changed. A list older than the known one is ignored.
    pub(crate) fn take(&mut self, location: NodeId, version: i64, tags: Vec<TagRow>) -> bool {
        let known = self.versions.entry(location).or_default();
        if version < *known {
            return false;
        }
        *known = version;
        if self.by_location.get(&location).map_or(tags.is_empty(), |known| *known == tags) {
            return false;
        }
        if tags.is_empty() {
            self.by_location.remove(&location);
        } else {
            self.by_location.insert(location, tags);
        }
        true
    }

    /// Replaces all lists of a utility by the lists of the database. Returns the substations whose list changed.
    /// `is_of` returns whether a substation belongs to the utility.
    pub(crate) fn take_all(&mut self, all: &OfClient, is_of: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let mut lists: HashMap<NodeId, Vec<TagRow>> = HashMap::new();
        for tag in &all.tags {
            lists.entry(NodeId(tag.location_id)).or_default().push(tag.clone());
        }
        // Substations without tags get an empty list.
        let emptied = self.by_location.keys().copied().filter(|location| is_of(*location) && !lists.contains_key(location));
        let emptied: Vec<NodeId> = emptied.collect();
        let lists = lists.into_iter().chain(emptied.into_iter().map(|location| (location, Vec::new())));
        lists.filter_map(|(location, tags)| self.take(location, all.version, tags).then_some(location)).collect()
    }

    /// Removes expired tags. Returns the substations that had some.
    pub(crate) fn expire(&mut self, now_ms: i64) -> Vec<NodeId> {
        let mut changed = Vec::new();
        self.by_location.retain(|location, tags| {
            let before = tags.len();
            tags.retain(|tag| tag.expires_at.is_none_or(|until| until > now_ms));
            if tags.len() < before {
                changed.push(*location);
            }
            !tags.is_empty()
        });
        changed
    }
}

/// The tags of one utility, as read from the database.
#[derive(Debug, Clone)]
pub(crate) struct OfClient {
    pub(crate) client: ClientId,
    /// The newest version when they were read.
    pub(crate) version: i64,
    pub(crate) tags: Vec<TagRow>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(id: i64, location: i64, expires_at: Option<i64>) -> TagRow {
        TagRow {
            id,
            scope: "device".into(),
            asset_id: Some(1),
            asset_name: "CB".into(),
            bay: String::new(),
            location_id: location,
            kind: "inhibit".into(),
            holder: "A".into(),
            holder_id: 2,
            reason: "work".into(),
            placed_at: 0,
            expires_at,
        }
    }

    #[test]
    fn an_older_list_never_takes_the_place_of_a_newer_one() {
        let (mut tags, here) = (Tags::default(), NodeId(3));
        assert!(tags.take(here, 5, vec![tag(1, 3, None)]));
        assert!(!tags.take(here, 4, Vec::new()), "older");
        assert!(!tags.take(here, 6, vec![tag(1, 3, None)]), "the same");
        assert_eq!(tags.at(here).len(), 1);
        let all = |version, tags| OfClient { client: ClientId(1), version, tags };
        assert!(tags.take_all(&all(5, Vec::new()), |_| true).is_empty(), "read before the newest change");
        assert!(tags.take_all(&all(7, Vec::new()), |_| false).is_empty(), "another utility's");
        assert_eq!(tags.take_all(&all(7, vec![tag(2, 4, None)]), |_| true).len(), 2, "one fell off, one was hung elsewhere");
        assert!(tags.at(here).is_empty());
    }

    #[test]
    fn a_tag_falls_off_when_its_time_is_over() {
        let (mut tags, here) = (Tags::default(), NodeId(3));
        tags.take(here, 1, vec![tag(1, 3, Some(100)), tag(2, 3, None)]);
        assert!(tags.expire(99).is_empty());
        assert_eq!(tags.expire(100), [here]);
        assert_eq!(tags.at(here).iter().map(|tag| tag.id).collect::<Vec<_>>(), [2]);
    }
}
