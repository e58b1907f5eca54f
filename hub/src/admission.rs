//! How many sockets one sign-in and one person may have open at once (trust.md section 3): a token that leaks must not open thousands.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use grid::MemberId;

/// The count of all open sockets, by sign-in and by person.
#[derive(Debug, Default)]
pub(crate) struct Admissions {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    sessions: HashMap<i64, usize>,
    members: HashMap<MemberId, usize>,
}

/// One socket's place; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Admission {
    all: Arc<Admissions>,
    session: i64,
    member: MemberId,
}

impl Admissions {
    /// A place for one more socket; `None` when the sign-in or the person has as many as they may.
    pub(crate) fn admit(self: &Arc<Self>, session: i64, member: MemberId, per_session: usize, per_member: usize) -> Option<Admission> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |count: Option<&usize>, limit| count.is_some_and(|count| *count >= limit);
        if full(counts.sessions.get(&session), per_session) || full(counts.members.get(&member), per_member) {
            return None;
        }
        *counts.sessions.entry(session).or_default() += 1;
        *counts.members.entry(member).or_default() += 1;
        Some(Admission { all: self.clone(), session, member })
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut counts = self.all.counts.lock().unwrap_or_else(PoisonError::into_inner);
        release(&mut counts.sessions, &self.session);
        release(&mut counts.members, &self.member);
    }
}

fn release<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    let Some(count) = counts.get_mut(key) else { return };
    *count -= 1;
    if *count == 0 {
        counts.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back() {
        let all = Arc::new(Admissions::default());
        let admit = |session, member| all.admit(session, MemberId(member), 2, 3);
        let first = [admit(1, 7), admit(1, 7)];
        assert!(first.iter().all(Option::is_some) && admit(1, 7).is_none(), "two of a sign-in");
        let third = admit(2, 7);
        assert!(third.is_some() && admit(3, 7).is_none(), "three of a person");
        assert!(admit(4, 8).is_some(), "somebody else");
        drop(first);
        assert!(admit(1, 7).is_some());
        drop(third);
        let counts = all.counts.lock().unwrap();
        assert!(counts.sessions.is_empty() && counts.members.is_empty(), "nothing is kept of those who left");
    }
}
