//! The figures of a month and an area.

use analysis::calendar::Period;
use analysis::communication::OnlineShare;
use grid::Micros;
use grid::energy::Total;
use grid::link::LinkStatistics;
use grid::outage::Cause;
use jiff::civil::Date;
use wire::cable_health::PlantRow;
use wire::flag::Flag;
use wire::reliability::{ReliabilityIndices, Weighting};
use wire::trends::FaultTrends;

/// An area with its figures of the month.
#[derive(Debug)]
pub(super) struct AreaFigures {
    pub name: String,
    /// The part of the month that is over.
    pub span: (Micros, Micros),
    pub reliability: Reliability,
    pub energy: Energy,
    pub demand: Demand,
    pub faults: [FaultTrends; 3],
    /// `None` if there are too many link changes.
    pub links: Option<Links>,
    pub health: Vec<Health>,
}

/// How much of a month a figure covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Completeness {
    /// The whole month.
    Whole,
    /// A share of the month, percent.
    Percent(f64),
    /// A part of the month, of unknown size.
    Part,
}

impl Completeness {
    /// Converts a share of the time, percent. 99 % and more counts as the whole month, because one or two missing readings are not a gap.
    pub(super) fn of(percent: f64) -> Self {
        if percent >= 99.0 { Self::Whole } else { Self::Percent(percent) }
    }

    /// Returns how much of a month the reliability figures cover, from the number of known outages and the share of time in which gateways were online. A month
    /// without reports does not count as a month without outages. `None` if nothing is known.
    pub(super) fn of_online_time(is_partial: bool, outages: usize, share: &OnlineTime) -> Option<Self> {
        match share {
            // Outages that were reported later for a time without communication may be incomplete.
            OnlineTime::Share(share) if *share < SHARE_MIN => (outages > 0).then_some(Self::Part),
            _ if is_partial => Some(Self::Part),
            OnlineTime::Share(share) => Some(Self::of(*share)),
            OnlineTime::NotKnown => Some(Self::Whole),
            OnlineTime::TooMany => Some(Self::Part),
        }
    }
}

/// A share below this limit is printed as 0 %, percent.
const SHARE_MIN: f64 = 0.5;

/// How long gateways were online in a month.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum OnlineTime {
    /// Share of the known time, percent.
    Share(f64),
    /// There are no reports of gateways. Imported history has no link states.
    NotKnown,
    /// There are too many link changes.
    TooMany,
}

impl OnlineTime {
    /// Returns the share of all gateways, weighted by their known time.
    pub(super) fn of(gateways: &[OnlineShare]) -> Self {
        online_percent(gateways.iter().map(|gateway| &gateway.whole)).map_or(Self::NotKnown, Self::Share)
    }

    /// Returns whether the gateways are known to have been offline for a part of the time.
    pub(super) fn has_gaps(self) -> bool {
        matches!(self, Self::Share(share) if Completeness::of(share) != Completeness::Whole)
    }
}

/// Returns the share of the known time in which gateways were online, percent.
pub(super) fn online_percent<'a>(tallies: impl Iterator<Item = &'a LinkStatistics>) -> Option<f64> {
    let (held, known) = tallies.fold((0, 0), |(held, known), tally| (held + tally.held_us, known + tally.known_us));
    LinkStatistics { held_us: held, known_us: known, ..LinkStatistics::default() }.percent()
}

/// A figure of the month, of the previous month, and of the same month of the previous year.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Compared(pub [Option<(f64, Completeness)>; 3]);

impl Compared {
    /// Creates a comparison from three values. Each covers a whole month or is unknown.
    #[cfg(test)]
    pub(crate) fn whole(values: [Option<f64>; 3]) -> Self {
        Self(values.map(|value| value.map(|value| (value, Completeness::Whole))))
    }

    /// Returns the figure for a month that is not over, so that its value covers only a part of the month.
    pub(super) fn so_far(self) -> Self {
        let Self([now, before, year_before]) = self;
        let now = now.map(|(value, known)| (value, if known == Completeness::Whole { Completeness::Part } else { known }));
        Self([now, before, year_before])
    }

    /// Returns the value of the month.
    pub(super) fn now(&self) -> Option<f64> {
        self.0[0].map(|(value, _)| value)
    }

