//! The sequence of a feeder's protection after a fault: trip, reclosing, lockout, restoration (function 79 of IEEE C37.2).

use rand::RngExt;
use rand::rngs::StdRng;

/// Clearing time of relay and breaker, ms.
pub const CLEARING_MS: std::ops::Range<i64> = 60..110;
/// Smallest fault current, as a share of the current of a bolted three-phase fault at the same place.
pub const LEAST_PART: f64 = 0.85;

/// Time from the lockout to the restoration of the feeder, ms: by remote control, or after a visit to the place.
const RESTORED_MS: [std::ops::Range<i64>; 2] = [60_000..240_000, 360_000..2_700_000];
/// An upper limit of the duration of a sequence, ms.
pub const SEQUENCE_MS: i64 = 3_000_000;

/// An event of the sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// The relay picks up; the largest fault currents of the three phases are held, A.
    Trip([f64; 3]),
    /// The breaker opened.
    Opened,
    /// The breaker closed.
    Closed,
    /// The relay reset.
    Reset,
}

/// A step of a sequence: time after the fault, ms, and event.
pub type Step = (i64, Action);

/// Creates the sequence of one fault. Three of four faults are transient and end with the first reclosing. The others lock out after the second trip. The
/// feeder is then restored after some minutes or most of an hour. `fault_a` is the current of a bolted three-phase fault at the place.
pub fn sequence(rng: &mut StdRng, load_a: f64, fault_a: f64) -> Vec<Step> {
    let transient = rng.random_range(0.0..1.0) < 0.75;
    let currents = {
        // 70 percent of the faults are from one phase to earth.
        let faulted = if rng.random_range(0.0..1.0) < 0.7 { 1 } else { rng.random_range(2..=3) };
        let first = rng.random_range(0..3);
        let mut currents = [load_a; 3];
        for phase in 0..faulted {
            currents[(first + phase) % 3] = fault_a * rng.random_range(LEAST_PART..1.0);
        }
        currents.map(f64::round)
    };
    let clearing = rng.random_range(CLEARING_MS);
    let mut steps = vec![(0, Action::Trip(currents)), (clearing, Action::Opened), (clearing + 400, Action::Closed)];
    if transient {
        steps.push((clearing + 520, Action::Reset));
    } else {
        let again = clearing + 400 + rng.random_range(80..160);
        let within = RESTORED_MS[rng.random_range(0..RESTORED_MS.len())].clone();
        let restored = again + rng.random_range(within);
        steps.extend([
            (again, Action::Trip(currents)),
            (again + clearing, Action::Opened),
            (restored, Action::Reset),
            (restored + 900, Action::Closed),
        ]);
    }
    steps
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_sequence_is_in_order_and_ends_closed_and_at_rest() {
        let (mut lockouts, mut sustained) = (0, 0);
        for seed in 0..200 {
            let steps = sequence(&mut StdRng::seed_from_u64(seed), 100.0, 2_000.0);
            assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0), "{steps:?}");
            let (mut closed, mut active) = (true, false);
            for (_, action) in &steps {
                match action {
                    Action::Trip(currents) => {
                        active = true;
                        assert!(currents.iter().any(|current| *current > 1_000.0));
                    }
                    Action::Opened => closed = false,
                    Action::Closed => closed = true,
                    Action::Reset => active = false,
                }
            }
            assert!(closed && !active);
            assert!(steps.last().is_some_and(|(after, _)| *after < SEQUENCE_MS));
            sustained += usize::from(steps.last().is_some_and(|(after, _)| *after > 300_000));
            lockouts += usize::from(steps.len() > 4);
        }
        assert!((20..80).contains(&lockouts), "{lockouts} of 200 locked out");
        assert!((lockouts / 4..lockouts).contains(&sustained), "{sustained} of {lockouts} for longer than five minutes");
    }
}
