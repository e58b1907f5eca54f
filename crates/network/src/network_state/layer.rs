//! One phase of the network: the nodes that are reached from its sources and from its earths.

use crate::adjacency::Neighbour;
use crate::forest::{self, Ground, Parents, Trees};
use crate::model::Connected;
use crate::network_state::Conduct;
use crate::{BranchId, Contact, Model, NodeId, Phase, Phases, State};

/// The quantities that can reach a node. For "possible" quantities, unknown positions count as closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    Supply,
    PossibleSupply,
    Earth,
    PossibleEarth,
    /// The node is reached from nodes at which a voltage is measured.
    Measured,
    PossiblyMeasured,
}

impl Quantity {
    /// What every network has.
    pub(crate) const ALL: [Self; 4] = [Self::Supply, Self::PossibleSupply, Self::Earth, Self::PossibleEarth];
    /// The quantities that are computed only if a voltage has been measured in the network.
    pub(crate) const MEASURED: [Self; 2] = [Self::Measured, Self::PossiblyMeasured];

    fn is_possible(self) -> bool {
        matches!(self, Self::PossibleSupply | Self::PossibleEarth | Self::PossiblyMeasured)
    }

    /// Whether the quantity passes through a branch.
    pub(crate) fn passes(self, conduct: Conduct, phase: Phase) -> bool {
        let is_closed = if self.is_possible() { conduct.may_be_closed(phase) } else { conduct.is_closed(phase) };
        is_closed && (!matches!(self, Self::Earth | Self::PossibleEarth) || !conduct.is_winding())
    }

    pub(crate) fn counts(self, contact: Contact) -> bool {
        if self.is_possible() { contact != Contact::Open } else { contact == Contact::Closed }
    }
}

/// What one quantity reaches.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    pub(crate) parents: Trees,
    /// The number of roots at each node.
    pub(crate) roots: Vec<u8>,
}

/// One phase, or all phases if they move together.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    /// The phases that it represents.
    pub(crate) phases: Phases,
    /// In the order of [`Quantity::ALL`].
    reaches: [Reach; 4],
    /// In the order of [`Quantity::MEASURED`]; `None` until a voltage has been measured.
    measured: Option<Box<[Reach; 2]>>,
}

/// The network as one quantity sees it.
pub(crate) struct View<'a> {
    pub(crate) model: &'a Model,
    pub(crate) conduct: &'a [Conduct],
    pub(crate) roots: &'a [u8],
    pub(crate) quantity: Quantity,
    pub(crate) phase: Phase,
    /// Branches with hypothetical positions instead of their present ones.
    pub(crate) instead: &'a [(BranchId, Conduct)],
    /// Nodes with another number of roots than at present: "what if".
    pub(crate) other_roots: &'a [(NodeId, u8)],
}

impl<'a> View<'a> {
    fn new(model: &'a Model, conduct: &'a [Conduct], roots: &'a [u8], quantity: Quantity, phase: Phase) -> Self {
        Self { model, conduct, roots, quantity, phase, instead: &[], other_roots: &[] }
    }
}

impl Ground for View<'_> {
    fn neighbours(&self, node: NodeId) -> &[Neighbour] {
        self.model.neighbours(node)
    }

    fn conducts(&self, branch: BranchId) -> bool {
        let conduct = self.instead.iter().find(|(other, _)| *other == branch).map_or(self.conduct[branch.index()], |(_, conduct)| *conduct);
        self.quantity.passes(conduct, self.phase)
    }

    fn is_root(&self, node: NodeId) -> bool {
        let other = self.other_roots.iter().find(|(other, _)| *other == node);
        other.map_or(self.roots[node.index()], |(_, roots)| *roots) > 0
    }
}

impl Layer {
    pub(crate) fn new(model: &Model, conduct: &[Conduct], phases: Phases) -> Self {
        let reaches = Quantity::ALL.map(|quantity| {
            let connected = if matches!(quantity, Quantity::Supply | Quantity::PossibleSupply) { &model.sources } else { &model.earths };
            let mut roots = vec![0; model.node_count()];
            let is_root = |at: &&Connected| !at.phases.intersection(phases).is_empty() && quantity.counts(at.normal);
            for at in connected.iter().filter(is_root) {
                roots[at.node.index()] += 1;
            }
            // Traces follow the trees of what certainly is supplied. Of the others, only what they reach counts.
            let count = model.node_count();
            let mut parents = if quantity == Quantity::Supply { Trees::shortest(count) } else { Trees::any(count) };
            let view = View::new(model, conduct, &roots, quantity, first(phases));
            forest::grow(&mut parents, &view, model.nodes());
            Reach { parents, roots }
        });
        Self { phases, reaches, measured: None }
    }

    /// The phase whose contacts this layer reads.
    pub(crate) fn phase(&self) -> Phase {
        first(self.phases)
    }

