//! A network whose switches and sources follow what points report.
//!
//! A switch with a point has the position that the point reports, and an unknown one while the point reports nothing that counts. A switch without a point
//! stays in its normal position, which is assumed and not known. A position that a user has entered counts by its rule, for all phases or for some.
//!
//! A measured voltage at any node is evidence, too, see [`NetworkState::set_measured`]. When a node loses its last possible supply, voltages count only if
//! they were measured after the reading that has taken it.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use grid::manual_entry::EntryTerms;
use grid::outage::is_dead_voltage;
use grid::reading::{AHEAD_LIMIT_MS, is_ahead};
use grid::topology::contact;
use grid::{Micros, PointId, Quality, Reading, freshness};

use crate::measured_node::MeasuredNode;
use crate::network_state::LostSupply;
use crate::openings::Openings;
use crate::{Contact, EquipmentId, Model, NetworkState, NodeId, Phase, Phases, State};

pub use crate::sight::Sight;
pub use crate::voltage::{NodeVoltage, Voltage};

/// What determines whether a source is present.
#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    /// Its measured voltages. It is present if one of them is that of a live line, and absent if all of them are dead.
    Measured(Vec<Voltage>),
    /// It is present while any position of the network is reported, and unknown otherwise.
    WhileReceived,
    /// Nothing: it is unknown.
    Unknown,
}

/// A position that a user has entered. For a source it is whether the source is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnteredPosition {
    /// The switch, earth switch or source.
    pub equipment: EquipmentId,
    /// The phases that have the position.
    pub phases: Phases,
    /// The position.
    pub contact: Contact,
    /// Until when it counts.
    pub terms: EntryTerms,
}

/// Why the states contradict a measured voltage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contradiction {
    /// By the positions of the switches or other measurements the node is live, and all of its own voltages are dead. It stays energised.
    MeasuredDead,
    /// By the positions of the switches nothing can feed the node, and a voltage is that of a live line. It is energised.
    MeasuredLive,
}

impl Presence {
    /// Returns the voltage that a point measures.
    fn voltage_of(&self, point: PointId) -> Option<&Voltage> {
        let Self::Measured(voltages) = self else { return None };
        voltages.iter().find(|voltage| voltage.point == point)
    }
}

/// The points of a network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bindings {
    /// Positions: the point, and the phases of the equipment that it reports.
    pub positions: Vec<(PointId, EquipmentId, Phases)>,
    /// Sources without a position.
    pub sources: Vec<(EquipmentId, Presence)>,
    /// Voltages at nodes.
    pub voltages: Vec<NodeVoltage>,
}

impl Bindings {
    /// Returns all equipment whose position each point reports, in the order of the positions: it moves together.
    pub fn equipment_by_point(&self) -> HashMap<PointId, Vec<EquipmentId>> {
        let mut equipment: HashMap<PointId, Vec<EquipmentId>> = HashMap::new();
        for (point, of, _) in &self.positions {
            let together = equipment.entry(*point).or_default();
            if !together.contains(of) {
                together.push(*of);
            }
        }
        equipment
    }
}

/// A network with the positions that its points report.
#[derive(Debug, Clone)]
pub struct LiveNetwork {
    state: NetworkState,
    bindings: Arc<Bindings>,
    uses: HashMap<PointId, Uses>,
    index: Arc<Index>,
    /// What each point says: a position, or whether a voltage is that of a live line.
    says: HashMap<PointId, Contact>,
    /// Position points with a current reading.
    received: HashSet<PointId>,
    /// In the order of their first voltages.
    measured: Vec<MeasuredNode>,
    /// Since when equipment is open.
    openings: Openings,
    /// The possible supply of measured nodes in the network that this one replaces, until the first [`LiveNetwork::settle`].
    supplied_before: HashMap<NodeId, Phases>,
    /// The last report of each position point.
    reports: HashMap<PointId, Reading>,
    /// Equipment without a point whose assumed position is taken as unknown.
    doubted: HashSet<EquipmentId>,
    /// Entered positions.
    entered: Vec<EnteredPosition>,
    /// The same by the equipment that they were made for.
    made_for: HashMap<EquipmentId, Vec<EnteredPosition>>,
    /// The entered positions of each piece of equipment, also those of what moves with it, the latest entry last.
    entered_of: HashMap<EquipmentId, Vec<EnteredPosition>>,
    /// When readings become stale or valid, the earliest first.
    due: BTreeSet<(Micros, PointId)>,
    due_of: HashMap<PointId, Micros>,
}

