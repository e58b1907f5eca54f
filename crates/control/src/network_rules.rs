//! What the network says about a move: earths, sources and loads anywhere, and tags on what the move could energise.
//!
//! A position that is unknown, or that no point reports and no user has entered, fulfils no rule. A switch whose point is said to be wrong is not operated.
//! Names outside of the user's area are not given.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use auth::Principal;
use grid::command::TagRecord;
use grid::control::Throw;
use grid::control::interlock::{Class, SYNCHRONISM_RULE, Verdict};
use grid::control::tag::{Tag, TagKind, TagScope};
use grid::manual_entry::EntryRule;
use grid::{AssetId, Micros, NodeId as NodeOfHierarchy, PointId, Quality, Reading};
use network::description::POSITION;
use network::temporary::TemporaryChange;
use network::{Contact, Current, EquipmentId, EquipmentKind, LiveBy, NetworkState, NodeId, Obstacle, Phase, State};
use registry::{ActiveNetwork, BoundPositions, Field, NetworkIdentity, PresentNetwork, Unreported};
use store::control::{CallerNow, CommandFacts, NetworkFacts, Site};
use store::manual_entry::{EntrySubject, ManualEntry};
use store::registry::AssetRecord;
use wire::control::ControlConfiguration;

use crate::image::Image;

/// The most positions that a message names.
const NAMED_MAX: usize = 3;
/// The rule that what a switch connects is known.
const PLACE_RULE: &str = "network-place-known";
/// The rule that the reported position of a switch is believed.
const BELIEVED_RULE: &str = "position-believed";
/// The same rule as a text for users.
const PLACE_DEMAND: &str = "A switch may be operated only if it is known what it connects";

/// The class of a switch by the register and the diagram.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnClass {
    /// Its class.
    pub(crate) class: Option<Class>,
    /// Whether the diagram shows it as a breaker. An asset that was registered from a birth has the class of breakers, whatever switch it is.
    pub(crate) is_drawn_as_breaker: bool,
}

impl DrawnClass {
    /// Returns the class as far as it is known: that of a breaker only if the diagram shows one.
    fn known(self) -> Option<Class> {
        self.class.filter(|class| *class != Class::Breaker || self.is_drawn_as_breaker)
    }

    /// Returns whether the switch is a breaker, by the diagram or by the network in memory, which may be another version than the active one.
    fn is_breaker(self, field: &Field, site: &Site) -> bool {
        let in_network = || {
            let Some(bound) = field.bound_positions() else { return false };
            let equipment = equipment(field, &bound, site).unwrap_or_default();
            !equipment.is_empty() && equipment.iter().all(|of| bound.active().model().kind(*of).breaks_load())
        };
        self.class == Some(Class::Breaker) && (self.is_drawn_as_breaker || in_network())
    }
}

/// What the network says about a command.
#[derive(Default)]
pub(crate) struct NetworkMoves<'a> {
    /// The equipment that moves: several pieces if one point reports them together.
    each: Vec<NetworkMove<'a>>,
    /// Why the network can say nothing about a move that needs it.
    unjudged: Option<Verdict>,
}

