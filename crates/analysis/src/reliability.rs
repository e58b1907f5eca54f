//! The data of the reliability indices: the feeders of an area with their weights, their outages, and the rules for which outages are included.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use grid::outage::Cause;
use grid::reliability::{Class, CustomersWithoutSupply, Step, Sums, availability, sums};
use grid::{AssetId, Micros, NodeId, Scope};
use identity::{Area, View};
use jiff::civil::Date;
use network::temporary::TemporaryChange;
use store::Store;
use store::outage::{OutageRecord, Span};
use store::registry::AssetRecord;
use wire::flag::Flag;
use wire::reliability::{ReliabilityConfiguration, ReliabilityIndices, Weighting};
use wire::time::now;

use crate::calendar::{Calendar, Period};
use crate::error::Error;
use crate::feeder_weights::{FEEDER, FeederWeight, FeederWeights};
use crate::major_events::{MajorEvents, first_year};

/// Maximum number of outages in one answer. Beyond it the answer has the flag `partial`.
const OUTAGES_MAX: i64 = 100_000;
/// Limit of the jumpers and cuts that are looked at, the newest ones.
const UNFITTING_MAX: i64 = 10_000;
/// A feeder has fewer customers than 2 to this power.
const CUSTOMER_BITS: u32 = 28;

/// Returns the feeders of an area that the caller may see: the feeders of the utility or a node, the asset itself if it is a feeder, or the feeders of the
/// asset's bay.
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
    view.field.assets().filter(|asset| asset.type_id == FEEDER).filter(of).collect()
}

/// The data of the indices of an area.
#[derive(Debug)]
pub struct Figures {
    /// The utility's configuration of reliability indices.
    pub configuration: ReliabilityConfiguration,
    /// The calendar of the utility.
    pub calendar: Calendar,
    weighed: HashMap<AssetId, FeederWeight>,
    /// Whether the weights of all feeders are known.
    is_weighed: bool,
    /// The sum of the weights of the included feeders: customers, connected kVA or feeders. `None` if it is 0.
    pub served: Option<f64>,
    /// The outages, sorted by their start.
    pub outages: Vec<OutageRecord>,
    /// The start of the oldest outage in the list, if older outages were left out.
    reach: Option<Micros>,
    /// The included outages as steps. Outages of major event days are contained too.
    steps: Vec<(Date, Step)>,
    /// The feeders with the incidents of their sustained outages.
    lockouts: HashSet<(AssetId, i64)>,
    /// The major event days of the utility.
    pub major: MajorEvents,
    /// The time from which data of each substation exist.
    since: HashMap<NodeId, Micros>,
    /// Flags that apply to all periods.
    general: BTreeSet<Flag>,
    /// The time of the earliest event that is not processed yet. Figures of periods that end before it are complete.
    late_since: Option<Micros>,
    /// The times in which a jumper or a cut was there that may not fit the version of its time. Outages do not follow it.
    unfitting: Vec<Span>,
}

/// The sums of a period.
#[derive(Debug, Clone)]
pub struct PeriodSums {
    /// The sums. They exclude major event days if the utility's configuration does.
    pub sums: Sums,
    /// The ASAI of the same outages.
    asai: Option<f64>,
    /// Sums and ASAI without major event days.
    without: (Sums, Option<f64>),
    /// Number of outages that count.
    pub outages: usize,
    /// Number of sustained outages among them.
    pub sustained: usize,
    /// Number of momentary outages among them. An outage that has not ended and whose class is not decided is in neither number.
    pub momentary: usize,
    /// Flags that qualify the sums.
    pub flags: BTreeSet<Flag>,
    /// Whether the indices of the period are known.
    pub is_known: bool,
    /// Whether the data of all included substations exist from the start of the period on.
    pub has_data_from_start: bool,
}

