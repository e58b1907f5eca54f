//! What a feeder's protection does about a fault: trip, reclose, lock out, restoration (79 sequence, domain.md section 9).

use rand::RngExt;
use rand::rngs::StdRng;

/// What happens to the feeder at a moment of the sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// The relay picks up and the fault current of the three phases is held, A.
    Trip([f64; 3]),
    /// The breaker has opened.
    Opened,
    /// The breaker has closed again.
    Closed,
    /// The relay is at rest again.
    Reset,
}

/// A step of a sequence: how long after the fault, ms, and what.
pub type Step = (i64, Action);

/// Makes the sequence of one fault. Three of four are transient and gone after the first reclosing; the others lock out after the second
/// trip, and are restored after some minutes. `fault_a` is the current of a bolted three-phase fault at the place.
pub fn sequence(rng: &mut StdRng, load_a: f64, fault_a: f64) -> Vec<Step> {
    let transient = rng.random_range(0.0..1.0) < 0.75;
    let currents = {
        // 70 percent of faults are from one line to earth.
        let faulted = if rng.random_range(0.0..1.0) < 0.7 { 1 } else { rng.random_range(2..=3) };
        let first = rng.random_range(0..3);
        let mut currents = [load_a; 3];
        for phase in 0..faulted {
            currents[(first + phase) % 3] = fault_a * rng.random_range(0.85..1.0);
        }
        currents.map(f64::round)
    };
    let clearing = rng.random_range(60..110);
    let mut steps = vec![(0, Action::Trip(currents)), (clearing, Action::Opened), (clearing + 400, Action::Closed)];
    if transient {
        steps.push((clearing + 520, Action::Reset));
    } else {
        let again = clearing + 400 + rng.random_range(80..160);
        let restored = again + rng.random_range(60_000..240_000);
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
        let mut lockouts = 0;
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
            lockouts += usize::from(steps.len() > 4);
        }
        assert!((20..80).contains(&lockouts), "{lockouts} of 200 locked out");
    }
}
