//! Determines which equipment conducts, from the positions of the present state. For unknown positions it makes
//! assumptions.

use network::description::{Description, Electrical, Equipment};
use network::{Contact, EquipmentId, EquipmentKind, NetworkState};

use crate::{CaseError, Finding};

/// The equipment of a description, and whether each piece is part of the calculation.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(crate) is_closed: Vec<bool>,
    /// The ids of the equipment, in the order of the description.
    pub(crate) ids: Vec<EquipmentId>,
}

impl Positions {
    pub(crate) fn new(description: &Description, state: &NetworkState, findings: &mut Vec<Finding>) -> Result<Self, CaseError> {
        let model = state.model();
        let parts = |nodes: usize, equipment: usize| nodes + equipment;
        let (described, present) =
            (parts(description.nodes.len(), description.equipment.len()), parts(model.node_count(), model.equipment_count()));
        if description.nodes.len() != model.node_count() || described != present {
            return Err(CaseError::OtherModel { description: described, state: present });
        }
        let ids: Vec<EquipmentId> = model.all_equipment().collect();
        let is_closed = description
            .equipment
            .iter()
            .zip(&ids)
            .map(|(equipment, id)| match contact(equipment, *id, state) {
                Some(Contact::Closed) => true,
                Some(Contact::Open) => false,
                Some(Contact::Unknown) => {
                    if equipment.kind.is_switch() || equipment.kind == EquipmentKind::EnergySource {
                        findings.push(Finding::UnknownPosition(*id));
                    }
                    is_normally_closed(equipment)
                }
                None => equipment.is_in_service,
            })
            .collect();
        Ok(Self { is_closed, ids })
    }
}

/// Returns the contact; `None` for equipment that has no contact in the state.
fn contact(equipment: &Equipment, id: EquipmentId, state: &NetworkState) -> Option<Contact> {
    let model = state.model();
    let has_contact = model.source_of(id).is_some() || model.earth_of(id).is_some() || model.branches_of(id).len() > 0;
    has_contact.then(|| state.contact(id)).filter(|_| equipment.kind != EquipmentKind::GroundDisconnector)
}

pub(crate) fn is_normally_closed(equipment: &Equipment) -> bool {
    let is_open = matches!(equipment.electrical, Electrical::Switch(switch) if switch.is_normally_open);
    equipment.is_in_service && !is_open
}