impl Figures {
    /// Reads the data of feeders for all days of a period.
    pub async fn read(store: &Store, view: &View, feeders: &[&AssetRecord], period: Period) -> Result<Self, Error> {
        let (store, client) = (store, view.principal.client);
        let calendar = Calendar::of(view, now());
        let configuration = ReliabilityConfiguration::of(&view.field.client().config);
        let (epoch, top) = store.event_stream(client).await?;
        let cursor = store.outage_cursor(client).await?.filter(|cursor| cursor.epoch == epoch);
        let locations: BTreeSet<NodeId> = feeders.iter().map(|asset| asset.location).collect();
        let since = store.reporting_since(client, &locations.into_iter().collect::<Vec<_>>()).await?.into_iter().collect();
        let mut general = BTreeSet::new();
        let through = cursor.map_or(0, |cursor| cursor.through);
        let changed = if through < top { store.outages_changed(client, (through, top)).await? } else { Vec::new() };
        let late_since = changed.iter().map(|changed| changed.since).min();
        let weights = FeederWeights::read(store, view, &configuration).await?;
        let major = MajorEvents::read(store, view, &configuration, &weights, &calendar, period).await?;
        let weighed: HashMap<AssetId, FeederWeight> = feeders.iter().map(|asset| (asset.id, weights.of(asset))).collect();
        // Availability counts the minutes of outages that began earlier. The lockout of a series may begin after the last day.
        let span = (
            calendar.midnight(first_year(period))?,
            calendar.midnight(period.end)?.plus_millis(configuration.threshold().longest_momentary_ms()),
        );
        let ids: Vec<AssetId> = feeders.iter().map(|asset| asset.id).collect();
        // If there are too many, the latest ones are used: the requested period takes precedence over earlier years.
        let outages = store.outages(client, &ids, span, OUTAGES_MAX + 1).await?;
        let (outages, reach) = newest(outages, OUTAGES_MAX as usize);
        if reach.is_some() {
            general.insert(Flag::Partial);
        }
        let unfitting = unfitting(store, view, span).await?;
        let figures = Self::of(configuration, calendar, weighed, (outages, reach), since, general, major);
        Ok(Self { late_since, unfitting, ..figures })
    }

    /// Returns the data of some of the feeders.
    #[must_use]
    pub fn part(&self, of: &[AssetId]) -> Self {
        let weighed: HashMap<AssetId, FeederWeight> = of.iter().filter_map(|asset| Some((*asset, *self.weighed.get(asset)?))).collect();
        let outages: Vec<OutageRecord> = self.outages.iter().filter(|outage| weighed.contains_key(&outage.asset)).cloned().collect();
        let mut general = self.general.clone();
        general.retain(|flag| ![Flag::NoCustomers, Flag::NoFeeder].contains(flag));
        let (configuration, calendar) = (self.configuration.clone(), self.calendar.clone());
        let figures = Self::of(configuration, calendar, weighed, (outages, self.reach), self.since.clone(), general, self.major.clone());
        Self { late_since: self.late_since, unfitting: self.unfitting.clone(), ..figures }
    }

    fn of(
        configuration: ReliabilityConfiguration,
        calendar: Calendar,
        weighed: HashMap<AssetId, FeederWeight>,
        (outages, reach): (Vec<OutageRecord>, Option<Micros>),
        since: HashMap<NodeId, Micros>,
        mut general: BTreeSet<Flag>,
        major: MajorEvents,
    ) -> Self {
        let counting = || weighed.values().filter(|feeder| feeder.excluded.is_none());
        // An entered 0 is known: a spare feeder supplies nobody.
        let is_weighed = counting().all(|feeder| feeder.weight.is_some());
        let served: f64 = counting().filter_map(|feeder| feeder.weight).sum();
        let served = (served > 0.0).then_some(served);
        if counting().next().is_none() {
            general.insert(Flag::NoFeeder);
        } else if served.is_none() {
            general.insert(Flag::NoCustomers);
        }
        let mut figures = Self {
            configuration,
            calendar,
            weighed,
            is_weighed,
            served,
            outages,
            reach,
            steps: Vec::new(),
            lockouts: HashSet::new(),
            major,
            since,
            general,
            late_since: None,
            unfitting: Vec::new(),
        };
        let sustained = figures.outages.iter().filter(|outage| figures.class(outage) == Some(Class::Sustained));
        figures.lockouts = sustained.map(|outage| (outage.asset, outage.incident)).collect();
        figures.steps = figures.outages.iter().flat_map(|outage| figures.steps(outage)).collect();
        figures
    }

