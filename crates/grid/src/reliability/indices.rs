//! SAIFI, SAIDI, CAIDI, CAIFI, CTAIDI, ASAI and MAIFI (IEEE 1366-2012, clause 4). Sums first: a year is made of the sums of its months, never of their indices.

use std::collections::BTreeMap;

use super::step::{Class, Step, Threshold};
use super::weight::{Whom, distinct};

/// What interruptions amount to, before anything is divided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    /// CI: interruptions of customers, sustained.
    pub interruptions: f64,
    /// CMI: minutes of customers without supply, of sustained interruptions.
    pub minutes: f64,
    /// Interruptions of customers that were momentary.
    pub momentary: f64,
    /// Who had a sustained interruption; CN is how many they are, each counted once.
    pub interrupted: Vec<Whom>,
    /// Sustained interruptions, of however many feeders each.
    pub events: usize,
    /// Momentary ones.
    pub momentary_events: usize,
    /// Steps that last.
    pub open: usize,
}

impl Sums {
    /// Of the steps of a period.
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
            // Who lost supply for long in the same interruption had that one, and no short one besides.
            let all = distinct(whom(Class::Sustained).chain(whom(Class::Momentary)));
            sums.momentary += all - interrupted;
            sums.events += usize::from(of(Class::Sustained).next().is_some());
            sums.momentary_events += usize::from(of(Class::Sustained).next().is_none() && of(Class::Momentary).next().is_some());
        }
        sums
    }

    /// Adds those of another period, in which other interruptions began.
    pub fn add(&mut self, other: &Self) {
        self.interruptions += other.interruptions;
        self.minutes += other.minutes;
        self.momentary += other.momentary;
        self.interrupted.extend_from_slice(&other.interrupted);
        self.events += other.events;
        self.momentary_events += other.momentary_events;
        self.open += other.open;
    }

    /// CN: who had a sustained interruption, each counted once. It does not add up over periods.
    pub fn customers_interrupted(&self) -> f64 {
        distinct(self.interrupted.iter().copied())
    }

    /// The indices where `served` are supplied in a period of so many minutes. `None` where nobody is supplied.
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

/// The indices of a period. What would be divided by nothing is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Indices {
    /// Interruptions of a customer on average.
    pub saifi: f64,
    /// Minutes without supply of a customer on average.
    pub saidi: f64,
    /// Minutes of an interruption on average.
    pub caidi: Option<f64>,
    /// Interruptions of a customer who had one; at least 1.
    pub caifi: Option<f64>,
    /// Minutes without supply of a customer who had any, min.
    pub ctaidi: Option<f64>,
    /// Momentary interruptions of a customer on average.
    pub maifi: f64,
    /// Part of the time in which customers were supplied.
    pub asai: Option<f64>,
}
