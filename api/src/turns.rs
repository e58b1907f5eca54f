//! Turns of which there are few, of everybody and of one: whoever has one holds it until it is let go, and nobody has them all.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// The turns at one thing, told apart by whose they are.
#[derive(Debug)]
pub(crate) struct Turns<K> {
    most: usize,
    most_of_one: usize,
    held: Mutex<HashMap<K, usize>>,
}

/// Why there is no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// The one has as many as one may have.
    OfOne,
    /// Everybody together has.
    OfAll,
}

/// A turn, until it is let go.
#[derive(Debug)]
pub(crate) struct Turn<K: Eq + Hash> {
    turns: Arc<Turns<K>>,
    of: K,
}

impl<K: Eq + Hash + Clone> Turns<K> {
    /// So many in all, and so many of one.
    pub(crate) fn new(most: usize, most_of_one: usize) -> Arc<Self> {
        Arc::new(Self { most, most_of_one, held: Mutex::default() })
    }

    /// A turn, if there is one.
    pub(crate) fn take(self: &Arc<Self>, of: K) -> Result<Turn<K>, Full> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.get(&of).is_some_and(|count| *count >= self.most_of_one) {
            return Err(Full::OfOne);
        }
        if held.values().sum::<usize>() >= self.most {
            return Err(Full::OfAll);
        }
        *held.entry(of.clone()).or_default() += 1;
        Ok(Turn { turns: self.clone(), of })
    }
}

impl<K: Eq + Hash> Drop for Turn<K> {
    fn drop(&mut self) {
        let mut held = self.turns.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.of) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_all_turns_and_what_is_let_go_is_a_turn_again() {
        let turns = Turns::new(3, 2);
        let take = |of: i64| turns.take(of);
        let mut held = vec![take(1).expect("a turn"), take(1).expect("a turn")];
        assert_eq!(take(1).map(drop), Err(Full::OfOne));
        held.push(take(2).expect("a turn of another"));
        assert_eq!(take(2).map(drop), Err(Full::OfAll));
        held.remove(0);
        assert_eq!((take(1).map(drop), take(2).map(drop)), (Ok(()), Ok(())));
        held.clear();
        assert!(turns.held.lock().expect("not poisoned").is_empty(), "nobody is kept in mind");
    }
}