impl<'a> NetworkMoves<'a> {
    /// Returns the moves of a command; none if the switch belongs to no active network.
    pub(crate) fn new(
        field: &'a Field,
        image: &Image,
        session: i64,
        site: &'a Site,
        class: DrawnClass,
        around: &'a CommandFacts,
        target: Throw,
    ) -> Self {
        let unjudged = |verdict| Self { each: Vec::new(), unjudged: Some(verdict) };
        if let Some(verdict) = disbelieved(field, image, site, around) {
            return unjudged(verdict);
        }
        let Some(caller) = around.caller.as_ref() else { return Self::default() };
        let loaded = field.active_network().map(ActiveNetwork::identity);
        if loaded != around.active_network.map(|active| NetworkIdentity::new(&active, around.temporary.clone())) {
            // No rule of the network forbids the opening of a breaker.
            let is_judged = target == Throw::Closed || !class.is_breaker(field, site);
            return if is_judged { unjudged(not_loaded()) } else { Self::default() };
        }
        let Some(bound) = field.bound_positions() else { return Self::default() };
        let found = equipment(field, &bound, site);
        // A lost change could be at a switch that the network does not have.
        let kind = MoveKind::of_command(bound.active(), found.as_deref().unwrap_or_default(), class.known(), target);
        if let Some(what) = kind.and_then(|kind| lost_change_against(bound.active(), kind)) {
            return unjudged(broken(PLACE_RULE, PLACE_DEMAND, &what));
        }
        let equipment = match found {
            Ok(equipment) => equipment,
            // Only a breaker may be opened without knowing what carries its load then.
            Err(verdict) if kind.is_some() => return unjudged(verdict),
            Err(_) => return Self::default(),
        };
        if equipment.is_empty() {
            return Self::default();
        }
        let Some(network) = network_of_decision(field, image, &around.network, Some(site.point), site.now) else {
            return Self::default();
        };
        if let Some(verdict) = entered(&network, &equipment, &around.network.manual) {
            return unjudged(verdict);
        }
        let principal = principal(field, session, caller);
        let to = if target == Throw::Closed { Contact::Closed } else { Contact::Open };
        let each = equipment.iter().map(|of| {
            // Which of them moves first is not known.
            let others: Vec<EquipmentId> = equipment.iter().copied().filter(|other| other != of).collect();
            let unknown_others = (!others.is_empty()).then(|| network.state().with_unknown(&others));
            let state = unknown_others.as_ref().unwrap_or_else(|| network.state());
            let energised = if to == Contact::Closed { state.may_energise(*of) } else { Vec::new() };
            let (network, principal) = (network.clone(), principal.clone());
            NetworkMove { field, site, around, principal, network, unknown_others, equipment: *of, to, energised }
        });
        Self { each: each.collect(), unjudged: None }
    }

    /// Returns the verdicts of the rules that apply: of each rule one, that of the equipment that breaks it. `is_in_step`: a synchronism check of
    /// the switch permits closing.
    pub(crate) fn verdicts(&self, is_in_step: bool) -> Vec<Verdict> {
        let mut verdicts: Vec<Verdict> = self.unjudged.iter().cloned().collect();
        for verdict in self.each.iter().flat_map(|of| of.verdicts(is_in_step)) {
            match verdicts.iter_mut().find(|held| held.rule == verdict.rule) {
                Some(held) if held.fulfilled => *held = verdict,
                Some(_) => {}
                None => verdicts.push(verdict),
            }
        }
        verdicts
    }

    /// Returns the inhibits elsewhere on what the move could energise.
    pub(crate) fn tags(&self) -> Vec<Tag> {
        self.each.iter().flat_map(NetworkMove::tags).collect()
    }
}

/// Returns the network with the positions of a decision. `operated`: the point whose own command is decided.
pub(crate) fn network_of_decision(
    field: &Field,
    image: &Image,
    facts: &NetworkFacts,
    operated: Option<PointId>,
    now: Micros,
) -> Option<PresentNetwork> {
    let bound = field.bound_positions()?;
    let stored: HashMap<PointId, Reading> = facts.readings.iter().copied().collect();
    let (entries, wrong) = believed_entries(field, &bound, facts, operated);
    // What is true of one point of a switch is true of the others.
    let beside = |point: PointId| bound.points_beside(point).chain([point]);
    let moving = facts.moving.iter().filter(|point| Some(**point) != operated);
    let unknown: HashSet<PointId> = moving.chain(&wrong).flat_map(|point| beside(*point)).collect();
    let doubts: Vec<(PointId, Micros)> =
        facts.doubts.iter().flat_map(|(of, since)| beside(*of).map(move |point| (point, *since))).collect();
    let readings = field.network_points().into_iter().filter_map(|point| {
        let reading = image.newest(point, stored.get(&point).copied())?;
        // A switch that is being operated, or whose last operation has no known outcome, has no known position.
        let reading = believed(point, reading, &doubts);
        let quality = if unknown.contains(&point) { reading.quality.worst(Quality::Questionable) } else { reading.quality };
        Some((point, Reading { quality, ..reading }))
    });
    field.network_with(readings.collect(), &entries, now, Unreported::Unknown)
}

