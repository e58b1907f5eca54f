//! How many sockets one sign-in, one person, and one address that has not signed in may have open at once (trust.md section 3): a token that leaks must not
//! open thousands, and nobody without one may take the places of all.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use grid::MemberId;

/// The count of all open sockets: by sign-in and by person, and by address as long as they have not signed in.
#[derive(Debug, Default)]
pub(crate) struct Admissions {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    sessions: HashMap<i64, usize>,
    members: HashMap<MemberId, usize>,
    strangers: HashMap<IpAddr, usize>,
}

/// One socket's place; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Admission {
    all: Arc<Admissions>,
    session: i64,
    member: MemberId,
}

/// The place of one socket that has not signed in; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Stranger {
    all: Arc<Admissions>,
    address: IpAddr,
}

impl Admissions {
    /// Admits a socket that has not signed in; `None` when its address has as many as it may.
    pub(crate) fn admit_stranger(self: &Arc<Self>, address: IpAddr, per_address: usize) -> Option<Stranger> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.strangers.get(&address).is_some_and(|count| *count >= per_address) {
            return None;
        }
        *counts.strangers.entry(address).or_default() += 1;
        Some(Stranger { all: self.clone(), address })
    }

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

impl Drop for Stranger {
    fn drop(&mut self) {
        release(&mut self.all.counts.lock().unwrap_or_else(PoisonError::into_inner).strangers, &self.address);
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
        let stranger = |address: &str| all.admit_stranger(address.parse().unwrap(), 2);
        let strangers = [stranger("192.0.2.1"), stranger("192.0.2.1")];
        assert!(strangers.iter().all(Option::is_some) && stranger("192.0.2.1").is_none(), "two of an address");
        assert!(stranger("192.0.2.2").is_some(), "another address");
        drop(strangers);
        assert!(stranger("192.0.2.1").is_some());
        drop(first);
        assert!(admit(1, 7).is_some());
        drop(third);
        let counts = all.counts.lock().unwrap();
        assert!(
            counts.sessions.is_empty() && counts.members.is_empty() && counts.strangers.is_empty(),
            "nothing is kept of those who left"
        );
    }
}
