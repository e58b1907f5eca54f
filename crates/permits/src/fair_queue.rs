//! The queue of heavy reads: a slot for each connection of the class, granted fairly between users.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grid::ClientId;
use tokio::sync::{Notify, oneshot};

use crate::schedule::{Owner, QueueFull, Schedule, Ticket};

/// The queue. Clones share it. One lock: a grant changes the schedule and the waiting reads in one step.
#[derive(Debug, Clone)]
pub struct FairQueue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Notified when a read has to wait.
    arrivals: Notify,
}

#[derive(Debug)]
struct State {
    schedule: Schedule,
    /// Waiting reads, each with the sender of its permission to start.
    waiting: HashMap<Ticket, oneshot::Sender<()>>,
}

impl State {
    fn grant(&mut self) {
        while let Some(ticket) = self.schedule.grant() {
            if let Some(start) = self.waiting.remove(&ticket) {
                // A read that no longer waits removes itself when its slot is dropped.
                let _ = start.send(());
            }
        }
    }
}

/// Permission for one heavy read. Keep it until the last query of the read has ended.
#[derive(Debug)]
pub struct HeavySlot {
    queue: FairQueue,
    ticket: Ticket,
}

impl FairQueue {
    /// Returns a queue with the given number of slots, at least one.
    pub fn new(slots: usize) -> Self {
        let state = Mutex::new(State { schedule: Schedule::new(slots), waiting: HashMap::new() });
        Self(Arc::new(Shared { state, arrivals: Notify::new() }))
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> usize {
        self.state().schedule.slots()
    }

    /// Waits for a slot. Dropping the future leaves the queue.
    pub async fn slot(&self, owner: Owner) -> Result<HeavySlot, QueueFull> {
        let (start, started) = oneshot::channel();
        let slot = {
            let mut state = self.state();
            let ticket = state.schedule.enqueue(owner)?;
            state.waiting.insert(ticket, start);
            state.grant();
            HeavySlot { queue: self.clone(), ticket }
        };
        self.0.arrivals.notify_waiters();
        // The queue keeps the sender until the slot is granted.
        let _ = started.await;
        Ok(slot)
    }

    /// Waits until a read of another utility waits for a slot. The slots of this utility then delay it.
    pub async fn other_utility_waits(&self, utility: ClientId) {
        loop {
            let arrival = self.0.arrivals.notified();
            tokio::pin!(arrival);
            // Registered before the check, so that no arrival between check and waiting is missed.
            arrival.as_mut().enable();
            if self.state().schedule.has_waiting_of_other(utility) {
                return;
            }
            arrival.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeavySlot {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.waiting.remove(&self.ticket);
        state.schedule.remove(self.ticket);
        state.grant();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use grid::{ClientId, MemberId};

    use super::*;
    use crate::LimitOwner;

    fn owner(member: i64) -> Owner {
        Owner { user: LimitOwner::Member(MemberId(member)), utility: ClientId(1) }
    }

    #[tokio::test]
    async fn a_read_starts_when_another_ends() {
        let queue = FairQueue::new(1);
        let first = queue.slot(owner(1)).await.expect("room");
        let mut second = Box::pin(queue.slot(owner(2)));
        assert!(second.as_mut().now_or_never().is_none(), "the slot is taken");
        drop(first);
        second.await.expect("room");
    }

    #[tokio::test]
    async fn waiting_read_of_another_utility_is_noticed() {
        let queue = FairQueue::new(1);
        let _first = queue.slot(owner(1)).await.expect("room");
        let mut noticed = Box::pin(queue.other_utility_waits(ClientId(1)));
        let mut second = Box::pin(queue.slot(owner(2)));
        assert!(second.as_mut().now_or_never().is_none() && noticed.as_mut().now_or_never().is_none(), "one of the same utility");
        let other = Owner { user: LimitOwner::Member(MemberId(3)), utility: ClientId(2) };
        let mut third = Box::pin(queue.slot(other));
        assert!(third.as_mut().now_or_never().is_none());
        noticed.await;
        drop(third);
        assert!(queue.other_utility_waits(ClientId(1)).now_or_never().is_none(), "it has left the queue");
    }

    #[tokio::test]
    async fn a_read_that_goes_away_keeps_no_slot() {
        let queue = FairQueue::new(1);
        let first = queue.slot(owner(1)).await.expect("room");
        let mut left_waiting = Box::pin(queue.slot(owner(2)));
        let mut left_granted = Box::pin(queue.slot(owner(3)));
        assert!(left_waiting.as_mut().now_or_never().is_none() && left_granted.as_mut().now_or_never().is_none());
        drop(left_waiting);
        drop(first);
        // The read has its slot and has not been polled since.
        drop(left_granted);
        queue.slot(owner(4)).await.expect("room");
        assert!(queue.state().waiting.is_empty());
    }
}
