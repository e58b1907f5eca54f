//! What field crews have changed for a time: jumpers, cuts and portable earths (IEC 61970-301: Jumper, Cut, Ground).
//!
//! They are applied to the description of the stored network, so that states, interlocks, traces and the load flow treat them like all other equipment. A jumper
//! is a line without impedance. A cut moves the end of a line to a node of its own. A portable earth is an earth switch that is closed in the normal state.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::description::{Electrical, Equipment, Node, Terminal};
use crate::findings::differ;
use crate::shown::shown;
use crate::{Description, EquipmentKind, Phases};

pub use crate::temporary_ids::{end_of_cut, equipment_of};

/// The most temporary changes of one network. Each needs a person to place and to remove it.
pub const TEMPORARY_MAX: usize = 1_000;
/// The most earths and jumpers at one node.
pub const AT_NODE_MAX: usize = 8;

/// A change that a crew has made in the field and will remove again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum TemporaryChange {
    /// A conductor between two nodes.
    Jumper {
        /// The ids of the nodes.
        nodes: [String; 2],
        /// The phases that it connects.
        phases: Phases,
    },
    /// A line or a cable is separated from the node at one of its ends.
    Cut {
        /// The id of the line segment.
        equipment: String,
        /// The number of the terminal, from 1.
        terminal: u8,
        /// The phases that are separated.
        phases: Phases,
    },
    /// A portable earth.
    PortableEarth {
        /// The id of the node that it earths. The free end of a cut line has the id that [`end_of_cut`] returns.
        node: String,
        /// The phases that it earths.
        phases: Phases,
    },
}

impl TemporaryChange {
    /// Returns its name for display.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Jumper { .. } => "jumper",
            Self::Cut { .. } => "cut",
            Self::PortableEarth { .. } => "portable earth",
        }
    }

    /// Returns whether it is at the free end of the line that the cut with a number has separated, so that it has to be removed before the cut.
    pub fn is_at_end_of(&self, cut: i64) -> bool {
        let end = end_of_cut(cut);
        match self {
            Self::Jumper { nodes, .. } => nodes.contains(&end),
            Self::PortableEarth { node, .. } => *node == end,
            Self::Cut { .. } => false,
        }
    }
}

/// A terminal of equipment at which a crew has placed a change, with the node at which the terminal was at that time. A crew knows the terminal; the node is
/// only how the network names the place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamedTerminal {
    /// The id of the equipment.
    pub equipment: String,
    /// The number of the terminal, from 1.
    pub terminal: u8,
    /// The id of the node.
    pub node: String,
}

/// A temporary change that was placed.
#[derive(Debug, Clone, Copy)]
pub struct PlacedChange<'a> {
    /// Its number.
    pub number: i64,
    /// The change.
    pub change: &'a TemporaryChange,
    /// The terminals that the crew has named, in order. It fits only a network in which each of them is still at its node.
    pub at: &'a [NamedTerminal],
}

/// Why a temporary change does not fit the network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TemporaryError {
    /// A node does not exist.
    #[error("node {} does not exist", shown(.0))]
    NoNode(String),
    /// The equipment to cut does not exist.
    #[error("equipment {} does not exist", shown(.0))]
    NoEquipment(String),
    /// The equipment to cut is no line.
    #[error("{} is a {}: only a line or a cable can be cut", shown(.0), .1.as_str())]
    NoLine(String, EquipmentKind),
    /// The equipment does not have the terminal.
    #[error("{} has the terminals 1 and 2, but not {}", shown(.0), .1)]
    NoTerminal(String, u8),
    /// A terminal that the crew has named is at another node, so nobody knows on which side of new equipment the change is.
    #[error("terminal {terminal} of {} is at node {} now, and was at node {} when the change was placed", shown(.equipment), shown(.now), shown(.before))]
    Moved {
        /// The equipment.
        equipment: String,
        /// The number of the terminal.
        terminal: u8,
        /// The node at which it is.
        now: String,
        /// The node at which it was.
        before: String,
    },
    /// Equipment does not have a terminal that the crew has named.
    #[error("{} has no terminal {}, at which the change was placed", shown(.0), .1)]
    TerminalGone(String, u8),
    /// Something is placed at the node already, and it is not known on which side of the cut.
    #[error("an earth or a jumper is placed at node {}, and could be on either side of the cut: remove it first and place it again", shown(.0))]
    PlacedAtCut(String),
    /// A node has too many.
    #[error("node {} has {AT_NODE_MAX} temporary changes already: remove those that are not needed any more", shown(.0))]
    TooManyAtNode(String),
    /// The end of the line has been cut already.
    #[error("terminal {} of {} is cut already: remove that cut first", .1, shown(.0))]
    CutAlready(String, u8),
    /// A jumper would connect a node with itself.
    #[error("a jumper connects two nodes: {} is named twice", shown(.0))]
    SameNode(String),
    /// A jumper would connect two voltages.
    #[error("node {} has {} kV and node {} has {} kV: a jumper connects nodes of one nominal voltage", shown(.0), .1, shown(.2), .3)]
    TwoVoltages(String, f64, String, f64),
    /// No phase is given, or one that is not there.
    #[error("phases {given:?} are not possible at {}: allowed are {allowed:?}", shown(.at))]
    Phases {
        /// The node or the line.
        at: String,
        /// The phases of the change.
        given: Phases,
        /// The phases of the node or the line.
        allowed: Phases,
    },
    /// Two changes have one number, or the network has a part with the id of a change.
    #[error("the id {} is taken already", shown(.0))]
    Taken(String),
    /// There are too many.
    #[error("{0} temporary changes, but at most {TEMPORARY_MAX} are allowed: remove those that are not needed any more")]
    TooMany(usize),
}

