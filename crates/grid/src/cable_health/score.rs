//! The health score: its initial value, its present value and its future (CNAIM v2.1, section 4.3.2).

use super::condition::Modifier;

/// Score of new equipment.
pub const NEW: f64 = 0.5;
/// Score at which equipment should be replaced and its remaining life ends. This is our definition (docs/reference/asset-health.md); CNAIM
/// continues to 15.
pub const REPLACE: f64 = 8.0;
/// Score at the end of the expected life; age alone does not raise it further.
const END_OF_LIFE: f64 = 5.5;
/// Highest present score.
const TODAY_MAX: f64 = 10.0;
/// Highest future score.
const FUTURE_MAX: f64 = 15.0;
/// Highest reported remaining life, years. A score that hardly changes would otherwise have an unlimited remaining life.
const REMAINING_MAX: f64 = 999.0;

/// The ageing of equipment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ageing {
    expected_life_years: f64,
}

impl Ageing {
    /// Creates the ageing from the normal expected life, years, and the factors of duty and location that divide it; all above 0.
    pub fn new(normal_life_years: f64, duty: f64, location: f64) -> Self {
        Self { expected_life_years: normal_life_years / (duty * location) }
    }

    /// Returns the expected life under this duty, years.
    pub fn expected_life_years(self) -> f64 {
        self.expected_life_years
    }

    /// Returns the growth rate of the score from new, 1/year.
    pub fn rate(self) -> f64 {
        (END_OF_LIFE / NEW).ln() / self.expected_life_years
    }

    /// Returns the score that follows from age alone.
    pub fn initial(self, age_years: f64) -> f64 {
        (NEW * (self.rate() * age_years).exp()).min(END_OF_LIFE)
    }

    /// Returns the present score. The cap is applied before the collar: if a good and a bad finding contradict each other, the bad finding decides.
    pub fn health(self, age_years: f64, modifier: Modifier, reliability: f64) -> Health {
        let initial = self.initial(age_years);
        let score = (initial * modifier.factor * reliability).min(modifier.cap).max(modifier.collar).clamp(NEW, TODAY_MAX);
        // Equipment that aged faster than expected continues to do so, at most twice as fast as expected.
        let seen = if score > NEW { (score / NEW).ln() / age_years } else { self.rate() };
        Health { initial, score, rate: seen.min(2.0 * self.rate()) }
    }
}

/// The health of one asset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Health {
    initial: f64,
    score: f64,
    rate: f64,
}

impl Health {
    /// Returns the score that follows from age alone.
    pub fn initial(self) -> f64 {
        self.initial
    }

    /// Returns the present score, 0.5 to 10.
    pub fn score(self) -> f64 {
        self.score
    }

    /// Returns the health of a new replacement. It ages at the rate of its expected life, but not faster than its predecessor did under the
    /// same duty.
    #[must_use]
    pub fn renewed(self, expected_life_years: f64) -> Self {
        let ageing = Ageing { expected_life_years };
        Self { initial: NEW, score: NEW, rate: ageing.rate().min(self.rate) }
    }

    /// Returns the growth rate of the score from now on, 1/year. The rate is lower for high scores.
    fn slowed(self) -> f64 {
        let reduction = match self.score {
            score if score < 2.0 => 1.0,
            score if score <= END_OF_LIFE => (score - 2.0) / 7.0 + 1.0,
            _ => 1.5,
        };
        self.rate / reduction
    }

    /// Returns the score after `years` years, at most 15.
    pub fn after(self, years: f64) -> f64 {
        (self.score * (self.slowed() * years).exp()).min(FUTURE_MAX)
    }

    /// Returns the years until the score reaches [`REPLACE`]: 0 if it already has, at most 999.
    pub fn remaining_years(self) -> f64 {
        if self.score >= REPLACE {
            return 0.0;
        }
        ((REPLACE / self.score).ln() / self.slowed()).min(REMAINING_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(ours: f64, expected: f64, tolerance: f64) {
        assert!((ours - expected).abs() <= tolerance, "{ours}, expected {expected}");
    }

    #[test]
    fn what_ages_fast_goes_on_fast_but_no_more_than_twice() {
        let ageing = Ageing::new(100.0, 1.0, 1.0);
        let bad = Modifier { factor: 1.0, cap: 10.0, collar: 5.5 };
        is(ageing.health(1.0, bad, 1.0).slowed(), 2.0 * ageing.rate() / 1.5, 1e-12);
        is(ageing.health(0.0, bad, 1.0).slowed(), 2.0 * ageing.rate() / 1.5, 1e-12);
        is(ageing.health(0.0, Modifier::NONE, 1.0).slowed(), ageing.rate(), 1e-12);
        is(ageing.health(30.0, Modifier::NONE, 1.0).slowed(), ageing.rate(), 1e-12);
    }

    #[test]
    fn remaining_life_ends_where_replacement_begins() {
        let health = Ageing::new(100.0, 1.0, 1.0).health(40.0, Modifier::NONE, 1.0);
        is(health.after(health.remaining_years()), REPLACE, 1e-9);
        let finished = Ageing::new(100.0, 1.0, 1.0).health(40.0, Modifier { collar: 8.0, ..Modifier::NONE }, 1.0);
        is(finished.remaining_years(), 0.0, 0.0);
        is(Ageing::new(100.0, 1.0, 1.0).health(200.0, Modifier { cap: 0.5 + 1e-12, ..Modifier::NONE }, 1.0).remaining_years(), 999.0, 0.0);
    }

    #[test]
    fn of_a_cap_and_a_higher_collar_the_collar_holds() {
        let torn = Modifier { factor: 1.6, cap: 5.4, collar: 5.5 };
        is(Ageing::new(100.0, 1.0, 1.0).health(90.0, torn, 1.0).score(), 5.5, 0.0);
    }
}
