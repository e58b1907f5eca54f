//! Limits the messages of a client: a rate per second and a burst. Pure.

/// The messages that one client may still send. If it sends more, its session ends with `rate`.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: u32,
    per_s: u32,
    burst: u32,
}

impl Allowance {
    /// Returns the allowance of a client that has sent nothing yet. `burst` is the maximum number of messages that it may send at once, at least `per_s`.
    pub(crate) fn new(per_s: u32, burst: u32) -> Self {
        let burst = burst.max(per_s);
        Self { left: burst, per_s, burst }
    }

    /// Counts one message; returns whether it is allowed.
    pub(crate) fn take(&mut self) -> bool {
        let is_allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_allowed
    }

    /// Adds the messages of one second, up to the burst.
    pub(crate) fn refill(&mut self) {
        self.left = self.left.saturating_add(self.per_s).min(self.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `count` messages are allowed.
    fn allowed(allowance: &mut Allowance, count: usize) -> usize {
        (0..count).filter(|_| allowance.take()).count()
    }

    #[test]
    fn burst_is_allowed_once_and_the_rate_for_ever() {
        let mut allowance = Allowance::new(20, 100);
        assert_eq!(allowed(&mut allowance, 150), 100);
        for _ in 0..3 {
            allowance.refill();
            assert_eq!(allowed(&mut allowance, 150), 20);
        }
        (0..5).for_each(|_| allowance.refill());
        assert_eq!(allowed(&mut allowance, 150), 100, "after five quiet seconds");
        (0..99).for_each(|_| allowance.refill());
        assert_eq!(allowed(&mut allowance, 150), 100, "never more");
        assert_eq!(allowed(&mut Allowance::new(20, 5), 50), 20, "a burst is no lower than the rate");
    }
}