/// What is found by equipment in the [`Bindings`].
#[derive(Debug, Default)]
struct Index {
    /// The points of the position of each piece of equipment.
    points_of: HashMap<EquipmentId, PositionPoints>,
    /// Indexes of [`Bindings::sources`].
    source_at: HashMap<EquipmentId, usize>,
}

/// The points that report the position of a piece of equipment.
#[derive(Debug, Default)]
struct PositionPoints {
    /// Each with the phases that it reports.
    points: Vec<(PointId, Phases)>,
    /// Whether there are several, or none for one of the phases.
    is_by_phase: bool,
}

impl Index {
    fn new(bindings: &Bindings, model: &Model) -> Self {
        let mut points_of: HashMap<EquipmentId, PositionPoints> = HashMap::new();
        for (point, equipment, phases) in &bindings.positions {
            points_of.entry(*equipment).or_default().points.push((*point, *phases));
        }
        for (equipment, of) in &mut points_of {
            let all = model.phases_with_contact(*equipment);
            of.is_by_phase = of.points.len() > 1 || !all.without(of.points[0].1).is_empty();
        }
        let source_at = bindings.sources.iter().enumerate().map(|(at, (source, _))| (*source, at)).collect();
        Self { points_of, source_at }
    }

    /// Returns the points that report the position of equipment, each with its phases.
    fn points_of(&self, equipment: EquipmentId) -> &[(PointId, Phases)] {
        self.points_of.get(&equipment).map_or(&[], |of| of.points.as_slice())
    }
}

/// What depends on a point.
#[derive(Debug, Clone, Default)]
struct Uses {
    /// The equipment whose position it reports.
    positions: Vec<EquipmentId>,
    /// Indexes of [`Bindings::sources`] whose voltage it measures.
    sources: Vec<usize>,
    /// Indexes of [`LiveNetwork::measured`].
    nodes: Vec<usize>,
}

impl LiveNetwork {
    /// Creates a network in which no point has reported yet.
    pub fn new(model: Arc<Model>, bindings: Arc<Bindings>) -> Self {
        let mut state = NetworkState::new(model);
        let mut uses: HashMap<PointId, Uses> = HashMap::new();
        let index = Arc::new(Index::new(&bindings, state.model()));
        for (point, equipment, _) in &bindings.positions {
            let positions = &mut uses.entry(*point).or_default().positions;
            if !positions.contains(equipment) {
                positions.push(*equipment);
            }
            state.set_contact(*equipment, Contact::Unknown);
        }
        for (index, (source, presence)) in bindings.sources.iter().enumerate() {
            state.set_contact(*source, Contact::Unknown);
            if let Presence::Measured(voltages) = presence {
                for voltage in voltages {
                    uses.entry(voltage.point).or_default().sources.push(index);
                }
            }
        }
        state.settle();
        let mut measured: Vec<MeasuredNode> = Vec::new();
        let mut index_of: HashMap<NodeId, usize> = HashMap::new();
        for voltage in &bindings.voltages {
            let index = *index_of.entry(voltage.node).or_insert_with(|| {
                state.watch(voltage.node);
                measured.push(MeasuredNode::new(voltage.node));
                measured.len() - 1
            });
            measured[index].add(voltage.clone());
            let nodes = &mut uses.entry(voltage.voltage.point).or_default().nodes;
            if !nodes.contains(&index) {
                nodes.push(index);
            }
        }
        Self {
            state,
            bindings,
            uses,
            index,
            says: HashMap::new(),
            received: HashSet::new(),
            measured,
            openings: Openings::default(),
            supplied_before: HashMap::new(),
            reports: HashMap::new(),
            doubted: HashSet::new(),
            entered: Vec::new(),
            made_for: HashMap::new(),
            entered_of: HashMap::new(),
            due: BTreeSet::new(),
            due_of: HashMap::new(),
        }
    }

    /// Returns the points of the network.
    pub fn bindings(&self) -> &Arc<Bindings> {
        &self.bindings
    }

    /// Takes over what cannot be seen in the latest readings from the network that this one replaces: since when equipment is open, and which voltages do not
    /// count any more. Does nothing if that one has another model.
    pub fn succeed(&mut self, before: &Self) {
        if !Arc::ptr_eq(self.state.model(), before.state.model()) {
            return;
        }
        self.openings.succeed(&before.openings);
        let losses: HashMap<NodeId, Micros> = before.measured.iter().map(|measured| (measured.node, measured.not_until())).collect();
        for measured in &mut self.measured {
            losses.get(&measured.node).into_iter().for_each(|at| measured.forget_until(*at));
        }
        self.supplied_before = losses.into_keys().map(|node| (node, before.state.possibly_supplied(node))).collect();
    }

