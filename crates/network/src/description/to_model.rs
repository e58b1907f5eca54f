//! Makes the model of connectivity from a description.

use crate::description::{Description, Electrical};
use crate::{BuildError, Consumer, Contact, Model, ModelBuilder, NewEquipment, NodeId, Phases};

impl Description {
    /// Returns the model of connectivity. Its nodes and equipment are in the same order as in this description.
    pub fn to_model(&self) -> Result<Model, BuildError> {
        let mut builder = ModelBuilder::new();
        for node in &self.nodes {
            let added = builder.add_node(&node.id, node.nominal_kv.map(|kv| kv as f32))?;
            if node.is_internal {
                builder.mark_internal(added);
            }
        }
        let mut terminals: Vec<(NodeId, Phases)> = Vec::new();
        for equipment in &self.equipment {
            if !equipment.electrical.fits(equipment.kind) {
                return Err(BuildError::WrongValues { id: equipment.id.clone(), kind: equipment.kind });
            }
            terminals.clear();
            for terminal in &equipment.terminals {
                let node = builder
                    .node(&terminal.node)
                    .ok_or_else(|| BuildError::NoNode { id: equipment.id.clone(), node: terminal.node.clone() })?;
                terminals.push((node, terminal.phases));
            }
            let is_open = matches!(equipment.electrical, Electrical::Switch(switch) if switch.is_normally_open);
            let normal = if is_open { Contact::Open } else { Contact::Closed };
            let consumer = match equipment.electrical {
                Electrical::Consumer(consumed) if equipment.is_in_service => {
                    Consumer { customers: consumed.customers, load_kw: consumed.kw }
                }
                _ => Consumer::default(),
            };
            let added = builder.add(NewEquipment { id: &equipment.id, kind: equipment.kind, terminals: &terminals, normal, consumer })?;
            if !equipment.is_in_service {
                builder.take_out_of_service(added);
            }
        }
        Ok(builder.build())
    }
}
