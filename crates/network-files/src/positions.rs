//! Positions of switches for an export.

use network::{Contact, Description, NetworkState, description::Electrical};

/// The state of each piece of equipment of a description, in the normal state or in a given state.
#[derive(Debug, Clone)]
pub struct Positions {
    /// Whether it is closed and in service.
    is_closed: Vec<bool>,
    /// Whether it is a switch in its open position, in service or not.
    is_open: Vec<bool>,
}

impl Positions {
    /// Returns the normal state.
    pub fn normal(description: &Description) -> Self {
        let is_open = |electrical: &Electrical| matches!(electrical, Electrical::Switch(switch) if switch.is_normally_open);
        let is_open: Vec<bool> = description.equipment.iter().map(|equipment| is_open(&equipment.electrical)).collect();
        let is_closed =
            description.equipment.iter().zip(&is_open).map(|(equipment, is_open)| equipment.is_in_service && !is_open).collect();
        Self { is_closed, is_open }
    }

    /// Returns the present state. A switch of unknown position counts as closed, so that it never makes a node dead.
    ///
    /// `present` must be a state of the model of the description. Equipment that is not in it keeps its normal state. A switch that is out of service keeps its
    /// normal state too.
    pub fn present(description: &Description, present: &NetworkState) -> Self {
        let mut positions = Self::normal(description);
        let model = present.model();
        for (index, equipment) in description.equipment.iter().enumerate() {
            let Some(found) = model.equipment(&equipment.id) else { continue };
            let has_contact = model.branches_of(found).len() > 0 || model.source_of(found).is_some() || model.earth_of(found).is_some();
            if has_contact && (model.is_in_service(found) || !equipment.kind.is_switch()) {
                positions.is_closed[index] = present.contact(found) != Contact::Open;
                positions.is_open[index] = !positions.is_closed[index];
            }
        }
        positions
    }

    /// Whether the equipment at a position of the description is closed or in service.
    pub fn is_closed(&self, index: usize) -> bool {
        self.is_closed.get(index).copied().unwrap_or(true)
    }

    /// Whether the switch at a position of the description is in its open position, in service or not.
    pub fn is_open(&self, index: usize) -> bool {
        self.is_open.get(index).copied().unwrap_or(false)
    }
}