    /// Makes the position of equipment without a point unknown: it is only assumed.
    pub fn doubt(&mut self, assumed: impl IntoIterator<Item = EquipmentId>) {
        for equipment in assumed {
            self.doubted.insert(equipment);
            if self.entered_of.contains_key(&equipment) {
                self.place(equipment);
            } else {
                self.state.set_contact(equipment, Contact::Unknown);
            }
        }
        self.state.settle();
    }

    /// Replaces the positions that users have entered. Each counts as its terms say; of several for a phase, the latest one. The cost is that of the difference.
    pub fn enter(&mut self, positions: &[EnteredPosition]) {
        let (gone, new) = difference(&self.entered, positions);
        if gone.is_empty() && new.is_empty() {
            return;
        }
        let concerned: BTreeSet<EquipmentId> = gone.iter().chain(new).flat_map(|of| self.moved_with(of.equipment)).collect();
        for position in gone {
            if let Entry::Occupied(mut made) = self.made_for.entry(position.equipment) {
                let at = made.get().iter().position(|held| *held == position);
                if let Some(at) = at {
                    made.get_mut().remove(at);
                }
                if made.get().is_empty() {
                    made.remove();
                }
            }
        }
        for position in new {
            self.made_for.entry(position.equipment).or_default().push(*position);
        }
        self.entered = positions.to_vec();
        for equipment in concerned {
            let together = self.moved_with(equipment);
            let made = together.iter().filter_map(|of| self.made_for.get(of)).flatten();
            let own = |made: &EnteredPosition| EnteredPosition { equipment, phases: self.phases_moved_with(made, equipment), ..*made };
            let mut entries: Vec<EnteredPosition> = made.map(own).collect();
            entries.sort_by_key(|entry| entry.terms.entered);
            if entries.is_empty() {
                self.entered_of.remove(&equipment);
            } else {
                self.entered_of.insert(equipment, entries);
            }
            self.place(equipment);
        }
    }

    /// Returns equipment with what a point of its position reports together with it.
    fn moved_with(&self, equipment: EquipmentId) -> BTreeSet<EquipmentId> {
        let points = self.index.points_of(equipment).iter();
        let together = points.filter_map(|(point, _)| self.uses.get(point)).flat_map(|uses| uses.positions.iter().copied());
        together.chain([equipment]).collect()
    }

    /// Returns the equipment whose position a point reports, each with the phases that it reports.
    pub fn reported_by(&self, point: PointId) -> Vec<(EquipmentId, Phases)> {
        let reported = |equipment: EquipmentId| {
            let own = self.index.points_of(equipment).iter().filter(|(of, _)| *of == point);
            (equipment, own.fold(Phases::NONE, |all, (_, phases)| all.union(*phases)))
        };
        self.uses.get(&point).into_iter().flat_map(|uses| &uses.positions).map(|equipment| reported(*equipment)).collect()
    }

    /// Returns the phases of equipment that have an entered position: all of them if the entry is for all phases of what it was made for.
    fn phases_moved_with(&self, position: &EnteredPosition, equipment: EquipmentId) -> Phases {
        let model = self.state.model();
        let is_whole = position.equipment != equipment && position.phases == model.phases_with_contact(position.equipment);
        if is_whole { model.phases_with_contact(equipment) } else { position.phases }
    }

    /// Sets the position of equipment by what users have entered, and by what its points report.
    fn place(&mut self, equipment: EquipmentId) {
        let index = Arc::clone(&self.index);
        let points = index.points_of(equipment);
        let unreported = self.unreported(equipment, points);
        let entries = self.entered_of.get(&equipment).map_or(&[][..], Vec::as_slice);
        let (says, received, reports) = (&self.says, &self.received, &self.reports);
        let is_gang = !self.state.model().kind(equipment).has_position_for_each_phase();
        let reported = |phase| if points.is_empty() { unreported } else { agreed(points, phase, says, received) };
        // A way through what was entered is cut since the observation.
        for phase in self.state.model().phases_with_contact(equipment).iter() {
            let entry = in_force(entries, points, phase, is_gang, reports);
            self.openings.enter(equipment, phase, entry.map(|entry| (entry.contact, entry.terms.observed)));
        }
        if entries.is_empty() && points.is_empty() {
            self.state.set_contact(equipment, unreported);
            return;
        }
        set_by_phase(&mut self.state, equipment, |phase| {
            in_force(entries, points, phase, is_gang, reports).map_or_else(|| reported(phase), |entry| entry.contact)
        });
    }