/// Returns the entries of a decision: without those for a switch that is being operated, and for one whose last operation ended without a known outcome after
/// the observation. What was seen before says nothing about the position after it. The second part are points of such switches whose reports are not believed
/// either. `operated`: the point whose own command is decided.
fn believed_entries<'a>(
    field: &Field,
    bound: &BoundPositions,
    facts: &'a NetworkFacts,
    operated: Option<PointId>,
) -> (Cow<'a, [ManualEntry]>, Vec<PointId>) {
    // For each switch, the time up to which observations say nothing; `None` for all of them.
    let mut until_of: HashMap<EquipmentId, Option<Micros>> = HashMap::new();
    let mut until_at: HashMap<PointId, Option<Micros>> = HashMap::new();
    let moving = facts.moving.iter().filter(|point| Some(**point) != operated).map(|point| (*point, None));
    for (point, until) in facts.doubts.iter().map(|(point, since)| (*point, Some(*since))).chain(moving) {
        let later = |held: Option<Micros>| held.zip(until).map(|(one, other)| one.max(other));
        until_at.entry(point).and_modify(|held| *held = later(*held)).or_insert(until);
        for of in operated_by(field, bound, point).into_iter().flat_map(|of| bound.moved_with(of)) {
            until_of.entry(of).and_modify(|held| *held = later(*held)).or_insert(until);
        }
    }
    let is_doubted = |entry: &ManualEntry| {
        let until = match &entry.subject {
            EntrySubject::Point(point) => {
                let of = bound.equipment_of(*point).iter().find_map(|of| until_of.get(of));
                of.or_else(|| until_at.get(point))
            }
            EntrySubject::Equipment { id, .. } => bound.active().model().equipment(id).and_then(|of| until_of.get(&of)),
        };
        until.is_some_and(|until| until.is_none_or(|until| entry.terms.observed <= until))
    };
    let doubted: HashSet<i64> = facts.manual.iter().filter(|entry| is_doubted(entry)).map(|entry| entry.id).collect();
    if doubted.is_empty() {
        return (Cow::Borrowed(&facts.manual), Vec::new());
    }
    let (doubted, believed): (Vec<ManualEntry>, Vec<ManualEntry>) =
        facts.manual.iter().cloned().partition(|entry| doubted.contains(&entry.id));
    // Its point is said to be wrong, so that its report does not take the place of the entry.
    let of_wrong = doubted.iter().filter(|entry| entry.terms.rule == EntryRule::UntilWithdrawn);
    let wrong = of_wrong.flat_map(|entry| match &entry.subject {
        EntrySubject::Point(point) => vec![*point],
        EntrySubject::Equipment { id, .. } => {
            let equipment = bound.active().model().equipment(id);
            equipment.map(|of| bound.points_of(of).to_vec()).unwrap_or_default()
        }
    });
    (Cow::Owned(believed), wrong.collect())
}

/// Returns the equipment that a command to a point operates: that whose position the point reports, else that with the name of its asset.
fn operated_by(field: &Field, bound: &BoundPositions, point: PointId) -> Vec<EquipmentId> {
    let reported = bound.equipment_of(point);
    if !reported.is_empty() {
        return reported.to_vec();
    }
    let known = field.point(point);
    known.and_then(|point| named(field, bound, point.location, point.asset)).into_iter().collect()
}

/// Returns the switch with the name of an asset, `STATION/ASSET`.
fn named(field: &Field, bound: &BoundPositions, location: NodeOfHierarchy, asset: AssetId) -> Option<EquipmentId> {
    let station = field.node(location).map(|node| node.code.as_str()).unwrap_or_default();
    let asset = field.asset(asset).map(|asset| asset.code.as_str()).unwrap_or_default();
    let model = bound.active().model();
    let moves = |of: &EquipmentId| model.kind(*of).is_switch() || model.kind(*of) == EquipmentKind::GroundDisconnector;
    model.equipment(&format!("{station}/{asset}")).filter(moves)
}

/// Returns the equipment that a switch is in the network: that whose position its point reports, else that with its name. None if its substation is not in the
/// network, and an error if it is and the switch is not.
fn equipment(field: &Field, bound: &BoundPositions, site: &Site) -> Result<Vec<EquipmentId>, Verdict> {
    let reported = bound.equipment_of(site.point);
    if !reported.is_empty() {
        return Ok(reported.to_vec());
    }
    if let Some(named) = named(field, bound, site.location, site.asset) {
        return Ok(vec![named]);
    }
    let station = field.node(site.location).map(|node| node.code.as_str()).unwrap_or_default();
    let asset = field.asset(site.asset).map(|asset| asset.code.as_str()).unwrap_or_default();
    if bound.active().nodes_of_station(station).is_empty() {
        return Ok(Vec::new());
    }
    let what = format!(
        "the network has the substation {station}, but no switch {station}/{asset} and no position of its point. Add it to the network, or bind its point there. A breaker can be opened if the diagram shows it as one"
    );
    Err(broken(PLACE_RULE, PLACE_DEMAND, &what))
}

