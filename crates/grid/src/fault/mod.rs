//! Faults of feeders, derived from the events of a bay. A fault begins when the breaker opens without a command, or after its relay operated.
//! Reclosings belong to it. It ends when the breaker stays closed.
//!
//! All interruptions within five minutes of the first opening are one momentary interruption event (IEEE 1366-2012, 3.14), and one fault here. A fault that
//! lasts longer is measured from its first opening.

use crate::{AssetId, ClientId, Micros, NodeId, PointId};

/// Longest duration of a momentary interruption event, ms (IEEE 1366-2012, 3.14).
pub const MOMENTARY_MS: i64 = 5 * 60 * 1_000;
/// Time after which an open breaker counts as locked out, ms. The longest dead time of common reclosing sequences is 45 s.
pub const LOCKOUT_MS: i64 = 60_000;
/// Largest distance in time between a trip and its fault current, ms.
pub const CURRENT_WINDOW_MS: i64 = 10_000;
/// A phase is faulted if its current is at least this part of the largest phase current. The other phases carry load.
const FAULTED_PART: f64 = 0.5;
/// Two phase currents that differ by at most this part count as equal. In a fault between two phases they are equal, apart from errors of the current
/// transformers. If earth is involved, they differ.
const EQUAL_WITHIN: f64 = 0.05;
/// Current from which the instantaneous element (50) is assumed to have tripped and not the time-delayed one (51), A. This is our definition: relays
/// do not report which one it was.
pub const INSTANTANEOUS_A: f64 = 2_000.0;
/// Number of customers from which the severity of a sustained fault is high.
const MANY_CUSTOMERS: i32 = 1_000;

/// The phases involved in a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultType {
    /// One phase to earth.
    LineGround,
    /// Two phases.
    LineLine,
    /// Two phases and earth.
    LineLineGround,
    /// All phases.
    ThreePhase,
}

impl FaultType {
    /// Derives the type from the fault currents of R, Y and B, A. `None` if one is missing or none is above zero. Magnitudes alone do not prove
    /// whether earth is involved in a fault of two phases.
    pub fn of(currents: [Option<f64>; 3]) -> Option<Self> {
        let [Some(r), Some(y), Some(b)] = currents else { return None };
        let currents = [r, y, b];
        let largest = currents.into_iter().fold(0.0, f64::max);
        if !largest.is_finite() || largest <= 0.0 {
            return None;
        }
        let faulted: Vec<f64> = currents.into_iter().filter(|current| *current >= largest * FAULTED_PART).collect();
        match faulted[..] {
            [_] => Some(Self::LineGround),
            [one, other] if (one - other).abs() <= largest * EQUAL_WITHIN => Some(Self::LineLine),
            [_, _] => Some(Self::LineLineGround),
            _ => Some(Self::ThreePhase),
        }
    }

    /// Returns the identifier used in rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LineGround => "LG",
            Self::LineLine => "LL",
            Self::LineLineGround => "LLG",
            Self::ThreePhase => "LLL",
        }
    }
}

/// The severity of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Momentary and closed again.
    Low,
    /// Customers are without supply.
    Medium,
    /// Many customers are without supply.
    High,
}

impl Severity {
    /// Returns the identifier used in rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::Medium => "Medium",
            Self::High => "High",
        }
    }
}

/// A fault as known so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// The first opening, by the device's clock.
    pub start: Micros,
    /// The last closing of the breaker; `None` while it is open.
    pub end: Option<Micros>,
    /// The last opening.
    pub opened: Micros,
    /// Number of openings.
    pub trips: i32,
    /// Whether the relay reclosed the breaker at least once.
    pub reclosed: bool,
    /// Whether the breaker stayed open after the last trip for longer than [`LOCKOUT_MS`].
    pub lockout: bool,
    /// Fault currents of R, Y and B at the trip with the largest current, A.
    pub currents: [Option<f64>; 3],
}

/// An event of a bay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BayEvent {
    /// The breaker opened.
    Opened {
        /// A relay of the bay operated in the seconds before.
        by_protection: bool,
        /// A command of this system caused it.
        ordered: bool,
    },
    /// The breaker closed.
    Closed,
}

/// The effect of an event on the faults of the bay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect {
    /// A new fault begins.
    Begins(Fault),
    /// The newest fault changes: opened again, or closed.
    Goes(Fault),
    /// No effect.
    Nothing,
}

