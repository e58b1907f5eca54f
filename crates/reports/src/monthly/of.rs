//! What is found of a month and a place.

use analysis::calendar::Period;
use analysis::communication::HeardOver;
use grid::Micros;
use grid::energy::Total;
use grid::link::Tally;
use jiff::civil::Date;
use wire::cable_health::PlantRow;
use wire::reliability::ReliabilityIndices;
use wire::trends::FaultTrends;

/// A place and its month.
#[derive(Debug)]
pub(super) struct Place {
    pub name: String,
    /// As far as the month is over.
    pub span: (Micros, Micros),
    pub reliability: Reliability,
    pub energy: Energy,
    pub demand: Demand,
    pub faults: [FaultTrends; 3],
    /// `None` where there are too many changes of links to look at.
    pub links: Option<Links>,
    pub health: Vec<Health>,
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

    /// Of a month of which so many outages are known, and of which gateways were heard so much: that nothing was told is no sign that nothing was. `None` where
    /// nothing is known of it.
    pub(super) fn heard(is_partial: bool, outages: usize, share: &Heard) -> Option<Self> {
        match share {
            // What was told later of a time in which nobody was heard is not all that there was.
            Heard::Share(share) if *share < HEARD_MIN => (outages > 0).then_some(Self::Part),
            _ if is_partial => Some(Self::Part),
            Heard::Share(share) => Some(Self::of(*share)),
            Heard::NotKnown => Some(Self::Whole),
            Heard::TooMany => Some(Self::Part),
        }
    }
}

/// A share that is told as 0 %.
const HEARD_MIN: f64 = 0.5;

/// How gateways were heard over a month.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Heard {
    /// In so many percent of the time that is known.
    Share(f64),
    /// No gateway has told anything: history that was brought along has no links.
    NotKnown,
    /// There are too many changes of links to look at.
    TooMany,
}

impl Heard {
    /// Of gateways, by their known time.
    pub(super) fn of(gateways: &[HeardOver]) -> Self {
        heard(gateways.iter().map(|gateway| &gateway.whole)).map_or(Self::NotKnown, Self::Share)
    }

    /// Whether a part of the time is known not to have been heard.
    pub(super) fn has_gaps(self) -> bool {
        matches!(self, Self::Share(share) if Known::of(share) != Known::Whole)
    }
}

/// In which share of the time that is known gateways were heard, percent.
pub(super) fn heard<'a>(tallies: impl Iterator<Item = &'a Tally>) -> Option<f64> {
    let (held, known) = tallies.fold((0, 0), |(held, known), tally| (held + tally.held_us, known + tally.known_us));
    Tally { held_us: held, known_us: known, ..Tally::default() }.percent()
}

/// A figure of the month, of the one before, and of the same a year before.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Compared(pub [Option<(f64, Known)>; 3]);

