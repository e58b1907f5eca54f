//! Positions of switches for an export.

use network::{Contact, Description, NetworkState, description::Electrical};

/// The state of each piece of equipment of a description: of its normal state, or of a given one.
#[derive(Debug, Clone)]
pub struct Positions(Vec<bool>);

impl Positions {
    /// Returns the normal state.
    pub fn normal(description: &Description) -> Self {
        let is_open = |electrical: &Electrical| matches!(electrical, Electrical::Switch(switch) if switch.is_normally_open);
        Self(description.equipment.iter().map(|equipment| equipment.is_in_service && !is_open(&equipment.electrical)).collect())
    }

    /// Returns the present state. A switch of unknown position counts as closed: it never makes anything dead.
    ///
    /// `present` must be a state of the model of the description. What is not in it keeps its normal state.
    pub fn present(description: &Description, present: &NetworkState) -> Self {
        let mut positions = Self::normal(description);
        let model = present.model();
        for (equipment, is_closed) in description.equipment.iter().zip(&mut positions.0) {
            let Some(found) = model.equipment(&equipment.id) else { continue };
            let has_contact = model.branches_of(found).len() > 0 || model.source_of(found).is_some() || model.earth_of(found).is_some();
            if has_contact {
                *is_closed = present.contact(found) != Contact::Open;
            }
        }
        positions
    }

    /// Whether the equipment at a position of the description is closed or in service.
    pub fn is_closed(&self, index: usize) -> bool {
        self.0.get(index).copied().unwrap_or(true)
    }
}
