//! Detects dips, swells and interruptions from the RMS values of half cycles (IEC 61000-4-30, 5.4: thresholds with hysteresis, all phases
//! together).

/// The thresholds of events, per unit of the declared voltage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// A dip begins below this.
    pub dip: f64,
    /// A swell begins above this.
    pub swell: f64,
    /// A dip with all phases below this at the same time is an interruption: 0.05 by EN 50160, 0.1 by IEEE 1159.
    pub interruption: f64,
    /// An event ends when the voltage is inside the threshold by at least this distance.
    pub hysteresis: f64,
}

impl Default for Thresholds {
    /// Returns the thresholds of EN 50160.
    fn default() -> Self {
        Self { dip: 0.9, swell: 1.1, interruption: 0.05, hysteresis: 0.02 }
    }
}

/// The kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VoltageEventKind {
    /// Voltage too low in at least one phase.
    Dip,
    /// Almost no voltage in all phases.
    Interruption,
    /// Voltage too high in at least one phase.
    Swell,
}

/// A completed event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// The kind.
    pub kind: VoltageEventKind,
    /// The first half cycle outside of the threshold, counted from the detector's first.
    pub start: u64,
    /// The first half cycle back inside the threshold.
    pub end: u64,
    /// The lowest voltage of a dip or the highest of a swell, in any phase, percent of the declared voltage.
    pub extreme_percent: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Open {
    start: u64,
    extreme: f64,
    interrupted: bool,
}

/// Detects the events of the phases of one measuring point. A dip and a swell can occur at the same time in different phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Detector {
    declared: f64,
    thresholds: Thresholds,
    seen: u64,
    low: Option<Open>,
    high: Option<Open>,
}

impl Detector {
    /// Creates a detector for a declared voltage, in the unit of the phase voltages.
    pub fn new(declared: f64, thresholds: Thresholds) -> Self {
        Self { declared, thresholds, seen: 0, low: None, high: None }
    }

    /// Processes the next half cycle of all phases (one or more) and returns the events that end with it. A half cycle without any phase changes nothing.
    pub fn next(&mut self, phases: &[f64]) -> impl Iterator<Item = Event> + use<> {
        let at = self.seen;
        self.seen += 1;
        let relative = || phases.iter().map(|volts| volts / self.declared).filter(|volts| volts.is_finite());
        let (lowest, highest) = relative().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), volts| (low.min(volts), high.max(volts)));
        if lowest > highest {
            return [None, None].into_iter().flatten();
        }
        let limit = self.thresholds;
        let open = |extreme| Open { start: at, extreme, interrupted: false };
        let dip = follow(
            &mut self.low,
            lowest < limit.dip,
            lowest >= limit.dip + limit.hysteresis,
            || open(lowest),
            |dip| {
                dip.extreme = dip.extreme.min(lowest);
                dip.interrupted |= highest < limit.interruption;
            },
        );
        let swell = follow(
            &mut self.high,
            highest > limit.swell,
            highest <= limit.swell - limit.hysteresis,
            || open(highest),
            |swell| {
                swell.extreme = swell.extreme.max(highest);
            },
        );
        let event = |kind, open: Open| Event { kind, start: open.start, end: at, extreme_percent: 100.0 * open.extreme };
        let dip = dip.map(|dip| event(if dip.interrupted { VoltageEventKind::Interruption } else { VoltageEventKind::Dip }, dip));
        [dip, swell.map(|swell| event(VoltageEventKind::Swell, swell))].into_iter().flatten()
    }
}

/// Starts, continues or ends an event and returns it if it ended.
fn follow(
    slot: &mut Option<Open>,
    outside: bool,
    inside: bool,
    open: impl FnOnce() -> Open,
    mut go_on: impl FnMut(&mut Open),
) -> Option<Open> {
    match slot {
        Some(_) if inside => return slot.take(),
        Some(going) => go_on(going),
        None if outside => go_on(slot.insert(open())),
        None => {}
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(halves: &[[f64; 3]]) -> Vec<Event> {
        let mut detector = Detector::new(230.0, Thresholds::default());
        halves.iter().flat_map(|phases| detector.next(phases).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn an_earth_fault_is_a_dip_and_a_swell_at_once_and_one_lost_phase_is_no_interruption() {
        let (normal, fault) = ([230.0; 3], [5.0, 262.0, 258.0]);
        let events = all(&[normal, fault, fault, normal]);
        let found: Vec<_> = events.iter().map(|event| (event.kind, event.start, event.end)).collect();
        assert_eq!(found, [(VoltageEventKind::Dip, 1, 3), (VoltageEventKind::Swell, 1, 3)]);
        assert!((events[1].extreme_percent - 100.0 * 262.0 / 230.0).abs() < 1e-9);
    }

    #[test]
    fn all_phases_lost_one_after_the_other_are_one_interruption() {
        let events = all(&[[230.0; 3], [0.0, 230.0, 230.0], [0.0, 0.0, 3.0], [230.0, 230.0, 205.0], [230.0; 3]]);
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].kind, events[0].start, events[0].end), (VoltageEventKind::Interruption, 1, 4));
    }

    #[test]
    fn what_is_not_over_or_not_seen_is_not_told() {
        assert_eq!(all(&[[230.0; 3], [100.0; 3], [208.0; 3]]), [], "208 V is above the threshold but inside the hysteresis");
        let mut detector = Detector::new(230.0, Thresholds::default());
        assert_eq!(detector.next(&[]).count(), 0);
        assert_eq!(detector.next(&[f64::NAN]).count(), 0);
    }
}