impl Compared {
    /// Of three values that are known as a whole or not at all.
    #[cfg(test)]
    pub(crate) fn whole(values: [Option<f64>; 3]) -> Self {
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
    pub months: Vec<Month>,
    pub served: Option<f64>,
    pub outages: Option<usize>,
    /// Those that count for the most, worst first.
    pub worst: Vec<Outage>,
    /// Outages of the month that do not count.
    pub excluded: usize,
    pub flags: Vec<String>,
}

/// The indices of a month.
#[derive(Debug, Clone, Copy)]
pub(super) struct Month {
    pub of: Period,
    pub indices: ReliabilityIndices,
    /// Whether there is a feeder that counts, and anything was heard in it.
    pub is_known: bool,
    pub known: Known,
    /// For how much of it faults are known.
    pub faults: Known,
}

/// One of the worst outages.
#[derive(Debug)]
pub(super) struct Outage {
    pub started: Micros,
    pub location: String,
    pub feeder: String,
    pub minutes: f64,
    pub lasts: bool,
    pub cause: &'static str,
    /// `None` where nobody has entered them.
    pub customers: Option<f64>,
}

/// Energy of the month by days, and of the three months.
#[derive(Debug)]
pub(super) struct Energy {
    pub days: Vec<(Date, Total)>,
    pub totals: [Total; 3],
    /// Whether all days of the month are in them.
    pub is_whole: [bool; 3],
    /// What has no meter.
    pub missing: Vec<String>,
}

impl Energy {
    /// Some figure of the three months.
    pub(super) fn compared(&self, of: impl Fn(&Total) -> Option<f64>) -> Compared {
        let known = |nth: usize| match Known::of(self.totals[nth].coverage()) {
            // What is known of the days that are counted is not known of the month.
            Known::Whole if !self.is_whole[nth] => Known::Part,
            known => known,
        };
        Compared([0, 1, 2].map(|nth| Some((of(&self.totals[nth])?, known(nth)))))
    }
}

/// Demand of the month by days, and of the three months.
#[derive(Debug)]
pub(super) struct Demand {
    pub unit: &'static str,
    pub block_minutes: i64,
    /// The highest of each day.
    pub days: Vec<(Date, Option<f64>)>,
    pub peaks: Compared,
    /// When the highest of the month began.
    pub at: Option<String>,
    pub missing: Vec<String>,
}

/// How gateways were heard.
#[derive(Debug)]
pub(super) struct Links {
    pub gateways: Vec<HeardOver>,
    /// In which share of the time, percent.
    pub share: Compared,
}

impl Links {
    /// Of the same gateways in three months of so many µs: a share of one hour is none of a month. One that has not been heard yet is in none of them.
    pub(super) fn of(months: [&[HeardOver]; 3], lasted_us: [i64; 3]) -> Self {
        let of = |nth: usize| {
            let known = months[nth].iter().zip(months[0]).filter(|(_, now)| now.whole.known_us > 0).map(|(gateway, _)| &gateway.whole);
            let (count, known_us) = known.clone().fold((0_i64, 0_i64), |(count, us), tally| (count + 1, us + tally.known_us));
            let all_us = count.saturating_mul(lasted_us[nth]).max(1);
            Some((heard(known)?, Known::of(100.0 * known_us as f64 / all_us as f64)))
        };
        Self { share: Compared([of(0), of(1), of(2)]), gateways: months[0].to_vec() }
    }
}

/// The cables and the plant of a substation at the end of a year.
#[derive(Debug)]
pub(super) struct Health {
    pub location: String,
    pub year: i32,
    /// `None` where no section is known.
    pub cables: Option<Cables>,
    /// Transformers and breakers of which something is known, by name.
    pub plant: Vec<PlantRow>,
}

/// Sections of cable.
#[derive(Debug)]
pub(super) struct Cables {
    /// By health index, from the best.
    pub bands: [usize; 5],
    pub not_modelled: usize,
    pub km: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_in_which_nobody_was_heard_is_not_one_without_interruptions() {
        let (whole, part) = (Some(Known::Whole), Some(Known::Part));
        for (is_partial, outages, heard, expected) in [
            (false, 0, Heard::Share(100.0), whole),
            (false, 3, Heard::Share(99.3), whole),
            (false, 3, Heard::Share(62.0), Some(Known::Percent(62.0))),
            (true, 3, Heard::Share(62.0), part),
            (false, 0, Heard::Share(0.0), None),
            (true, 0, Heard::Share(0.4), None),
            (false, 2, Heard::Share(0.0), part),
            (false, 0, Heard::NotKnown, whole),
            (true, 0, Heard::NotKnown, part),
            (false, 0, Heard::TooMany, part),
        ] {
            assert_eq!(Known::heard(is_partial, outages, &heard), expected, "{is_partial} {outages} {heard:?}");
        }
        assert_eq!([100.0, 99.0, 98.9, 0.0].map(|share| Heard::Share(share).has_gaps()), [false, false, true, true]);
    }

    #[test]
    fn a_share_of_an_hour_is_none_of_a_month() {
        let gateway = |held_us: i64, known_us: i64| HeardOver {
            gateway_name: String::new(),
            location_name: String::new(),
            whole: Tally { held_us, known_us, ..Tally::default() },
            parts: Vec::new(),
        };
        // The third has never been heard, the second since the last hundredth of the month before, the first always.
        let now = [gateway(980, 1_000), gateway(960, 1_000), gateway(0, 0)];
        let before = [gateway(1_000, 1_000), gateway(10, 10), gateway(0, 0)];
        let year_before = [gateway(500, 1_000), gateway(0, 0), gateway(0, 0)];
        let links = Links::of([&now, &before, &year_before], [1_000; 3]);
        assert_eq!(
            links.share.0,
            [Some((97.0, Known::Whole)), Some((100.0, Known::Percent(50.5))), Some((50.0, Known::Percent(50.0)))],
            "{links:?}"
        );
        assert_eq!((links.share.change(1), links.share.change(2)), (None, None));
        let alone = Links::of([&now[..1], &before[..1], &year_before[..1]], [1_000; 3]);
        assert_eq!(alone.share.change(1).map(f64::round), Some(-2.0));
        assert_eq!(Links::of([&[], &[], &[]], [1_000; 3]).share, Compared::default());
    }

    #[test]
    fn a_month_without_its_last_day_is_a_part() {
        let total = |kwh: f64, days: i64| Total { energy_in: Some(kwh), known_ms: days, span_ms: days, ..Total::default() };
        let of = |is_whole: [bool; 3]| {
            let totals = [total(2_900.0, 29), total(3_000.0, 30), Total { known_ms: 15, ..total(1_500.0, 30) }];
            Energy { days: Vec::new(), totals, is_whole, missing: Vec::new() }.compared(|total| total.energy_in)
        };
        let so_far = of([false, true, true]);
        assert_eq!(so_far.0, [Some((2_900.0, Known::Part)), Some((3_000.0, Known::Whole)), Some((1_500.0, Known::Percent(50.0)))]);
        assert_eq!((so_far.change(1), of([true; 3]).change(1).map(f64::round)), (None, Some(-3.0)));
        assert_eq!(of([true, true, false]).0[2], Some((1_500.0, Known::Percent(50.0))));
    }

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
