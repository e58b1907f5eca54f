//! What the figures of reliability are made of: the feeders of an area and what each counts as, their outages, and which of these count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use grid::outage::Cause;
use grid::reliability::{Class, MajorEventLimit, Step, Sums, Whom, availability, major_event_limit, sums};
use grid::{AssetId, Micros, NodeId, Scope};
use identity::{Area, View};
use jiff::civil::Date;
use store::Store;
use store::outage::OutageRecord;
use store::registry::AssetRecord;
use wire::reliability::{ReliabilityConfiguration, ReliabilityIndices, Weighting};
use wire::time::now;

use crate::calendar::{Calendar, Period};
use crate::error::Error;

/// Asset type of a feeder (specification 2, section 9).
const FEEDER: i32 = 1;
/// Outages that one answer looks at; beyond that it says that it is a part.
const OUTAGES_MAX: i64 = 100_000;
/// Years before the one asked about that say which days are major event days (IEEE 1366-2012, B.2).
const YEARS_BEFORE: i16 = 5;

/// The feeders of an area that the caller may see: those of a node or the utility, an asset that is one, or those of an asset's bay.
pub fn feeders(view: &View, area: Area) -> Vec<&AssetRecord> {
    let of = |asset: &&AssetRecord| {
        let Some(location) = view.field.node(asset.location).filter(|location| view.sees(location)) else { return false };
        match area.0 {
            None => true,
            Some(Scope::Node(node)) => location.path.contains(&node),
            Some(Scope::Asset(id)) => {
                let beside = |other: &AssetRecord| {
                    other.type_id != FEEDER && other.location == asset.location && other.device == asset.device && !other.device.is_empty()
                };
                asset.id == id || view.field.asset(id).is_some_and(beside)
            }
        }
    };
    view.field.assets().iter().filter(|asset| asset.type_id == FEEDER).filter(of).collect()
}

/// A feeder, and what it counts as.
#[derive(Debug, Clone, Copy)]
struct Weighed {
    /// `None` where it is not known.
    weight: Option<f64>,
    /// Why it does not count.
    excluded: Option<&'static str>,
    location: NodeId,
}

/// What the figures of an area are made of.
#[derive(Debug)]
pub struct Figures {
    /// What the utility has decided about its figures.
    pub configuration: ReliabilityConfiguration,
    /// The calendar of the utility.
    pub calendar: Calendar,
    weighed: HashMap<AssetId, Weighed>,
    /// Whether it is known of all of them whom they supply.
    is_weighed: bool,
    /// Whom its feeders supply; `None` where nobody is known of.
    pub served: Option<f64>,
    /// By their start.
    pub outages: Vec<OutageRecord>,
    /// When the oldest of them began, where there are older ones that were not taken.
    reach: Option<Micros>,
    /// The same as steps, where they count but for major event days.
    steps: Vec<(Date, Step)>,
    /// By year.
    limits: BTreeMap<i16, Option<MajorEventLimit>>,
    /// Major event days with their SAIDI, min.
    pub major: BTreeMap<Date, f64>,
    /// Since when anything is known of each substation.
    since: HashMap<NodeId, Micros>,
    /// What is true of all of it.
    general: BTreeSet<&'static str>,
    /// For whose days it is good.
    period: Period,
}

/// What came of a period.
#[derive(Debug, Clone)]
pub struct Told {
    /// Without major event days, if these are left out.
    pub sums: Sums,
    /// ASAI of the same.
    asai: Option<f64>,
    /// Without them in any case.
    without: (Sums, Option<f64>),
    /// Outages that count.
    pub outages: usize,
    /// Those of them that are sustained.
    pub sustained: usize,
    /// Words that say how far it may be believed.
    pub flags: BTreeSet<&'static str>,
    /// Whether anything can be said of it.
    pub is_known: bool,
    /// Whether all that counts had been heard of when it began, whomever it supplies.
    pub is_heard: bool,
}

