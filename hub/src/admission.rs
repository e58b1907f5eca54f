//! Limits the open sockets of a session, of a user, and of an address before sign-in (docs/OPERATIONS.md, Sizes).
//!
//! A leaked token cannot open thousands of sockets, and clients without a token cannot use up all sockets.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use grid::MemberId;

/// Counts open sockets. Before sign-in they are counted by address, after sign-in by session and by user.
#[derive(Debug, Default)]
pub(crate) struct Admissions {
    /// One lock: the counts of a session and of its user are checked and changed in one step.
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    sessions: HashMap<i64, usize>,
    members: HashMap<MemberId, usize>,
    unauthenticated: HashMap<IpAddr, usize>,
}

/// The place of one signed-in socket. Dropping it frees the place.
#[derive(Debug)]
pub(crate) struct Admission {
    all: Arc<Admissions>,
    session: i64,
    member: MemberId,
}

/// The place of one socket that has not signed in. Dropping it frees the place.
#[derive(Debug)]
pub(crate) struct UnauthenticatedSlot {
    all: Arc<Admissions>,
    address: IpAddr,
}

impl Admissions {
    /// Admits a socket that has not signed in. Returns `None` if its address has `per_address` such sockets.
    pub(crate) fn admit_unauthenticated(self: &Arc<Self>, address: IpAddr, per_address: usize) -> Option<UnauthenticatedSlot> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.unauthenticated.get(&address).is_some_and(|count| *count >= per_address) {
            return None;
        }
        *counts.unauthenticated.entry(address).or_default() += 1;
        Some(UnauthenticatedSlot { all: self.clone(), address })
    }

    /// Admits one more socket. Returns `None` if the session or the user has reached its limit.
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

impl Drop for UnauthenticatedSlot {
    fn drop(&mut self) {
        release(&mut self.all.counts.lock().unwrap_or_else(PoisonError::into_inner).unauthenticated, &self.address);
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
        let slot = |address: &str| all.admit_unauthenticated(address.parse().unwrap(), 2);
        let unauthenticated = [slot("192.0.2.1"), slot("192.0.2.1")];
        assert!(unauthenticated.iter().all(Option::is_some) && slot("192.0.2.1").is_none(), "two of an address");
        assert!(slot("192.0.2.2").is_some(), "another address");
        drop(unauthenticated);
        assert!(slot("192.0.2.1").is_some());
        drop(first);
        assert!(admit(1, 7).is_some());
        drop(third);
        let counts = all.counts.lock().unwrap();
        assert!(
            counts.sessions.is_empty() && counts.members.is_empty() && counts.unauthenticated.is_empty(),
            "nothing is kept of those who left"
        );
    }
}
