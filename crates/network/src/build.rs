//! Builds a model from nodes and equipment, and refuses invalid ones.

use std::collections::HashMap;

use crate::adjacency::Adjacency;
use crate::model::{Connected, carrier};
use crate::shown::shown;
use crate::texts::Texts;
use crate::{Branch, Consumer, Contact, EquipmentId, EquipmentKind, Model, NodeId, Phases};

/// Maximum number of parts. Ids are 32-bit positions, and [`crate::forest`] needs some values for other purposes.
const COUNT_LIMIT: usize = 1 << 30;

/// Maximum number of sources and earths at one node, because they are counted in a byte.
pub(crate) const ROOTS_LIMIT: u8 = u8::MAX;

/// Why a node or a piece of equipment cannot be part of the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Two nodes with one id.
    #[error("node {}: a node with this id exists already", shown(.0))]
    NodeExists(String),
    /// Two pieces of equipment have the same id.
    #[error("{}: equipment with this id exists already", shown(.0))]
    EquipmentExists(String),
    /// The number of terminals does not fit the kind.
    #[error("{}: {} has {found} terminals; allowed are {least} to {most}", shown(id), kind.as_str())]
    WrongTerminals {
        /// The equipment.
        id: String,
        /// What it is.
        kind: EquipmentKind,
        /// The number of its terminals.
        found: usize,
        /// The least number.
        least: usize,
        /// The greatest number.
        most: usize,
    },
    /// A terminal is at a node that does not exist.
    #[error("{}: its node {} does not exist", shown(id), shown(node))]
    NoNode {
        /// The equipment.
        id: String,
        /// The node.
        node: String,
    },
    /// Ratings of another kind of equipment.
    #[error("{}: its electrical values do not fit the kind {}", shown(id), kind.as_str())]
    WrongValues {
        /// The equipment.
        id: String,
        /// What it is.
        kind: EquipmentKind,
    },
    /// Two terminals have no phase in common, or a terminal has no phase.
    #[error("{}: its terminals have no phase in common", shown(.0))]
    NoPhase(String),
    /// There are too many sources or earths at one node.
    #[error("{}: its node has {ROOTS_LIMIT} sources or earths already, and no more are allowed", shown(.0))]
    TooManyAtNode(String),
    /// A limit of the model.
    #[error("the model is full: it holds up to {COUNT_LIMIT} nodes and branches, and 4 GiB of ids")]
    Full,
}

/// A piece of equipment to be added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewEquipment<'a> {
    /// Its id in the source of the model.
    pub id: &'a str,
    /// What it is.
    pub kind: EquipmentKind,
    /// The node and the phases of each terminal, in their order.
    pub terminals: &'a [(NodeId, Phases)],
    /// The normal state: for a switch its position, for a source whether it is present, for other equipment whether it is in service. See
    /// [`ModelBuilder::take_out_of_service`].
    pub normal: Contact,
    /// Customers and load, of a consumer.
    pub consumer: Consumer,
}

/// Collects the parts of a model.
#[derive(Debug, Clone)]
pub struct ModelBuilder {
    model: Model,
    consumers: HashMap<NodeId, Consumer>,
    /// The number of sources and earths at each node that has any.
    roots: HashMap<NodeId, u8>,
}

impl Default for ModelBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelBuilder {
    /// Creates a builder without nodes.
    pub fn new() -> Self {
        let model = Model {
            node_ids: Texts::default(),
            node_phases: Vec::new(),
            nominal_kv: Vec::new(),
            internal: Vec::new(),
            consumers: Vec::new(),
            equipment_ids: Texts::default(),
            kinds: Vec::new(),
            first_terminal: vec![0],
            terminals: Vec::new(),
            first_branch: vec![0],
            branches: Vec::new(),
            sources: Vec::new(),
            sources_by_node: Vec::new(),
            earths: Vec::new(),
            busbars: Vec::new(),
            carriers: Vec::new(),
            out_of_service: Vec::new(),
            adjacency: Adjacency::new(0, &[]),
            nodes_by_id: HashMap::new(),
            equipment_by_id: HashMap::new(),
            are_phases_separate: false,
        };
        Self { model, consumers: HashMap::new(), roots: HashMap::new() }
    }

    /// Adds a node. It has the phases of the terminals that are connected to it.
    pub fn add_node(&mut self, id: &str, nominal_kv: Option<f32>) -> Result<NodeId, BuildError> {
        let model = &mut self.model;
        if model.nodes_by_id.contains_key(id) {
            return Err(BuildError::NodeExists(id.to_owned()));
        }
        if model.node_phases.len() >= COUNT_LIMIT || !model.node_ids.push(id) {
            return Err(BuildError::Full);
        }
        let node = NodeId(model.node_phases.len() as u32);
        model.node_phases.push(Phases::NONE);
        model.nominal_kv.push(nominal_kv);
        model.nodes_by_id.insert(id.into(), node);
        Ok(node)
    }

    /// Adds a node that does not exist in the source of the model, such as the node between a switch and its line.
    pub fn add_internal_node(&mut self, id: &str) -> Result<NodeId, BuildError> {
        let node = self.add_node(id, None)?;
        self.mark_internal(node);
        Ok(node)
    }

    /// Marks the node that was added last as a node that does not exist in the source of the model.
    pub(crate) fn mark_internal(&mut self, node: NodeId) {
        self.model.internal.push(node);
    }

