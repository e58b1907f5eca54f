//! Permits for a limited number of expensive operations, with limits for all, for each utility and for each user. A permit is returned when it is dropped.

mod fair_queue;
mod schedule;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use auth::Principal;
use grid::{ClientId, MemberId};

pub use fair_queue::{FairQueue, HeavySlot};
pub use schedule::{Owner, QueueFull};

/// The limit that a permit counts towards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitOwner {
    /// A utility.
    Utility(ClientId),
    /// A user.
    Member(MemberId),
    /// A run of a report schedule.
    Run(i64),
}

/// The permits for one kind of operation.
#[derive(Debug)]
pub struct Permits {
    most: usize,
    /// One lock, because the count of all permits and the counts of the owners are checked and changed in one step.
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    all: usize,
    of: HashMap<LimitOwner, usize>,
}

/// Why no permit is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// This utility, user or run has its maximum.
    Of(LimitOwner),
    /// The total maximum is reached.
    All,
}

/// A permit, returned when dropped.
#[derive(Debug)]
pub struct Permit {
    permits: Arc<Permits>,
    of: Vec<LimitOwner>,
}

impl Permits {
    /// Creates the given number of permits.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, held: Mutex::default() })
    }

    /// Takes a permit. `shares` are the utilities, users and runs that it counts towards, each with its maximum. Fails if one of them has
    /// reached its maximum, or if all permits are taken.
    pub fn take(self: &Arc<Self>, shares: &[(LimitOwner, usize)]) -> Result<Permit, Full> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, _)) = shares.iter().find(|(of, most)| held.of.get(of).is_some_and(|count| count >= most)) {
            return Err(Full::Of(*of));
        }
        if held.all >= self.most {
            return Err(Full::All);
        }
        held.all += 1;
        for (of, _) in shares {
            *held.of.entry(*of).or_default() += 1;
        }
        Ok(Permit { permits: self.clone(), of: shares.iter().map(|(of, _)| *of).collect() })
    }

    /// Takes a permit for a user, with the maxima of the user's utility and of the user.
    pub fn take_for(self: &Arc<Self>, who: &Principal, most_of_utility: usize, most_of_one: usize) -> Result<Permit, Full> {
        self.take(&[(LimitOwner::Member(who.member), most_of_one), (LimitOwner::Utility(who.client), most_of_utility)])
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut held = self.permits.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.all -= 1;
        for of in &self.of {
            if let Some(count) = held.of.get_mut(of) {
                *count -= 1;
                if *count == 0 {
                    held.of.remove(of);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_all_turns_and_what_is_let_go_is_a_turn_again() {
        let permits = Permits::new(5);
        let take = |utility: i64, member: i64| {
            permits.take(&[(LimitOwner::Member(MemberId(member)), 2), (LimitOwner::Utility(ClientId(utility)), 3)])
        };
        let mut held = vec![take(1, 11).expect("a turn"), take(1, 11).expect("a turn")];
        assert_eq!(take(1, 11).map(drop), Err(Full::Of(LimitOwner::Member(MemberId(11)))));
        held.push(take(1, 12).expect("a turn of another"));
        assert_eq!(take(1, 13).map(drop), Err(Full::Of(LimitOwner::Utility(ClientId(1)))), "the utility has its share");
        held.extend([take(2, 21).expect("a turn"), take(2, 22).expect("a turn")]);
        assert_eq!(take(3, 31).map(drop), Err(Full::All));
        held.remove(0);
        assert_eq!((take(1, 11).map(drop), take(3, 31).map(drop)), (Ok(()), Ok(())));
        held.clear();
        let left = permits.held.lock().expect("not poisoned");
        assert!(left.of.is_empty() && left.all == 0, "nobody is kept in mind");
    }
}
