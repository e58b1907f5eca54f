//! Whether a temporary change may be placed: what it would earth, join or interrupt in the present state of the network.
//!
//! A danger that is certain forbids the change. One that depends on what is not known forbids it too, unless the crew has proved on site that the place is dead.

use crate::forest::Parents;
use crate::hazards::is_certainly_live;
use crate::live_apart::LiveBy;
use crate::network_state::{Layer, Quantity};
use crate::temporary::{TemporaryChange, equipment_of};
use crate::{Contact, Current, EquipmentId, NetworkState, NodeId, Phases, State};

/// Why a temporary change may not be placed.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacingDanger {
    /// What would happen.
    pub kind: DangerKind,
    /// Whether it is certain. What is not depends on positions or sources that are not known.
    pub is_certain: bool,
}

/// What a temporary change would do.
#[derive(Debug, Clone, PartialEq)]
pub enum DangerKind {
    /// The place to earth is fed by this source.
    EarthOntoSupply(EquipmentId),
    /// This source is gone and would feed the place to earth if it came back, or the earth to which the jumper connects it.
    EarthOntoReturningSupply(EquipmentId),
    /// The place to earth has voltage by a measurement, although nothing known feeds it.
    EarthOntoVoltage,
    /// The jumper would connect supply with an earth.
    JumperOntoEarth,
    /// The jumper would feed back to a source that is gone, and would be joined with it when it returns.
    JumperOntoGoneSource(EquipmentId),
    /// The jumper would join these sources. One of them can be a line with direct current, which does not bring its ends into step.
    JumperJoinsSources([EquipmentId; 2]),
    /// The jumper would join two live places, one of which nothing known feeds.
    JumperJoinsVoltages,
    /// The line that is to be cut, or the jumper that is to be removed, carries current.
    CutUnderLoad(Current),
}

/// What is at a node, in one phase: closed if it certainly is, open if it certainly is not.
#[derive(Debug, Clone, Copy)]
struct Present {
    supply: Contact,
    earth: Contact,
}

impl NetworkState {
    /// Returns the danger of placing a change; `None` if there is none. A certain danger is preferred, so that no other danger hides it.
    ///
    /// The change must fit the network: see [`crate::Description::with_temporary`].
    pub fn danger_of_placing(&self, change: &TemporaryChange) -> Option<PlacingDanger> {
        let node = |id: &str| self.model.node(id);
        let mut dangers = match change {
            TemporaryChange::PortableEarth { node: at, phases } => self.dangers_of_earth(node(at)?, *phases),
            TemporaryChange::Jumper { nodes: [one, other], phases } => self.dangers_of_jumper([node(one)?, node(other)?], *phases),
            TemporaryChange::Cut { equipment, .. } => self.danger_of_cut(self.model.equipment(equipment)?).into_iter().collect(),
        };
        let shown = dangers.iter().position(|danger| danger.is_certain).unwrap_or(0);
        (!dangers.is_empty()).then(|| dangers.swap_remove(shown))
    }

    /// Returns the danger of removing a jumper; `None` if there is none, or if the network does not have the jumper. Where its ends stay joined without it, the removal
    /// interrupts nothing.
    pub fn danger_of_removing_jumper(&self, number: i64) -> Option<PlacingDanger> {
        let jumper = self.model.equipment(&equipment_of(number))?;
        let stay_joined = |(layer, [one, other]): (&Layer, [NodeId; 2])| self.certain_side(layer, Some(jumper), one).contains(&other);
        if self.connections(jumper).all(stay_joined) { None } else { self.danger_of_cut(jumper) }
    }

