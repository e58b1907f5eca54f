//! Overcurrent protection: the characteristics of its elements, what they are set to, and when one operates.
//!
//! Currents are primary amperes, times are seconds from the moment the current flows to the relay's output. What the breaker takes to open comes on top.

/// How the time of an element depends on the current. Inverse ones are `t = T · (k / (M^α − 1) + c)` with M the current in multiples of the pickup and T
/// the time multiplier: IEC 60255-151:2009, 4.4.1.3 and table A.1; IEEE C37.112-1996, table 1, where k, c, α and T are called A, B, p and time dial. The
/// constants are those that manuals of relays print under these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Curve {
    /// The same time at every current from the pickup on (IEC 60255-151:2009, 4.4.1.2).
    DefiniteTime,
    /// IEC curve A, standard (normal) inverse.
    Standard,
    /// IEC curve B, very inverse.
    Very,
    /// IEC curve C, extremely inverse.
    Extremely,
    /// Long (time) inverse. Not in table A.1: it is that of BS 142 and of the makers of relays.
    Long,
    /// IEEE moderately inverse (IEC curve D).
    IeeeModerately,
    /// IEEE very inverse (IEC curve E).
    IeeeVery,
    /// IEEE extremely inverse (IEC curve F).
    IeeeExtremely,
}

/// From this multiple of the pickup on the curve of an inverse element is drawn. Ours: relays promise to operate from 1.1 or 1.2 times on, and nearer to the
/// pickup the time runs away.
pub const SURE_FROM: f64 = 1.1;
/// Beyond this multiple of the pickup an inverse element gets no faster: there the range of the curves usually ends.
pub const FLAT_FROM: f64 = 20.0;
/// What a pickup may be, A.
pub const PICKUP_A: std::ops::RangeInclusive<f64> = 1.0..=100_000.0;
/// What a time multiplier or time dial may be. IEC relays go to about 3, time dials of IEEE relays to 15.
pub const MULTIPLIER: std::ops::RangeInclusive<f64> = 0.01..=15.0;
/// What a definite time may be, s; 0 is instantaneous.
pub const DEFINITE_S: std::ops::RangeInclusive<f64> = 0.0..=600.0;

impl Curve {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::DefiniteTime,
        Self::Standard,
        Self::Very,
        Self::Extremely,
        Self::Long,
        Self::IeeeModerately,
        Self::IeeeVery,
        Self::IeeeExtremely,
    ];

    /// The word kept in the database and sent to clients.
    pub fn word(self) -> &'static str {
        match self {
            Self::DefiniteTime => "definite_time",
            Self::Standard => "iec_standard_inverse",
            Self::Very => "iec_very_inverse",
            Self::Extremely => "iec_extremely_inverse",
            Self::Long => "iec_long_inverse",
            Self::IeeeModerately => "ieee_moderately_inverse",
            Self::IeeeVery => "ieee_very_inverse",
            Self::IeeeExtremely => "ieee_extremely_inverse",
        }
    }

    /// The curve of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|curve| curve.word() == word)
    }

    /// k and c in s, and α; `None` for definite time.
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
    /// Time overcurrent of the phases.
    Time,
    /// Instantaneous overcurrent of the phases, or with a short definite time.
    Instantaneous,
    /// Time overcurrent of the residual current.
    EarthTime,
    /// Instantaneous overcurrent of the residual current.
    EarthInstantaneous,
}

impl Element {
    /// All of them, as they are told.
    pub const ALL: [Self; 4] = [Self::Time, Self::Instantaneous, Self::EarthTime, Self::EarthInstantaneous];

    /// Its number.
    pub fn word(self) -> &'static str {
        match self {
            Self::Time => "51",
            Self::Instantaneous => "50",
            Self::EarthTime => "51N",
            Self::EarthInstantaneous => "50N",
        }
    }

    /// The element of a number.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.word() == word)
    }

    /// Whether it looks at the largest of the phase currents, and not at their sum.
    pub fn is_of_phases(self) -> bool {
        matches!(self, Self::Time | Self::Instantaneous)
    }

    /// Whether its time does not depend on the current.
    pub fn is_definite(self) -> bool {
        matches!(self, Self::Instantaneous | Self::EarthInstantaneous)
    }
}

/// What an element is set to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Which element.
    pub element: Element,
    /// From which primary current on, A.
    pub pickup_a: f64,
    /// Its characteristic.
    pub curve: Curve,
    /// Time multiplier (TMS, or the time dial of IEEE curves); `None` for definite time.
    pub tms: Option<f64>,
    /// The definite time, s; `None` for inverse curves.
    pub time_s: Option<f64>,
}

impl Setting {
    /// What of it cannot be, with the name of the field in front; `None` where it can.
    pub fn wrong(&self) -> Option<String> {
        let outside = |value: f64, range: &std::ops::RangeInclusive<f64>| !range.contains(&value);
        if outside(self.pickup_a, &PICKUP_A) {
            return Some(format!("pickupA must lie between {} and {} A, primary", PICKUP_A.start(), PICKUP_A.end()));
        }
        if self.element.is_definite() && self.curve != Curve::DefiniteTime {
            return Some(format!("curve of a {} must be {}", self.element.word(), Curve::DefiniteTime.word()));
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

    /// After how many seconds it operates at a current; `None` where it does not: below its pickup, and at it for an inverse curve.
    pub fn operates_s(&self, amps: f64) -> Option<f64> {
        let multiple = amps / self.pickup_a;
        if !multiple.is_finite() || multiple < 1.0 {
            return None;
        }
        let Some((k, c, alpha)) = self.curve.constants() else { return self.time_s };
        // So near to the pickup that the time is beyond all numbers.
        let time = self.tms? * (k / (multiple.min(FLAT_FROM).powf(alpha) - 1.0) + c);
        time.is_finite().then_some(time)
    }

    /// The curve as at most `count` points of current (A) and time (s), equally far apart on a logarithmic axis, from where the element surely operates up to
    /// `to_a`. Empty where that is below.
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

/// Which of the elements of the phases operates first at the largest of the phase currents, and after how many seconds; `None` where none does. Elements of
/// the residual current are left out: magnitudes of phase currents do not tell it.
pub fn first(settings: &[Setting], amps: f64) -> Option<(Element, f64)> {
    let times = settings.iter().filter(|setting| setting.element.is_of_phases());
    let times = times.filter_map(|setting| Some((setting.element, setting.operates_s(amps)?)));
    times.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests;
