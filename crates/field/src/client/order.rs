//! Sends acknowledgements in the order of receipt, as MQTT 5, 4.6 requires for QoS 1. Messages are processed in any
//! order, for example by two writers.

use std::collections::BTreeMap;

/// The acknowledgements of one connection that wait for an earlier one. Bounded by the messages that the broker sends
/// without acknowledgement.
#[derive(Debug)]
pub struct InOrder<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Adds the acknowledgement of the message with this number, counted from 0 in the order of receipt.
    ///
    /// `None` means that the message is never acknowledged on this connection. Then later messages are not acknowledged
    /// either, and the broker sends all of them again in order. Otherwise the earlier message, for example an outdated
    /// birth, would arrive again as the newest one.
    pub fn put(&mut self, number: u64, acknowledgement: Option<T>) {
        self.waiting.extend(acknowledgement.map(|acknowledgement| (number, acknowledgement)));
    }

    /// Returns the next acknowledgement to send.
    pub fn take(&mut self) -> Option<T> {
        let acknowledgement = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(acknowledgement)
    }

    /// Returns the number of acknowledgements that wait for an earlier one.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
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
        assert_eq!(put(1, Some("b")), ["b", "c", "d"]);
        assert_eq!(put(4, None), [] as [&str; 0]);
        assert_eq!(put(5, Some("f")), [] as [&str; 0], "nothing behind a message that comes again");
        assert_eq!(order.waiting(), 1);
    }
}
