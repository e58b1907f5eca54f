//! The clock of the simulation: the real time, or a time that starts with it and runs faster.

use grid::Micros;

use crate::rtu::link::now_ms;

/// A clock that can run faster than real time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    start: Micros,
    speed: f64,
}

impl Clock {
    /// Creates a clock that shows the real time now and runs `speed` times as fast from then on.
    pub fn new(speed: f64) -> Self {
        Self { start: real(), speed }
    }

    /// Returns the time that the clock shows.
    pub fn now(&self) -> Micros {
        self.at(real())
    }

    /// Returns the real time at which the clock shows `at`. Telemetry is sent with this time, because the receiver refuses times that are far ahead of its own
    /// clock.
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