    /// Converts an outage to steps, if it counts and the weight of its feeder is known. If the network has the customers of the feeder, customers whose supply
    /// returned earlier than that of the feeder are separate steps.
    fn steps(&self, outage: &OutageRecord) -> Vec<(Date, Step)> {
        let Some(weight) = self.weight(outage).filter(|_| self.excluded(outage).is_none()) else { return Vec::new() };
        let step = |minutes: f64, lasts: bool, whom: CustomersWithoutSupply| {
            (self.calendar.day(outage.started), Step { interruption: outage.incident, started: outage.started, minutes, lasts, whom })
        };
        let Some(customers) = outage.customers.as_ref().filter(|_| self.configuration.weighting == Weighting::Customers) else {
            let whom = CustomersWithoutSupply::Feeder { id: outage.asset.0, weight };
            return vec![step(self.minutes(outage), outage.ended.is_none(), whom)];
        };
        // Customers have numbers of their own within each feeder.
        let base = outage.asset.0.unsigned_abs() << CUSTOMER_BITS;
        let groups = customers.groups((outage.started, outage.ended.unwrap_or(self.calendar.now)));
        let first_lasts = outage.ended.is_none();
        let steps = groups.iter().enumerate().map(|(nth, group)| {
            let whom = CustomersWithoutSupply::Range { first: base + group.first, end: base + group.end };
            step(group.minutes, first_lasts && nth == 0, whom)
        });
        steps.collect()
    }

    /// Returns the weight of the feeder of an outage in the indices; `None` if unknown.
    pub fn weight(&self, outage: &OutageRecord) -> Option<f64> {
        self.weighed.get(&outage.asset)?.weight
    }

    /// Returns whether any feeder counts.
    pub fn has_feeders(&self) -> bool {
        self.weighed.values().any(|feeder| feeder.excluded.is_none())
    }

    /// Returns the duration of an outage, min; up to now if it has not ended.
    pub fn minutes(&self, outage: &OutageRecord) -> f64 {
        outage.ended.unwrap_or(self.calendar.now).0.saturating_sub(outage.started.0).max(0) as f64 / 60e6
    }

    /// Returns the class of an outage; `None` if it has not ended and may still be momentary.
    pub fn class(&self, outage: &OutageRecord) -> Option<Class> {
        let class = self.configuration.threshold().class(self.minutes(outage));
        (class == Class::Sustained || outage.ended.is_some()).then_some(class)
    }

    /// Returns whether an outage is the momentary event before a lockout of the same series. Such an outage is not a momentary interruption (IEEE 1366-2012,
    /// 4.4.2).
    fn precedes_lockout(&self, outage: &OutageRecord) -> bool {
        self.lockouts.contains(&(outage.asset, outage.incident)) && self.class(outage) == Some(Class::Momentary)
    }

