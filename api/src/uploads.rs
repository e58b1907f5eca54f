//! How many files may come in at once, of everybody and of one person: what waits for its end lies in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use grid::MemberId;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Of one person: a file, and another that was chosen in its place while the first is still on its way.
pub(crate) const OF_ONE_MAX: usize = 2;

/// The room for files that come in.
#[derive(Debug)]
pub(crate) struct Uploads {
    all: Semaphore,
    of: Mutex<HashMap<MemberId, usize>>,
}

/// Why there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// The person has as many on their way as they may.
    OfOne,
    /// Everybody together has.
    OfAll,
}

/// Room for one file, until it is let go.
#[derive(Debug)]
pub(crate) struct Upload<'a> {
    uploads: &'a Uploads,
    member: MemberId,
    _turn: SemaphorePermit<'a>,
}

impl Uploads {
    /// With room for so many in all.
    pub(crate) fn new(most: usize) -> Self {
        Self { all: Semaphore::new(most), of: Mutex::default() }
    }

    /// Room for a file of a person, if there is any.
    pub(crate) fn begin(&self, member: MemberId) -> Result<Upload<'_>, Full> {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.get(&member).is_some_and(|count| *count >= OF_ONE_MAX) {
            return Err(Full::OfOne);
        }
        let turn = self.all.try_acquire().map_err(|_| Full::OfAll)?;
        *of.entry(member).or_default() += 1;
        Ok(Upload { uploads: self, member, _turn: turn })
    }
}

impl Drop for Upload<'_> {
    fn drop(&mut self) {
        let mut of = self.uploads.of.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = of.get_mut(&self.member) {
            *count -= 1;
            if *count == 0 {
                of.remove(&self.member);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_all_the_room_and_what_is_let_go_is_room_again() {
        let uploads = Uploads::new(3);
        let begin = |member: i64| uploads.begin(MemberId(member));
        let mut held = vec![begin(1).expect("room"), begin(1).expect("room")];
        assert_eq!(begin(1).map(drop), Err(Full::OfOne));
        held.push(begin(2).expect("room for another"));
        assert_eq!(begin(2).map(drop), Err(Full::OfAll));
        held.remove(0);
        assert_eq!((begin(1).map(drop), begin(2).map(drop)), (Ok(()), Ok(())));
        held.clear();
        assert!(uploads.of.lock().expect("not poisoned").is_empty(), "nobody is kept in mind");
    }
}
