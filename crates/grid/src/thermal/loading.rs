//! Permissible loading of a transformer: continuously at an ambient temperature, and for two hours from its present state. The definitions
//! of the names are ours (docs/reference/asset-health.md, Loading of transformers).

use super::ageing::Paper;
use super::limits::{Limits, Regime, continuous};
use super::model::{Course, Parameters, State};

/// Duration of the short-time loading, min.
pub const HORIZON_MINUTES: u32 = 120;
/// Upper end of the search for a load, per unit; no regime permits as much.
const LOAD_MAX: f64 = 4.0;
/// Number of bisections of an interval of 4 per unit; the result is accurate to 1e-9.
const HALVINGS: u32 = 32;

/// Returns the largest load up to `most` for which `fits` is true; `None` if it is false even for zero. If it is false for a load, it must be false for all
/// larger loads.
fn largest(most: f64, fits: impl Fn(f64) -> bool) -> Option<f64> {
    if !fits(0.0) {
        return None;
    }
    if fits(most) {
        return Some(most);
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// Returns the largest load whose steady state stays within the limits; `None` if the ambient temperature alone is too high.
pub fn k_continuous(parameters: &Parameters, ambient: f64, limits: Limits) -> Option<f64> {
    largest(limits.load.min(LOAD_MAX), |load| {
        let oil = parameters.oil_at(load, ambient);
        oil <= limits.top_oil && oil + parameters.gradient_at(load) <= limits.hot_spot
    })
}

/// Returns the largest load that stays within the limits for `minutes` from a start state; `None` if the state exceeds them even without load.
pub fn k_for(parameters: &Parameters, start: State, ambient: f64, limits: Limits, minutes: u32) -> Option<f64> {
    largest(limits.load.min(LOAD_MAX), |load| {
        let course = Course::new(parameters, load, ambient, 1.0);
        let mut state = start;
        (0..minutes).all(|_| {
            state.follow(&course);
            state.top_oil() <= limits.top_oil && state.hot_spot() <= limits.hot_spot
        })
    })
}

/// The fixed data of a transformer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Rated power of the cooling stage in service, MVA.
    pub mva: f64,
    /// Its insulation.
    pub paper: Paper,
    /// Loading regime of the two hours.
    pub regime: Regime,
    /// Its thermal parameters.
    pub parameters: Parameters,
}

/// The present state of a transformer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PresentState {
    /// Ambient temperature, °C.
    pub ambient: f64,
    /// Temperatures of oil and winding.
    pub state: State,
    /// Load, MVA; `None` if not known.
    pub mva: Option<f64>,
}

/// The permissible loading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Permissible {
    /// LoadMult: the permissible continuous load at this ambient temperature, per unit.
    pub continuous: f64,
    /// VAavl: the same, MVA.
    pub continuous_mva: f64,
    /// VA2hr: the permissible load for two hours from now, MVA.
    pub two_hours_mva: f64,
    /// The load compared with these limits.
    pub status: Status,
}

/// A load compared with the permissible loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// The load is not known.
    Unknown,
    /// At most the continuous load.
    Within,
    /// Above the continuous load, at most the load for two hours.
    TimeLimited,
    /// Above the load for two hours.
    Critical,
    /// A temperature exceeds its limit already.
    LimitExceeded,
}

impl Status {
    /// Returns the identifier used in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Within => "WITHIN",
            Self::TimeLimited => "TIME_LIMITED",
            Self::Critical => "CRITICAL",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
        }
    }
}

impl Rating {
    /// Returns LoadMult at an ambient temperature: the permissible continuous load, per unit; 0 if the ambient temperature alone is too high.
    pub fn continuous(&self, ambient: f64) -> f64 {
        let limits = self.regime.limits(self.mva);
        k_continuous(&self.parameters, ambient, continuous(self.paper)).unwrap_or(0.0).min(limits.load)
    }

    /// Returns the permissible loading in the present state.
    pub fn permissible(&self, seen: PresentState) -> Permissible {
        let limits = self.regime.limits(self.mva);
        let forever = self.continuous(seen.ambient);
        let exceeded = seen.state.top_oil() > limits.top_oil || seen.state.hot_spot() > limits.hot_spot;
        let two_hours = if exceeded { None } else { k_for(&self.parameters, seen.state, seen.ambient, limits, HORIZON_MINUTES) };
        let (continuous_mva, two_hours_mva) = (forever * self.mva, two_hours.unwrap_or(0.0) * self.mva);
        let status = match seen.mva {
            _ if exceeded => Status::LimitExceeded,
            None => Status::Unknown,
            Some(mva) if mva > two_hours_mva => Status::Critical,
            Some(mva) if mva > continuous_mva => Status::TimeLimited,
            Some(_) => Status::Within,
        };
        Permissible { continuous: forever, continuous_mva, two_hours_mva, status }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Cooling;
    use super::*;

    fn rating() -> Rating {
        Rating { mva: 5.0, paper: Paper::Normal, regime: Regime::NormalCyclic, parameters: Parameters::typical(Cooling::Onan) }
    }

    fn permissible(load: f64, ambient: f64) -> Permissible {
        let rating = rating();
        rating.permissible(PresentState { ambient, state: State::steady(&rating.parameters, load, ambient), mva: Some(load * rating.mva) })
    }

    #[test]
    fn the_status_follows_the_load() {
        let statuses = [0.5, 0.9, 1.0].map(|load| permissible(load, 30.0).status);
        assert_eq!(statuses, [Status::Within, Status::TimeLimited, Status::TimeLimited]);
        let rating = rating();
        let seen = PresentState { ambient: 30.0, state: State::steady(&rating.parameters, 0.7, 30.0), mva: Some(6.0) };
        assert_eq!(rating.permissible(seen).status, Status::Critical);
        assert_eq!(rating.permissible(PresentState { mva: None, ..seen }).status, Status::Unknown);
    }

    #[test]
    fn what_is_too_hot_may_carry_nothing_for_two_hours() {
        let hot = permissible(1.0, 40.0);
        assert!(hot.two_hours_mva.abs() < 1e-12 && hot.status == Status::LimitExceeded, "{hot:?}");
        assert!((hot.continuous - 0.7679).abs() < 1e-2, "for ever it may carry what it always may: {}", hot.continuous);
        assert!(permissible(0.0, 99.0).continuous.abs() < 1e-12, "the air is hotter than the paper may be");
    }
}