/// Returns why a switch is not operated for which an entry of a user counts: its point is said to be wrong, or has reported nothing since.
fn disbelieved(field: &Field, image: &Image, site: &Site, around: &CommandFacts) -> Option<Verdict> {
    let bound = field.bound_positions();
    let station = field.node(site.location).map(|node| node.code.as_str()).unwrap_or_default();
    let asset = field.asset(site.asset).map(|asset| asset.code.as_str()).unwrap_or_default();
    let named = format!("{station}/{asset}");
    // What one point reports moves together.
    let reported = |bound: &Arc<BoundPositions>| bound.equipment_of(site.point).iter().flat_map(|of| bound.moved_with(*of)).collect();
    let moved: BTreeSet<EquipmentId> = bound.as_ref().map(reported).unwrap_or_default();
    let is_own = |entry: &&ManualEntry| match &entry.subject {
        EntrySubject::Point(point) => {
            let is_beside = |bound: &Arc<BoundPositions>| bound.equipment_of(*point).iter().any(|of| moved.contains(of));
            *point == site.point || bound.as_ref().is_some_and(is_beside)
        }
        EntrySubject::Equipment { id, .. } => {
            let is_moved = |active: &ActiveNetwork| *id == named || active.model().equipment(id).is_some_and(|of| moved.contains(&of));
            bound.as_ref().is_some_and(|bound| !bound.active().is_lapsed(entry.id) && is_moved(bound.active()))
        }
    };
    let counts = |entry: &&ManualEntry| {
        let beside = bound.iter().flat_map(|bound| bound.points_beside(site.point)).chain([site.point]);
        let stored =
            |point| around.network.readings.iter().chain(&around.readings).find(|(of, _)| *of == point).map(|(_, reading)| *reading);
        beside.into_iter().all(|point| entry.terms.counts(image.newest(point, stored(point)).as_ref()))
    };
    let own = around.network.manual.iter().rev().filter(|entry| entry.quantity == POSITION).filter(is_own);
    let entry = own.clone().find(|entry| entry.terms.rule == EntryRule::UntilWithdrawn).or_else(|| own.clone().find(counts))?;
    let position = if entry.value < 1.5 { "open" } else { "closed" };
    Some(not_believed(entry.terms.rule, &entry.by, position))
}

/// Returns why equipment is not operated for which an entry counts in the network. The rules would take the entry for its position, and telemetry says another one.
fn entered(network: &PresentNetwork, equipment: &[EquipmentId], entries: &[ManualEntry]) -> Option<Verdict> {
    let model = network.active().model();
    let of_phases = |of: &EquipmentId| model.phases_with_contact(*of).iter().find_map(|phase| network.entry_of(*of, phase));
    let counting = equipment.iter().find_map(of_phases)?;
    let entry = entries.iter().rev().find(|entry| entry.terms == counting.terms);
    let position = if counting.contact == Contact::Open { "open" } else { "closed" };
    Some(not_believed(counting.terms.rule, entry.map_or("A user", |entry| &entry.by), position))
}

fn not_believed(rule: EntryRule, by: &str, position: &str) -> Verdict {
    let what = match rule {
        EntryRule::UntilWithdrawn => {
            format!("{by} has entered it as {position} until the entry is withdrawn. Withdraw the entry once the point is right")
        }
        EntryRule::UntilReported => {
            format!("{by} has entered it as {position}, and nothing newer was reported. Withdraw the entry, or wait for a report")
        }
    };
    broken(BELIEVED_RULE, "A switch may be operated only while its reported position is believed", &what)
}

/// A kind of move, by the temporary changes that make it dangerous while nobody knows where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveKind {
    /// Connects two conductors: a switch closes, a crew places a jumper or removes a cut.
    Connect,
    /// Earths a conductor: an earth switch closes, a crew places a portable earth.
    Earth,
    /// Separates conductors with what is not made for load: a disconnector opens, a crew places a cut or removes a jumper.
    Separate,
}

