//! What the network says about a move: earths, sources and loads anywhere, and tags on what the move could energise.
//!
//! A position that is unknown, or that no point reports and no user has confirmed, fulfils no rule. Names outside of the user's area are not given.

use std::collections::HashSet;

use auth::Principal;
use grid::command::TagRecord;
use grid::control::Throw;
use grid::control::interlock::{SYNCHRONISM_RULE, Verdict};
use grid::control::tag::{Tag, TagKind, TagScope};
use grid::{Micros, PointId, Quality, Reading};
use network::{Consequences, Contact, EquipmentId, EquipmentKind, NetworkState, NodeId, Obstacle, Phase, State};
use registry::{Field, PresentNetwork, Unreported};
use store::control::{CallerNow, CommandFacts, Site};
use store::registry::AssetRecord;
use wire::control::ControlConfiguration;

use crate::image::Image;

/// The most positions that a message names.
const NAMED_MAX: usize = 3;

/// A move of a switch in the network, with its consequences by the positions of the decision.
pub(crate) struct NetworkMove<'a> {
    field: &'a Field,
    site: &'a Site,
    around: &'a CommandFacts,
    principal: Principal,
    network: PresentNetwork,
    equipment: EquipmentId,
    to: Contact,
    found: Consequences,
}

impl<'a> NetworkMove<'a> {
    /// Returns the move; `None` if the switch belongs to no active network.
    pub(crate) fn new(
        field: &'a Field,
        image: &Image,
        session: i64,
        site: &'a Site,
        around: &'a CommandFacts,
        target: Throw,
    ) -> Option<Self> {
        let principal = principal(field, session, around.caller.as_ref()?);
        let stored: std::collections::HashMap<PointId, Reading> = around.network.readings.iter().copied().collect();
        let readings = field.network_points().into_iter().filter_map(|point| {
            let reading = image.newest(point, stored.get(&point).copied())?;
            // A switch that is being operated, or whose last operation has no known outcome, has no known position.
            let reading = believed(point, reading, &around.network.doubts);
            let is_moving = point != site.point && around.network.moving.contains(&point);
            let quality = if is_moving { reading.quality.worst(Quality::Questionable) } else { reading.quality };
            Some((point, Reading { quality, ..reading }))
        });
        let network = field.network_with(readings.collect(), &around.network.manual, site.now, Unreported::Unknown)?;
        let equipment = network.equipment_of(site.point)?;
        let to = if target == Throw::Closed { Contact::Closed } else { Contact::Open };
        let found = network.state().consequences(equipment, to);
        Some(Self { field, site, around, principal, network, equipment, to, found })
    }

    fn state(&self) -> &NetworkState {
        self.network.state()
    }

    fn kind(&self) -> EquipmentKind {
        self.state().model().kind(self.equipment)
    }

