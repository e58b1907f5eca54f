//! The state of one utility for alarms: rules by point, watched links, breakers with their bays, and changes that are not committed yet.
//! Pure: reading and committing are in other modules.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use grid::alarm::{AlarmKind, AlarmRecord, Condition, Judge, Rule, State, Verdict};
use grid::fault::{CURRENT_WINDOW_MS, Fault};
use grid::point::PointKind;
use grid::{AssetId, ClientId, Event, GatewayId, LinkState, Micros, NodeId, Ordinal, Point, PointId, Quality, Reading, freshness};
use store::alarm::{FieldEvent, Progress};
use store::registry::{AssetRecord, Links};

use crate::about::About;
use crate::causes::{Causes, Suppression, is_cause, trip_source};
use crate::fold::Fold;
use crate::link::Link;
use crate::network_supply::{BoundNetwork, infeed_source};
use crate::supply::{is_electrical, opened_source};

/// Maximum number of changes of conditions that wait for their commit. Beyond it, the changes are dropped and the state is read from the database again. Then
/// only conditions that began and ended in between are lost.
pub(crate) const PENDING_MAX: usize = 50_000;
/// An event that is received later than this after its source time raises no alarm, ms. It is included in the event log and in the faults.
const HISTORY_MS: i64 = 24 * 60 * 60 * 1_000;
/// The codes of fault currents, by phase.
const FAULT_CURRENTS: [&str; 3] = ["FIr", "FIy", "FIb"];

/// Returns whether an event was received too late to raise an alarm.
pub(crate) fn is_history(event: &Event) -> bool {
    event.received.millis_since(event.source) > HISTORY_MS
}

/// A condition that became present or absent.
#[derive(Debug, Clone)]
pub(crate) struct ConditionChange {
    pub(crate) about: Arc<About>,
    pub(crate) verdict: Verdict,
    /// Whether the condition is still present although its cause has ended.
    pub(crate) outlives_cause: bool,
}

impl ConditionChange {
    fn new(about: &Arc<About>, verdict: Verdict) -> Self {
        Self { about: Arc::clone(about), verdict, outlives_cause: false }
    }
}

/// A rule with its judge.
#[derive(Debug, Clone)]
struct Watch {
    rule: Option<Rule>,
    judge: Judge,
    /// The link state that was evaluated last, if the rule watches a link.
    link: Option<LinkState>,
    about: Arc<About>,
}

/// The bay of a breaker.
#[derive(Debug, Clone)]
pub(crate) struct Bay {
    /// The feeder, or the breaker if there is none.
    pub(crate) asset: AssetId,
    pub(crate) asset_name: String,
    pub(crate) location: NodeId,
    pub(crate) location_name: String,
    pub(crate) customers: i32,
    /// The alarm for a trip.
    pub(crate) trip: Arc<About>,
    /// The points of its fault currents, by phase.
    pub(crate) currents: [Option<PointId>; 3],
}

/// The data from which the state of a utility is created.
pub(crate) struct Read<'a> {
    pub(crate) registry: &'a registry::Utility,
    /// The link states that are stored.
    pub(crate) stored_links: Links,
    pub(crate) rules: Vec<Rule>,
    /// Alarms whose conditions are present, as stored.
    pub(crate) active: Vec<AlarmRecord>,
    pub(crate) open: Vec<(PointId, Fault)>,
    pub(crate) cursor: Option<Progress>,
    pub(crate) silent_s: i32,
    pub(crate) outlasts: std::time::Duration,
    /// The active network.
    pub(crate) network: Option<Arc<BoundNetwork>>,
}