    /// Returns what one of [`Quantity::ALL`] reaches.
    pub(crate) fn reach(&self, quantity: Quantity) -> &Reach {
        &self.reaches[quantity as usize]
    }

    /// Returns the nodes that the quantities [`Quantity::MEASURED`] reach; `None` if no voltage has been measured yet.
    pub(crate) fn measured(&self) -> Option<&[Reach; 2]> {
        self.measured.as_deref()
    }

    /// Returns the view of the network for a quantity. `reach` has the roots of the quantity and the nodes that it
    /// reaches.
    pub(crate) fn view<'a>(&'a self, model: &'a Model, conduct: &'a [Conduct], quantity: Quantity, reach: &'a Reach) -> View<'a> {
        View::new(model, conduct, &reach.roots, quantity, self.phase())
    }

    pub(crate) fn state(&self, node: NodeId) -> State {
        let [supply, possible_supply, earth, possible_earth] = Quantity::ALL.map(|quantity| self.reach(quantity).parents.is_reached(node));
        let [measured, possibly_measured] = self.is_measured(node);
        state([supply || measured, possible_supply || possibly_measured, earth, possible_earth])
    }

    /// Returns whether [`Quantity::MEASURED`] reach a node.
    pub(crate) fn is_measured(&self, node: NodeId) -> [bool; 2] {
        self.measured.as_ref().map_or([false; 2], |reaches| reaches.each_ref().map(|reach| reach.parents.is_reached(node)))
    }

    /// Updates the layer after the contacts of a branch in `conduct` have changed from `before`.
    pub(crate) fn change_branch(
        &mut self,
        model: &Model,
        conduct: &[Conduct],
        branch: BranchId,
        before: Conduct,
        touched: &mut Vec<NodeId>,
    ) {
        let (phase, ends) = (self.phase(), model.branch(branch).ends);
        let measured = self.measured.iter_mut().flat_map(|reaches| Quantity::MEASURED.into_iter().zip(reaches.iter_mut()));
        for (quantity, reach) in Quantity::ALL.into_iter().zip(&mut self.reaches).chain(measured) {
            let passes = |conduct| quantity.passes(conduct, phase);
            let view = View::new(model, conduct, &reach.roots, quantity, phase);
            match (passes(before), passes(conduct[branch.index()])) {
                (false, true) => forest::add_branch(&mut reach.parents, &view, branch, ends, touched),
                (true, false) => forest::remove_branch(&mut reach.parents, &view, branch, ends, touched),
                _ => {}
            }
        }
    }

    /// Updates the layer after a voltage at a node has become measured, or is no longer measured.
    pub(crate) fn change_measured(
        &mut self,
        model: &Model,
        conduct: &[Conduct],
        node: NodeId,
        was: bool,
        is: bool,
        touched: &mut Vec<NodeId>,
    ) {
        if self.measured.is_none() && is {
            let count = model.node_count();
            self.measured = Some(Box::new([(); 2].map(|()| Reach { parents: Trees::any(count), roots: vec![0; count] })));
        }
        for quantity in Quantity::MEASURED {
            self.change_root(model, conduct, quantity, node, was, is, touched);
        }
    }

    /// Updates the layer after a change of a source, an earth or a measured voltage at a node.
    #[expect(clippy::too_many_arguments, reason = "the parts of the network are borrowed apart")]
    pub(crate) fn change_root(
        &mut self,
        model: &Model,
        conduct: &[Conduct],
        quantity: Quantity,
        node: NodeId,
        was: bool,
        is: bool,
        touched: &mut Vec<NodeId>,
    ) {
        let phase = self.phase();
        let measured = self.measured.iter_mut().flat_map(|reaches| reaches.iter_mut());
        let Some(reach) = self.reaches.iter_mut().chain(measured).nth(quantity as usize) else { return };
        match (was, is) {
            (false, true) => reach.roots[node.index()] += 1,
            (true, false) => reach.roots[node.index()] -= 1,
            _ => return,
        }
        let view = View::new(model, conduct, &reach.roots, quantity, phase);
        if is {
            forest::add_root(&mut reach.parents, &view, node, touched);
        } else {
            forest::remove_root(&mut reach.parents, &view, node, touched);
        }
    }
}

/// Returns the state of a node from the quantities that reach it, in the order of [`Quantity::ALL`].
pub(crate) fn state([supply, possible_supply, earth, possible_earth]: [bool; 4]) -> State {
    match (supply, possible_supply, earth, possible_earth) {
        (true, _, true, _) => State::Conflict,
        (true, _, false, _) => State::Energised,
        (false, true, _, _) | (false, false, false, true) => State::Unknown,
        (false, false, true, _) => State::Earthed,
        (false, false, false, false) => State::Dead,
    }
}

fn first(phases: Phases) -> Phase {
    phases.iter().next().unwrap_or(Phase::A)
}