    /// Returns the reason why an outage is not included, apart from major event days.
    pub fn excluded(&self, outage: &OutageRecord) -> Option<&'static str> {
        if outage.correction.excluded {
            return Some("by_hand");
        }
        let feeder = self.weighed.get(&outage.asset).and_then(|feeder| feeder.excluded);
        let named = |cause: Cause| self.configuration.exclude_causes.iter().any(|word| word == cause.as_str());
        // A feeder that supplies nobody, such as a spare one, interrupts nobody, so its outages are no interruptions. The network at the time of the outage
        // counts, and else what is known of the feeder now.
        let by_network = outage.customers.as_ref().filter(|_| self.configuration.weighting == Weighting::Customers);
        let is_nobody = || by_network.is_some_and(|of| of.interrupted() == 0) || self.weight(outage).is_some_and(|weight| weight <= 0.0);
        let nobody = || is_nobody().then_some("no_customers");
        feeder
            .or_else(|| named(outage.cause()).then_some("cause"))
            .or_else(|| self.precedes_lockout(outage).then_some("before_sustained"))
            .or_else(nobody)
    }

    /// Returns the reason why an outage is not included.
    pub fn excluded_because(&self, outage: &OutageRecord) -> Option<&'static str> {
        let is_major = || self.configuration.exclude_major_event_days && self.is_major(self.calendar.day(outage.started));
        self.excluded(outage).or_else(|| is_major().then_some("major_event_day"))
    }

    /// Returns whether a day is a major event day (IEEE 1366).
    pub fn is_major(&self, day: Date) -> bool {
        self.major.days.contains_key(&day)
    }

    /// Returns the included steps that began in a period.
    fn steps_of(&self, period: Period, with_major: bool) -> Vec<Step> {
        let of = self.steps.iter().filter(|(day, _)| period.has(*day) && (with_major || !self.is_major(*day)));
        of.map(|(_, step)| *step).collect()
    }

    /// Computes the sums of a period.
    pub fn sums_of(&self, period: Period) -> Result<PeriodSums, Error> {
        let (from, to) = self.calendar.span(period)?;
        let mut flags = self.general.clone();
        if self.late_since.is_some_and(|since| since < to) {
            flags.insert(Flag::Late);
        }
        let until = to.min(self.calendar.now);
        // A substation without any data by the end of the period is not one without interruptions.
        let reporting: BTreeMap<NodeId, Option<Micros>> = self
            .weighed
            .values()
            .filter(|feeder| feeder.excluded.is_none())
            .map(|feeder| (feeder.location, self.since.get(&feeder.location).copied()))
            .collect();
        let reported_before = |at: Micros| move |since: &Option<Micros>| since.is_some_and(|since| since < at);
        let is_known = from < self.calendar.now && (reporting.is_empty() || reporting.values().any(reported_before(until)));
        let has_data_from_start = reporting.values().all(reported_before(from.plus_millis(1)));
        // Before the oldest outage in the list, outages were left out.
        let is_cut = self.reach.is_some_and(|reach| from <= reach);
        if !is_known {
            flags.insert(Flag::NoData);
        } else if !has_data_from_start {
            flags.insert(Flag::Partial);
        }
        let is_within = |(since, ended): &Span| *since < until && ended.is_none_or(|ended| ended > from);
        if !self.is_weighed || self.unfitting.iter().any(is_within) {
            flags.insert(Flag::Partial);
        }
        let threshold = self.configuration.threshold();
        let with_major = !self.configuration.exclude_major_event_days;
        let steps = self.steps_of(period, with_major);
        let totals = sums(&steps, threshold);
        // An outage can have several steps.
        let counts = |outage: &&OutageRecord| period.has(self.calendar.day(outage.started)) && self.excluded_because(outage).is_none();
        let counting = || self.outages.iter().filter(counts).filter(|outage| self.weight(outage).is_some());
        let count = |class| counting().filter(|outage| self.class(outage) == Some(class)).count();
        let (sustained, momentary) = (count(Class::Sustained), count(Class::Momentary));
        if totals.open > 0 {
            flags.extend([Flag::Open, Flag::Provisional]);
        }
        if self.outages.iter().filter(counts).any(OutageRecord::is_provisional) {
            flags.insert(Flag::Provisional);
        }
        let without = (sums(&self.steps_of(period, false), threshold), self.asai((from, until), false));
        let asai = self.asai((from, until), with_major);
        Ok(PeriodSums {
            sums: totals,
            asai,
            without,
            outages: counting().count(),
            sustained,
            momentary,
            flags,
            is_known: is_known && !is_cut,
            has_data_from_start,
        })
    }

    /// Returns the ASAI of a span.
    fn asai(&self, span: (Micros, Micros), with_major: bool) -> Option<f64> {
        let of = self.steps.iter().filter(|(day, _)| with_major || !self.is_major(*day)).map(|(_, step)| step);
        self.served.and_then(|served| availability(of, self.configuration.threshold(), served, span))
    }

    /// Returns the indices from the sums of a period.
    fn indices_of(&self, totals: &PeriodSums, sums: &Sums, asai: Option<f64>) -> ReliabilityIndices {
        let served = self.served.filter(|_| totals.is_known);
        // ASAI covers the minutes of the period only. All other indices cover the outages that began in it.
        let indices = ReliabilityIndices::from(served.and_then(|served| sums.indices(served, f64::INFINITY)));
        ReliabilityIndices { asai: served.and(asai), ..indices }
    }

    /// Returns the indices of a period.
    pub fn indices(&self, totals: &PeriodSums) -> ReliabilityIndices {
        self.indices_of(totals, &totals.sums, totals.asai)
    }

    /// Returns the indices of a period without major event days.
    pub fn indices_without_major(&self, totals: &PeriodSums) -> ReliabilityIndices {
        self.indices_of(totals, &totals.without.0, totals.without.1)
    }

    /// Returns the longest outage of each sustained interruption of a day, min.
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

