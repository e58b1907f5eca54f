//! Disjoint sets that can have a name. Sets with different names are never merged.

/// Disjoint sets of slots.
#[derive(Debug)]
pub(super) struct Groups {
    parents: Vec<usize>,
    /// For each root, the number of the name of its set; `None` for a set without a name.
    names: Vec<Option<usize>>,
}

impl Groups {
    pub(super) fn new(slots: usize) -> Self {
        Self { parents: (0..slots).collect(), names: vec![None; slots] }
    }

    /// Returns the slot that represents the set.
    pub(super) fn root(&mut self, mut slot: usize) -> usize {
        while self.parents[slot] != slot {
            self.parents[slot] = self.parents[self.parents[slot]];
            slot = self.parents[slot];
        }
        slot
    }

    /// Names a set that has no name.
    pub(super) fn name(&mut self, slot: usize, name: usize) {
        let root = self.root(slot);
        self.names[root].get_or_insert(name);
    }

    /// Merges two sets, unless they have different names.
    pub(super) fn merge(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        let (kept, gone) = (one.min(other), one.max(other));
        match (self.names[kept], self.names[gone]) {
            (Some(a), Some(b)) if a != b => {}
            (a, b) => {
                self.parents[gone] = kept;
                self.names[kept] = a.or(b);
            }
        }
    }
}
