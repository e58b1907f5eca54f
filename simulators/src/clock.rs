//! The simulation's clock: the real one, or one that began with it and runs faster.

use grid::Micros;

use crate::rtu::link::now_ms;

/// A clock with a speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    start: Micros,
    speed: f64,
}

impl Clock {
    /// A clock that shows the real time now and runs `speed` times as fast from here on.
    pub fn new(speed: f64) -> Self {
        Self { start: real(), speed }
    }

    /// What it shows.
    pub fn now(&self) -> Micros {
        self.at(real())
    }

    /// The real time at which it shows `at`. Telemetry is stamped with it: a time far ahead of the receiver's would be refused.
    pub fn stamp(&self, at: Micros) -> Micros {
        Micros(self.start.0 + ((at.0 - self.start.0) as f64 / self.speed) as i64)
    }

    fn at(&self, real: Micros) -> Micros {
        Micros(self.start.0 + ((real.0 - self.start.0) as f64 * self.speed) as i64)
    }
}

fn real() -> Micros {
    Micros::from_millis(i64::try_from(now_ms()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_in_a_minute() {
        let clock = Clock { start: Micros(1_000), speed: 60.0 };
        assert_eq!(clock.at(Micros(1_000)), Micros(1_000));
        assert_eq!(clock.at(Micros(61_000)), Micros(1_000 + 3_600_000));
        assert_eq!(clock.stamp(Micros(1_000 + 3_600_000)), Micros(61_000));
    }
}