    /// Returns the position of equipment without an entry of which no point has reported anything.
    fn unreported(&self, equipment: EquipmentId, points: &[(PointId, Phases)]) -> Contact {
        if let Some(at) = self.index.source_at.get(&equipment) {
            return match &self.bindings.sources[*at].1 {
                Presence::Measured(voltages) => presence_of(voltages, &self.says),
                Presence::WhileReceived if !self.received.is_empty() => Contact::Closed,
                Presence::WhileReceived | Presence::Unknown => Contact::Unknown,
            };
        }
        let is_assumed = !self.doubted.contains(&equipment) && points.is_empty();
        if is_assumed { self.state.model().normal(equipment) } else { Contact::Unknown }
    }

    /// Returns the entry that determines the position of a phase of equipment; `None` if a report does, or if nothing was entered.
    pub fn entry_of(&self, equipment: EquipmentId, phase: Phase) -> Option<&EnteredPosition> {
        let is_gang = !self.state.model().kind(equipment).has_position_for_each_phase();
        in_force(self.entered_of.get(&equipment)?, self.index.points_of(equipment), phase, is_gang, &self.reports)
    }

    /// Returns whether the position of each phase of equipment is one that a user has entered.
    pub fn is_entered(&self, equipment: EquipmentId) -> bool {
        let phases = self.state.model().phases_with_contact(equipment);
        !phases.is_empty() && phases.iter().all(|phase| self.entry_of(equipment, phase).is_some())
    }

    /// Returns the position that the points of equipment report now; unknown if none does, or if they differ.
    pub fn reported_position(&self, equipment: EquipmentId, phases: Phases) -> Contact {
        let points = self.index.points_of(equipment);
        let each = phases.iter().map(|phase| agreed(points, phase, &self.says, &self.received));
        each.reduce(either).unwrap_or(Contact::Unknown)
    }

    /// Returns whether an entry with these terms would count for some phases of equipment, by the reports so far.
    pub fn would_count(&self, equipment: EquipmentId, phases: Phases, terms: EntryTerms) -> bool {
        let is_gang = !self.state.model().kind(equipment).has_position_for_each_phase();
        let (entry, points) = ([EnteredPosition { equipment, phases, contact: Contact::Unknown, terms }], self.index.points_of(equipment));
        phases.iter().all(|phase| in_force(&entry, points, phase, is_gang, &self.reports).is_some())
    }

    /// Returns the network with the states of its nodes as of the last [`LiveNetwork::settle`].
    pub fn state(&self) -> &NetworkState {
        &self.state
    }

    /// Queries the network as it would be with another state of some equipment, see [`NetworkState::with_contact`]. Points that were seen must have been settled.
    pub fn with_contact<T>(&mut self, equipment: &[EquipmentId], contact: Contact, ask: impl FnOnce(&NetworkState, &[NodeId]) -> T) -> T {
        self.state.with_contact(equipment, contact, ask)
    }