/// The state of one utility.
pub(crate) struct Utility {
    pub(crate) client: ClientId,
    /// The offset up to which its events have been processed.
    pub(crate) cursor: Option<Progress>,
    pub(crate) bays: HashMap<PointId, Bay>,
    /// Faults that have not ended.
    pub(crate) open: HashMap<PointId, Fault>,
    /// Whether the database may have unread events.
    pub(crate) dirty: bool,
    /// Conditions of measurands and links that have changed since the last commit.
    pub(crate) pending: Vec<ConditionChange>,
    /// Alarms that were raised before their cause was known.
    pub(crate) folds: Vec<Fold>,
    /// Breakers whose fault may have to be updated.
    pub(crate) touched: HashSet<PointId>,
    /// Sources of active alarms without a rule. They must be ended here, because no rule will end them.
    pub(crate) orphans: Vec<String>,
    /// Descriptions of active alarms whose rule has changed since they were raised.
    pub(crate) restated: Vec<Arc<About>>,
    points: HashMap<PointId, (Point, Vec<Watch>)>,
    links: HashMap<Link, Watch>,
    current_of: HashMap<PointId, PointId>,
    currents: HashMap<PointId, Reading>,
    /// The causes of losses of supply.
    pub(crate) causes: Causes,
    /// The watched points of each asset.
    watched_of: HashMap<AssetId, Vec<PointId>>,
    /// The position points of all switches.
    switches: HashSet<PointId>,
    /// The breaker of the bay of each relay.
    pub(crate) relays: HashMap<PointId, PointId>,
    /// Conditions that are suppressed, by the sources of their alarms. The map is ordered, so that many alarms at once are always released in the same order.
    pub(crate) suppressed: BTreeMap<String, Suppression>,
    /// The sources of the active alarms for trips and opened switches, as stored.
    pub(crate) standing: HashSet<String>,
    /// A condition that is still present this long after its cause has ended is an alarm of its own, ms.
    pub(crate) outlasts_ms: i64,
    /// Breakers with an open fault whose opening was received late, so that its alarm must wait until all events are processed.
    pub(crate) late: HashSet<PointId>,
    /// The time until which events wait, because a relay has operated and its breaker has not reported yet.
    pub(crate) held_until: Option<Micros>,
}

