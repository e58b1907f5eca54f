//! Computes the permissible loading of a transformer over time, and its used life, from measured values.
//!
//! Measured temperatures are used where present; the model fills the gaps.

use super::ageing::UsedLife;
use super::loading::{PresentState, Rating, Status};
use super::model::State;
use crate::Micros;

/// Measured values of a period: means, or single values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Start.
    pub at: Micros,
    /// Duration, ms; 0 for single values.
    pub length_ms: i64,
    /// Ambient temperature, °C.
    pub ambient: Option<f64>,
    /// Oil temperature indicator, °C.
    pub oil: Option<f64>,
    /// Winding temperature indicator, °C.
    pub winding: Option<f64>,
    /// Apparent power, MVA.
    pub mva: Option<f64>,
}

impl Sample {
    /// Whether a value of the transformer itself is present.
    pub fn has_any(&self) -> bool {
        self.oil.or(self.winding).or(self.mva).is_some()
    }
}

/// The permissible loading at a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadingRow {
    /// The measured values.
    pub sample: Sample,
    /// LoadMult, per unit; `None` if the ambient temperature is not known.
    pub continuous: Option<f64>,
    /// VA2hr, MVA; `None` if the ambient temperature is not known, or the temperatures are neither measured nor modelled.
    pub two_hours_mva: Option<f64>,
    /// The load compared with these limits.
    pub status: Status,
}

/// Computes the loading of samples in the order of their times.
pub fn course(rating: &Rating, samples: &[Sample]) -> Vec<LoadingRow> {
    let mut held: Option<(Micros, State)> = None;
    let row = |sample: &Sample| {
        let state = state(rating, held, sample);
        held = state.map(|state| (sample.at, state));
        let continuous = sample.ambient.map(|ambient| rating.continuous(ambient));
        let seen = sample.ambient.zip(state).map(|(ambient, state)| PresentState { ambient, state, mva: sample.mva });
        let permissible = seen.map(|seen| rating.permissible(seen));
        LoadingRow {
            sample: *sample,
            continuous,
            two_hours_mva: permissible.map(|permissible| permissible.two_hours_mva),
            status: permissible.map_or(Status::Unknown, |permissible| permissible.status),
        }
    };
    samples.iter().map(row).collect()
}

/// Returns the thermal state that a sample shows, or that the model computes from the previous state. `None` if neither is possible.
fn state(rating: &Rating, before: Option<(Micros, State)>, sample: &Sample) -> Option<State> {
    let parameters = &rating.parameters;
    let load = sample.mva.map(|mva| mva / rating.mva);
    let gradient = load.map(|load| parameters.gradient_at(load));
    let modelled = || {
        let (load, ambient) = load.zip(sample.ambient)?;
        let Some((since, mut state)) = before else { return Some(State::steady(parameters, load, ambient)) };
        state.step(parameters, load, ambient, sample.at.millis_since(since).max(0) as f64 / 60_000.0);
        Some(state)
    };
    match (sample.oil, sample.winding) {
        // The winding indicator lags, so after a drop of the load it can be slightly below the oil.
        (Some(oil), Some(winding)) => Some(State::measured(parameters, oil, (winding - oil).max(0.0))),
        (Some(oil), None) => gradient.map(|gradient| State::measured(parameters, oil, gradient)),
        (None, Some(winding)) => gradient.map(|gradient| State::measured(parameters, winding - gradient, gradient)),
        (None, None) => modelled(),
    }
}

/// Returns the used life at several times, in order, continued from `start`. Include all samples from `start` on, so that the result does not depend on
/// the requested period.
pub fn used_life(rating: &Rating, start: UsedLife, samples: &[Sample], at: impl Iterator<Item = Micros>) -> Vec<UsedLife> {
    let mut life = start;
    let mut rest = samples.iter().peekable();
    let until = |at: Micros| {
        while let Some(sample) = rest.next_if(|sample| sample.at < at) {
            if let Some(hot_spot) = hot_spot(rating, sample) {
                life.add(sample.at, sample.length_ms, hot_spot);
            }
        }
        life.run_to(at);
        life
    };
    at.map(until).collect()
}