    /// Returns the nodes that placing a change may energise, in order: only a jumper does. A cut that is removed is a jumper.
    pub fn may_be_energised_by_placing(&self, change: &TemporaryChange) -> Vec<NodeId> {
        let TemporaryChange::Jumper { nodes: [one, other], phases } = change else { return Vec::new() };
        let (Some(one), Some(other)) = (self.model.node(one), self.model.node(other)) else { return Vec::new() };
        let mut found = self.may_be_energised_by_jumper([one, other], *phases);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The phases do not matter for a source: a crew that works at one phase is close to the others.
    fn dangers_of_earth(&self, node: NodeId, phases: Phases) -> Vec<PlacingDanger> {
        let has_voltage = |level: usize| self.layers_of(phases).any(|layer| layer.is_measured(node)[level]);
        let mut dangers = Vec::new();
        if let Some((source, is_certain)) = self.source_feeding(node) {
            dangers.push(PlacingDanger { kind: DangerKind::EarthOntoSupply(source), is_certain: is_certain || has_voltage(0) });
        }
        if has_voltage(1) {
            dangers.push(PlacingDanger { kind: DangerKind::EarthOntoVoltage, is_certain: has_voltage(0) });
        }
        if let Some((source, is_certain)) = self.source_returning_to(node) {
            dangers.push(PlacingDanger { kind: DangerKind::EarthOntoReturningSupply(source), is_certain });
        }
        dangers
    }

    fn dangers_of_jumper(&self, ends: [NodeId; 2], phases: Phases) -> Vec<PlacingDanger> {
        let present: Vec<[Present; 2]> = self.layers_of(phases).map(|layer| ends.map(|node| present(layer, node))).collect();
        let either = |meets: fn(Present, Present) -> bool| present.iter().any(|[one, other]| meets(*one, *other) || meets(*other, *one));
        let mut dangers = Vec::new();
        if either(|one, other| one.supply != Contact::Open && other.earth != Contact::Open) {
            let is_certain = either(|one, other| one.supply == Contact::Closed && other.earth == Contact::Closed);
            dangers.push(PlacingDanger { kind: DangerKind::JumperOntoEarth, is_certain });
        }
        dangers.extend(self.earth_onto_gone_sources(ends, phases, &present));
        if let Some(earth) = self.earth_to_energise_by_jumper(ends, phases) {
            let is_supplied = present.iter().flatten().any(|end| end.supply == Contact::Closed);
            let at = self.model.terminals_of(earth.at)[0].0;
            let is_beyond = |end: NodeId| !phases.iter().any(|phase| self.are_joined([end, at], phase));
            let can_return = |end: &NodeId| is_beyond(*end) && matches!(self.source_returning_to(*end), Some((_, true)));
            let is_certain = earth.unknown.is_empty() && (is_supplied || ends.iter().any(can_return));
            dangers.push(PlacingDanger { kind: DangerKind::JumperOntoEarth, is_certain });
        }
        if let Some(gone) = self.gone_source_at(&self.may_be_energised_by_jumper(ends, phases)) {
            let is_certain = either(|one, other| one.supply == Contact::Closed && other.supply == Contact::Open);
            dangers.push(PlacingDanger { kind: DangerKind::JumperOntoGoneSource(gone), is_certain });
        }
        dangers.extend(self.joins_by_jumper(ends, phases));
        dangers
    }

    /// Returns the dangers that a jumper joins what is live at its ends. They are certain if both ends are live, in whichever phases.
    fn joins_by_jumper(&self, ends: [NodeId; 2], phases: Phases) -> Vec<PlacingDanger> {
        let is_certain = ends.iter().all(|node| self.layers.iter().any(|layer| is_certainly_live(layer, *node)));
        let sources = phases.iter().find_map(|phase| self.joined_sources(ends, phase));
        let sources = sources.map(|sources| DangerKind::JumperJoinsSources(sources.map(|source| self.model.source_equipment(source))));
        let apart = self.layers_of(phases).find_map(|layer| self.ends_live_apart(layer, ends, None)).map(|apart| match apart {
            [LiveBy::Equipment(one), LiveBy::Equipment(other)] => DangerKind::JumperJoinsSources([one, other]),
            _ => DangerKind::JumperJoinsVoltages,
        });
        let is_unexplained = |node: NodeId| self.measured_without_source(node);
        let joins_unexplained =
            is_certain && ends.into_iter().any(is_unexplained) && !phases.iter().all(|phase| self.are_joined(ends, phase));
        let unexplained = joins_unexplained.then_some(DangerKind::JumperJoinsVoltages);
        let kinds = [sources, apart, unexplained].into_iter().flatten();
        kinds.map(|kind| PlacingDanger { kind, is_certain }).collect()
    }

    /// Returns the dangers that a jumper carries an earth at one of its ends to a source that is gone at the other. That it is gone, proves nothing on site.
    fn earth_onto_gone_sources(&self, ends: [NodeId; 2], phases: Phases, present: &[[Present; 2]]) -> Vec<PlacingDanger> {
        if phases.iter().all(|phase| self.are_joined(ends, phase)) {
            return Vec::new();
        }
        let danger = |[earthed, other]: [usize; 2]| {
            let is = |contact: Contact| present.iter().any(|of| of[earthed].earth == contact);
            if !is(Contact::Closed) && !is(Contact::Unknown) {
                return None;
            }
            let (source, is_certain) = self.source_returning_to(ends[other])?;
            Some(PlacingDanger { kind: DangerKind::EarthOntoReturningSupply(source), is_certain: is_certain && is(Contact::Closed) })
        };
        [[0, 1], [1, 0]].into_iter().filter_map(danger).collect()
    }

    fn danger_of_cut(&self, line: EquipmentId) -> Option<PlacingDanger> {
        let current = self.may_carry_current(line)?;
        let is_live = |node: NodeId| matches!(self.state(node), State::Energised | State::Conflict);
        let is_certain = self.model.terminals_of(line).iter().any(|(node, _)| is_live(*node));
        Some(PlacingDanger { kind: DangerKind::CutUnderLoad(current), is_certain })
    }

    /// Whether a node is live by a measurement that no source can explain.
    fn measured_without_source(&self, node: NodeId) -> bool {
        self.is_live_by_measurement(node) && self.possibly_supplied(node).is_empty()
    }

    fn layers_of(&self, phases: Phases) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(move |layer| !phases.intersection(layer.phases).is_empty())
    }
}

fn contact(is_certain: bool, is_possible: bool) -> Contact {
    match (is_certain, is_possible) {
        (true, _) => Contact::Closed,
        (false, true) => Contact::Unknown,
        (false, false) => Contact::Open,
    }
}

fn present(layer: &Layer, node: NodeId) -> Present {
    let is_reached = |quantity: Quantity| layer.reach(quantity).parents.is_reached(node);
    let [measured, possibly_measured] = layer.is_measured(node);
    Present {
        supply: contact(is_reached(Quantity::Supply) || measured, is_reached(Quantity::PossibleSupply) || possibly_measured),
        earth: contact(is_reached(Quantity::Earth), is_reached(Quantity::PossibleEarth)),
    }
}
