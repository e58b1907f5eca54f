//! Puts acknowledgements into the order of receipt: a client must acknowledge QoS 1 messages in the order in which it received them (MQTT 5, 4.6). They are
//! taken care of in any order, for instance by two writers.

use std::collections::BTreeMap;

/// The acknowledgements of one connection that wait for an earlier one. Bounded by the messages that the broker sends without acknowledgement.
#[derive(Debug)]
pub struct InOrder<T> {
    next: u64,
    waiting: BTreeMap<u64, Option<T>>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Enters the acknowledgement of the message of this number, counted from 0 in the order of receipt. `None` for a message that is never acknowledged: the
    /// ones behind it do not wait for it.
    pub fn put(&mut self, number: u64, acknowledgement: Option<T>) {
        self.waiting.insert(number, acknowledgement);
    }

    /// The next acknowledgement to send.
    pub fn take(&mut self) -> Option<T> {
        while let Some(acknowledgement) = self.waiting.remove(&self.next) {
            self.next += 1;
            if acknowledgement.is_some() {
                return acknowledgement;
            }
        }
        None
    }

    /// How many wait for an earlier one.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// All acknowledgements that wait, in order, before a goodbye: what they wait for is never acknowledged on this connection.
    pub fn take_all(&mut self) -> Vec<T> {
        let waiting = std::mem::take(&mut self.waiting);
        self.next = waiting.last_key_value().map_or(self.next, |(last, _)| last + 1);
        waiting.into_values().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledgements_leave_in_order_of_receipt() {
        let mut order = InOrder::default();
        let mut put = |number, acknowledgement| {
            order.put(number, acknowledgement);
            std::iter::from_fn(|| order.take()).collect::<Vec<_>>()
        };
        assert_eq!(put(2, Some("c")), [] as [&str; 0]);
        assert_eq!(put(0, Some("a")), ["a"]);
        assert_eq!(put(3, Some("d")), [] as [&str; 0]);
        assert_eq!(put(1, None), ["c", "d"], "what is never acknowledged holds up nothing");
        assert_eq!(put(4, Some("e")), ["e"]);
        assert_eq!(put(7, Some("h")), [] as [&str; 0]);
        assert_eq!(put(6, Some("g")), [] as [&str; 0]);
        assert_eq!(order.take_all(), ["g", "h"]);
    }
}
