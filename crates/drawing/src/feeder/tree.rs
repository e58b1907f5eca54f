//! A feeder in the normal state as a tree, from the busbar to its ends.

use std::collections::{HashMap, HashSet, VecDeque};

use network::EquipmentKind;
use network::description::{ContainerKind, Electrical};

use super::error::Error;
use super::graph::Graph;
use super::heads::{Head, Heads};
use super::names::{self, Beyond};
use crate::wiring::ELEMENTS_MAX;

/// Voltages below this are low voltage, kV.
const LOW_KV: f64 = 1.0;
/// Maximum number of pieces of equipment behind a distribution transformer that are drawn one by one.
const SEPARATE_MAX: usize = 3;
/// Maximum number of switches between a feeder's breaker and its busbar.
const BAY_MAX: usize = 6;

pub(super) struct Tree {
    /// The nodes of the tree. The first node is the busbar. Each node comes after its parent.
    pub(super) nodes: Vec<TreeNode>,
}

#[derive(Debug, Default)]
pub(super) struct TreeNode {
    /// The node of the network.
    pub(super) node: usize,
    pub(super) attached: Vec<Attached>,
    pub(super) children: Vec<Child>,
}

/// What hangs from a node.
#[derive(Debug)]
pub(super) enum Attached {
    /// Equipment with one terminal.
    Equipment(usize),
    /// A network of low voltage.
    LowVoltage(LowVoltage),
    /// An end on another part of the sheet is connected here.
    Elsewhere(Beyond),
}

/// The sum of a low-voltage network.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LowVoltage {
    /// The transformer that supplies it.
    pub(super) transformer: Option<usize>,
    pub(super) customers: u64,
    pub(super) kw: f64,
}

/// Equipment that leads away from the busbar.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) equipment: usize,
    /// The parts at its other terminals, in the order of the terminals.
    pub(super) to: Vec<Below>,
}

#[derive(Debug)]
pub(super) enum Below {
    Node(usize),
    Beyond(Beyond),
}

/// How the tree reaches a node.
enum Reached {
    Node(usize),
    Beyond(usize),
}

struct Growth<'a> {
    graph: &'a Graph<'a>,
    heads: &'a Heads,
    head: Head,
    /// The substation of the feeder.
    station: Option<usize>,
    /// Substations with feeders of their own.
    with_feeders: HashSet<usize>,
    /// The position in the tree of each node of the network.
    placed: HashMap<usize, usize>,
    used: HashSet<usize>,
    tree: Vec<TreeNode>,
    ahead: VecDeque<usize>,
    /// Nodes of the bay and the busbar. At these nodes, only equipment of the feeder is added to the tree.
    bay: HashSet<usize>,
}

impl Tree {
    pub(super) fn new(graph: &Graph<'_>, heads: &Heads, head: Head) -> Result<Self, Error> {
        let station = graph.inside(graph.equipment(head.breaker).container.as_deref(), ContainerKind::Substation);
        let parents = graph.network.containers.iter().filter(|container| container.kind == ContainerKind::Feeder);
        let with_feeders = parents.filter_map(|feeder| graph.inside(feeder.parent.as_deref(), ContainerKind::Substation)).collect();
        let growth = Growth {
            graph,
            heads,
            head,
            station,
            with_feeders,
            placed: HashMap::new(),
            used: HashSet::new(),
            tree: Vec::new(),
            ahead: VecDeque::new(),
            bay: HashSet::new(),
        };
        Ok(Self { nodes: growth.grow()? })
    }
}

