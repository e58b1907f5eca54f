//! The major event days of a utility (IEEE 1366-2012, annex B.2). They are found from the feeders of the whole utility, and apply to each of its areas.

use std::collections::BTreeMap;

use grid::AssetId;
use grid::reliability::{MajorEventLimit, major_event_limit};
use identity::View;
use jiff::civil::Date;
use store::Store;
use store::outage::CountedOutages;
use wire::reliability::{ReliabilityConfiguration, Weighting};

use crate::calendar::{Calendar, Period};
use crate::error::Error;
use crate::feeder_weights::{FEEDER, FeederWeights};

/// Number of earlier years from which the limit of major event days is computed (IEEE 1366-2012, B.2).
pub(crate) const YEARS_BEFORE: i16 = 5;

/// The major event days of a period.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MajorEvents {
    /// The limit by year.
    limits: BTreeMap<i16, Option<MajorEventLimit>>,
    /// The days with the SAIDI of the whole utility, min.
    pub days: BTreeMap<Date, f64>,
}

/// Returns the first day of the years from which the limits of a period are computed.
pub(crate) fn first_year(period: Period) -> Date {
    Date::new(period.first.year() - YEARS_BEFORE, 1, 1).unwrap_or(period.first)
}

impl MajorEvents {
    /// Finds the major event days of a period. The result does not depend on the area that the user can see.
    pub(crate) async fn read(
        store: &Store,
        view: &View,
        configuration: &ReliabilityConfiguration,
        weights: &FeederWeights,
        calendar: &Calendar,
        period: Period,
    ) -> Result<Self, Error> {
        let feeders = view.field.assets().filter(|asset| asset.type_id == FEEDER).map(|asset| (asset.id, weights.of(asset)));
        let counting: Vec<(AssetId, f64)> =
            feeders.filter(|(_, feeder)| feeder.excluded.is_none()).filter_map(|(id, feeder)| Some((id, feeder.weight?))).collect();
        let served: f64 = counting.iter().map(|(_, weight)| weight).sum();
        let first = first_year(period);
        let all = Period { first, end: period.end.min(calendar.today().tomorrow().unwrap_or(period.end)) };
        let days: Vec<Date> = all.days().collect();
        if days.is_empty() {
            return Ok(Self::default());
        }
        let edges = days.iter().chain([&all.end]).map(|day| calendar.midnight(*day)).collect::<Result<Vec<_>, Error>>()?;
        let threshold = configuration.threshold();
        let (exclude_causes, by_customers) = (configuration.exclude_causes.as_slice(), configuration.weighting == Weighting::Customers);
        let counted = CountedOutages { weights: &counting, exclude_causes, threshold, now: calendar.now, by_customers };
        let minutes = store.daily_customer_minutes(view.principal.client, &edges, &counted).await?;
        // Without customers there is no SAIDI.
        let with_saidi = minutes.into_iter().filter(|_| served > 0.0);
        let daily = with_saidi.filter_map(|(nth, minutes)| Some((*days.get(nth)?, minutes / served))).collect();
        Ok(Self::of(&daily, period))
    }

    /// Finds the major event days of a period from the daily SAIDI of the utility, min.
    pub(crate) fn of(daily: &BTreeMap<Date, f64>, period: Period) -> Self {
        let mut major = Self::default();
        let last = period.end.yesterday().map_or(period.end.year(), Date::year);
        for year in period.first.year()..=last {
            let before = daily.iter().filter(|(day, _)| (year - YEARS_BEFORE..year).contains(&day.year())).map(|(_, saidi)| *saidi);
            let limit = major_event_limit(before);
            if let Some(limit) = limit {
                let of_year = daily.iter().filter(|(day, saidi)| day.year() == year && limit.is_major(**saidi));
                major.days.extend(of_year.map(|(day, saidi)| (*day, *saidi)));
            }
            major.limits.insert(year, limit);
        }
        major
    }

    /// Returns the limit of the daily SAIDI above which a day of a year is a major event day, min.
    pub fn limit(&self, year: i16) -> Option<f64> {
        self.limits.get(&year).copied().flatten().map(|limit| limit.minutes)
    }
}
