//! What an RTU does about an order to operate: refuses it, holds a select, or acts (docs/API.md, "Commands to a gateway"). Decides only; it moves nothing.

use std::collections::BTreeMap;

use ed25519_dalek::{Signature, VerifyingKey};
use field::command::Order;
use grid::control::{Action, AddCause, CommandId, Said, Throw};

use super::journal::{Journal, Progress};
use crate::physics::switching::Standing;
use crate::utility::Substation;

/// How long a select holds, by the RTU's own timer.
pub const SELECT_MS: u64 = 30_000;
/// An order that would be valid for longer is refused: orders are good for five seconds, and clocks are apart by less than two.
pub const LONGEST_MS: u64 = 7_000;

/// What wants signatures: whose, and the number of this boot.
#[derive(Debug, Clone)]
pub struct Gate {
    /// The public key of who may give orders.
    pub key: VerifyingKey,
    /// New at each boot.
    pub epoch: u64,
}

/// A switch that the RTU knows.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    device: String,
    operable: bool,
    /// The earth switch of its bay.
    earth: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Select {
    id: CommandId,
    from: Throw,
    target: Throw,
    /// By the RTU's uptime.
    until: u64,
}

/// What the RTU sees while it decides.
pub struct Scene<'a> {
    /// What it has begun before.
    pub journal: &'a Journal,
    /// Where a switch stands.
    pub standing: &'a dyn Fn(&str) -> Option<Standing>,
    /// Its local/remote switch is on local.
    pub local: bool,
    /// Its wall clock, epoch ms.
    pub now: u64,
    /// Its uptime, ms, which nobody can set.
    pub uptime: u64,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Answer, and nothing else.
    Say(Said, Option<AddCause>),
    /// Enter it in the journal, then move the switch.
    Act,
}

/// The control side of one RTU.
#[derive(Debug)]
pub struct Control {
    group: String,
    node: String,
    known: BTreeMap<String, Known>,
    selects: BTreeMap<String, Select>,
    gate: Option<Gate>,
}

impl Control {
    /// An RTU that has just booted: nothing is selected.
    pub fn new(group: &str, substation: &Substation, gate: Option<Gate>) -> Self {
        let switch = |code: &str| substation.points.iter().any(|point| point.asset == code && point.code == "Pos");
        let known = substation.assets.iter().filter(|asset| switch(&asset.code)).map(|asset| {
            let earth = asset.code.strip_suffix("CB").map(|bay| format!("{bay}ES")).filter(|code| switch(code));
            (asset.code.clone(), Known { device: asset.device.clone(), operable: asset.operable, earth })
        });
        Self { group: group.to_owned(), node: substation.code.clone(), known: known.collect(), selects: BTreeMap::new(), gate }
    }

    /// What wants signatures, if anything does.
    pub fn gate(&self) -> Option<&Gate> {
        self.gate.as_ref()
    }

    /// Decides about an order for a device. `retained` tells that the broker had kept it from before.
    pub fn decide(&mut self, device: &str, order: &Order, retained: bool, scene: &Scene<'_>) -> Decision {
        // Before all else: an order that comes a second time is answered by what became of it, so that no doubled packet spoils the first.
        // That goes for a cancel too: what is begun cannot be cancelled.
        if let Some(entry) = scene.journal.get(order.id) {
            return match entry.progress {
                Progress::Begun => Decision::Say(Said::Accepted, None),
                Progress::Finished => Decision::Say(Said::Terminated, None),
                Progress::Unfinished => Decision::Say(Said::Unknown, None),
            };
        }
        self.selects.retain(|_, select| scene.uptime < select.until);
        match self.refusal(device, order, retained, scene) {
            Some(cause) => {
                // A wrong second step ends the first, as everywhere in this protocol family.
                if order.action == Action::Execute && self.selects.get(&order.asset).is_some_and(|select| select.id == order.id) {
                    self.selects.remove(&order.asset);
                }
                Decision::Say(Said::Refused, Some(cause))
            }
            None => self.take(order, scene),
        }
    }