impl MoveKind {
    /// Returns the kind of a command; `None` if no lost change makes it dangerous. `class`: that of the asset as far as it is known, for a switch that the
    /// network does not have.
    fn of_command(active: &ActiveNetwork, equipment: &[EquipmentId], class: Option<Class>, target: Throw) -> Option<Self> {
        let kinds = || equipment.iter().map(|of| active.model().kind(*of));
        let (is_earth, interrupts_load) = if equipment.is_empty() {
            // An asset whose class is not known may be no earth switch, and may not be made for load.
            (class == Some(Class::EarthSwitch), !matches!(class, Some(Class::Breaker | Class::EarthSwitch)))
        } else {
            let is_earth = kinds().all(|kind| kind == EquipmentKind::GroundDisconnector);
            (is_earth, kinds().any(|kind| kind.is_switch() && !kind.breaks_load()))
        };
        match target {
            Throw::Closed if is_earth => Some(Self::Earth),
            Throw::Closed => Some(Self::Connect),
            Throw::Open => interrupts_load.then_some(Self::Separate),
        }
    }

    /// Returns the kind of the placing of a temporary change. The removal of a cut is the placing of a jumper; that of a jumper separates as a cut does.
    pub fn of_placing(change: &TemporaryChange) -> Self {
        match change {
            TemporaryChange::Jumper { .. } => Self::Connect,
            TemporaryChange::PortableEarth { .. } => Self::Earth,
            TemporaryChange::Cut { .. } => Self::Separate,
        }
    }
}

/// Returns why a move is refused while a temporary change has no place in the active version: where it is, is not known any more, so it could be anywhere.
///
/// A switch could be closed onto a lost earth. By a lost cut, it could join what the network shows as joined already. A lost jumper could feed what is to be
/// earthed, and carry the load of a disconnector.
pub fn lost_change_against(active: &ActiveNetwork, kind: MoveKind) -> Option<String> {
    let mut lost = active.temporary().filter(|record| active.misfit(record.id).is_some());
    let record = lost.find(|record| match record.change {
        TemporaryChange::PortableEarth { .. } | TemporaryChange::Cut { .. } => kind == MoveKind::Connect,
        TemporaryChange::Jumper { .. } => true,
    })?;
    Some(format!(
        "the active version of the network has no place for {} {}, placed by {} at {}. Find out where it is, and remove it or place it again",
        record.change.kind(),
        record.id,
        record.by,
        record.place
    ))
}

fn not_loaded() -> Verdict {
    broken(
        PLACE_RULE,
        PLACE_DEMAND,
        "the active version of the network is being loaded, or cannot be used. Try again in a few seconds, then ask the administrator",
    )
}

/// A move of a piece of equipment, with the network by the positions of the decision.
struct NetworkMove<'a> {
    field: &'a Field,
    site: &'a Site,
    around: &'a CommandFacts,
    principal: Principal,
    network: PresentNetwork,
    /// The network in which the equipment that moves at the same time has an unknown position; `None` if there is none.
    unknown_others: Option<NetworkState>,
    equipment: EquipmentId,
    to: Contact,
    /// Nodes that the move may energise.
    energised: Vec<NodeId>,
}

