//! The customers without supply during an outage. Some of them can have supply again before the feeder has, because another feeder supplies them.

use crate::Micros;

/// Largest number of steps stored for an outage, so that a repeatedly moving switch cannot fill a row.
pub const CUSTOMER_STEPS_MAX: usize = 64;

/// The number of customers without supply from each time on, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CustomersLost(Vec<(Micros, u64)>);

/// Customers that were without supply for the same time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CustomerGroup {
    /// Number of the first customer of the group within the outage. Customers without supply for longer have lower numbers.
    pub first: u64,
    /// Number after the last one.
    pub end: u64,
    /// How long they were without supply, min.
    pub minutes: f64,
}

impl CustomersLost {
    /// Reads stored steps. Those beyond the limit are left out.
    pub fn from_steps(mut steps: Vec<(Micros, u64)>) -> Self {
        steps.truncate(CUSTOMER_STEPS_MAX);
        Self(steps)
    }

    /// Returns the steps.
    pub fn steps(&self) -> &[(Micros, u64)] {
        &self.0
    }

    /// Adds the number from a time on. If the maximum number of steps is reached, the last step is changed.
    pub fn set(&mut self, at: Micros, customers: u64) {
        let is_full = self.0.len() >= CUSTOMER_STEPS_MAX;
        match self.0.last_mut() {
            Some(last) if last.1 == customers => {}
            Some(last) if last.0 >= at || is_full => last.1 = customers,
            _ => self.0.push((at, customers)),
        }
    }

    /// Adds the steps of a later loss.
    pub fn extend(&mut self, later: &Self) {
        for (at, customers) in &later.0 {
            self.set(*at, *customers);
        }
    }

    /// Returns how many customers were interrupted: the most that were without supply at the same time.
    pub fn interrupted(&self) -> u64 {
        self.0.iter().map(|(_, customers)| *customers).max().unwrap_or(0)
    }

    /// Returns the customers by the time that they were without supply, within the times of the outage. If a user has corrected the times, the first number is
    /// valid from the corrected start, and the last number that is not 0 until the corrected end.
    pub fn groups(&self, (started, ended): (Micros, Micros)) -> Vec<CustomerGroup> {
        let spans = self.spans((started, ended));
        let mut levels: Vec<u64> = spans.iter().map(|(customers, _)| *customers).filter(|customers| *customers > 0).collect();
        levels.sort_unstable();
        levels.dedup();
        let group = |(first, end): (u64, u64)| {
            let minutes = spans.iter().filter(|(customers, _)| *customers >= end).map(|(_, minutes)| minutes).sum();
            CustomerGroup { first, end, minutes }
        };
        std::iter::once(0).chain(levels.iter().copied()).zip(levels.iter().copied()).map(group).collect()
    }

    /// Returns the customer minutes within the times of the outage.
    pub fn customer_minutes(&self, span: (Micros, Micros)) -> f64 {
        self.spans(span).iter().map(|(customers, minutes)| *customers as f64 * minutes).sum()
    }

    /// Returns each number with its duration, min.
    fn spans(&self, (started, ended): (Micros, Micros)) -> Vec<(u64, f64)> {
        // The outage ended with the last step, unless a user has set another end.
        let steps = match self.0.split_last() {
            Some(((at, 0), before)) if *at < ended && !before.is_empty() => before,
            _ => &self.0,
        };
        let span = |(index, (at, customers)): (usize, &(Micros, u64))| {
            let from = if index == 0 { started } else { (*at).clamp(started, ended.max(started)) };
            let until = steps.get(index + 1).map_or(ended, |(next, _)| (*next).clamp(started, ended.max(started)));
            (*customers, until.0.saturating_sub(from.0).max(0) as f64 / 60e6)
        };
        steps.iter().enumerate().map(span).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(minute: i64) -> Micros {
        Micros(minute * 60_000_000)
    }

    fn lost(steps: &[(i64, u64)]) -> CustomersLost {
        let mut lost = CustomersLost::default();
        for (at, customers) in steps {
            lost.set(minute(*at), *customers);
        }
        lost
    }

    fn groups(lost: &CustomersLost, started: i64, ended: i64) -> Vec<(u64, u64, f64)> {
        lost.groups((minute(started), minute(ended))).iter().map(|group| (group.first, group.end, group.minutes)).collect()
    }

    #[test]
    fn customers_with_supply_earlier_are_a_group_of_their_own() {
        let lost = lost(&[(0, 100), (10, 30), (60, 0)]);
        assert_eq!(groups(&lost, 0, 60), [(0, 30, 60.0), (30, 100, 10.0)]);
        assert_eq!((lost.interrupted(), lost.customer_minutes((minute(0), minute(60)))), (100, 30.0 * 60.0 + 70.0 * 10.0));
    }

    #[test]
    fn times_of_a_user_stretch_the_first_and_the_last_number() {
        let lost = lost(&[(0, 100), (10, 30), (60, 0)]);
        assert_eq!(groups(&lost, -5, 90), [(0, 30, 95.0), (30, 100, 15.0)]);
        assert_eq!(groups(&lost, 5, 20), [(0, 30, 15.0), (30, 100, 5.0)]);
    }

    #[test]
    fn two_losses_of_a_series_are_added() {
        let lost = lost(&[(0, 100), (1, 0), (2, 100), (3, 0)]);
        assert_eq!(groups(&lost, 0, 3), [(0, 100, 2.0)]);
        assert_eq!(groups(&CustomersLost::default(), 0, 3), []);
    }

    #[test]
    fn steps_have_a_limit() {
        let lost = lost(&(0_i64..200).map(|at| (at, 1 + at.unsigned_abs() % 2)).collect::<Vec<_>>());
        assert_eq!(lost.steps().len(), CUSTOMER_STEPS_MAX);
    }
}