    /// Returns the points that the states depend on.
    pub fn points(&self) -> impl ExactSizeIterator<Item = PointId> + '_ {
        self.uses.keys().copied()
    }

    /// Returns whether the states depend on a point.
    pub fn depends_on(&self, point: PointId) -> bool {
        self.uses.contains_key(&point)
    }

    /// Returns the points whose reading has become stale or valid since it was seen.
    pub fn due(&self, now: Micros) -> Vec<PointId> {
        self.due.iter().take_while(|(at, _)| *at < now).map(|(_, point)| *point).collect()
    }

    /// Takes what a point shows now. A point that nothing depends on changes nothing.
    pub fn see(&mut self, point: PointId, now: Micros, sight: Option<Sight>) {
        let Some(uses) = self.uses.get(&point) else { return };
        let (has_position, nodes, mut until) = (!uses.positions.is_empty(), uses.nodes.clone(), None);
        let sources = uses.sources.iter().map(|source| &self.bindings.sources[*source].1);
        let voltage = sources.filter_map(|presence| presence.voltage_of(point)).next_back().map(|voltage| is_live(voltage, now, sight));
        let sources: Vec<EquipmentId> = uses.sources.iter().map(|source| self.bindings.sources[*source].0).collect();
        let said = sight.and_then(|sight| Some((sight.reading?, sight.age_limit_ms)));
        let is_received = said.is_some_and(|(reading, age_limit_ms)| {
            freshness::shown_quality(reading.quality, reading.source, now, age_limit_ms, true) <= Quality::Questionable
        });
        let at = said.map(|(reading, _)| reading.source);
        if has_position {
            let (says, valid_until) = sight.map_or((Contact::Unknown, None), |sight| match sight.encoding {
                Some(encoding) => contact(encoding, sight.reading.as_ref(), now, sight.age_limit_ms),
                None => (Contact::Unknown, None),
            });
            until = due_after(says, valid_until);
            self.openings.note(point, &uses.positions, says, is_received, at);
            let reading = sight.and_then(|sight| sight.reading);
            self.take_position(point, says, reading.map_or(Quality::Never, |reading| reading.quality), reading);
        }
        if let Some((says, valid_until)) = voltage {
            until = due_after(says, valid_until);
            self.openings.note(point, &sources, says, is_received, at);
            self.take_voltage(point, says);
        }
        for index in nodes {
            let measured = &mut self.measured[index];
            until = until.into_iter().chain(measured.see(point, now, sight)).min();
            if self.state.measured(measured.node) != measured.live() {
                self.state.set_measured(measured.node, measured.live());
            }
        }
        if let Some(before) = self.due_of.remove(&point) {
            self.due.remove(&(before, point));
        }
        if let Some(until) = until {
            self.due_of.insert(point, until);
            self.due.insert((until, point));
        }
    }

    /// Takes the position that a point reported at a time of the past. It does not become stale. `report`: its reading; `None` if the position is only assumed,
    /// so that no entry ends.
    pub fn set_position(&mut self, point: PointId, says: Contact, report: Option<Reading>) {
        let quality = if says == Contact::Unknown { Quality::CommLost } else { Quality::Good };
        self.take_position(point, says, quality, report);
    }

    /// Takes whether a voltage was that of a live line at a time of the past. It does not become stale.
    pub fn set_voltage(&mut self, point: PointId, says: Contact) {
        self.take_voltage(point, says);
    }

    fn take_position(&mut self, point: PointId, says: Contact, quality: Quality, report: Option<Reading>) {
        let Some(uses) = self.uses.get(&point).filter(|uses| !uses.positions.is_empty()) else { return };
        self.says.insert(point, says);
        if let Some(report) = report.filter(|report| report.quality < Quality::Never) {
            self.reports.insert(point, report);
        }
        let was_silent = self.received.is_empty();
        if quality < Quality::CommLost {
            self.received.insert(point)
        } else {
            self.received.remove(&point)
        };
        if was_silent != self.received.is_empty() {
            set_received(&mut self.state, &self.bindings, &self.entered_of, !self.received.is_empty());
        }
        for equipment in &uses.positions {
            if self.entered_of.contains_key(equipment) {
                continue;
            }
            match self.index.points_of.get(equipment).filter(|of| of.is_by_phase) {
                Some(of) => set_by_phase(&mut self.state, *equipment, |phase| agreed(&of.points, phase, &self.says, &self.received)),
                None => self.state.set_contact(*equipment, says),
            }
        }
        if self.entered_of.is_empty() {
            return;
        }
        let with_entries: Vec<EquipmentId> = uses.positions.iter().copied().filter(|of| self.entered_of.contains_key(of)).collect();
        for equipment in with_entries {
            self.place(equipment);
        }
    }

    fn take_voltage(&mut self, point: PointId, says: Contact) {
        let Some(uses) = self.uses.get(&point) else { return };
        for source in &uses.sources {
            let (equipment, presence) = &self.bindings.sources[*source];
            let Presence::Measured(voltages) = presence else { continue };
            self.says.insert(point, says);
            self.state.set_contact(*equipment, presence_of(voltages, &self.says));
        }
    }

    /// Updates the states after points were seen. Returns the nodes whose state changed, in order.
    pub fn settle(&mut self) -> Vec<NodeId> {
        let mut changed = self.state.settle();
        let lost = self.state.take_lost();
        if lost.is_empty() {
            self.supplied_before.clear();
            return changed;
        }
        let before = std::mem::take(&mut self.supplied_before);
        let gone = |lost: LostSupply| {
            // What was lost in the network before has been decided there.
            let gone = before.get(&lost.node).map_or(lost.gone, |supplied| lost.gone.intersection(*supplied));
            (lost.node, gone)
        };
        let lost: Vec<(NodeId, Phases)> = lost.into_iter().map(gone).collect();
        let since = self.openings.lost_since(&self.state, &lost);
        for measured in &mut self.measured {
            let Some(since) = since.get(&measured.node) else { continue };
            if let Some(at) = since {
                measured.forget_until(*at);
            }
            self.state.set_measured(measured.node, measured.live());
        }
        changed.extend(self.state.settle());
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Returns whether the state of a node contradicts its measured voltages.
    pub fn contradiction(&self, node: NodeId) -> Option<Contradiction> {
        let measured = self.measured.iter().find(|measured| measured.node == node)?;
        let is_live = matches!(self.state.state(node), State::Energised | State::Conflict);
        if is_live && !measured.dead().is_empty() && measured.live().is_empty() {
            return Some(Contradiction::MeasuredDead);
        }
        let unsupplied = measured.live().without(self.state.possibly_supplied(node));
        (!unsupplied.is_empty()).then_some(Contradiction::MeasuredLive)
    }
}