impl Utility {
    /// Builds the state of a utility from stored data. Unchanged rules of the previous state `before` continue, including their running delays, and its pending
    /// changes are kept.
    #[expect(clippy::too_many_lines, reason = "a list of parts")]
    pub(crate) fn new(client: ClientId, read: Read<'_>, before: Option<Self>) -> Self {
        let Read { registry, stored_links, rules, active, open, cursor, silent_s, outlasts, network } = read;
        let name_of = |node: NodeId| registry.node(node).map(|node| node.name.clone()).unwrap_or_default();
        let (mut old, old_links, currents, pending, folds, touched, causes, was_suppressed) =
            before.map_or_else(Default::default, |before| {
                let Self { points, links, currents, pending, folds, touched, causes, suppressed, .. } = before;
                (points, links, currents, pending, folds, touched, causes, suppressed)
            });
        let stored = active;
        // An alarm that nothing follows any more is an orphan: its switch or infeed is not in the network, although its substation is.
        let is_followed = |alarm: &AlarmRecord, point: &Point| match (&network, alarm.kind) {
            (Some(network), AlarmKind::Opened) => network.has_switch(point.id) || !network.has_location(point.location),
            (Some(network), AlarmKind::Infeed) => network.is_infeed(point.id),
            (None, kind) => kind == AlarmKind::Opened,
            _ => false,
        };
        let opened: HashMap<PointId, NodeId> = stored
            .iter()
            .filter_map(|alarm| Some((alarm, registry.point(alarm.point?)?)))
            .filter(|(alarm, point)| is_followed(alarm, point))
            .map(|(_, point)| (point.id, point.location))
            .collect();
        let suppressed = stored.iter().filter(|alarm| alarm.life.state == State::Suppressed);
        let suppressed = suppressed.map(|alarm| {
            let ended = was_suppressed.get(&alarm.source).and_then(|held| held.ended);
            (alarm.source.clone(), Suppression { cause: alarm.cause.clone(), ended, ..Suppression::default() })
        });
        let suppressed: BTreeMap<String, Suppression> = suppressed.collect();
        let standing = stored.iter().filter(|alarm| is_cause(alarm.kind)).map(|alarm| alarm.source.clone()).collect();
        let still_opened: HashSet<String> = opened.keys().flat_map(|switch| [opened_source(*switch), infeed_source(*switch)]).collect();
        let mut active: HashSet<String> = stored.iter().map(|alarm| alarm.source.clone()).collect();
        // The row of such a condition is not active, although the condition is present.
        let mut hidden: BTreeMap<String, Suppression> = was_suppressed.into_iter().filter(|(_, held)| held.is_hidden).collect();
        hidden.retain(|source, _| !active.contains(source));
        // Pending changes are stored before anything that is judged from now on.
        for ConditionChange { about, verdict, .. } in &pending {
            if verdict.active {
                active.insert(about.source.clone());
            } else {
                active.remove(&about.source);
                hidden.remove(&about.source);
            }
        }
        let holds = |source: &String| active.contains(source) || hidden.contains_key(source);
        // Customers of the network, or else the entered ones.
        let customers_of =
            |asset: &AssetRecord| network.as_ref().and_then(|network| network.customers(asset.id)).unwrap_or(asset.customers);
        let points = watched_points(registry, rules, holds, &mut old, &customers_of);
        let bays = bays(registry, &name_of, &customers_of);
        let mut utility = Self {
            client,
            cursor,
            bays,
            open: open.into_iter().collect(),
            dirty: true,
            pending,
            folds,
            touched,
            orphans: Vec::new(),
            restated: Vec::new(),
            points,
            links: links(registry, &active, silent_s, &name_of),
            current_of: HashMap::new(),
            currents,
            causes: Causes::new(opened, causes),
            switches: registry.points().filter(|point| point.code == "Pos").map(|point| point.id).collect(),
            watched_of: HashMap::new(),
            relays: HashMap::new(),
            suppressed: suppressed.into_iter().chain(hidden).collect(),
            standing,
            outlasts_ms: i64::try_from(outlasts.as_millis()).unwrap_or(i64::MAX),
            late: HashSet::new(),
            held_until: None,
        };
        utility.relays = utility.relays_of_bays(registry);
        for (point, _) in utility.points.values() {
            utility.watched_of.entry(point.asset).or_default().push(point.id);
        }
        let is_low = |watch: &Watch| matches!(watch.about.kind, AlarmKind::Low | AlarmKind::LowLow);
        let low = utility.points.values().filter(|(point, watches)| is_electrical(point.quantity) && watches.iter().any(is_low));
        let followed: HashSet<AssetId> = low.map(|(point, _)| point.asset).collect();
        utility.causes.set_network(network, &followed);
        // An open fault without an active alarm: its opening was received late, and the alarm was left for later.
        let is_called = |breaker: &PointId| active.contains(&trip_source(*breaker));
        utility.late = utility.open.keys().filter(|breaker| !is_called(breaker)).copied().collect();
        utility.current_of =
            utility.bays.iter().flat_map(|(breaker, bay)| bay.currents.iter().flatten().map(|point| (*point, *breaker))).collect();
        for (link, watch) in &mut utility.links {
            let same = old_links.get(link).filter(|old| old.judge.is_active() == watch.judge.is_active());
            if let Some(old) = same {
                (watch.judge, watch.link) = (old.judge, old.link);
            }
        }
        let watched = utility.points.values().flat_map(|(_, watches)| watches).chain(utility.links.values()).map(|watch| &watch.about);
        let known: HashMap<&String, &Arc<About>> =
            watched.chain(utility.bays.values().map(|bay| &bay.trip)).map(|about| (&about.source, about)).collect();
        let is_known = |source: &String| known.contains_key(source) || still_opened.contains(source);
        let orphans = active.iter().filter(|source| !is_known(source)).cloned().collect();
        let decided_since = |alarm: &&AlarmRecord| known.get(&alarm.source).is_some_and(|about| about.differs(alarm));
        let restated =
            stored.iter().filter(decided_since).filter_map(|alarm| known.get(&alarm.source).map(|about| Arc::clone(about))).collect();
        (utility.orphans, utility.restated) = (orphans, restated);
        let known: HashSet<PointId> = utility.current_of.keys().copied().collect();
        utility.currents.retain(|point, _| known.contains(point));
        utility.take_links(stored_links);
        utility
    }

    /// Applies stored link states. The latest one from the bus may be newer.
    fn take_links(&mut self, stored: Links) {
        for (gateway, link) in stored.gateways {
            self.link(&Link::Gateway(gateway), link);
        }
        for (gateway, device, link) in stored.devices {
            self.link(&Link::Device(gateway, device), link);
        }
    }