impl Growth<'_> {
    fn grow(mut self) -> Result<Vec<TreeNode>, Error> {
        self.bay();
        while let Some(at) = self.ahead.pop_front() {
            self.follow(at)?;
        }
        for at in 0..self.tree.len() {
            self.end(at);
        }
        Ok(self.tree)
    }

    fn place(&mut self, node: usize) -> usize {
        let at = self.tree.len();
        self.placed.insert(node, at);
        self.tree.push(TreeNode { node, ..TreeNode::default() });
        at
    }

    fn connect(&mut self, from: usize, equipment: usize, to: Vec<Below>) {
        self.used.insert(equipment);
        self.tree[from].children.push(Child { equipment, to });
    }

    /// Places the busbar and the bay, down to the node behind the breaker.
    fn bay(&mut self) {
        let mut path = vec![(self.head.breaker, self.head.below)];
        let mut node = self.head.above;
        while self.graph.busbar(node).is_none() && path.len() <= BAY_MAX {
            let Some((branch, above)) = self.graph.towards_source(node).filter(|(branch, _)| self.graph.kind(*branch).is_switch()) else {
                break;
            };
            path.push((branch, node));
            node = above;
        }
        if self.graph.busbar(node).is_none() {
            // Without a busbar, the node before the breaker is drawn as one.
            path.truncate(1);
            node = self.head.above;
        }
        let mut at = self.place(node);
        self.bay.insert(node);
        if let Some(busbar) = self.graph.busbar(node) {
            self.attach(at, busbar);
        }
        for (branch, next) in path.into_iter().rev() {
            let below = self.place(next);
            self.connect(at, branch, vec![Below::Node(below)]);
            if branch != self.head.breaker {
                self.bay.insert(next);
                let graph = self.graph;
                for equipment in graph.at[next].iter().filter(|equipment| !graph.is_branch(**equipment)) {
                    self.attach(below, *equipment);
                }
            }
            at = below;
        }
        self.ahead.push_back(at);
    }

    fn attach(&mut self, at: usize, equipment: usize) {
        if self.used.insert(equipment) {
            self.tree[at].attached.push(Attached::Equipment(equipment));
        }
    }

    /// Adds the closed equipment at a node, and the nodes behind it.
    fn follow(&mut self, at: usize) -> Result<(), Error> {
        let node = self.tree[at].node;
        let graph = self.graph;
        for equipment in graph.at[node].iter().copied() {
            if self.used.contains(&equipment) {
                continue;
            }
            if !graph.is_branch(equipment) {
                self.attach(at, equipment);
                continue;
            }
            let others = graph.others(equipment, node);
            if graph.is_open(equipment) || others.is_empty() || others.iter().any(|next| self.placed.contains_key(next)) {
                continue;
            }
            let to: Vec<Reached> = others.iter().enumerate().map(|(place, next)| self.reach(equipment, *next, place > 0)).collect();
            let to = to.into_iter().map(|reached| match reached {
                Reached::Node(at) => Below::Node(at),
                Reached::Beyond(node) => Below::Beyond(names::supplied(graph, self.heads, equipment, node)),
            });
            let to: Vec<Below> = to.collect();
            self.connect(at, equipment, to);
        }
        let found = self.used.len();
        if found > ELEMENTS_MAX / 2 { Err(Error::TooLarge { allowed: ELEMENTS_MAX / 2 }) } else { Ok(()) }
    }

    /// Places the node behind a piece of equipment, unless the feeder ends there.
    fn reach(&mut self, equipment: usize, next: usize, is_third: bool) -> Reached {
        let graph = self.graph;
        let is_other_head = self.heads.by_breaker.contains_key(&equipment) && equipment != self.head.breaker;
        let station = graph.inside(graph.container_of_node(next), ContainerKind::Substation);
        let is_own = graph.inside(graph.container_of_node(next), ContainerKind::Feeder).is_some();
        let is_other_station = station.is_some_and(|station| Some(station) != self.station && self.with_feeders.contains(&station));
        if is_other_head || is_other_station && !is_own {
            return Reached::Beyond(next);
        }
        let at = self.place(next);
        if graph.kind(equipment) == EquipmentKind::PowerTransformer && (is_third || self.is_low(next)) {
            self.add_low_voltage(at, equipment, next);
        } else {
            self.ahead.push_back(at);
        }
        Reached::Node(at)
    }

    fn is_low(&self, node: usize) -> bool {
        self.graph.kv(node).is_some_and(|kv| kv < LOW_KV)
    }

    /// Adds the parts that a distribution transformer or a third winding supplies: each piece of equipment, or the sum
    /// of a network.
    fn add_low_voltage(&mut self, at: usize, transformer: usize, node: usize) {
        let graph = self.graph;
        let here: Vec<usize> = graph.at[node].iter().copied().filter(|equipment| *equipment != transformer).collect();
        if here.len() <= SEPARATE_MAX && here.iter().all(|equipment| !graph.is_branch(*equipment)) {
            for equipment in here {
                self.attach(at, equipment);
            }
            return;
        }
        let (mut sum, mut seen, mut ahead) = (LowVoltage::default(), HashSet::from([node]), vec![node]);
        sum.transformer = Some(transformer);
        while let Some(node) = ahead.pop() {
            for equipment in graph.at[node].iter().copied() {
                if equipment == transformer || graph.kind(equipment) == EquipmentKind::PowerTransformer || !self.used.insert(equipment) {
                    continue;
                }
                if let Electrical::Consumer(consumed) = &graph.equipment(equipment).electrical {
                    sum.customers = sum.customers.saturating_add(consumed.customers);
                    sum.kw += consumed.kw;
                }
                if !graph.is_open(equipment) {
                    ahead.extend(graph.others(equipment, node).into_iter().filter(|next| seen.insert(*next)));
                }
            }
        }
        self.placed.extend(seen.into_iter().filter(|node| *node != self.tree[at].node).map(|node| (node, at)));
        self.tree[at].attached.push(Attached::LowVoltage(sum));
    }

    /// Adds the ends at a node: open switches, and equipment that closes a loop.
    fn end(&mut self, at: usize) {
        let node = self.tree[at].node;
        let graph = self.graph;
        // Beyond the busbar is the rest of the substation.
        if at == 0 || self.is_low(node) {
            return;
        }
        for equipment in graph.at[node].iter().copied() {
            let is_end = graph.is_branch(equipment) && (!self.bay.contains(&node) || graph.is_open(equipment));
            if !is_end || self.used.contains(&equipment) {
                continue;
            }
            let others = graph.others(equipment, node);
            let to: Vec<Below> = others.iter().map(|next| Below::Beyond(self.beyond(equipment, *next))).collect();
            if !to.is_empty() {
                self.connect(at, equipment, to);
            }
        }
    }

    /// Names the part beyond an end. If this part is on the same sheet, its end is marked there too.
    fn beyond(&mut self, equipment: usize, node: usize) -> Beyond {
        let Some(there) = self.placed.get(&node).copied() else { return names::beyond(self.graph, self.heads, node) };
        let graph = self.graph;
        let place = |equipment: &&usize| graph.is_branch(**equipment) || graph.kind(**equipment) == EquipmentKind::BusbarSection;
        let station_of = |equipment: usize| graph.inside(graph.equipment(equipment).container.as_deref(), ContainerKind::Substation);
        let named = graph.at[node].iter().copied().find(|equipment| place(&equipment));
        let name = named.map(|named| names::name_of(graph, graph.equipment(named))).unwrap_or_default();
        let beyond = Beyond { name, label: String::new(), node, is_inside: true, station: named.and_then(station_of) };
        let is_marked = |attached: &Attached| matches!(attached, Attached::Elsewhere(of) if of.node == node);
        if !self.tree[there].attached.iter().any(is_marked) {
            let name = names::name_of(graph, graph.equipment(equipment));
            let mark = Beyond { name, station: station_of(equipment), ..beyond.clone() };
            self.tree[there].attached.push(Attached::Elsewhere(mark));
        }
        beyond
    }
}