impl Figures {
    /// Of feeders, good for all days of a period.
    pub async fn read(store: &Store, view: &View, feeders: &[&AssetRecord], period: Period) -> Result<Self, Error> {
        let (store, client) = (store, view.principal.client);
        let calendar = Calendar::of(view, now());
        let configuration = view.field.client().map(|client| ReliabilityConfiguration::of(&client.config)).unwrap_or_default();
        let (epoch, top) = store.event_stream(client).await?;
        let cursor = store.outage_cursor(client).await?.filter(|cursor| cursor.epoch == epoch);
        let locations: BTreeSet<NodeId> = feeders.iter().map(|asset| asset.location).collect();
        let since = store.heard_since(client, &locations.into_iter().collect::<Vec<_>>()).await?.into_iter().collect();
        let (feeds, supplies) = (store.feeds(client).await?, store.feeder_supplies(client).await?);
        let mut general = BTreeSet::new();
        if cursor.map_or(0, |cursor| cursor.through) < top {
            general.insert("late");
        }
        let weigh = |asset: &AssetRecord| {
            let supply = supplies.iter().find(|supply| supply.asset == asset.id);
            let weight = match configuration.weighting {
                Weighting::Customers => Some(f64::from(asset.customers.max(0))),
                Weighting::ConnectedKva => supply.and_then(|supply| supply.connected_kva),
                Weighting::Feeders => Some(1.0),
            };
            let excluded = if feeds.iter().any(|(feeder, _)| *feeder == asset.id) {
                Some("feeds_substation")
            } else {
                (configuration.exclude_agricultural && supply.is_some_and(|supply| supply.agricultural)).then_some("agricultural")
            };
            Weighed { weight, excluded, location: asset.location }
        };
        let weighed: HashMap<AssetId, Weighed> = feeders.iter().map(|asset| (asset.id, weigh(asset))).collect();
        let earliest = Date::new(period.first.year() - YEARS_BEFORE, 1, 1).unwrap_or(period.first);
        let span = (calendar.midnight(earliest)?, calendar.midnight(period.end)?);
        let ids: Vec<AssetId> = feeders.iter().map(|asset| asset.id).collect();
        // The newest where there are too many: what is asked about is told before what it is compared with.
        let outages = store.outages(client, &ids, span, OUTAGES_MAX + 1).await?;
        let (outages, reach) = newest(outages, OUTAGES_MAX as usize);
        if reach.is_some() {
            general.insert("partial");
        }
        Ok(Self::of(configuration, calendar, weighed, (outages, reach), since, general, period))
    }

    /// The same of some of its feeders alone: its major event days are its own.
    #[must_use]
    pub fn part(&self, of: &[AssetId]) -> Self {
        let weighed: HashMap<AssetId, Weighed> = of.iter().filter_map(|asset| Some((*asset, *self.weighed.get(asset)?))).collect();
        let outages: Vec<OutageRecord> = self.outages.iter().filter(|outage| weighed.contains_key(&outage.asset)).cloned().collect();
        let mut general = self.general.clone();
        general.remove("no_customers");
        let (configuration, calendar) = (self.configuration.clone(), self.calendar.clone());
        Self::of(configuration, calendar, weighed, (outages, self.reach), self.since.clone(), general, self.period)
    }

    fn of(
        configuration: ReliabilityConfiguration,
        calendar: Calendar,
        weighed: HashMap<AssetId, Weighed>,
        (outages, reach): (Vec<OutageRecord>, Option<Micros>),
        since: HashMap<NodeId, Micros>,
        mut general: BTreeSet<&'static str>,
        period: Period,
    ) -> Self {
        let counting = || weighed.values().filter(|feeder| feeder.excluded.is_none());
        // Nobody enters a feeder that supplies nobody: of one with 0 customers their number is not known.
        let is_weighed = counting().all(|feeder| feeder.weight.is_some_and(|weight| weight > 0.0));
        let served: f64 = counting().filter_map(|feeder| feeder.weight).sum();
        let served = (served > 0.0).then_some(served);
        if served.is_none() {
            general.insert("no_customers");
        }
        let (limits, major) = (BTreeMap::new(), BTreeMap::new());
        let mut figures = Self {
            configuration,
            calendar,
            weighed,
            is_weighed,
            served,
            outages,
            reach,
            steps: Vec::new(),
            limits,
            major,
            since,
            general,
            period,
        };
        figures.steps = figures.outages.iter().filter_map(|outage| figures.step(outage)).collect();
        figures.find_major(period);
        figures
    }

    /// An outage as a step, if it counts and it is known for how much.
    fn step(&self, outage: &OutageRecord) -> Option<(Date, Step)> {
        if self.excluded(outage).is_some() {
            return None;
        }
        let weight = self.weighed.get(&outage.asset)?.weight?;
        let step = Step {
            interruption: outage.incident,
            started: outage.started,
            minutes: self.minutes(outage),
            lasts: outage.ended.is_none(),
            whom: Whom::Feeder { id: outage.asset.0, weight },
        };
        Some((self.calendar.day(outage.started), step))
    }

    /// Whether there is a feeder that counts.
    pub fn has_feeders(&self) -> bool {
        self.weighed.values().any(|feeder| feeder.excluded.is_none())
    }

    /// How long it lasted; of one that lasts, up to now.
    pub fn minutes(&self, outage: &OutageRecord) -> f64 {
        outage.ended.unwrap_or(self.calendar.now).0.saturating_sub(outage.started.0).max(0) as f64 / 60e6
    }

