//! Overcurrent protection: characteristics and settings of elements, and their operating times.
//!
//! Currents are primary amperes. Times are seconds from the start of the current to the output of the relay; the opening time of the breaker is not
//! included.

use crate::enum_text;

/// The characteristic of an element. The time of an inverse curve is `t = T · (k / (M^α − 1) + c)`, with M the current in multiples of the pickup and
/// T the time multiplier: IEC 60255-151:2009, 4.4.1.3 and table A.1; IEEE C37.112-1996, table 1, where k, c, α and T are called A, B, p and time
/// dial. The constants are those in relay manuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Curve {
    /// The same time at every current from the pickup upwards (IEC 60255-151:2009, 4.4.1.2).
    DefiniteTime,
    /// IEC curve A, standard (normal) inverse.
    Standard,
    /// IEC curve B, very inverse.
    Very,
    /// IEC curve C, extremely inverse.
    Extremely,
    /// Long (time) inverse. Not in table A.1; from BS 142 and relay manuals.
    Long,
    /// IEEE moderately inverse (IEC curve D).
    IeeeModerately,
    /// IEEE very inverse (IEC curve E).
    IeeeVery,
    /// IEEE extremely inverse (IEC curve F).
    IeeeExtremely,
}

/// Multiple of the pickup from which the curve of an inverse element is drawn. This is our definition: relays are specified to operate from 1.1 or
/// 1.2 times the pickup, and closer to it the time grows without bound.
pub const SURE_FROM: f64 = 1.1;
/// Multiple of the pickup above which the time of an inverse element is constant. The range of the curves usually ends here.
pub const FLAT_FROM: f64 = 20.0;
/// Permitted pickup, A.
pub const PICKUP_A: std::ops::RangeInclusive<f64> = 1.0..=100_000.0;
/// Permitted time multiplier or time dial. The time multipliers of IEC relays are at most about 3, the time dials of IEEE relays at most 15.
pub const MULTIPLIER: std::ops::RangeInclusive<f64> = 0.01..=15.0;
/// Permitted definite time, s; 0 is instantaneous.
pub const DEFINITE_S: std::ops::RangeInclusive<f64> = 0.0..=600.0;

enum_text! {
    /// The text in the database and in answers.
    Curve {
        DefiniteTime = "definite_time",
        Standard = "iec_standard_inverse",
        Very = "iec_very_inverse",
        Extremely = "iec_extremely_inverse",
        Long = "iec_long_inverse",
        IeeeModerately = "ieee_moderately_inverse",
        IeeeVery = "ieee_very_inverse",
        IeeeExtremely = "ieee_extremely_inverse",
    }
}

impl Curve {
    /// Returns k and c in s, and α; `None` for definite time.
    pub fn constants(self) -> Option<(f64, f64, f64)> {
        match self {
            Self::DefiniteTime => None,
            Self::Standard => Some((0.14, 0.0, 0.02)),
            Self::Very => Some((13.5, 0.0, 1.0)),
            Self::Extremely => Some((80.0, 0.0, 2.0)),
            Self::Long => Some((120.0, 0.0, 1.0)),
            Self::IeeeModerately => Some((0.0515, 0.114, 0.02)),
            Self::IeeeVery => Some((19.61, 0.491, 2.0)),
            Self::IeeeExtremely => Some((28.2, 0.1217, 2.0)),
        }
    }
}

/// An element of a relay, by the numbers of IEEE C37.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// Time overcurrent, phases.
    Time,
    /// Instantaneous overcurrent, phases, or with a short definite time.
    Instantaneous,
    /// Time overcurrent, residual current.
    EarthTime,
    /// Instantaneous overcurrent, residual current.
    EarthInstantaneous,
}

enum_text! {
    /// Its number.
    Element {
        Time = "51",
        Instantaneous = "50",
        EarthTime = "51N",
        EarthInstantaneous = "50N",
    }
}

impl Element {
    /// Whether it uses the largest phase current and not the residual current.
    pub fn is_of_phases(self) -> bool {
        matches!(self, Self::Time | Self::Instantaneous)
    }