/// Returns the entry that determines the position of a phase: the latest one that counts, of entries of which the latest is last. The report of one phase ends
/// the entries of all phases that move together. `points`: those of the position, each with its phases.
fn in_force<'a>(
    entries: &'a [EnteredPosition],
    points: &[(PointId, Phases)],
    phase: Phase,
    is_gang: bool,
    reports: &HashMap<PointId, Reading>,
) -> Option<&'a EnteredPosition> {
    let of_phase = points.iter().filter(|(_, phases)| is_gang || phases.contains(phase)).map(|(point, _)| point);
    let counts =
        |entry: &&EnteredPosition| of_phase.clone().filter_map(|point| reports.get(point)).all(|report| entry.terms.counts(Some(report)));
    entries.iter().rev().filter(|entry| entry.phases.contains(phase)).find(counts)
}

/// Returns what is only in the first and only in the second list, without the parts at which both begin and end in the same way. What is in the rest of both is
/// in both results.
fn difference<'a>(before: &[EnteredPosition], now: &'a [EnteredPosition]) -> (Vec<EnteredPosition>, &'a [EnteredPosition]) {
    let same = |(one, other): &(&EnteredPosition, &EnteredPosition)| one == other;
    let first = before.iter().zip(now).take_while(same).count();
    let (before, now) = (&before[first..], &now[first..]);
    let last = before.iter().rev().zip(now.iter().rev()).take_while(same).count();
    (before[..before.len() - last].to_vec(), &now[..now.len() - last])
}

/// Sets the sources that are present while something is received, except for those of which a user has entered it.
fn set_received(state: &mut NetworkState, bindings: &Bindings, entered: &HashMap<EquipmentId, Vec<EnteredPosition>>, is_received: bool) {
    let contact = if is_received { Contact::Closed } else { Contact::Unknown };
    for (source, presence) in &bindings.sources {
        if *presence == Presence::WhileReceived && !entered.contains_key(source) {
            state.set_contact(*source, contact);
        }
    }
}

/// Sets what the phases of equipment report.
fn set_by_phase(state: &mut NetworkState, equipment: EquipmentId, contact: impl Fn(Phase) -> Contact) {
    let phases = state.model().phases_with_contact(equipment);
    if state.model().kind(equipment).has_position_for_each_phase() {
        phases.iter().for_each(|phase| state.set_phase(equipment, phase, contact(phase)));
    } else {
        let all = phases.iter().map(contact).reduce(either);
        state.set_contact(equipment, all.unwrap_or(Contact::Unknown));
    }
}

/// Returns the position of a phase that several points report. One that is silent does not count; the others must agree, and one whose position is not known,
/// because it is travelling or doubted, leaves none.
fn agreed(points: &[(PointId, Phases)], phase: Phase, says: &HashMap<PointId, Contact>, received: &HashSet<PointId>) -> Contact {
    let of_phase = points.iter().filter(|(_, phases)| phases.contains(phase)).map(|(point, _)| point);
    let counting = of_phase.filter_map(|point| {
        let contact = says.get(point).copied().unwrap_or(Contact::Unknown);
        (contact != Contact::Unknown || received.contains(point)).then_some(contact)
    });
    counting.reduce(either).unwrap_or(Contact::Unknown)
}

/// Returns the position that both say; unknown if they differ.
fn either(one: Contact, other: Contact) -> Contact {
    if one == other { one } else { Contact::Unknown }
}

/// Returns the time after which a reading has to be seen again. What is known is valid up to and including its end; what is not known yet is valid from it on.
fn due_after(says: Contact, until: Option<Micros>) -> Option<Micros> {
    until.map(|at| if says == Contact::Unknown { Micros(at.0 - 1) } else { at })
}

/// Returns whether a voltage is that of a live line, and until when this is valid.
fn is_live(voltage: &Voltage, now: Micros, sight: Option<Sight>) -> (Contact, Option<Micros>) {
    let Some((sight, reading)) = sight.and_then(|sight| Some((sight, sight.reading?))) else { return (Contact::Unknown, None) };
    let quality = freshness::shown_quality(reading.quality, reading.source, now, sight.age_limit_ms, true);
    if quality > Quality::Substituted {
        // A reading from the future can become valid at its source time.
        let will_be_valid = is_ahead(reading.source, now) && reading.quality <= Quality::Substituted;
        return (Contact::Unknown, will_be_valid.then(|| reading.source.plus_millis(-AHEAD_LIMIT_MS)));
    }
    let Some(kv) = reading.value.filter(|kv| kv.is_finite()) else { return (Contact::Unknown, None) };
    let contact = if is_dead_voltage(&voltage.code, voltage.nominal_kv, kv) { Contact::Open } else { Contact::Closed };
    // A substituted value does not age.
    let age_limit_ms = sight.age_limit_ms.filter(|_| reading.quality != Quality::Substituted);
    (contact, age_limit_ms.map(|limit| reading.source.plus_millis(limit)))
}

