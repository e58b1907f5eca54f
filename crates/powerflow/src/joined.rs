//! Sets of nodes that are joined.

/// Disjoint sets that can be merged (union-find with path halving).
#[derive(Debug, Clone)]
pub(crate) struct Joined(Vec<u32>);

impl Joined {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub(crate) fn set_of(&mut self, member: u32) -> u32 {
        let mut at = member;
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    /// Merges the sets of two members. Returns whether the sets were different.
    pub(crate) fn join(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.set_of(one), self.set_of(other));
        // The lower number stays, so that the numbers of the sets follow the order of their members.
        self.0[one.max(other) as usize] = one.min(other);
        one != other
    }

    /// Returns the number of each member's set, and the number of sets. Sets are numbered in the order of their first members.
    pub(crate) fn numbers(&mut self) -> (Vec<u32>, usize) {
        let mut count = 0;
        let mut numbers = vec![0; self.0.len()];
        for member in 0..self.0.len() as u32 {
            let set = self.set_of(member);
            if set == member {
                numbers[member as usize] = count;
                count += 1;
            } else {
                numbers[member as usize] = numbers[set as usize];
            }
        }
        (numbers, count as usize)
    }
}