impl NetworkMove<'_> {
    fn state(&self) -> &NetworkState {
        self.unknown_others.as_ref().unwrap_or_else(|| self.network.state())
    }

    fn kind(&self) -> EquipmentKind {
        self.state().model().kind(self.equipment)
    }

    /// Returns the verdicts of the rules that apply to the move. `is_in_step`: a synchronism check of the switch permits closing.
    fn verdicts(&self, is_in_step: bool) -> Vec<Verdict> {
        let is_earth = self.kind() == EquipmentKind::GroundDisconnector;
        let is_closing = self.to == Contact::Closed;
        let mut verdicts = Vec::new();
        if is_closing {
            verdicts.push(self.earth(is_earth));
        }
        if is_closing && !is_earth {
            verdicts.push(self.sources(is_in_step));
        }
        if self.kind().is_switch() && !self.kind().breaks_load() {
            verdicts.push(self.load());
        }
        verdicts
    }

    fn earth(&self, is_earth: bool) -> Verdict {
        let (rule, demand) = if is_earth {
            ("network-earth-not-onto-supply", "The earth switch may be closed only onto what has no supply")
        } else {
            ("network-not-onto-earth", "The switch may be closed only while nothing on its section is earthed")
        };
        let state = self.state();
        if state.contact(self.equipment) == Contact::Closed || !state.model().is_in_service(self.equipment) && !is_earth {
            return fulfilled(rule, demand);
        }
        let obstacle = if is_earth { state.obstructing_source(self.equipment) } else { state.earth_against_closing(self.equipment) };
        let is_live = is_earth && state.may_be_live_at(self.equipment);
        let what = match obstacle {
            None if !is_live => return fulfilled(rule, demand),
            Some(Obstacle { at, is_gone: true, .. }) if is_live => {
                format!("it may be live, and {} is, or may be, connected with it. Isolate the section first", self.name(at))
            }
            Some(Obstacle { at, is_gone: true, .. }) => {
                format!("{} is, or may be, connected with it, and can come back. Isolate the section first", self.name(at))
            }
            Some(Obstacle { at, unknown, .. }) if unknown.is_empty() => {
                let remedy = match self.network.active().temporary_of(at) {
                    _ if is_earth => "Isolate the section first",
                    Some(_) => "Remove it first",
                    None => "Open it first",
                };
                format!("{} {} it. {remedy}", self.name(at), if is_earth { "feeds" } else { "earths" })
            }
            Some(Obstacle { at, unknown, .. }) => {
                let verb = if is_earth { "feed" } else { "earth" };
                format!("{} may {verb} it, because {}. Confirm on site first", self.name(at), self.unknown(&unknown))
            }
            None => "it has, or may have, voltage by a measurement, although nothing known feeds it. Find out first what does".to_owned(),
        };
        broken(rule, demand, &what)
    }

    fn sources(&self, is_in_step: bool) -> Verdict {
        let demand = "Only a switch that checks synchronism may join two sources";
        // A synchronism check permits closing onto a dead section, too, and does not see where that section begins.
        if let Some(gone) = self.state().gone_source_at(&self.energised) {
            let what =
                format!("{} is gone, and is, or may be, connected with what this would energise. Disconnect it first", self.name(gone));
            return broken(SYNCHRONISM_RULE, demand, &what);
        }
        let is_checked = || {
            let config = ControlConfiguration::of(&self.site.config);
            let station = self.field.node(self.site.location).map(|node| node.code.as_str()).unwrap_or_default();
            let asset = self.field.asset(self.site.asset).map(|asset| asset.code.as_str()).unwrap_or_default();
            config.synchronism_checked.contains(&format!("{station}/{asset}"))
        };
        let apart = self.state().live_apart(self.equipment);
        if apart.is_none() && !self.joins_unknown_supply() {
            return fulfilled(SYNCHRONISM_RULE, demand);
        }
        if is_in_step || is_checked() {
            // A source that is gone looks like a dead section to the check.
            let unknown = apart.and_then(|_| self.state().unknown_source_at(&self.energised));
            let Some(unknown) = unknown else { return fulfilled(SYNCHRONISM_RULE, demand) };
            let what = format!(
                "it is not known whether {} is present, and it is, or may be, connected with what this would energise. Wait for its voltage, enter whether it is present, or disconnect it first",
                self.name(unknown)
            );
            return broken(SYNCHRONISM_RULE, demand, &what);
        }
        // What certainly feeds both ends needs no positions to be confirmed.
        let model = self.state().model();
        let is_certain = model.terminals_of(self.equipment).iter().all(|(node, _)| is_live(self.state(), *node));
        let Some([LiveBy::Equipment(one), LiveBy::Equipment(other)]) = apart else {
            let both = if is_certain { "both of its sides are live" } else { "by unknown positions both of its sides may be live" };
            return broken(
                SYNCHRONISM_RULE,
                demand,
                &format!("{both}. One has voltage although by the positions of the switches nothing feeds it. Find out first what does"),
            );
        };
        let may = if is_certain { "it joins" } else { "by unknown positions it may join" };
        let [one, other] = [one, other].map(|of| self.name(of));
        broken(
            SYNCHRONISM_RULE,
            demand,
            &format!("{may} {one} and {other}. Disconnect one of them first, or close a switch with a synchronism check"),
        )
    }

    /// Returns whether both ends are live, in whichever phases, and one of them by a measured voltage that no source can explain.
    fn joins_unknown_supply(&self) -> bool {
        let state = self.state();
        let ends = state.model().terminals_of(self.equipment);
        let is_unexplained = |node: NodeId| state.is_live_by_measurement(node) && state.possibly_supplied(node).is_empty();
        let may_join = ends.iter().all(|(node, _)| is_live(state, *node)) && ends.iter().any(|(node, _)| is_unexplained(*node));
        may_join && !state.closes_loop(self.equipment)
    }

    fn load(&self) -> Verdict {
        let (rule, demand) = ("network-disconnector-without-load", "The disconnector may be operated only while it carries no load");
        let what = match self.state().may_carry_current(self.equipment) {
            None => return fulfilled(rule, demand),
            Some(_) if !self.state().may_be_live_at(self.equipment) => {
                "its source is gone, and can return at any time with load behind this. Open the breaker first".to_owned()
            }
            Some(Current::Load(load)) => {
                let megawatt = load.load_kw / 1_000.0;
                format!("{} customers and {megawatt:.1} MW are, or may be, behind it. Open the breaker first", load.customers)
            }
            Some(Current::Loop) => "it is, or may be, a part of a live loop. Open the breaker of the loop first".to_owned(),
            Some(Current::Exchange) => {
                "a source, a generator, a consumer, a capacitor or a line with direct current is, or may be, on each of its sides. Open the breaker first"
                    .to_owned()
            }
        };
        broken(rule, demand, &what)
    }

    /// Returns the inhibits elsewhere on what the move could energise.
    fn tags(&self) -> Vec<Tag> {
        let gained = &self.energised;
        if gained.is_empty() {
            return Vec::new();
        }
        let is_own = |tag: &TagRecord| tag.location == self.site.location && tag.covers(self.site.asset, &self.site.device);
        let blocking = self.around.network.tags.iter().filter(|tag| tag.kind == TagKind::Inhibit.as_str() && !is_own(tag));
        let blocking = blocking.filter(|tag| is_protected(self.field, self.network.active(), tag, gained));
        blocking
            .map(|tag| {
                let station = self.field.node(tag.location).filter(|node| self.principal.may_see(node.client, &node.path));
                let (holder, reason) = match station {
                    Some(node) => (
                        tag.holder.clone(),
                        format!("{}. The tag is on {} at {}, which this would energise.", tag.reason, tag.asset_name, node.name),
                    ),
                    None => ("another user".to_owned(), "The tag is outside of your area, on what this would energise.".to_owned()),
                };
                Tag { kind: TagKind::Inhibit, holder, reason, expires: None }
            })
            .collect()
    }

    /// Returns the name of equipment with its substation, as far as the user may see them.
    fn name(&self, equipment: EquipmentId) -> String {
        let place = self.network.place_of(self.field, equipment);
        let temporary = self.network.active().temporary_of(equipment);
        let name = place.asset.map_or_else(|| self.network.active().name_of(equipment), |asset| &asset.name);
        match place.station {
            Some(node) if self.principal.may_see(node.client, &node.path) => match temporary {
                Some(record) => format!("{name} at {}, placed by {},", record.place, record.by),
                None => format!("{name} at {}", node.name),
            },
            None if self.principal.may_see_all(self.field.client().id) => match temporary {
                Some(record) => format!("{name} at {}, placed by {},", record.place, record.by),
                None => name.to_owned(),
            },
            _ => "equipment outside of your area".to_owned(),
        }
    }

    fn unknown(&self, unknown: &[EquipmentId]) -> String {
        let describe = |equipment: &EquipmentId| {
            let name = self.name(*equipment);
            let is_reported = self.network.positions().is_reported(*equipment);
            if is_reported { format!("the state of {name} is not known") } else { format!("the position of {name} is only assumed") }
        };
        let named: Vec<String> = unknown.iter().take(NAMED_MAX).map(describe).collect();
        let more = unknown.len().saturating_sub(NAMED_MAX);
        if more > 0 { format!("{} and {more} more are not known", named.join(", ")) } else { named.join(", ") }
    }
}