    /// Why an outage does not count, but for major event days.
    pub fn excluded(&self, outage: &OutageRecord) -> Option<&'static str> {
        if outage.correction.excluded {
            return Some("by_hand");
        }
        let feeder = self.weighed.get(&outage.asset).and_then(|feeder| feeder.excluded);
        let named = |cause: Cause| self.configuration.exclude_causes.iter().any(|word| word == cause.word());
        feeder.or_else(|| named(outage.cause()).then_some("cause"))
    }

    /// Why an outage does not count.
    pub fn excluded_because(&self, outage: &OutageRecord) -> Option<&'static str> {
        let is_major = || self.configuration.exclude_major_event_days && self.is_major(self.calendar.day(outage.started));
        self.excluded(outage).or_else(|| is_major().then_some("major_event_day"))
    }

    /// Whether a day is a major event day (IEEE 1366).
    pub fn is_major(&self, day: Date) -> bool {
        self.major.contains_key(&day)
    }

    /// Above which daily SAIDI a day of a year is a major event day.
    pub fn limit(&self, year: i16) -> Option<f64> {
        self.limits.get(&year).copied().flatten().map(|limit| limit.minutes)
    }

    fn find_major(&mut self, period: Period) {
        let Some(served) = self.served else { return };
        let mut by_day: BTreeMap<Date, Vec<Step>> = BTreeMap::new();
        for (day, step) in &self.steps {
            by_day.entry(*day).or_default().push(*step);
        }
        let threshold = self.configuration.threshold();
        let saidi: BTreeMap<Date, f64> = by_day.into_iter().map(|(day, steps)| (day, sums(&steps, threshold).minutes / served)).collect();
        let last = period.end.yesterday().map_or(period.end.year(), Date::year);
        for year in period.first.year()..=last {
            let before = saidi.iter().filter(|(day, _)| (year - YEARS_BEFORE..year).contains(&day.year())).map(|(_, saidi)| *saidi);
            let limit = major_event_limit(before);
            if let Some(limit) = limit {
                let of_year = saidi.iter().filter(|(day, saidi)| day.year() == year && limit.is_major(**saidi));
                self.major.extend(of_year.map(|(day, saidi)| (*day, *saidi)));
            }
            self.limits.insert(year, limit);
        }
    }

    /// The steps that began in a period, as far as they count.
    fn steps_of(&self, period: Period, with_major: bool) -> Vec<Step> {
        let of = self.steps.iter().filter(|(day, _)| period.has(*day) && (with_major || !self.is_major(*day)));
        of.map(|(_, step)| *step).collect()
    }

    /// What came of a period.
    pub fn told(&self, period: Period) -> Result<Told, Error> {
        let (from, to) = self.calendar.span(period)?;
        let mut flags = self.general.clone();
        let until = to.min(self.calendar.now);
        // A substation of which nothing had been heard by its end has not had a month without interruptions.
        let heard: BTreeMap<NodeId, Option<Micros>> = self
            .weighed
            .values()
            .filter(|feeder| feeder.excluded.is_none())
            .map(|feeder| (feeder.location, self.since.get(&feeder.location).copied()))
            .collect();
        let heard_by = |at: Micros| move |since: &Option<Micros>| since.is_some_and(|since| since < at);
        let is_known = from < self.calendar.now && (heard.is_empty() || heard.values().any(heard_by(until)));
        let is_heard = heard.values().all(heard_by(from.plus_millis(1)));
        // Of a time before the oldest outage that was taken none was taken, which is not none.
        let is_cut = self.reach.is_some_and(|reach| from <= reach);
        if !is_known {
            flags.insert("no_data");
        } else if !is_heard {
            flags.insert("partial");
        }
        if !self.is_weighed {
            flags.insert("partial");
        }
        let threshold = self.configuration.threshold();
        let with_major = !self.configuration.exclude_major_event_days;
        let steps = self.steps_of(period, with_major);
        let told = sums(&steps, threshold);
        let sustained = steps.iter().filter(|step| step.class(threshold) == Some(Class::Sustained)).count();
        if told.open > 0 {
            flags.extend(["open", "provisional"]);
        }
        let counts = |outage: &&OutageRecord| period.has(self.calendar.day(outage.started)) && self.excluded_because(outage).is_none();
        if self.outages.iter().filter(counts).any(OutageRecord::is_provisional) {
            flags.insert("provisional");
        }
        let without = (sums(&self.steps_of(period, false), threshold), self.asai((from, until), false));
        let asai = self.asai((from, until), with_major);
        Ok(Told { sums: told, asai, without, outages: steps.len(), sustained, flags, is_known: is_known && !is_cut, is_heard })
    }

    /// ASAI of a time.
    fn asai(&self, span: (Micros, Micros), with_major: bool) -> Option<f64> {
        let of = self.steps.iter().filter(|(day, _)| with_major || !self.is_major(*day)).map(|(_, step)| step);
        self.served.and_then(|served| availability(of, self.configuration.threshold(), served, span))
    }

    /// The indices of sums of a period.
    fn indices_of(&self, told: &Told, sums: &Sums, asai: Option<f64>) -> ReliabilityIndices {
        let served = self.served.filter(|_| told.is_known);
        // ASAI is of the minutes of the period alone, all others of what began in it.
        let indices = ReliabilityIndices::from(served.and_then(|served| sums.indices(served, f64::INFINITY)));
        ReliabilityIndices { asai: served.and(asai), ..indices }
    }

    /// The indices of a period.
    pub fn indices(&self, told: &Told) -> ReliabilityIndices {
        self.indices_of(told, &told.sums, told.asai)
    }

    /// Without major event days.
    pub fn indices_without_major(&self, told: &Told) -> ReliabilityIndices {
        self.indices_of(told, &told.without.0, told.without.1)
    }

    /// The longest outage of each sustained interruption of a day, minutes.
    pub fn longest(&self, day: Date) -> Vec<f64> {
        let threshold = self.configuration.threshold();
        let mut longest: BTreeMap<i64, f64> = BTreeMap::new();
        let with_major = !self.configuration.exclude_major_event_days || !self.is_major(day);
        for (_, step) in self.steps.iter().filter(|(of, _)| *of == day && with_major) {
            if step.class(threshold) == Some(Class::Sustained) {
                let held = longest.entry(step.interruption).or_default();
                *held = held.max(step.minutes);
            }
        }
        longest.into_values().collect()
    }
}