    /// Applies a value from the bus. Status points are not evaluated here, because their events are read from the database without gaps.
    pub(crate) fn value(&mut self, point: PointId, reading: &Reading) {
        let effect = self.causes.measured(point, reading);
        self.take_effect(effect, reading.source);
        if let Some(breaker) = self.current_of.get(&point)
            && self.currents.get(&point).is_none_or(|held| reading.supersedes(held))
        {
            self.currents.insert(point, *reading);
            // A device holds its fault currents at a trip and reports them once, possibly after the fault has ended.
            self.touched.insert(*breaker);
        }
        if self.points.get(&point).is_some_and(|(point, _)| point.kind == PointKind::Measurand) {
            let mut flips = Vec::new();
            self.judge(point, reading, &mut flips);
            self.pending.append(&mut flips);
        }
    }

    /// Applies a stored value. A stale value is ignored. A status is used only if `caught_up` is true, which means that the value is not newer than the
    /// processed events.
    pub(crate) fn stored(&mut self, point: PointId, reading: &Reading, now: Micros, caught_up: bool) {
        if self.switches.contains(&point) || self.causes.network().is_some_and(|network| network.depends_on(point)) {
            self.causes.stored(point, reading);
        }
        let is_measured = self.points.get(&point).is_some_and(|(point, _)| point.kind == PointKind::Measurand);
        if is_measured || caught_up {
            let age_limit = self.points.get(&point).filter(|_| is_measured).and_then(|(point, _)| point.age_limit_ms());
            let quality = freshness::shown_quality(reading.quality, reading.source, now, age_limit, true);
            let mut flips = Vec::new();
            self.judge(point, &Reading { quality, ..*reading }, &mut flips);
            self.pending.append(&mut flips);
        }
        if self.current_of.contains_key(&point) && self.currents.get(&point).is_none_or(|held| reading.supersedes(held)) {
            self.currents.insert(point, *reading);
        }
    }

    fn judge(&mut self, point: PointId, reading: &Reading, flips: &mut Vec<ConditionChange>) {
        for watch in self.points.get_mut(&point).into_iter().flat_map(|(_, watches)| watches) {
            let verdicts = watch.judge.value(reading).into_iter().flatten();
            flips.extend(verdicts.map(|verdict| ConditionChange::new(&watch.about, verdict)));
        }
    }

    /// Applies an event to the rules of its point.
    pub(crate) fn event(&mut self, event: &FieldEvent) -> Vec<ConditionChange> {
        let event = &event.event;
        let mut flips = Vec::new();
        if !is_history(event) {
            let (value, quality, source, received) = (event.value, event.quality, event.source, event.received);
            self.judge(event.point, &Reading { value, quality, source, received, ordinal: event.ordinal }, &mut flips);
        }
        flips
    }

    /// Applies a link state. A superseded state changes nothing.
    pub(crate) fn link(&mut self, link: &Link, state: LinkState) {
        let Some(watch) = self.links.get_mut(link) else { return };
        if watch.link == Some(state) || !state.supersedes(watch.link.as_ref()) {
            return;
        }
        if watch.link.is_some_and(|known| state.since <= known.since) {
            // The clock was set back. Without a restart, the judge would ignore the state as older.
            watch.judge.restart();
        }
        watch.link = Some(state);
        let LinkState { online, since, .. } = state;
        let value = Some(if online { 1.0 } else { 0.0 });
        let reading = Reading { value, quality: Quality::Good, source: since, received: since, ordinal: Ordinal::default() };
        let verdicts = watch.judge.value(&reading).into_iter().flatten();
        self.pending.extend(verdicts.map(|verdict| ConditionChange::new(&watch.about, verdict)));
        let effect = self.causes.link(link, online, since);
        self.take_effect(effect, since);
    }

    /// Applies the passage of time to delays.
    pub(crate) fn time(&mut self, now: Micros) {
        let watches = self.points.values_mut().flat_map(|(_, watches)| watches).chain(self.links.values_mut());
        for watch in watches.filter(|watch| watch.judge.waits()) {
            self.pending.extend(watch.judge.time(now).map(|verdict| ConditionChange::new(&watch.about, verdict)));
        }
        let effect = self.causes.time(now);
        self.take_effect(effect, now);
        self.release(now);
        let locked_out = |fault: &Fault| {
            let mut later = *fault;
            later.time(now)
        };
        self.touched.extend(self.open.iter().filter(|(_, fault)| locked_out(fault)).map(|(breaker, _)| *breaker));
    }

