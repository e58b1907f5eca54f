//! What is found of a month and a place.

use grid::Micros;
use grid::energy::Total;
use jiff::civil::Date;
use wire::cable_health::PlantRow;
use wire::reliability::ReliabilityIndices;
use wire::trends::FaultTrends;

use crate::routes::analytics::reliability_calendar::Period;
use crate::routes::assethealth::rtu_status::HeardOver;

/// A place and its month.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) name: String,
    /// As far as the month is over.
    pub(super) span: (Micros, Micros),
    pub(super) reliability: Reliability,
    pub(super) energy: Energy,
    pub(super) demand: Demand,
    pub(super) faults: [FaultTrends; 3],
    /// `None` where there are too many changes of links to look at.
    pub(super) links: Option<Links>,
    pub(super) health: Vec<Health>,
}

/// For how much of a month a figure is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Known {
    /// All of it.
    Whole,
    /// So many percent of it.
    Percent(f64),
    /// Not all of it.
    Part,
}

impl Known {
    /// Of a share of the time, percent; a reading or two that did not come is no gap.
    pub(super) fn of(percent: f64) -> Self {
        if percent >= 99.0 { Self::Whole } else { Self::Percent(percent) }
    }
}

/// A figure of the month, of the one before, and of the same a year before.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Compared(pub(super) [Option<(f64, Known)>; 3]);

impl Compared {
    /// Of three values that are known as a whole or not at all.
    pub(super) fn whole(values: [Option<f64>; 3]) -> Self {
        Self(values.map(|value| value.map(|value| (value, Known::Whole))))
    }

    /// The same of a month that is not over: what is known of it is a part, however much of it that is.
    pub(super) fn so_far(self) -> Self {
        let Self([now, before, year_before]) = self;
        let now = now.map(|(value, known)| (value, if known == Known::Whole { Known::Part } else { known }));
        Self([now, before, year_before])
    }

    /// The month's own.
    pub(super) fn now(&self) -> Option<f64> {
        self.0[0].map(|(value, _)| value)
    }

    /// By how much it has changed, percent; `None` where a part of either is not known, or where there was nothing.
    pub(super) fn change(&self, against: usize) -> Option<f64> {
        let ((now, known), (then, known_then)) = (self.0[0]?, self.0[against]?);
        ([known, known_then] == [Known::Whole; 2] && then.abs() > 1e-9).then(|| 100.0 * (now - then) / then.abs())
    }
}

/// Interruptions.
#[derive(Debug)]
pub(super) struct Reliability {
    /// Thirteen months, the oldest first.
    pub(super) months: Vec<Month>,
    pub(super) served: Option<f64>,
    pub(super) outages: Option<usize>,
    /// Those that count for the most, worst first.
    pub(super) worst: Vec<Outage>,
    /// Outages of the month that do not count.
    pub(super) excluded: usize,
    pub(super) flags: Vec<String>,
}

/// The indices of a month.
#[derive(Debug, Clone, Copy)]
pub(super) struct Month {
    pub(super) of: Period,
    pub(super) indices: ReliabilityIndices,
    /// Whether anything was heard in it.
    pub(super) is_known: bool,
    pub(super) known: Known,
    /// How far it was heard, whoever is supplied.
    pub(super) heard: Known,
}

/// One of the worst outages.
#[derive(Debug)]
pub(super) struct Outage {
    pub(super) started: Micros,
    pub(super) location: String,
    pub(super) feeder: String,
    pub(super) minutes: f64,
    pub(super) lasts: bool,
    pub(super) cause: &'static str,
    /// `None` where nobody has entered them.
    pub(super) customers: Option<f64>,
}

/// Energy of the month by days, and of the three months.
#[derive(Debug)]
pub(super) struct Energy {
    pub(super) days: Vec<(Date, Total)>,
    pub(super) totals: [Total; 3],
    /// What has no meter.
    pub(super) missing: Vec<String>,
}

/// Demand of the month by days, and of the three months.
#[derive(Debug)]
pub(super) struct Demand {
    pub(super) unit: &'static str,
    pub(super) block_minutes: i64,
    /// The highest of each day.
    pub(super) days: Vec<(Date, Option<f64>)>,
    pub(super) peaks: Compared,
    /// When the highest of the month began.
    pub(super) at: Option<String>,
    pub(super) missing: Vec<String>,
}

/// How gateways were heard.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) gateways: Vec<HeardOver>,
    pub(super) before: [Option<f64>; 2],
}

/// The cables and the plant of a substation at the end of a year.
#[derive(Debug)]
pub(super) struct Health {
    pub(super) location: String,
    pub(super) year: i32,
    /// `None` where no section is known.
    pub(super) cables: Option<Cables>,
    /// Transformers and breakers of which something is known, by name.
    pub(super) plant: Vec<PlantRow>,
}

/// Sections of cable.
#[derive(Debug)]
pub(super) struct Cables {
    /// By health index, from the best.
    pub(super) bands: [usize; 5],
    pub(super) not_modelled: usize,
    pub(super) km: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_of_what_is_known_alone() {
        let of = |before: Option<(f64, f64)>| {
            Compared([Some((90.0, Known::Whole)), before.map(|(value, percent)| (value, Known::of(percent))), None]).change(1)
        };
        assert_eq!(of(Some((100.0, 100.0))), Some(-10.0));
        assert_eq!(of(Some((-100.0, 100.0))), Some(190.0), "against something below 0 more is still more");
        assert_eq!((of(Some((100.0, 60.0))), of(Some((0.0, 100.0))), of(None)), (None, None, None));
        assert_eq!(Compared::whole([None, Some(1.0), None]).change(1), None);
        let so_far = Compared([Some((9.0, Known::Whole)), Some((10.0, Known::Whole)), Some((10.0, Known::Whole))]).so_far();
        assert_eq!((so_far.now(), so_far.change(1), so_far.change(2)), (Some(9.0), None, None), "days against a month");
        let hours = Compared([Some((9.0, Known::Percent(40.0))), None, None]);
        assert_eq!((hours.so_far(), Compared::default().so_far()), (hours, Compared::default()));
    }
}
