//! Instants as microseconds since 1970-01-01 UTC. The domain reads no clock: instants are always parameters.

/// Microseconds since the Unix epoch, UTC. This is the resolution of PostgreSQL; Sparkplug times are milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Micros(pub i64);

impl Micros {
    /// Converts milliseconds, as used by Sparkplug and JavaScript. Saturates on overflow, so that an extreme time cannot wrap
    /// around.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// Returns whole milliseconds, rounded towards the past.
    pub fn millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Returns the time from `earlier` to this instant, ms; negative if `earlier` is later.
    pub fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).div_euclid(1_000)
    }

    /// Returns this instant shifted by milliseconds.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis.saturating_mul(1_000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_round_towards_the_past_and_saturate() {
        assert_eq!(Micros(1_999).millis(), 1);
        assert_eq!(Micros(-1).millis(), -1);
        assert_eq!(Micros::from_millis(i64::MAX), Micros(i64::MAX));
        assert_eq!(Micros(5_000).millis_since(Micros(9_000)), -4);
    }
}
