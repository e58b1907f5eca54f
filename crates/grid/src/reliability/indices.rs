//! SAIFI, SAIDI, CAIDI, CAIFI, CTAIDI, ASAI and MAIFI (IEEE 1366-2012, clause 4). A longer period is computed from the sums of its parts, never from
//! their indices.

use std::collections::BTreeMap;

use super::step::{Class, Step, Threshold};
use super::weight::{CustomersWithoutSupply, distinct};

/// Sums of interruptions, before any division.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    /// CI: customer interruptions, sustained.
    pub interruptions: f64,
    /// CMI: customer minutes of sustained interruptions.
    pub minutes: f64,
    /// Customer interruptions, momentary.
    pub momentary: f64,
    /// Customers with a sustained interruption. CN is their number; each customer is counted once.
    pub interrupted: Vec<CustomersWithoutSupply>,
    /// Number of sustained interruptions, each of any number of feeders.
    pub events: usize,
    /// Number of momentary interruptions.
    pub momentary_events: usize,
    /// Number of steps that have not ended.
    pub open: usize,
}

impl Sums {
    /// Sums the steps of a period.
    pub(super) fn of(steps: &[Step], threshold: Threshold) -> Self {
        let mut by_interruption: BTreeMap<i64, Vec<&Step>> = BTreeMap::new();
        for step in steps {
            by_interruption.entry(step.interruption).or_default().push(step);
        }
        let mut sums = Self { open: steps.iter().filter(|step| step.lasts).count(), ..Self::default() };
        for steps in by_interruption.values() {
            let of = |class| steps.iter().filter(move |step| step.class(threshold) == Some(class));
            let whom = |class| of(class).map(|step| step.whom);
            let interrupted = distinct(whom(Class::Sustained));
            sums.interruptions += interrupted;
            sums.minutes += of(Class::Sustained).map(|step| step.whom.weight() * step.minutes).sum::<f64>();
            sums.interrupted.extend(whom(Class::Sustained));
            // Customers with a sustained step have no momentary interruption in the same interruption.
            let all = distinct(whom(Class::Sustained).chain(whom(Class::Momentary)));
            sums.momentary += all - interrupted;
            sums.events += usize::from(of(Class::Sustained).next().is_some());
            sums.momentary_events += usize::from(of(Class::Sustained).next().is_none() && of(Class::Momentary).next().is_some());
        }
        sums
    }

    /// Adds the sums of another period. No interruption may be part of both periods.
    pub fn add(&mut self, other: &Self) {
        self.interruptions += other.interruptions;
        self.minutes += other.minutes;
        self.momentary += other.momentary;
        self.interrupted.extend_from_slice(&other.interrupted);
        self.events += other.events;
        self.momentary_events += other.momentary_events;
        self.open += other.open;
    }

    /// Returns CN: the customers with a sustained interruption, each counted once. It is not additive over periods.
    pub fn customers_interrupted(&self) -> f64 {
        distinct(self.interrupted.iter().copied())
    }

    /// Returns the indices for `served` customers and a period in minutes. `None` if no customers are served.
    pub fn indices(&self, served: f64, period_minutes: f64) -> Option<Indices> {
        if !(served.is_finite() && served > 0.0) {
            return None;
        }
        let part = |of: f64, by: f64| (by > 0.0).then(|| of / by);
        let interrupted = self.customers_interrupted();
        Some(Indices {
            saifi: self.interruptions / served,
            saidi: self.minutes / served,
            caidi: part(self.minutes, self.interruptions),
            caifi: part(self.interruptions, interrupted),
            ctaidi: part(self.minutes, interrupted),
            maifi: self.momentary / served,
            asai: part(self.minutes, served * period_minutes).map(|without| 1.0 - without),
        })
    }
}

/// The indices of a period. An index whose divisor is zero is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Indices {
    /// Mean number of sustained interruptions per customer served.
    pub saifi: f64,
    /// Mean minutes of sustained interruption per customer served.
    pub saidi: f64,
    /// Mean duration of a sustained interruption, minutes.
    pub caidi: Option<f64>,
    /// Mean number of interruptions per interrupted customer; at least 1.
    pub caifi: Option<f64>,
    /// Mean minutes of interruption per interrupted customer.
    pub ctaidi: Option<f64>,
    /// Mean number of momentary interruptions per customer served.
    pub maifi: f64,
    /// Share of the customer time with supply, 0 to 1.
    pub asai: Option<f64>,
}
