//! Faults of feeders: what the events of a bay amount to. A breaker that opens without an order of ours, or after its relay, begins one; the reclosings
//! that follow belong to it; it ends when the breaker stays closed.
//!
//! A momentary interruption event is everything within five minutes of the first opening (IEEE 1366-2012, 3.14), and is ONE fault here. A longer one
//! counts from its first opening.

use crate::{AssetId, ClientId, Micros, NodeId, PointId};

/// What belongs to one momentary interruption event at most, ms (IEEE 1366-2012, 3.14).
pub const MOMENTARY_MS: i64 = 5 * 60 * 1_000;
/// A breaker that is still open after this was not reclosed by its relay: the longest dead time of usual sequences is 45 s.
pub const LOCKOUT_MS: i64 = 60_000;
/// A fault current is of a trip if it was measured so near to it, ms.
pub const CURRENT_WINDOW_MS: i64 = 10_000;
/// A phase carries fault current if it has at least this part of the largest: the others carry load.
const FAULTED_PART: f64 = 0.5;
/// The currents of a fault between two phases are equal but for what the transformers say; with earth in it they are not.
const EQUAL_WITHIN: f64 = 0.05;
/// From here on the instantaneous element (50) trips and not the time-delayed one (51), A. Ours: relays do not tell which it was.
pub const INSTANTANEOUS_A: f64 = 2_000.0;
/// Where to be counted as many customers.
const MANY_CUSTOMERS: i32 = 1_000;

/// Which phases take part.
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
    /// By the fault currents of R, Y and B, A. `None` where one of them is missing or there is none. Magnitudes alone cannot tell for certain whether earth
    /// takes part in a fault of two phases.
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

    /// The word in rows.
    pub fn word(self) -> &'static str {
        match self {
            Self::LineGround => "LG",
            Self::LineLine => "LL",
            Self::LineLineGround => "LLG",
            Self::ThreePhase => "LLL",
        }
    }
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Over by itself.
    Low,
    /// Somebody is without supply.
    Medium,
    /// Many are.
    High,
}

impl Severity {
    /// The word in rows.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::Medium => "Medium",
            Self::High => "High",
        }
    }
}

/// A fault so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// The first opening, by the device's clock.
    pub start: Micros,
    /// When the breaker was closed again last; `None` while it is open.
    pub end: Option<Micros>,
    /// The last opening.
    pub opened: Micros,
    /// Openings that belong to it.
    pub trips: i32,
    /// The breaker was closed again by its relay at least once.
    pub reclosed: bool,
    /// It stayed open after the last trip for longer than a relay waits.
    pub lockout: bool,
    /// Fault currents of R, Y and B at the trip with the largest, A.
    pub currents: [Option<f64>; 3],
}

/// What happens in a bay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Happening {
    /// The breaker has opened.
    Opened {
        /// A relay of the bay operated in the seconds before.
        by_protection: bool,
        /// We had ordered it.
        ordered: bool,
    },
    /// The breaker has closed.
    Closed,
}

/// What follows for the bay's faults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect {
    /// A new one.
    Begins(Fault),
    /// The one there is has changed: opened again, or closed.
    Goes(Fault),
    /// None.
    Nothing,
}

/// Lets something happen in a bay whose newest fault, if it had one, is `last`. Out of order, as older than what is known, nothing follows.
pub fn step(last: Option<&Fault>, at: Micros, happening: Happening) -> Effect {
    match happening {
        Happening::Opened { by_protection, ordered } => {
            // A relay that operates opens the breaker whatever else was ordered.
            if !by_protection && ordered {
                return Effect::Nothing;
            }
            match last {
                Some(fault) if at <= fault.opened || fault.end.is_some_and(|end| at < end) => Effect::Nothing,
                // Open already: an opening that was told twice, or a closing that was never told.
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
        Happening::Closed => match last {
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

    /// Whether it is or was over within five minutes; while it lasts, only whether it still can be.
    pub fn is_momentary(&self, now: Micros) -> bool {
        self.end.unwrap_or(now).millis_since(self.start) <= MOMENTARY_MS
    }

    /// How long it has lasted so far, or did, minutes.
    pub fn minutes(&self, now: Micros) -> f64 {
        self.end.unwrap_or(now).millis_since(self.start).max(0) as f64 / 60_000.0
    }

    /// Lets time go by: a breaker that stays open is locked out. Whether that is news.
    pub fn time(&mut self, now: Micros) -> bool {
        let is_news = self.is_open() && !self.lockout && now.millis_since(self.opened) > LOCKOUT_MS;
        self.lockout |= is_news;
        is_news
    }

    /// Takes the currents that belong to a trip; whether they say more than what is known. Of several trips those of the largest count.
    pub fn take_currents(&mut self, currents: [Option<f64>; 3]) -> bool {
        let largest = |of: &[Option<f64>; 3]| of.iter().flatten().copied().fold(0.0, f64::max);
        let says_more = currents != self.currents && currents.iter().flatten().count() >= self.currents.iter().flatten().count();
        let is_news = says_more && largest(&currents) >= largest(&self.currents);
        if is_news {
            self.currents = currents;
        }
        is_news
    }

    /// Which phases take part, once the currents are known.
    pub fn fault_type(&self) -> Option<FaultType> {
        FaultType::of(self.currents)
    }

    /// What tripped and what became of it, by the numbers of IEEE C37.2: 50 instantaneous, 51 time overcurrent, 79 reclosing. `None` while nothing is known.
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

    /// How much it matters.
    pub fn severity(&self, customers: i32, now: Micros) -> Severity {
        match (self.is_momentary(now) && !self.is_open(), customers >= MANY_CUSTOMERS) {
            (true, _) => Severity::Low,
            (false, true) => Severity::High,
            (false, false) => Severity::Medium,
        }
    }
}

/// A fault as it is told to people: a row of the table and of the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultRecord {
    /// The utility.
    pub client: ClientId,
    /// Its id.
    pub id: i64,
    /// The position of the breaker that opened.
    pub breaker: PointId,
    /// The feeder, or where the bay has none, the breaker.
    pub asset: AssetId,
    /// That asset's name.
    pub asset_name: String,
    /// The substation.
    pub location: NodeId,
    /// The substation's name.
    pub location_name: String,
    /// Customers that are fed through it.
    pub customers: i32,
    /// The fault itself.
    pub fault: Fault,
    /// Place of its newest change in the utility's stream of faults.
    pub offset: i64,
}

#[cfg(test)]
mod tests;