/// A temporary change that does not fit the network, with its number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("temporary change {number}: {reason}")]
pub struct Misfit {
    /// The number of the change.
    pub number: i64,
    /// Why it does not fit.
    pub reason: TemporaryError,
}

impl Description {
    /// Returns the network with temporary changes, each with its number. They are applied in the given order: an earth at the free end of a cut comes after it.
    ///
    /// The first one that does not fit is returned as an error. The parts of the network keep their positions; new ones follow them.
    pub fn with_temporary<'a>(&self, changes: impl IntoIterator<Item = (i64, &'a TemporaryChange)>) -> Result<Self, Misfit> {
        let mut place = Placing::new(self);
        for (count, (number, change)) in changes.into_iter().enumerate() {
            let placed = if count < TEMPORARY_MAX { place.add(number, change) } else { Err(TemporaryError::TooMany(count + 1)) };
            placed.map_err(|reason| Misfit { number, reason })?;
        }
        Ok(place.network)
    }

    /// Returns the network with those temporary changes that fit, and the ones that do not. They are applied in the given order.
    pub fn with_fitting<'a>(&self, changes: impl IntoIterator<Item = PlacedChange<'a>>) -> (Self, Vec<Misfit>) {
        let (mut place, mut misfits) = (Placing::new(self), Vec::new());
        for (count, PlacedChange { number, change, at }) in changes.into_iter().enumerate() {
            let placed = if count < TEMPORARY_MAX {
                at.iter().try_for_each(|named| place.find(named)).and_then(|()| place.add(number, change))
            } else {
                Err(TemporaryError::TooMany(count + 1))
            };
            misfits.extend(placed.err().map(|reason| Misfit { number, reason }));
        }
        (place.network, misfits)
    }
}

/// A network to which temporary changes are added.
struct Placing {
    network: Description,
    /// The positions of nodes and equipment, by id.
    nodes: HashMap<String, usize>,
    equipment: HashMap<String, usize>,
    /// The phases that the terminals at each node have together.
    phases: Vec<Phases>,
    /// Ends of lines that are cut.
    cut: HashSet<(usize, u8)>,
    /// How many earths and jumpers are placed at nodes.
    placed: HashMap<usize, usize>,
}

impl Placing {
    fn new(network: &Description) -> Self {
        let nodes: HashMap<String, usize> = network.nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
        let mut phases = vec![Phases::NONE; network.nodes.len()];
        for terminal in network.equipment.iter().flat_map(|equipment| &equipment.terminals) {
            if let Some(at) = nodes.get(&terminal.node) {
                phases[*at] = phases[*at].union(terminal.phases);
            }
        }
        let equipment = network.equipment.iter().enumerate().map(|(at, equipment)| (equipment.id.clone(), at)).collect();
        Self { network: network.clone(), nodes, equipment, phases, cut: HashSet::new(), placed: HashMap::new() }
    }

    /// Checks that a terminal is still at its node.
    fn find(&self, named: &NamedTerminal) -> Result<(), TemporaryError> {
        let NamedTerminal { equipment, terminal, node } = named;
        let at = self.equipment.get(equipment).ok_or_else(|| TemporaryError::NoEquipment(equipment.clone()))?;
        let index = usize::from(*terminal).checked_sub(1);
        let found = index.and_then(|index| self.network.equipment[*at].terminals.get(index));
        let found = found.ok_or_else(|| TemporaryError::TerminalGone(equipment.clone(), *terminal))?;
        if found.node == *node {
            return Ok(());
        }
        Err(TemporaryError::Moved { equipment: equipment.clone(), terminal: *terminal, now: found.node.clone(), before: node.clone() })
    }

    fn add(&mut self, number: i64, change: &TemporaryChange) -> Result<(), TemporaryError> {
        match change {
            TemporaryChange::Jumper { nodes, phases } => self.jumper(number, nodes, *phases),
            TemporaryChange::Cut { equipment, terminal, phases } => self.cut(number, equipment, *terminal, *phases),
            TemporaryChange::PortableEarth { node, phases } => self.portable_earth(number, node, *phases),
        }
    }