/// Processes an event of a bay whose newest fault is `last`. An event older than what is known has no effect.
pub fn step(last: Option<&Fault>, at: Micros, bay_event: BayEvent) -> Effect {
    match bay_event {
        BayEvent::Opened { by_protection, ordered } => {
            // A relay that operates opens the breaker regardless of commands.
            if !by_protection && ordered {
                return Effect::Nothing;
            }
            match last {
                Some(fault) if at <= fault.opened || fault.end.is_some_and(|end| at < end) => Effect::Nothing,
                // The breaker is open already: the opening was reported twice, or the closing was never reported.
                Some(fault) if fault.end.is_none() => Effect::Goes(Fault { opened: at, trips: fault.trips.saturating_add(1), ..*fault }),
                Some(fault) if at.millis_since(fault.start) <= MOMENTARY_MS => {
                    Effect::Goes(Fault { opened: at, end: None, trips: fault.trips.saturating_add(1), ..*fault })
                }
                _ => Effect::Begins(Fault {
                    start: at,
                    end: None,
                    opened: at,
                    trips: 1,
                    reclosed: false,
                    lockout: false,
                    currents: [None; 3],
                }),
            }
        }
        BayEvent::Closed => match last {
            Some(fault) if fault.end.is_none() && at >= fault.opened => {
                let dead = at.millis_since(fault.opened);
                let (reclosed, lockout) = (fault.reclosed || dead <= LOCKOUT_MS, fault.lockout || dead > LOCKOUT_MS);
                Effect::Goes(Fault { end: Some(at), reclosed, lockout, ..*fault })
            }
            _ => Effect::Nothing,
        },
    }
}

impl Fault {
    /// Whether the breaker is open.
    pub fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Whether it ended within five minutes; for an open fault, whether this is still possible.
    pub fn is_momentary(&self, now: Micros) -> bool {
        self.end.unwrap_or(now).millis_since(self.start) <= MOMENTARY_MS
    }

    /// Returns its duration so far, or its final duration, minutes.
    pub fn minutes(&self, now: Micros) -> f64 {
        self.end.unwrap_or(now).millis_since(self.start).max(0) as f64 / 60_000.0
    }

    /// Marks an open breaker as locked out once its time has passed. Returns whether that changed the fault.
    pub fn time(&mut self, now: Micros) -> bool {
        let is_news = self.is_open() && !self.lockout && now.millis_since(self.opened) > LOCKOUT_MS;
        self.lockout |= is_news;
        is_news
    }

    /// Applies the currents of a trip. Returns whether they changed the fault. Of several trips, the one with the largest current counts.
    pub fn take_currents(&mut self, currents: [Option<f64>; 3]) -> bool {
        let largest = |of: &[Option<f64>; 3]| of.iter().flatten().copied().fold(0.0, f64::max);
        let says_more = currents != self.currents && currents.iter().flatten().count() >= self.currents.iter().flatten().count();
        let is_news = says_more && largest(&currents) >= largest(&self.currents);
        if is_news {
            self.currents = currents;
        }
        is_news
    }

    /// Returns the phases involved, once the currents are known.
    pub fn fault_type(&self) -> Option<FaultType> {
        FaultType::of(self.currents)
    }

    /// Returns the tripping element and the outcome, by the numbers of IEEE C37.2: 50 instantaneous, 51 time overcurrent, 79 reclosing. `None` if
    /// neither is known.
    pub fn trip_type(&self) -> Option<String> {
        let largest = self.currents.iter().flatten().copied().reduce(f64::max);
        let tripped = largest.map(|largest| if largest >= INSTANTANEOUS_A { "50" } else { "51" });
        let became = match (self.lockout, self.reclosed && !self.is_open()) {
            (true, _) => Some("lockout"),
            (false, true) => Some("79 success"),
            (false, false) => None,
        };
        let words: Vec<&str> = [tripped, became].into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Returns the severity.
    pub fn severity(&self, customers: i32, now: Micros) -> Severity {
        match (self.is_momentary(now) && !self.is_open(), customers >= MANY_CUSTOMERS) {
            (true, _) => Severity::Low,
            (false, true) => Severity::High,
            (false, false) => Severity::Medium,
        }
    }
}

/// A fault as clients see it: a row of the table and of the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultRecord {
    /// The utility.
    pub client: ClientId,
    /// Its id.
    pub id: i64,
    /// The position point of the breaker that opened.
    pub breaker: PointId,
    /// The feeder, or the breaker if the bay has no feeder.
    pub asset: AssetId,
    /// Name of the asset.
    pub asset_name: String,
    /// The substation.
    pub location: NodeId,
    /// The substation's name.
    pub location_name: String,
    /// Customers supplied by the asset.
    pub customers: i32,
    /// The fault.
    pub fault: Fault,
    /// Offset of its newest change in the utility's stream of faults.
    pub offset: i64,
}

#[cfg(test)]
mod tests;