    /// Returns the verdicts of the rules that apply to the move. `is_in_step`: a synchronism check of the switch permits closing.
    pub(crate) fn verdicts(&self, is_in_step: bool) -> Vec<Verdict> {
        let is_earth = self.kind() == EquipmentKind::GroundDisconnector;
        let is_closing = self.to == Contact::Closed;
        let mut verdicts = Vec::new();
        if is_closing {
            verdicts.push(self.earth(is_earth));
        }
        if is_closing && !is_earth {
            verdicts.push(self.sources(is_in_step));
        }
        if self.kind() == EquipmentKind::Disconnector {
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
        if self.found.energised_on_earth.is_empty() && self.found.possibly_energised_on_earth.is_empty() {
            return fulfilled(rule, demand);
        }
        let state = self.state();
        let obstacle = if is_earth { state.obstructing_source(self.equipment) } else { state.obstructing_earth(self.equipment) };
        let what = match obstacle {
            Some(Obstacle { at, unknown }) if unknown.is_empty() => {
                let remedy = if is_earth { "Isolate the section first" } else { "Open it first" };
                format!("{} {} it. {remedy}", self.name(at), if is_earth { "feeds" } else { "earths" })
            }
            Some(Obstacle { at, unknown }) => {
                let verb = if is_earth { "feed" } else { "earth" };
                format!("{} may {verb} it, because {}. Confirm on site first", self.name(at), self.unknown(&unknown))
            }
            None => "a part of it may be earthed and live at the same time. Look at the site first".to_owned(),
        };
        broken(rule, demand, &what)
    }

    fn sources(&self, is_in_step: bool) -> Verdict {
        let demand = "Only a switch that checks synchronism may join two sources";
        let is_checked = || {
            let config = ControlConfiguration::of(&self.site.config);
            let station = self.field.node(self.site.location).map(|node| node.code.as_str()).unwrap_or_default();
            let asset = self.field.asset(self.site.asset).map(|asset| asset.code.as_str()).unwrap_or_default();
            config.synchronism_checked.contains(&format!("{station}/{asset}"))
        };
        if self.found.joins.is_none() && self.joins_unknown_supply() && !is_in_step && !is_checked() {
            return broken(
                SYNCHRONISM_RULE,
                demand,
                "both of its sides are live. One has voltage although by the positions of the switches nothing feeds it. Find out first what does",
            );
        }
        let Some(sources) = self.found.joins.filter(|_| !is_in_step && !is_checked()) else { return fulfilled(SYNCHRONISM_RULE, demand) };
        let [one, other] = sources.map(|source| self.name(self.state().model().source_equipment(source)));
        // What certainly feeds both ends needs no positions to be confirmed.
        let model = self.state().model();
        let is_certain = model.terminals_of(self.equipment).iter().all(|(node, _)| is_live(self.state(), *node));
        let may = if is_certain { "it joins" } else { "by unknown positions it may join" };
        broken(
            SYNCHRONISM_RULE,
            demand,
            &format!("{may} {one} and {other}. Disconnect one of them first, or close a switch with a synchronism check"),
        )
    }

    /// Returns whether both ends are live, and one of them by a measured voltage that no source can explain.
    fn joins_unknown_supply(&self) -> bool {
        let state = self.state();
        let ends = state.model().terminals_of(self.equipment);
        let is_unexplained = |node: NodeId| state.is_live_by_measurement(node) && state.possibly_supplied(node).is_empty();
        !self.found.closes_loop && ends.iter().all(|(node, _)| is_live(state, *node)) && ends.iter().any(|(node, _)| is_unexplained(*node))
    }

    fn load(&self) -> Verdict {
        let (rule, demand) = ("network-disconnector-without-load", "The disconnector may be operated only while it carries no load");
        let state = self.state();
        let changed = if self.to == Contact::Open {
            [&self.found.loses_supply, &self.found.possibly_loses_supply]
        } else {
            [&self.found.gains_supply, &self.found.possibly_gains_supply]
        };
        let sum = state.consumers(&changed.into_iter().flatten().copied().collect::<Vec<_>>());
        if sum.customers > 0 || sum.load_kw > 0.0 {
            let behind = format!(
                "{} customers and {:.1} MW are, or may be, behind it. Open the breaker first",
                sum.customers,
                sum.load_kw / 1_000.0
            );
            return broken(rule, demand, &behind);
        }
        // Both ends are live before and after: the current of a loop.
        let ends = state.model().terminals_of(self.equipment);
        let keeps = |node: NodeId| !self.found.loses_supply.contains(&node) && is_live(state, node);
        if ends.iter().all(|(node, _)| keeps(*node)) {
            return broken(rule, demand, "both of its sides are live, so it is a part of a loop. Open the breaker of the loop first");
        }
        fulfilled(rule, demand)
    }

    /// Returns the inhibits elsewhere on what the move could energise.
    pub(crate) fn tags(&self) -> Vec<Tag> {
        let gained: HashSet<NodeId> = self.found.gains_supply.iter().chain(&self.found.possibly_gains_supply).copied().collect();
        if self.to != Contact::Closed || gained.is_empty() {
            return Vec::new();
        }
        let is_own = |tag: &TagRecord| tag.location == self.site.location && tag.covers(self.site.asset, &self.site.device);
        let blocking = self.around.network.tags.iter().filter(|tag| tag.kind == TagKind::Inhibit.as_str() && !is_own(tag));
        let blocking = blocking.filter(|tag| self.protected(tag).iter().any(|node| gained.contains(node)));
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

    /// Returns the nodes that a tag protects: the section that each tagged switch feeds in the normal state, the sections of other tagged equipment, and the
    /// whole feeder of a feeder's asset. A switch that feeds nothing in the normal state protects only itself.
    fn protected(&self, tag: &TagRecord) -> Vec<NodeId> {
        let is_tagged = |asset: &&AssetRecord| match tag.scope {
            TagScope::Device => tag.asset == Some(asset.id),
            TagScope::Bay => tag.asset == Some(asset.id) || asset.device == tag.bay,
            TagScope::Station => true,
        };
        let tagged_feeder = tag.asset.and_then(|asset| self.field.asset(asset)).is_some_and(|asset| asset.class_name == "feeder");
        let mut nodes = Vec::new();
        for asset in self.field.assets_at(tag.location).filter(is_tagged) {
            self.field.network_equipment(asset).into_iter().for_each(|equipment| self.protect(equipment, tagged_feeder, &mut nodes));
        }
        nodes
    }

    fn protect(&self, equipment: EquipmentId, is_whole_feeder: bool, nodes: &mut Vec<NodeId>) {
        let (normal, model) = (self.network.active().normal(), self.state().model());
        if !model.kind(equipment).is_switch() {
            model.terminals_of(equipment).iter().for_each(|(node, _)| nodes.extend(model.section(*node).nodes));
            return;
        }
        for (branch, phase) in model.branches_of(equipment).flat_map(|branch| Phase::ALL.map(|phase| (branch, phase))) {
            let mut fed = Vec::new();
            normal.downstream(branch, phase, &mut fed);
            if is_whole_feeder {
                nodes.append(&mut fed);
            } else if let Some(first) = fed.first() {
                nodes.extend(model.section(*first).nodes);
            }
        }
    }

    /// Returns the name of equipment with its substation, as far as the user may see them.
    fn name(&self, equipment: EquipmentId) -> String {
        let place = self.network.place_of(self.field, equipment);
        let name = place.asset.map_or_else(|| self.network.active().name_of(equipment), |asset| &asset.name);
        match place.station {
            Some(node) if self.principal.may_see(node.client, &node.path) => format!("{name} at {}", node.name),
            None if self.principal.may_see_all(self.field.client().id) => name.to_owned(),
            _ => "equipment outside of your area".to_owned(),
        }
    }

    fn unknown(&self, unknown: &[EquipmentId]) -> String {
        let describe = |equipment: &EquipmentId| {
            let name = self.name(*equipment);
            let is_reported = self.network.is_reported(*equipment);
            if is_reported { format!("the state of {name} is not known") } else { format!("the position of {name} is only assumed") }
        };
        let named: Vec<String> = unknown.iter().take(NAMED_MAX).map(describe).collect();
        let more = unknown.len().saturating_sub(NAMED_MAX);
        if more > 0 { format!("{} and {more} more are not known", named.join(", ")) } else { named.join(", ") }
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