    /// Returns the change, percent; `None` if one of the values is not fully known, or the earlier one is 0.
    pub(super) fn change(&self, against: usize) -> Option<f64> {
        let ((now, known), (then, known_then)) = (self.0[0]?, self.0[against]?);
        ([known, known_then] == [Completeness::Whole; 2] && then.abs() > 1e-9).then(|| 100.0 * (now - then) / then.abs())
    }
}

/// The reliability of an area.
#[derive(Debug)]
pub(super) struct Reliability {
    /// Thirteen months, the oldest first.
    pub months: Vec<Month>,
    /// The indices of the last twelve months together, computed from their sums.
    pub year: ReliabilityIndices,
    pub served: Option<f64>,
    pub weighting: Weighting,
    /// Numbers of sustained and of momentary outages that are included in the indices.
    pub outages: Option<(usize, usize)>,
    /// The sustained outages with the largest part in SAIDI, the worst first.
    pub worst: Vec<Outage>,
    /// Number of outages in the month that are not included in the indices.
    pub excluded: usize,
    pub flags: Vec<Flag>,
}

/// The reliability indices of a month.
#[derive(Debug, Clone, Copy)]
pub(super) struct Month {
    pub of: Period,
    pub indices: ReliabilityIndices,
    /// Whether any feeder is included, and any data of the month are known.
    pub is_known: bool,
    pub known: Completeness,
    /// How much of the month the faults cover.
    pub faults: Completeness,
}

/// An outage in the list of the worst ones.
#[derive(Debug)]
pub(super) struct Outage {
    pub started: Micros,
    pub location: String,
    pub feeder: String,
    pub minutes: f64,
    pub lasts: bool,
    pub cause: Cause,
    /// The weight of the feeder in the indices: customers, connected kVA, or 1.
    pub weight: f64,
}

/// The energy of the month by day, and the totals of the three months.
#[derive(Debug)]
pub(super) struct Energy {
    pub days: Vec<(Date, Total)>,
    pub totals: [Total; 3],
    /// Whether the totals include all days of each month.
    pub is_whole: [bool; 3],
    /// Names of assets without a meter.
    pub missing: Vec<String>,
}

impl Energy {
    /// Compares a figure of the three months.
    pub(super) fn compared(&self, of: impl Fn(&Total) -> Option<f64>) -> Compared {
        let known = |nth: usize| match Completeness::of(self.totals[nth].coverage()) {
            // Complete values of the included days do not cover the whole month.
            Completeness::Whole if !self.is_whole[nth] => Completeness::Part,
            known => known,
        };
        Compared([0, 1, 2].map(|nth| Some((of(&self.totals[nth])?, known(nth)))))
    }
}

/// The demand of the month by day, and the peaks of the three months.
#[derive(Debug)]
pub(super) struct Demand {
    pub unit: &'static str,
    pub block_minutes: i64,
    /// The peak of each day.
    pub days: Vec<(Date, Option<f64>)>,
    pub peaks: Compared,
    /// Mean divided by peak of the blocks of a month, percent.
    pub load_factors: Compared,
    /// The start of the block with the peak of the month.
    pub at: Option<String>,
    pub missing: Vec<String>,
}

/// The communication of gateways.
#[derive(Debug)]
pub(super) struct Links {
    pub gateways: Vec<OnlineShare>,
    /// Share of the time in which the gateways were online, percent.
    pub share: Compared,
}

impl Links {
    /// Compares the same gateways in three months of the given lengths, µs. The known time of a month determines how much of the month the share covers. A
    /// gateway without any report in the latest month is left out of all months.
    pub(super) fn of(months: [&[OnlineShare]; 3], lasted_us: [i64; 3]) -> Self {
        let of = |nth: usize| {
            let known = months[nth].iter().zip(months[0]).filter(|(_, now)| now.whole.known_us > 0).map(|(gateway, _)| &gateway.whole);
            let (count, known_us) = known.clone().fold((0_i64, 0_i64), |(count, us), tally| (count + 1, us + tally.known_us));
            let all_us = count.saturating_mul(lasted_us[nth]).max(1);
            Some((online_percent(known)?, Completeness::of(100.0 * known_us as f64 / all_us as f64)))
        };
        Self { share: Compared([of(0), of(1), of(2)]), gateways: months[0].to_vec() }
    }
}