/// Returns the inhibits on what a conductor that a crew places or joins again could energise: `gained`, in order.
pub fn inhibits_on<'a>(field: &Field, active: &ActiveNetwork, tags: &'a [TagRecord], gained: &[NodeId]) -> Vec<&'a TagRecord> {
    tags.iter().filter(|tag| tag.kind == TagKind::Inhibit.as_str() && is_protected(field, active, tag, gained)).collect()
}

/// Returns whether a tag protects some nodes, which are in order.
fn is_protected(field: &Field, active: &ActiveNetwork, tag: &TagRecord, nodes: &[NodeId]) -> bool {
    !nodes.is_empty() && protected(field, active, tag).iter().any(|node| nodes.binary_search(node).is_ok())
}

/// Returns the nodes that a tag protects: the section that each tagged switch feeds in the normal state, with the line behind its disconnectors, the sections of
/// other tagged equipment, and the whole feeder of a feeder's asset. A switch that feeds nothing in the normal state protects only itself.
fn protected(field: &Field, active: &ActiveNetwork, tag: &TagRecord) -> Vec<NodeId> {
    let is_tagged = |asset: &&AssetRecord| match tag.scope {
        TagScope::Device => tag.asset == Some(asset.id),
        TagScope::Bay => tag.asset == Some(asset.id) || asset.device == tag.bay,
        TagScope::Station => true,
    };
    let tagged_feeder = tag.asset.and_then(|asset| field.asset(asset)).is_some_and(|asset| asset.class_name == "feeder");
    let mut nodes = Vec::new();
    for asset in field.assets_at(tag.location).filter(is_tagged) {
        field.network_equipment(asset).into_iter().for_each(|equipment| protect(active, equipment, tagged_feeder, &mut nodes));
    }
    nodes
}