    fn jumper(&mut self, number: i64, nodes: &[String; 2], phases: Phases) -> Result<(), TemporaryError> {
        let [one, other] = [self.node(&nodes[0])?, self.node(&nodes[1])?];
        if one == other {
            return Err(TemporaryError::SameNode(nodes[0].clone()));
        }
        let kv = |at: usize| self.network.nodes[at].nominal_kv;
        if let (Some(one_kv), Some(other_kv)) = (kv(one), kv(other))
            && differ(one_kv, other_kv)
        {
            return Err(TemporaryError::TwoVoltages(nodes[0].clone(), one_kv, nodes[1].clone(), other_kv));
        }
        for (id, at) in [(&nodes[0], one), (&nodes[1], other)] {
            permit(id, phases, self.phases[at])?;
        }
        for at in [one, other] {
            self.place_at(at)?;
        }
        let terminals = nodes.iter().map(|node| Terminal { node: node.clone(), phases }).collect();
        self.add_equipment(equipment_of(number), EquipmentKind::LineSegment, self.container(one), terminals)
    }

    fn cut(&mut self, number: i64, id: &str, terminal: u8, phases: Phases) -> Result<(), TemporaryError> {
        let at = *self.equipment.get(id).ok_or_else(|| TemporaryError::NoEquipment(id.to_owned()))?;
        let line = &self.network.equipment[at];
        if line.kind != EquipmentKind::LineSegment {
            return Err(TemporaryError::NoLine(id.to_owned(), line.kind));
        }
        let no_terminal = || TemporaryError::NoTerminal(id.to_owned(), terminal);
        let index = usize::from(terminal).checked_sub(1).ok_or_else(no_terminal)?;
        let Terminal { node: from, phases: of_line } = line.terminals.get(index).cloned().ok_or_else(no_terminal)?;
        permit(id, phases, of_line)?;
        let node = self.node(&from)?;
        if self.placed.contains_key(&node) {
            return Err(TemporaryError::PlacedAtCut(from));
        }
        let end = end_of_cut(number);
        if self.nodes.contains_key(&end) || self.equipment.contains_key(&equipment_of(number)) {
            return Err(TemporaryError::Taken(end));
        }
        if !self.cut.insert((at, terminal)) {
            return Err(TemporaryError::CutAlready(id.to_owned(), terminal));
        }
        let beside = &self.network.nodes[node];
        let free = Node { id: end.clone(), name: String::new(), is_internal: true, place: None, ..beside.clone() };
        self.nodes.insert(end.clone(), self.network.nodes.len());
        self.network.nodes.push(free);
        self.phases.push(of_line);
        self.network.equipment[at].terminals[index].node.clone_from(&end);
        // The phases that are not cut stay connected.
        let uncut = of_line.without(phases);
        if uncut.is_empty() {
            return Ok(());
        }
        let terminals = [from, end].map(|node| Terminal { node, phases: uncut }).to_vec();
        self.add_equipment(equipment_of(number), EquipmentKind::LineSegment, self.container(node), terminals)
    }

    fn portable_earth(&mut self, number: i64, node: &str, phases: Phases) -> Result<(), TemporaryError> {
        let at = self.node(node)?;
        permit(node, phases, self.phases[at])?;
        self.place_at(at)?;
        let terminals = vec![Terminal { node: node.to_owned(), phases }];
        self.add_equipment(equipment_of(number), EquipmentKind::GroundDisconnector, self.container(at), terminals)
    }

    /// Counts an earth or a jumper at a node.
    fn place_at(&mut self, node: usize) -> Result<(), TemporaryError> {
        let placed = self.placed.entry(node).or_default();
        if *placed >= AT_NODE_MAX {
            return Err(TemporaryError::TooManyAtNode(self.network.nodes[node].id.clone()));
        }
        *placed += 1;
        Ok(())
    }

    fn node(&self, id: &str) -> Result<usize, TemporaryError> {
        self.nodes.get(id).copied().ok_or_else(|| TemporaryError::NoNode(id.to_owned()))
    }

    fn container(&self, node: usize) -> Option<String> {
        self.network.nodes[node].container.clone()
    }

    fn add_equipment(
        &mut self,
        id: String,
        kind: EquipmentKind,
        container: Option<String>,
        terminals: Vec<Terminal>,
    ) -> Result<(), TemporaryError> {
        if self.equipment.contains_key(&id) {
            return Err(TemporaryError::Taken(id));
        }
        self.equipment.insert(id.clone(), self.network.equipment.len());
        let name = String::new();
        self.network.equipment.push(Equipment {
            id,
            name,
            kind,
            container,
            terminals,
            is_in_service: true,
            electrical: Electrical::Nothing,
        });
        Ok(())
    }
}

/// Refuses phases that are not there, and no phase at all.
fn permit(at: &str, given: Phases, allowed: Phases) -> Result<(), TemporaryError> {
    if given.is_empty() || !given.without(allowed).is_empty() {
        return Err(TemporaryError::Phases { at: at.to_owned(), given, allowed });
    }
    Ok(())
}
