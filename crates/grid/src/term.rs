//! The term of a leader: a number that orders successive leaders of the same work.

/// The term of a leader. Each new leader of a name gets the next number, so a later leader has a greater term.
///
/// A term is stored with the leadership and checked in the leader's transactions. The default, 0, is before the first leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Term(pub i64);

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