/// Returns the times within a span in which outages do not follow a jumper or a cut, because it does not fit the version that was active, or may not fit it.
async fn unfitting(store: &Store, view: &View, span: (Micros, Micros)) -> Result<Vec<Span>, Error> {
    let mut times = store.unfitting_times(view.principal.client, span, UNFITTING_MAX).await?;
    if let Some(network) = view.field.active_network() {
        let unfitting = network.temporary().filter(|record| network.misfit(record.id).is_some());
        let counts = unfitting.filter(|record| !matches!(record.change, TemporaryChange::PortableEarth { .. }));
        times.extend(counts.map(|record| (record.placed.max(network.since()), None)));
    }
    Ok(times)
}

/// Returns the latest outages, the oldest first. If there are more than `most`, also returns the start of the oldest one, because others
/// may have started at the same time.
fn newest(mut outages: Vec<OutageRecord>, most: usize) -> (Vec<OutageRecord>, Option<Micros>) {
    let is_cut = outages.len() > most;
    outages.truncate(most);
    outages.reverse();
    let reach = outages.first().filter(|_| is_cut).map(|oldest| oldest.started);
    (outages, reach)
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
            customers: None,
            correction: store::outage::Correction::default(),
            note: None,
            corrected_by: None,
            corrected_at: None,
        };
        let newest_first = vec![outage(3, "2026-03-10T00:00:00Z"), outage(2, "2026-02-10T00:00:00Z"), outage(1, "2026-01-10T00:00:00Z")];
        let month = |month: i8| Period::month(2026, month).expect("a month");
        let of = |most: usize| {
            let (outages, reach) = newest(newest_first.clone(), most);
            let weighed = HashMap::from([(AssetId(1), FeederWeight { weight: Some(10.0), excluded: None, location: NodeId(1) })]);
            let since = HashMap::from([(NodeId(1), at("2025-01-01T00:00:00Z"))]);
            let calendar = Calendar::named("UTC", at("2026-05-01T00:00:00Z"));
            Figures::of(
                ReliabilityConfiguration::default(),
                calendar,
                weighed,
                (outages, reach),
                since,
                BTreeSet::new(),
                MajorEvents::default(),
            )
        };
        let saidi = |figures: &Figures| {
            [1, 2, 3, 4].map(|nth| {
                let totals = figures.sums_of(month(nth)).expect("sums");
                assert!(!totals.flags.contains(&Flag::NoData), "something had been heard");
                figures.indices(&totals).saidi
            })
        };
        assert_eq!(saidi(&of(3)), [Some(30.0), Some(30.0), Some(30.0), Some(0.0)]);
        let cut = of(2);
        assert_eq!(saidi(&cut), [None, None, Some(30.0), Some(0.0)], "of February only what began from the tenth on was taken");
        assert_eq!(saidi(&cut.part(&[AssetId(1)])), saidi(&cut));
        // Outages do not follow a jumper that does not fit the version of its time.
        let unfitting = vec![(at("2026-02-20T00:00:00Z"), Some(at("2026-03-02T00:00:00Z"))), (at("2026-04-30T00:00:00Z"), None)];
        let figures = Figures { unfitting, ..of(3) }.part(&[AssetId(1)]);
        let is_partial = |nth| figures.sums_of(month(nth)).expect("sums").flags.contains(&Flag::Partial);
        assert_eq!([1, 2, 3, 4].map(is_partial), [false, true, true, true]);
    }
}