fn presence_of(voltages: &[Voltage], says: &HashMap<PointId, Contact>) -> Contact {
    let mut each = voltages.iter().map(|voltage| says.get(&voltage.point).copied().unwrap_or(Contact::Unknown));
    if each.clone().any(|contact| contact == Contact::Closed) {
        return Contact::Closed;
    }
    if !voltages.is_empty() && each.all(|contact| contact == Contact::Open) { Contact::Open } else { Contact::Unknown }
}

#[cfg(test)]
mod tests {
    use grid::position::Encoding;
    use grid::{Ordinal, Reading};

    use super::*;
    use crate::{Consumer, EquipmentKind, ModelBuilder, NewEquipment};

    const NOW: Micros = Micros(1_000_000_000_000);
    const VRY: PointId = PointId(1);
    const VYB: PointId = PointId(2);
    const BREAKER: PointId = PointId(3);
    const SECOND: PointId = PointId(4);

    /// A source, a breaker with a point, and a switch without one that is normally open.
    fn network(points_of_breaker: &[PointId], presence: Presence) -> LiveNetwork {
        let mut builder = ModelBuilder::new();
        let nodes: Vec<NodeId> = ["a", "b", "c"].map(|id| builder.add_node(id, None).unwrap()).to_vec();
        let mut add = |id, kind, nodes: &[NodeId], normal| {
            let terminals: Vec<_> = nodes.iter().map(|node| (*node, Phases::ABC)).collect();
            builder.add(NewEquipment { id, kind, terminals: &terminals, normal, consumer: Consumer::default() }).unwrap()
        };
        let source = add("source", EquipmentKind::EnergySource, &nodes[..1], Contact::Closed);
        let breaker = add("breaker", EquipmentKind::Breaker, &nodes[..2], Contact::Closed);
        add("tie", EquipmentKind::LoadBreakSwitch, &nodes[1..], Contact::Open);
        let positions = points_of_breaker.iter().map(|point| (*point, breaker, Phases::ABC)).collect();
        LiveNetwork::new(
            Arc::new(builder.build()),
            Arc::new(Bindings { positions, sources: vec![(source, presence)], voltages: Vec::new() }),
        )
    }

    fn measured() -> Presence {
        let voltage = |point, code: &str| Voltage { point, code: code.to_owned(), nominal_kv: 132.0 };
        Presence::Measured(vec![voltage(VRY, "Vry"), voltage(VYB, "Vyb")])
    }

    #[expect(clippy::unnecessary_wraps, reason = "a point without a sight is one of the cases")]
    fn sight(value: f64, quality: Quality, encoding: Option<Encoding>) -> Option<Sight> {
        let reading = Reading { value: Some(value), quality, source: NOW, received: NOW, ordinal: Ordinal::default() };
        Some(Sight { encoding, age_limit_ms: encoding.is_none().then_some(30_000), reading: Some(reading) })
    }

    fn volts(kv: f64) -> Option<Sight> {
        sight(kv, Quality::Good, None)
    }

    fn position(raw: f64) -> Option<Sight> {
        sight(raw, Quality::Good, Some(Encoding::DoublePoint))
    }

    fn states(network: &LiveNetwork) -> [State; 3] {
        ["a", "b", "c"].map(|id| network.state().state(network.state().model().node(id).unwrap()))
    }

    #[test]
    fn nothing_is_known_before_a_point_has_reported() {
        let network = network(&[BREAKER], measured());
        assert_eq!(states(&network), [State::Unknown, State::Unknown, State::Dead], "the switch without a point is assumed open");
    }

    #[test]
    fn source_is_present_while_its_voltage_says_so() {
        use State::{Dead, Energised, Unknown};
        let mut network = network(&[BREAKER], measured());
        network.see(BREAKER, NOW, position(2.0));
        network.see(VRY, NOW, volts(130.0));
        assert_eq!(network.settle().len(), 2);
        assert_eq!(states(&network), [Energised, Energised, Dead]);
        network.see(VRY, NOW, volts(0.4));
        network.settle();
        assert_eq!(states(&network), [Unknown, Unknown, Dead], "the other voltage is not known");
        network.see(VYB, NOW, volts(0.3));
        network.settle();
        assert_eq!(states(&network), [Dead; 3]);
        network.see(VYB, NOW, sight(0.3, Quality::CommLost, None));
        network.settle();
        assert_eq!(states(&network)[0], Unknown);
    }