/// So many of the newest, from the oldest on, and when that began where there are more: others may have begun at the same time.
fn newest(mut outages: Vec<OutageRecord>, most: usize) -> (Vec<OutageRecord>, Option<Micros>) {
    let is_cut = outages.len() > most;
    outages.truncate(most);
    outages.reverse();
    let reach = outages.first().filter(|_| is_cut).map(|oldest| oldest.started);
    (outages, reach)
}

/// As they are written.
pub fn words(flags: &BTreeSet<&'static str>) -> Vec<String> {
    flags.iter().map(|flag| (*flag).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_time_that_the_outages_do_not_reach_back_to_nothing_is_known() {
        let at = |text: &str| wire::time::parse_iso(text).expect("a time");
        let outage = |id: i64, started: &str| OutageRecord {
            id,
            location: NodeId(1),
            asset: AssetId(1),
            incident: id,
            started: at(started),
            ended: Some(at(started).plus_millis(30 * 60_000)),
            worked: None,
            from_unknown: false,
            provisional: false,
            trips: 1,
            evidence: Vec::new(),
            correction: store::outage::Correction::default(),
            note: None,
            corrected_by: None,
            corrected_at: None,
        };
        let newest_first = vec![outage(3, "2026-03-10T00:00:00Z"), outage(2, "2026-02-10T00:00:00Z"), outage(1, "2026-01-10T00:00:00Z")];
        let month = |month: i8| Period::month(2026, month).expect("a month");
        let of = |most: usize| {
            let (outages, reach) = newest(newest_first.clone(), most);
            let weighed = HashMap::from([(AssetId(1), Weighed { weight: Some(10.0), excluded: None, location: NodeId(1) })]);
            let since = HashMap::from([(NodeId(1), at("2025-01-01T00:00:00Z"))]);
            let calendar = Calendar::named("UTC", at("2026-05-01T00:00:00Z"));
            let period = Period { first: month(1).first, end: month(4).first };
            Figures::of(ReliabilityConfiguration::default(), calendar, weighed, (outages, reach), since, BTreeSet::new(), period)
        };
        let saidi = |figures: &Figures| {
            [1, 2, 3, 4].map(|nth| {
                let told = figures.told(month(nth)).expect("told");
                assert!(!told.flags.contains("no_data"), "something had been heard");
                figures.indices(&told).saidi
            })
        };
        assert_eq!(saidi(&of(3)), [Some(30.0), Some(30.0), Some(30.0), Some(0.0)]);
        let cut = of(2);
        assert_eq!(saidi(&cut), [None, None, Some(30.0), Some(0.0)], "of February only what began from the tenth on was taken");
        assert_eq!(saidi(&cut.part(&[AssetId(1)])), saidi(&cut));
    }
}
