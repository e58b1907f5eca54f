//! The clocks of the simulated machines: each drifts, and sometimes jumps.

use grid::Micros;

/// The true time at the start of the simulation, µs.
const EPOCH: i64 = 1_800_000_000_000_000;

/// The largest error of a clock, µs. Two clocks differ by less than the five minutes from which ingest rejects a source
/// time.
const FURTHEST: i64 = 120_000_000;

/// Returns the true time. `now` is counted from the start of the simulation, µs.
pub(crate) fn true_time(now: i64) -> Micros {
    Micros(EPOCH + now)
}

/// The wall clock of one machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallClock {
    offset: i64,
    drift_ppm: i64,
}

impl WallClock {
    /// Returns a clock that is some seconds off.
    pub(crate) fn new(random: &mut fastrand::Rng) -> Self {
        Self { offset: random.i64(-5_000_000..5_000_000), drift_ppm: random.i64(-200..200) }
    }

    /// Sets the clock to another time.
    pub(crate) fn step(&mut self, random: &mut fastrand::Rng) {
        let step = if random.bool() { random.i64(-FURTHEST..FURTHEST) } else { random.i64(-3_000_000..3_000_000) };
        self.offset = (self.offset + step).clamp(-FURTHEST, FURTHEST);
    }

    /// Returns the displayed time. `now` is the true time since the start of the simulation, µs.
    pub(crate) fn wall(&self, now: i64) -> Micros {
        Micros(EPOCH + now + now / 1_000_000 * self.drift_ppm + self.offset)
    }
}