    /// Whether its time does not depend on the current.
    pub fn is_definite(self) -> bool {
        matches!(self, Self::Instantaneous | Self::EarthInstantaneous)
    }
}

/// The setting of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The element.
    pub element: Element,
    /// Pickup: the primary current from which it operates, A.
    pub pickup_a: f64,
    /// The characteristic.
    pub curve: Curve,
    /// Time multiplier (TMS, or the time dial of IEEE curves); `None` for definite time.
    pub tms: Option<f64>,
    /// The definite time, s; `None` for inverse curves.
    pub time_s: Option<f64>,
}

impl Setting {
    /// Returns the reason why the setting is not valid, starting with the name of the field; `None` if it is valid.
    pub fn wrong(&self) -> Option<String> {
        let outside = |value: f64, range: &std::ops::RangeInclusive<f64>| !range.contains(&value);
        if outside(self.pickup_a, &PICKUP_A) {
            return Some(format!("pickupA must lie between {} and {} A, primary", PICKUP_A.start(), PICKUP_A.end()));
        }
        if self.element.is_definite() && self.curve != Curve::DefiniteTime {
            return Some(format!("curve of a {} must be {}", self.element.as_str(), Curve::DefiniteTime.as_str()));
        }
        let is_definite = self.curve == Curve::DefiniteTime;
        match (is_definite, self.tms, self.time_s) {
            (true, Some(_), _) => Some("tms has no place in a definite time".to_owned()),
            (true, None, None) => Some("timeS must be given for a definite time".to_owned()),
            (true, None, Some(time)) if outside(time, &DEFINITE_S) => {
                Some(format!("timeS must lie between {} and {} s", DEFINITE_S.start(), DEFINITE_S.end()))
            }
            (false, _, Some(_)) => Some("timeS has no place in an inverse curve".to_owned()),
            (false, None, _) => Some("tms must be given for an inverse curve".to_owned()),
            (false, Some(tms), _) if outside(tms, &MULTIPLIER) => {
                Some(format!("tms must lie between {} and {}", MULTIPLIER.start(), MULTIPLIER.end()))
            }
            _ => None,
        }
    }

    /// Returns the operating time at a current, s. `None` if it does not operate: below its pickup, and for an inverse curve also at the pickup.
    pub fn operates_s(&self, amps: f64) -> Option<f64> {
        let multiple = amps / self.pickup_a;
        if !multiple.is_finite() || multiple < 1.0 {
            return None;
        }
        let Some((k, c, alpha)) = self.curve.constants() else { return self.time_s };
        // Very close to the pickup the time is infinite.
        let time = self.tms? * (k / (multiple.min(FLAT_FROM).powf(alpha) - 1.0) + c);
        time.is_finite().then_some(time)
    }

    /// Returns the curve as at most `count` points of current (A) and time (s), equally spaced on a logarithmic axis, from the current at which the
    /// element certainly operates up to `to_a`. Empty if `to_a` is below that current.
    pub fn sampled(&self, to_a: f64, count: usize) -> Vec<(f64, f64)> {
        let from_a = self.pickup_a * if self.curve == Curve::DefiniteTime { 1.0 } else { SURE_FROM };
        if count < 2 || !(from_a < to_a && to_a.is_finite()) {
            return Vec::new();
        }
        let ratio = (to_a / from_a).ln();
        let last = (count - 1) as f64;
        let amps = (0..count).map(|at| if at == 0 { from_a } else { from_a * (ratio * at as f64 / last).exp() });
        amps.filter_map(|amps| Some((amps, self.operates_s(amps)?))).collect()
    }
}

/// Returns the phase element that operates first at the largest phase current, with its time in seconds; `None` if none operates. Residual elements
/// are left out, because the residual current does not follow from the magnitudes of the phase currents.
pub fn first(settings: &[Setting], amps: f64) -> Option<(Element, f64)> {
    let times = settings.iter().filter(|setting| setting.element.is_of_phases());
    let times = times.filter_map(|setting| Some((setting.element, setting.operates_s(amps)?)));
    times.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests;
