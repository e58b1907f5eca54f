//! The rates and durations of the faults in a run.

const SECOND: i64 = 1_000_000;

/// The rates of one run. They differ between runs, so that some runs have many faults and others a single one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Faults {
    /// The mean time between two faults, µs.
    pub(crate) pause: i64,
    /// Lost bus messages, per 1,000.
    losses: u32,
    /// The longest cut of a link, µs.
    pub(crate) longest_cut: i64,
    /// Whether faults occur.
    pub(crate) is_on: bool,
}

impl Faults {
    pub(crate) fn new(random: &mut fastrand::Rng) -> Self {
        Self {
            pause: random.i64(SECOND / 4..2 * SECOND),
            losses: random.u32(0..20),
            longest_cut: random.i64(SECOND..25 * SECOND),
            is_on: true,
        }
    }

    pub(crate) fn loses_message(&self, random: &mut fastrand::Rng) -> bool {
        self.is_on && random.u32(0..1_000) < self.losses
    }
}