    fn refusal(&self, device: &str, order: &Order, retained: bool, scene: &Scene<'_>) -> Option<AddCause> {
        if !self.is_genuine(device, order) {
            return Some(AddCause::NoAccessAuthority);
        }
        if retained || order.expires_at > scene.now + LONGEST_MS {
            return Some(AddCause::InconsistentParameters);
        }
        if order.expires_at <= scene.now {
            return Some(AddCause::TimeLimitOver);
        }
        let Some(known) = self.known.get(&order.asset).filter(|known| known.device == device && known.operable) else {
            return Some(AddCause::NotSupported);
        };
        let select = self.selects.get(&order.asset);
        match order.action {
            Action::Cancel => return None,
            Action::Select => {
                if select.is_some_and(|select| select.id != order.id) {
                    return Some(AddCause::ObjectAlreadySelected);
                }
            }
            Action::Execute => {
                let Some(select) = select.filter(|select| select.id == order.id) else { return Some(AddCause::ObjectNotSelected) };
                if (select.from, select.target) != (order.from, order.target) {
                    return Some(AddCause::InconsistentParameters);
                }
            }
            Action::Direct => {
                if select.is_some() {
                    return Some(AddCause::LockedByOtherClient);
                }
            }
        }
        Self::standing_refusal(known, order, scene)
    }

    /// Looks once more, right before the switch is thrown: writing the journal takes its time, and meanwhile the order may have run out, the local/remote
    /// switch or another switch may have been moved.
    pub fn second_look(&self, order: &Order, scene: &Scene<'_>) -> Option<AddCause> {
        if order.expires_at <= scene.now {
            return Some(AddCause::TimeLimitOver);
        }
        let Some(known) = self.known.get(&order.asset) else { return Some(AddCause::NotSupported) };
        Self::standing_refusal(known, order, scene)
    }

    /// What speaks against an order by how things stand in the station.
    fn standing_refusal(known: &Known, order: &Order, scene: &Scene<'_>) -> Option<AddCause> {
        if scene.local {
            return Some(AddCause::BlockedBySwitchingHierarchy);
        }
        match (scene.standing)(&order.asset) {
            None => Some(AddCause::NotSupported),
            Some(Standing::Moving) => Some(AddCause::CommandAlreadyInExecution),
            Some(Standing::At(stands)) if stands != order.from => Some(AddCause::InconsistentParameters),
            Some(Standing::At(stands)) if stands == order.target => Some(AddCause::PositionReached),
            Some(Standing::At(_)) => {
                let earthed = known.earth.as_deref().is_some_and(|earth| (scene.standing)(earth) != Some(Standing::At(Throw::Open)));
                (order.target == Throw::Closed && earthed).then_some(AddCause::BlockedByInterlocking)
            }
        }
    }

    fn take(&mut self, order: &Order, scene: &Scene<'_>) -> Decision {
        match order.action {
            Action::Select => {
                // The same select once more does not get more time.
                let until = self.selects.get(&order.asset).map_or(scene.uptime + SELECT_MS, |select| select.until);
                let select = Select { id: order.id, from: order.from, target: order.target, until };
                self.selects.insert(order.asset.clone(), select);
                Decision::Say(Said::Selected, None)
            }
            Action::Cancel => {
                if self.selects.get(&order.asset).is_some_and(|select| select.id == order.id) {
                    self.selects.remove(&order.asset);
                }
                Decision::Say(Said::Cancelled, None)
            }
            Action::Execute | Action::Direct => {
                self.selects.remove(&order.asset);
                Decision::Act
            }
        }
    }

    fn is_genuine(&self, device: &str, order: &Order) -> bool {
        let Some(gate) = &self.gate else { return true };
        let Some(seal) = order.seal.as_ref().filter(|seal| seal.epoch == gate.epoch) else { return false };
        let signed = order.signed(&self.group, &self.node, device, gate.epoch);
        Signature::from_slice(&seal.signature).is_ok_and(|signature| gate.key.verify_strict(&signed, &signature).is_ok())
    }
}

#[cfg(test)]
mod tests;