    /// Returns a watched point.
    pub(crate) fn point(&self, point: PointId) -> Option<&Point> {
        self.points.get(&point).map(|(point, _)| point)
    }

    /// Returns whether a rule raises an alarm for low values of a point.
    pub(crate) fn watches_low(&self, point: PointId) -> bool {
        let watches = self.points.get(&point).into_iter().flat_map(|(_, watches)| watches);
        watches.into_iter().any(|watch| matches!(watch.about.kind, AlarmKind::Low | AlarmKind::LowLow))
    }

    /// Returns the alarms of a point whose conditions are present.
    pub(crate) fn active_at(&self, point: PointId) -> Vec<Arc<About>> {
        let watches = self.points.get(&point).into_iter().flat_map(|(_, watches)| watches);
        watches.filter(|watch| watch.judge.is_active()).map(|watch| Arc::clone(&watch.about)).collect()
    }

    /// Returns the alarms of an asset whose conditions are present.
    pub(crate) fn active_of(&self, asset: AssetId) -> Vec<Arc<About>> {
        self.watched_of.get(&asset).into_iter().flatten().flat_map(|point| self.active_at(*point)).collect()
    }

    /// Returns the description, the judge and the kind of point of an alarm that a rule raised.
    pub(crate) fn watch(&self, source: &str) -> Option<(&Arc<About>, &Judge, &Point)> {
        let point = source.strip_prefix("point/")?.split('/').next()?.parse().ok().map(PointId)?;
        let (point, watches) = self.points.get(&point)?;
        let watch = watches.iter().find(|watch| watch.about.source == source)?;
        Some((&watch.about, &watch.judge, point))
    }

    /// Returns the fault currents that belong to an opening.
    pub(crate) fn currents_at(&self, breaker: PointId, opened: Micros) -> [Option<f64>; 3] {
        let Some(bay) = self.bays.get(&breaker) else { return [None; 3] };
        bay.currents.map(|point| {
            let reading = self.currents.get(&point?)?;
            let is_near = reading.source.millis_since(opened).abs() <= CURRENT_WINDOW_MS;
            reading.value.filter(|value| is_near && value.is_finite() && reading.quality <= Quality::Questionable)
        })
    }
}

fn bays(
    registry: &registry::Utility,
    name_of: &dyn Fn(NodeId) -> String,
    customers_of: &dyn Fn(&AssetRecord) -> i32,
) -> HashMap<PointId, Bay> {
    let mut of_device: HashMap<(GatewayId, &str), Vec<&Point>> = HashMap::new();
    for point in registry.points() {
        of_device.entry((point.gateway, point.device.as_str())).or_default().push(point);
    }
    let mut bays = HashMap::new();
    for points in of_device.values() {
        let class_of = |point: &Point| registry.asset(point.asset).map_or("", |asset| asset.class_name.as_str());
        let feeder = points.iter().find(|point| class_of(point) == "feeder").and_then(|point| registry.asset(point.asset));
        let currents = FAULT_CURRENTS.map(|code| points.iter().find(|point| point.code == code).map(|point| point.id));
        for breaker in points.iter().filter(|point| point.code == "Pos" && class_of(point) == "breaker") {
            let Some(asset) = feeder.or_else(|| registry.asset(breaker.asset)) else { continue };
            let trip = About {
                source: trip_source(breaker.id),
                kind: AlarmKind::Trip,
                priority: 1,
                point: Some(breaker.id),
                asset: Some(asset.id),
                asset_name: Some(asset.name.clone()),
                location: breaker.location,
                location_name: name_of(breaker.location),
                text: "Breaker tripped".to_owned(),
                limit: None,
                unit: String::new(),
                customers: customers_of(asset),
            };
            let bay = Bay {
                asset: asset.id,
                asset_name: asset.name.clone(),
                location: breaker.location,
                location_name: name_of(breaker.location),
                customers: customers_of(asset),
                trip: Arc::new(trip),
                currents,
            };
            bays.insert(breaker.id, bay);
        }
    }
    bays
}