    #[test]
    fn stale_voltage_is_no_longer_known() {
        let mut network = network(&[BREAKER], measured());
        network.see(BREAKER, NOW, position(2.0));
        network.see(VRY, NOW, volts(130.0));
        network.settle();
        assert!(network.due(NOW.plus_millis(30_000)).is_empty());
        let later = NOW.plus_millis(30_001);
        assert_eq!(network.due(later), [VRY]);
        network.see(VRY, later, volts(130.0));
        network.settle();
        assert_eq!(states(&network)[0], State::Unknown);
        assert!(network.due(later.plus_millis(60_000)).is_empty(), "it is known by now");
    }

    #[test]
    fn points_of_one_switch_must_agree() {
        let mut network = network(&[BREAKER, SECOND], Presence::WhileReceived);
        let second = |network: &LiveNetwork| states(network)[1];
        network.see(BREAKER, NOW, position(2.0));
        network.settle();
        assert_eq!(second(&network), State::Energised, "the other says nothing");
        network.see(SECOND, NOW, position(1.0));
        network.settle();
        assert_eq!(second(&network), State::Unknown);
        network.see(BREAKER, NOW, position(1.0));
        network.settle();
        assert_eq!(second(&network), State::Dead);
    }

    #[test]
    fn point_that_is_received_without_a_position_leaves_none() {
        let second = |network: &LiveNetwork| states(network)[1];
        for (raw, quality) in [(0.0, Quality::Good), (2.0, Quality::Questionable), (2.0, Quality::Invalid)] {
            let mut network = network(&[BREAKER, SECOND], Presence::WhileReceived);
            network.see(BREAKER, NOW, position(2.0));
            network.see(SECOND, NOW, sight(raw, quality, Some(Encoding::DoublePoint)));
            network.settle();
            assert_eq!(second(&network), State::Unknown, "{raw} {quality:?}");
            network.see(SECOND, NOW, sight(raw, Quality::CommLost, Some(Encoding::DoublePoint)));
            network.settle();
            assert_eq!(second(&network), State::Energised, "a silent point does not count");
        }
    }

    #[test]
    fn phases_without_a_point_are_unknown() {
        let (a, b) = (Phases::parse("A").unwrap(), Phases::parse("BC").unwrap());
        for kind in [EquipmentKind::Breaker, EquipmentKind::Fuse] {
            let mut builder = ModelBuilder::new();
            let nodes = ["a", "b"].map(|id| (builder.add_node(id, None).unwrap(), Phases::ABC));
            let new = NewEquipment { id: "switch", kind, terminals: &nodes, normal: Contact::Open, consumer: Consumer::default() };
            let switch = builder.add(new).unwrap();
            let model = Arc::new(builder.build());
            let of = |positions: Vec<(PointId, EquipmentId, Phases)>| {
                let mut network = LiveNetwork::new(Arc::clone(&model), Arc::new(Bindings { positions, ..Bindings::default() }));
                network.see(BREAKER, NOW, position(1.0));
                network.settle();
                network
            };
            assert_eq!(of(vec![(BREAKER, switch, a)]).state().position(switch), Contact::Unknown, "{kind:?}: two phases report nothing");
            let mut network = of(vec![(BREAKER, switch, a), (SECOND, switch, b)]);
            assert_eq!(network.state().position(switch), Contact::Unknown, "{kind:?}");
            network.see(SECOND, NOW, position(1.0));
            assert_eq!(network.state().position(switch), Contact::Open, "{kind:?}");
            // A point of all phases and one of a single phase must agree.
            let mut network = of(vec![(BREAKER, switch, Phases::ABC), (SECOND, switch, a)]);
            assert_eq!(network.state().position(switch), Contact::Open, "{kind:?}");
            network.see(SECOND, NOW, position(2.0));
            assert_eq!(network.state().position(switch), Contact::Unknown, "{kind:?}");
        }
    }

    #[test]
    fn source_of_a_drawing_is_unknown_while_nothing_is_received() {
        let mut network = network(&[BREAKER], Presence::WhileReceived);
        network.see(BREAKER, NOW, position(2.0));
        network.settle();
        assert_eq!(states(&network)[..2], [State::Energised; 2]);
        network.see(BREAKER, NOW, sight(2.0, Quality::CommLost, Some(Encoding::DoublePoint)));
        network.settle();
        assert_eq!(states(&network)[..2], [State::Unknown; 2]);
    }
}