/// Returns the hot spot of a sample, °C: the winding temperature indicator, otherwise the oil plus the steady-state gradient of the load.
pub fn hot_spot(rating: &Rating, sample: &Sample) -> Option<f64> {
    let from_oil = || Some(sample.oil? + rating.parameters.gradient_at(sample.mva? / rating.mva));
    sample.winding.or_else(from_oil)
}

#[cfg(test)]
mod tests {
    use super::super::{Cooling, Paper, Parameters, Regime};
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn rating() -> Rating {
        Rating { mva: 5.0, paper: Paper::Normal, regime: Regime::NormalCyclic, parameters: Parameters::typical(Cooling::Onan) }
    }

    /// Steady state at 3.5 MVA and 30 °C.
    fn sample(hour: i64) -> Sample {
        let state = State::steady(&rating().parameters, 0.7, 30.0);
        Sample {
            at: Micros::from_millis(hour * HOUR_MS),
            length_ms: HOUR_MS,
            ambient: Some(30.0),
            oil: Some(state.top_oil()),
            winding: Some(state.hot_spot()),
            mva: Some(3.5),
        }
    }

    #[test]
    fn in_balance_it_may_carry_what_the_vectors_say_also_where_an_indicator_is_missing() {
        let full = sample(0);
        for sample in [full, Sample { winding: None, ..full }, Sample { oil: None, ..full }, Sample { oil: None, winding: None, ..full }] {
            let row = course(&rating(), &[sample])[0];
            // Domain page 2.4: 30 °C, K_cont 0.8685 and K_2h from 0.7 1.1279; the loss ratio there is 6.22 instead of 6.
            assert!((row.continuous.unwrap() - 0.8685).abs() < 5e-3 && (row.two_hours_mva.unwrap() / 5.0 - 1.1279).abs() < 5e-3, "{row:?}");
            assert_eq!(row.status, Status::Within);
        }
    }

    #[test]
    fn what_cannot_be_known_is_absent() {
        let full = sample(0);
        let blind = course(&rating(), &[Sample { ambient: None, ..full }])[0];
        assert_eq!((blind.continuous, blind.two_hours_mva, blind.status), (None, None, Status::Unknown));
        let nothing = Sample { oil: None, winding: None, mva: None, ..full };
        let row = course(&rating(), &[nothing])[0];
        assert!(row.continuous.is_some() && row.two_hours_mva.is_none());
    }

    #[test]
    fn the_model_goes_on_where_indicators_fall_silent() {
        let hot = Sample { mva: Some(5.5), oil: None, winding: None, ..sample(1) };
        let rows = course(&rating(), &[sample(0), hot, Sample { at: Micros::from_millis(2 * HOUR_MS), ..hot }]);
        let allowed: Vec<f64> = rows.iter().map(|row| row.two_hours_mva.unwrap()).collect();
        assert!(allowed[0] > allowed[1] && allowed[1] > allowed[2], "it heats up: {allowed:?}");
        assert!(rows[2].status >= Status::TimeLimited, "{:?}", rows[2]);
    }

    #[test]
    fn used_life_is_the_same_whatever_part_is_looked_at() {
        let samples: Vec<Sample> = (0..200).map(|hour| Sample { winding: Some(98.0), ..sample(hour) }).collect();
        let at = |hour: i64| Micros::from_millis(hour * HOUR_MS);
        let all = used_life(&rating(), UsedLife::new(Paper::Normal, 1.0), &samples, (0..=200).map(at));
        let late = used_life(&rating(), UsedLife::new(Paper::Normal, 1.0), &samples, [150, 200].into_iter().map(at));
        assert!((all[150].years() - late[0].years()).abs() < 1e-12 && (all[200].years() - late[1].years()).abs() < 1e-12);
        assert!((late[1].years() - 1.0 - 200.0 / 8_760.0).abs() < 1e-9);
        let from_oil: Vec<Sample> = samples.iter().map(|sample| Sample { winding: None, oil: Some(80.0), ..*sample }).collect();
        let rate = Paper::Normal.rate(80.0 + rating().parameters.gradient_at(0.7));
        let used = used_life(&rating(), UsedLife::new(Paper::Normal, 0.0), &from_oil, [at(200)].into_iter())[0];
        assert!((used.years() - rate * 200.0 / 8_760.0).abs() < 1e-9);
    }
}