/// Temporary changes add to what a tag protects and take nothing away: a cut does not expose those who rely on the tag.
fn protect(active: &ActiveNetwork, equipment: EquipmentId, is_whole_feeder: bool, nodes: &mut Vec<NodeId>) {
    protect_in(active.stored(), equipment, is_whole_feeder, nodes);
    if !std::ptr::eq(active.stored(), active) {
        protect_in(active, equipment, is_whole_feeder, nodes);
    }
}

/// Adds the nodes that tagged equipment protects in a network, with or without its temporary changes. The nodes of the stored version have the same numbers in both.
fn protect_in(active: &ActiveNetwork, equipment: EquipmentId, is_whole_feeder: bool, nodes: &mut Vec<NodeId>) {
    let (normal, model) = (active.normal(), active.model());
    if !model.kind(equipment).is_switch() {
        model.terminals_of(equipment).iter().for_each(|(node, _)| nodes.extend(model.section(*node).nodes));
        return;
    }
    for (branch, phase) in model.branches_of(equipment).flat_map(|branch| Phase::ALL.map(|phase| (branch, phase))) {
        if is_whole_feeder {
            normal.downstream(branch, phase, nodes);
        } else if let Some(first) = normal.fed_end(branch, phase) {
            // Disconnectors that are open do not take the line out of the tag.
            let line = model.begin_of_line(first).filter(|line| *line != first);
            [Some(first), line].into_iter().flatten().for_each(|node| nodes.extend(model.section(node).nodes));
        }
    }
}

fn is_live(state: &NetworkState, node: NodeId) -> bool {
    matches!(state.state(node), State::Energised | State::Conflict)
}

fn fulfilled(rule: &'static str, demand: &str) -> Verdict {
    Verdict { rule, message: format!("{demand}."), fulfilled: true }
}

fn broken(rule: &'static str, demand: &str, what: &str) -> Verdict {
    Verdict { rule, message: format!("{demand}: {what}."), fulfilled: false }
}

/// Returns the user with the permissions at the time of the decision.
pub(crate) fn principal(field: &Field, session: i64, caller: &CallerNow) -> Principal {
    Principal {
        session,
        member: caller.member,
        client: field.client().id,
        role_id: caller.role_id,
        node: caller.node,
        can_operate: caller.can_operate,
        demo: caller.demo,
    }
}

/// Returns the reading of a switch, as questionable if it is not newer than the end of a command with unknown outcome on that switch.
pub(crate) fn believed(point: PointId, reading: Reading, doubts: &[(PointId, Micros)]) -> Reading {
    let doubted = doubts.iter().any(|(of, since)| *of == point && reading.source <= *since);
    if doubted { Reading { quality: reading.quality.worst(Quality::Questionable), ..reading } } else { reading }
}
