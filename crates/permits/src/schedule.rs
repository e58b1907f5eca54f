//! Decides which heavy read runs next: round robin between users, first come first served within one. Pure, so that tests can run through all cases.

use std::collections::{HashMap, VecDeque};

use grid::ClientId;

use crate::LimitOwner;

/// Maximum number of reads of one user that run at the same time.
const RUNNING_OF_USER_MAX: usize = 2;
/// Maximum number of waiting reads of one user.
pub(crate) const WAITING_OF_USER_MAX: usize = 8;
/// Maximum number of waiting reads of all users.
pub(crate) const WAITING_MAX: usize = 64;

/// The user and the utility that a read is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owner {
    /// A member, or the run of a schedule.
    pub user: LimitOwner,
    /// The utility.
    pub utility: ClientId,
}

/// The number of a read, in the order of arrival.
pub(crate) type Ticket = u64;

/// The reason why a read is refused without waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueFull {
    /// Too many reads of this user wait.
    OfUser,
    /// Too many reads wait.
    All,
}

/// The reads that run and wait.
#[derive(Debug)]
pub(crate) struct Schedule {
    slots: usize,
    next: Ticket,
    running: HashMap<Ticket, Owner>,
    /// Users whose reads wait. The user whose read was granted last is at the end.
    waiting: VecDeque<(Owner, VecDeque<Ticket>)>,
}