fn links(
    registry: &registry::Utility,
    active: &HashSet<String>,
    silent_s: i32,
    name_of: &dyn Fn(NodeId) -> String,
) -> HashMap<Link, Watch> {
    let watch = |source: String, priority, location: NodeId, text: String| {
        let judge = Judge::new(Condition::Is(0.0), silent_s, 0, active.contains(&source));
        let about = About {
            source,
            kind: AlarmKind::Comm,
            priority,
            point: None,
            asset: None,
            asset_name: None,
            location,
            location_name: name_of(location),
            text,
            limit: None,
            unit: String::new(),
            customers: 0,
        };
        Watch { rule: None, judge, link: None, about: Arc::new(about) }
    };
    let of_gateways = registry.gateways().map(|gateway| {
        let text = format!("{} is offline", gateway.name);
        (Link::Gateway(gateway.id), watch(format!("gateway/{}", gateway.id), 1, gateway.location, text))
    });
    let bays: HashSet<(GatewayId, &str)> =
        registry.points().filter(|point| !point.device.is_empty()).map(|point| (point.gateway, point.device.as_str())).collect();
    let of_devices = bays.into_iter().filter_map(|(id, device)| {
        let gateway = registry.gateway(id)?;
        let text = format!("Device {device} of {} is offline", gateway.name);
        Some((Link::Device(id, device.to_owned()), watch(format!("device/{id}/{device}"), 2, gateway.location, text)))
    });
    of_gateways.chain(of_devices).collect()
}

/// Returns the text of an alarm: its subject and the direction.
fn sentence(rule: &Rule, point: &Point) -> String {
    let subject = if rule.text.is_empty() { &point.code } else { &rule.text };
    match rule.kind {
        AlarmKind::High => format!("{subject} high"),
        AlarmKind::HighHigh => format!("{subject} very high"),
        AlarmKind::Low => format!("{subject} low"),
        AlarmKind::LowLow => format!("{subject} very low"),
        AlarmKind::Data => format!("{subject} not valid"),
        AlarmKind::State | AlarmKind::Trip | AlarmKind::Opened | AlarmKind::Infeed | AlarmKind::Command | AlarmKind::Comm => {
            subject.clone()
        }
    }
}

/// Returns the points of the enabled rules. Unchanged rules keep the state of their evaluation in `old`.
fn watched_points(
    registry: &registry::Utility,
    rules: Vec<Rule>,
    holds: impl Fn(&String) -> bool,
    old: &mut HashMap<PointId, (Point, Vec<Watch>)>,
    customers_of: &dyn Fn(&AssetRecord) -> i32,
) -> HashMap<PointId, (Point, Vec<Watch>)> {
    let name_of = |node: NodeId| registry.node(node).map(|node| node.name.clone()).unwrap_or_default();
    let mut points: HashMap<PointId, (Point, Vec<Watch>)> = HashMap::new();
    for rule in rules.into_iter().filter(|rule| rule.enabled) {
        let (Some(point), Some(condition)) = (registry.point(rule.point), rule.condition()) else { continue };
        let about = About {
            source: rule.source(),
            kind: rule.kind,
            priority: rule.priority,
            point: Some(point.id),
            asset: Some(point.asset),
            asset_name: Some(point.asset_name.clone()),
            location: point.location,
            location_name: name_of(point.location),
            text: sentence(&rule, point),
            limit: rule.limit,
            unit: point.unit.clone(),
            customers: registry.asset(point.asset).map_or(0, customers_of),
        };
        let holds = holds(&about.source);
        let same = old.get_mut(&rule.point).and_then(|(_, watches)| {
            watches.iter().find(|watch| watch.rule.as_ref() == Some(&rule) && watch.judge.is_active() == holds).map(|watch| watch.judge)
        });
        // Events of a status point may be processed again from the cursor on, so the judge starts there.
        let same = same.filter(|_| point.kind == PointKind::Measurand);
        let judge = same.unwrap_or_else(|| Judge::new(condition, rule.on_delay_s, rule.off_delay_s, holds));
        let watch = Watch { rule: Some(rule), judge, link: None, about: Arc::new(about) };
        points.entry(point.id).or_insert_with(|| ((*point).clone(), Vec::new())).1.push(watch);
    }
    points
}