    /// Returns the node with an id.
    pub fn node(&self, id: &str) -> Option<NodeId> {
        self.model.nodes_by_id.get(id).copied()
    }

    /// Adds equipment. An error changes nothing.
    pub fn add(&mut self, new: NewEquipment<'_>) -> Result<EquipmentId, BuildError> {
        let model = &mut self.model;
        let (least, most) = new.kind.terminals();
        let found = new.terminals.len();
        if !(least..=most).contains(&found) {
            return Err(BuildError::WrongTerminals { id: new.id.to_owned(), kind: new.kind, found, least, most });
        }
        let (first_node, first_phases) = new.terminals[0];
        let has_phases = new.terminals.iter().all(|(_, phases)| !phases.intersection(first_phases).is_empty());
        if !has_phases {
            return Err(BuildError::NoPhase(new.id.to_owned()));
        }
        if model.equipment_by_id.contains_key(new.id) {
            return Err(BuildError::EquipmentExists(new.id.to_owned()));
        }
        let is_root = new.kind.may_feed() || new.kind == EquipmentKind::GroundDisconnector;
        if is_root && self.roots.get(&first_node) == Some(&ROOTS_LIMIT) {
            return Err(BuildError::TooManyAtNode(new.id.to_owned()));
        }
        if model.terminals.len() + found > COUNT_LIMIT || model.kinds.len() >= COUNT_LIMIT || !model.equipment_ids.push(new.id) {
            return Err(BuildError::Full);
        }
        if is_root {
            *self.roots.entry(first_node).or_default() += 1;
        }
        let equipment = EquipmentId(model.kinds.len() as u32);
        model.kinds.push(new.kind);
        model.equipment_by_id.insert(new.id.into(), equipment);
        for (node, phases) in new.terminals {
            let held = &mut model.node_phases[node.index()];
            *held = held.union(*phases);
            model.are_phases_separate |= *phases != Phases::ABC;
        }
        model.are_phases_separate |= new.kind.has_position_for_each_phase();
        // The second and the third winding are connected with the first.
        for (node, phases) in &new.terminals[1..] {
            model.branches.push(Branch {
                ends: [first_node, *node],
                equipment,
                phases: phases.intersection(first_phases),
                is_winding: new.kind.isolates(),
                is_asynchronous: new.kind.is_asynchronous(),
                normal: new.normal,
            });
        }
        model.terminals.extend_from_slice(new.terminals);
        model.first_terminal.push(model.terminals.len() as u32);
        model.first_branch.push(model.branches.len() as u32);
        let connected = Connected { node: first_node, equipment, phases: first_phases, normal: new.normal };
        match new.kind {
            EquipmentKind::EnergySource => model.sources.push(connected),
            // Whether it runs by itself is not known, unless it is out of service.
            EquipmentKind::GeneratingUnit | EquipmentKind::BatteryUnit => {
                let normal = if new.normal == Contact::Open { Contact::Open } else { Contact::Unknown };
                model.sources.push(Connected { normal, ..connected });
            }
            EquipmentKind::GroundDisconnector => model.earths.push(connected),
            EquipmentKind::BusbarSection => model.busbars.push(first_node),
            EquipmentKind::EnergyConsumer => {
                let sum = self.consumers.entry(first_node).or_default();
                sum.customers = sum.customers.saturating_add(new.consumer.customers);
                sum.load_kw += new.consumer.load_kw;
            }
            _ => {}
        }
        Ok(equipment)
    }

    /// Takes equipment out of service: it connects nothing and feeds nothing. A switch keeps its normal position, which is used when it is in service again.
    pub fn take_out_of_service(&mut self, equipment: EquipmentId) {
        let model = &mut self.model;
        let normal = model.normal(equipment);
        let Err(at) = model.out_of_service.binary_search_by_key(&equipment, |(out, _)| *out) else { return };
        model.out_of_service.insert(at, (equipment, normal));
        for branch in model.branches_of(equipment) {
            model.branches[branch.index()].normal = Contact::Open;
        }
        if let Some(source) = model.source_of(equipment) {
            model.sources[source.index()].normal = Contact::Open;
        }
        if let Some(earth) = model.earth_of(equipment) {
            model.earths[earth.index()].normal = Contact::Open;
        }
    }

    /// Returns the model.
    pub fn build(self) -> Model {
        let mut model = self.model;
        let ends: Vec<[NodeId; 2]> = model.branches.iter().map(|branch| branch.ends).collect();
        model.adjacency = Adjacency::new(model.node_phases.len(), &ends);
        model.sources_by_node = model.sources().collect();
        model.sources_by_node.sort_by_key(|source| model.sources[source.index()].node);
        model.busbars.sort_unstable();
        model.busbars.dedup();
        model.consumers = self.consumers.into_iter().collect();
        model.consumers.sort_by_key(|(node, _)| *node);
        model.carriers = carriers(&model);
        model
    }
}

/// Returns what takes or gives current at each node.
fn carriers(model: &Model) -> Vec<u8> {
    let mut carriers = vec![0; model.node_count()];
    for equipment in model.all_equipment() {
        let kind = model.kind(equipment);
        if !kind.takes_or_gives_current() || !model.is_in_service(equipment) {
            continue;
        }
        let source = if kind == EquipmentKind::EnergySource { carrier::SOURCE } else { 0 };
        for (node, _) in model.terminals_of(equipment) {
            carriers[node.index()] |= carrier::CURRENT | source;
        }
    }
    carriers
}