/// The health of cables and plant of a substation at the end of a year.
#[derive(Debug)]
pub(super) struct Health {
    pub location: String,
    pub year: i32,
    /// `None` if no section is known.
    pub cables: Option<Cables>,
    /// Transformers and breakers with known data, sorted by name.
    pub plant: Vec<PlantRow>,
}

/// The sections of cable of a substation.
#[derive(Debug)]
pub(super) struct Cables {
    /// Number of sections by health index, HI1 first.
    pub bands: [usize; 5],
    pub not_modelled: usize,
    pub km: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_in_which_nobody_was_heard_is_not_one_without_interruptions() {
        let (whole, part) = (Some(Completeness::Whole), Some(Completeness::Part));
        for (is_partial, outages, share, expected) in [
            (false, 0, OnlineTime::Share(100.0), whole),
            (false, 3, OnlineTime::Share(99.3), whole),
            (false, 3, OnlineTime::Share(62.0), Some(Completeness::Percent(62.0))),
            (true, 3, OnlineTime::Share(62.0), part),
            (false, 0, OnlineTime::Share(0.0), None),
            (true, 0, OnlineTime::Share(0.4), None),
            (false, 2, OnlineTime::Share(0.0), part),
            (false, 0, OnlineTime::NotKnown, whole),
            (true, 0, OnlineTime::NotKnown, part),
            (false, 0, OnlineTime::TooMany, part),
        ] {
            assert_eq!(Completeness::of_online_time(is_partial, outages, &share), expected, "{is_partial} {outages} {share:?}");
        }
        assert_eq!([100.0, 99.0, 98.9, 0.0].map(|share| OnlineTime::Share(share).has_gaps()), [false, false, true, true]);
    }

    #[test]
    fn a_share_of_an_hour_is_none_of_a_month() {
        let gateway = |held_us: i64, known_us: i64| OnlineShare {
            gateway_name: String::new(),
            location_name: String::new(),
            whole: LinkStatistics { held_us, known_us, ..LinkStatistics::default() },
            parts: Vec::new(),
        };
        // The first gateway has always reported, the second since the last hundredth of the previous month, the third never.
        let now = [gateway(980, 1_000), gateway(960, 1_000), gateway(0, 0)];
        let before = [gateway(1_000, 1_000), gateway(10, 10), gateway(0, 0)];
        let year_before = [gateway(500, 1_000), gateway(0, 0), gateway(0, 0)];
        let links = Links::of([&now, &before, &year_before], [1_000; 3]);
        assert_eq!(
            links.share.0,
            [Some((97.0, Completeness::Whole)), Some((100.0, Completeness::Percent(50.5))), Some((50.0, Completeness::Percent(50.0)))],
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
        assert_eq!(
            so_far.0,
            [Some((2_900.0, Completeness::Part)), Some((3_000.0, Completeness::Whole)), Some((1_500.0, Completeness::Percent(50.0)))]
        );
        assert_eq!((so_far.change(1), of([true; 3]).change(1).map(f64::round)), (None, Some(-3.0)));
        assert_eq!(of([true, true, false]).0[2], Some((1_500.0, Completeness::Percent(50.0))));
    }

    #[test]
    fn a_change_is_told_of_what_is_known_alone() {
        let of = |before: Option<(f64, f64)>| {
            Compared([Some((90.0, Completeness::Whole)), before.map(|(value, percent)| (value, Completeness::of(percent))), None]).change(1)
        };
        assert_eq!(of(Some((100.0, 100.0))), Some(-10.0));
        assert_eq!(of(Some((-100.0, 100.0))), Some(190.0), "against something below 0 more is still more");
        assert_eq!((of(Some((100.0, 60.0))), of(Some((0.0, 100.0))), of(None)), (None, None, None));
        assert_eq!(Compared::whole([None, Some(1.0), None]).change(1), None);
        let so_far =
            Compared([Some((9.0, Completeness::Whole)), Some((10.0, Completeness::Whole)), Some((10.0, Completeness::Whole))]).so_far();
        assert_eq!((so_far.now(), so_far.change(1), so_far.change(2)), (Some(9.0), None, None), "days against a month");
        let hours = Compared([Some((9.0, Completeness::Percent(40.0))), None, None]);
        assert_eq!((hours.so_far(), Compared::default().so_far()), (hours, Compared::default()));
    }
}