impl Schedule {
    /// Returns an empty schedule with the given number of slots, at least one.
    pub(crate) fn new(slots: usize) -> Self {
        Self { slots: slots.max(1), next: 0, running: HashMap::new(), waiting: VecDeque::new() }
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// Adds a read, which then waits for [`Self::grant`]. A run of a schedule may always wait, because the scheduler starts only a few at once.
    pub(crate) fn enqueue(&mut self, owner: Owner) -> Result<Ticket, QueueFull> {
        let own = self.waiting.iter().position(|(other, _)| *other == owner);
        let is_limited = !matches!(owner.user, LimitOwner::Run(_));
        if is_limited && own.is_some_and(|at| self.waiting[at].1.len() >= WAITING_OF_USER_MAX) {
            return Err(QueueFull::OfUser);
        }
        if is_limited && self.waiting.iter().map(|(_, tickets)| tickets.len()).sum::<usize>() >= WAITING_MAX {
            return Err(QueueFull::All);
        }
        let ticket = self.next;
        self.next += 1;
        match own {
            Some(at) => self.waiting[at].1.push_back(ticket),
            None => self.waiting.push_back((owner, VecDeque::from([ticket]))),
        }
        Ok(ticket)
    }

    /// Starts the next read, if one may start. Call it until it returns `None`.
    ///
    /// A utility leaves one slot free while a read of another utility could use it.
    pub(crate) fn grant(&mut self) -> Option<Ticket> {
        if self.running.len() >= self.slots {
            return None;
        }
        let share = (self.slots - 1).max(1);
        let may_run = |owner: &Owner| self.running.values().filter(|running| *running == owner).count() < RUNNING_OF_USER_MAX;
        let has_share = |owner: &Owner| self.running.values().filter(|running| running.utility == owner.utility).count() < share;
        let next = self.waiting.iter().position(|(owner, _)| may_run(owner) && has_share(owner));
        let next = next.or_else(|| self.waiting.iter().position(|(owner, _)| may_run(owner)))?;
        let (owner, mut tickets) = self.waiting.remove(next)?;
        let ticket = tickets.pop_front()?;
        if !tickets.is_empty() {
            self.waiting.push_back((owner, tickets));
        }
        self.running.insert(ticket, owner);
        Some(ticket)
    }

    /// Returns whether a read of another utility waits.
    pub(crate) fn has_waiting_of_other(&self, utility: ClientId) -> bool {
        self.waiting.iter().any(|(owner, _)| owner.utility != utility)
    }

    /// Removes a read that has ended, or that does not wait any more.
    pub(crate) fn remove(&mut self, ticket: Ticket) {
        if self.running.remove(&ticket).is_none() {
            self.waiting.iter_mut().for_each(|(_, tickets)| tickets.retain(|other| *other != ticket));
            self.waiting.retain(|(_, tickets)| !tickets.is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use grid::MemberId;
    use proptest::prelude::*;

    use super::*;

    fn owner(utility: i64, member: i64) -> Owner {
        Owner { user: LimitOwner::Member(MemberId(member)), utility: ClientId(utility) }
    }

    fn granted(schedule: &mut Schedule) -> Vec<Ticket> {
        std::iter::from_fn(|| schedule.grant()).collect()
    }

    #[test]
    fn slots_are_granted_in_turn() {
        let (a, b, c) = (owner(1, 1), owner(1, 2), owner(2, 3));
        for (name, slots, arrivals, expected) in [
            ("a user has two at once", 4, vec![a, a, a], vec![0, 1]),
            ("users take permits", 4, vec![a, a, a, b, b], vec![0, 3, 1, 4]),
            ("a utility leaves one slot to another", 4, vec![a, a, b, b, c], vec![0, 2, 4, 1]),
            ("a utility has all slots while no other waits", 4, vec![a, a, b, b], vec![0, 2, 1, 3]),
            ("first come first served", 1, vec![b, a, c], vec![0]),
            ("there is at least one slot", 0, vec![a, b], vec![0]),
        ] {
            let mut schedule = Schedule::new(slots);
            for owner in arrivals {
                schedule.enqueue(owner).expect(name);
            }
            assert_eq!(granted(&mut schedule), expected, "{name}");
        }
    }

    #[test]
    fn a_slot_that_is_free_again_goes_to_the_next_user() {
        let (a, b) = (owner(1, 1), owner(2, 2));
        let mut schedule = Schedule::new(1);
        let tickets: Vec<Ticket> = [a, a, a, b].into_iter().map(|owner| schedule.enqueue(owner).expect("room")).collect();
        let mut order = Vec::new();
        while let Some(ticket) = schedule.grant() {
            order.push(ticket);
            schedule.remove(ticket);
        }
        assert_eq!(order, [tickets[0], tickets[3], tickets[1], tickets[2]]);
    }

    #[test]
    fn queue_has_limits_for_a_user_and_in_all() {
        let mut schedule = Schedule::new(1);
        for _ in 0..WAITING_OF_USER_MAX {
            schedule.enqueue(owner(1, 0)).expect("room");
        }
        assert_eq!(schedule.enqueue(owner(1, 0)), Err(QueueFull::OfUser));
        for other in 0..(WAITING_MAX - WAITING_OF_USER_MAX) as i64 {
            schedule.enqueue(owner(1, 1 + other / 8)).expect("room");
        }
        assert_eq!(schedule.enqueue(owner(2, 1_000)), Err(QueueFull::All));
        schedule.enqueue(Owner { user: LimitOwner::Run(1), utility: ClientId(2) }).expect("a scheduled report may wait");
        schedule.remove(3);
        schedule.remove(4);
        schedule.enqueue(owner(2, 1_000)).expect("room again");
    }

    #[derive(Debug, Clone)]
    enum Step {
        Arrive(i64, i64),
        Leave(prop::sample::Index),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let arrive = (0_i64..3, 0_i64..3).prop_map(|(utility, member)| Step::Arrive(utility, utility * 10 + member));
        prop::collection::vec(prop_oneof![2 => arrive, 1 => any::<prop::sample::Index>().prop_map(Step::Leave)], 0..200)
    }

    proptest! {
        #[test]
        fn limits_are_kept_and_no_slot_stays_empty(slots in 1_usize..6, steps in steps()) {
            let mut schedule = Schedule::new(slots);
            let mut present: Vec<Ticket> = Vec::new();
            for step in steps {
                match step {
                    Step::Arrive(utility, member) => present.extend(schedule.enqueue(owner(utility, member))),
                    Step::Leave(at) if !present.is_empty() => schedule.remove(present.swap_remove(at.index(present.len()))),
                    Step::Leave(_) => {}
                }
                granted(&mut schedule);
                let of_user = |owner: &Owner| schedule.running.values().filter(|running| *running == owner).count();
                prop_assert!(schedule.running.len() <= slots);
                prop_assert!(schedule.running.values().all(|owner| of_user(owner) <= RUNNING_OF_USER_MAX));
                let could_run = schedule.waiting.iter().any(|(owner, _)| of_user(owner) < RUNNING_OF_USER_MAX);
                prop_assert!(schedule.running.len() == slots || !could_run, "a slot is free and a read waits");
                let waiting: usize = schedule.waiting.iter().map(|(_, tickets)| tickets.len()).sum();
                prop_assert_eq!(schedule.running.len() + waiting, present.len());
            }
            for ticket in present {
                schedule.remove(ticket);
            }
            prop_assert!(schedule.running.is_empty() && schedule.waiting.is_empty());
        }

        #[test]
        fn user_waits_for_at_most_one_read_of_each_other_user(others in 1_i64..8) {
            let mut schedule = Schedule::new(1);
            for other in 0..others {
                for _ in 0..WAITING_OF_USER_MAX {
                    schedule.enqueue(owner(1, other)).expect("room");
                }
            }
            let own = schedule.enqueue(owner(2, 100)).expect("room");
            let before = std::iter::from_fn(|| schedule.grant().inspect(|ticket| schedule.remove(*ticket))).position(|ticket| ticket == own);
            prop_assert!(before.is_some_and(|before| before as i64 <= others));
        }
    }
}
