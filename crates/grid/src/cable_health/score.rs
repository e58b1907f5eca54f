//! The health score: how it begins, what it is now, and how it goes on (CNAIM v2.1, section 4.3.2).

use super::condition::Modifier;

/// Score of something new.
pub const NEW: f64 = 0.5;
/// Score from which something ought to be replaced; remaining life ends here (our own choice, domain.md section 3: the methodology counts
/// on to 15).
pub const REPLACE: f64 = 8.0;
/// Score at the end of the expected life; age alone brings nothing further.
const END_OF_LIFE: f64 = 5.5;
/// Highest score of today.
const TODAY_MAX: f64 = 10.0;
/// Highest score of the future.
const FUTURE_MAX: f64 = 15.0;
/// Nothing is said to live longer, years; a score that hardly moves would else live for ever.
const REMAINING_MAX: f64 = 999.0;

/// How something ages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ageing {
    expected_life_years: f64,
}

impl Ageing {
    /// From the normal expected life, years, and the factors of duty and location by which it is shortened; all of them above 0.
    pub fn new(normal_life_years: f64, duty: f64, location: f64) -> Self {
        Self { expected_life_years: normal_life_years / (duty * location) }
    }

    /// Years until the end of life under this duty.
    pub fn expected_life_years(self) -> f64 {
        self.expected_life_years
    }

    /// Rate at which the score grows from new, 1/year.
    pub fn rate(self) -> f64 {
        (END_OF_LIFE / NEW).ln() / self.expected_life_years
    }

    /// Score that age alone brings.
    pub fn initial(self, age_years: f64) -> f64 {
        (NEW * (self.rate() * age_years).exp()).min(END_OF_LIFE)
    }

    /// The score of today. The cap is applied before the collar, so that of two findings the bad one holds.
    pub fn health(self, age_years: f64, modifier: Modifier, reliability: f64) -> Health {
        let initial = self.initial(age_years);
        let score = (initial * modifier.factor * reliability).min(modifier.cap).max(modifier.collar).clamp(NEW, TODAY_MAX);
        // What has aged faster so far than its life says goes on so, up to twice as fast.
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
    /// Score that age alone has brought.
    pub fn initial(self) -> f64 {
        self.initial
    }

    /// Score of today, 0.5 to 10.
    pub fn score(self) -> f64 {
        self.score
    }

    /// Of what takes its place, new: it ages by its expected life, but no faster than what stood there did under the same duty. A place where
    /// something has aged slower than its life says is no worse for the next.
    #[must_use]
    pub fn renewed(self, expected_life_years: f64) -> Self {
        let ageing = Ageing { expected_life_years };
        Self { initial: NEW, score: NEW, rate: ageing.rate().min(self.rate) }
    }

    /// Rate at which the score grows from here, 1/year: what is old already changes more slowly.
    fn slowed(self) -> f64 {
        let reduction = match self.score {
            score if score < 2.0 => 1.0,
            score if score <= END_OF_LIFE => (score - 2.0) / 7.0 + 1.0,
            _ => 1.5,
        };
        self.rate / reduction
    }

    /// Score in so many years, up to 15.
    pub fn after(self, years: f64) -> f64 {
        (self.score * (self.slowed() * years).exp()).min(FUTURE_MAX)
    }

    /// Years until the score reaches [`REPLACE`]: 0 where it has, and 999 where it is further away than that.
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
