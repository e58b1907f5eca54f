//! Decides how an RTU handles a command: refuse it, hold a selection, or operate (docs/reference/mqtt.md, Obligations of a gateway). It
//! does not move anything itself.

use std::collections::BTreeMap;

use ed25519_dalek::{Signature, VerifyingKey};
use field::command::Order;
use grid::control::{Action, AddCause, CommandId, GatewayAnswer, Throw};

use super::journal::{Journal, Progress};
use crate::physics::switching::SwitchState;
use crate::utility::Substation;

/// Duration of a selection by the RTU's timer, ms.
pub const SELECT_MS: u64 = 30_000;
/// Longest accepted remaining validity of a command, ms. Commands are valid for five seconds, and clocks differ by less than two seconds.
pub const LONGEST_MS: u64 = 7_000;

/// The check of signatures: the public key, and the number of this boot.
#[derive(Debug, Clone)]
pub struct SignatureCheck {
    /// The public key of the host that may send commands.
    pub key: VerifyingKey,
    /// Different after each boot.
    pub epoch: u64,
}

/// A switch of the substation.
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
    /// End of the selection, by the RTU's uptime, ms.
    until: u64,
}

/// The facts on which the RTU bases its decision.
pub struct Scene<'a> {
    /// The journal of commands.
    pub journal: &'a Journal,
    /// Returns the state of a switch.
    pub switch_state: &'a dyn Fn(&str) -> Option<SwitchState>,
    /// Whether the local/remote switch is on local.
    pub local: bool,
    /// Wall clock, epoch ms.
    pub now: u64,
    /// Uptime, ms; no user can set it.
    pub uptime: u64,
}

/// The decision on a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Answer without operating.
    Say(GatewayAnswer, Option<AddCause>),
    /// Write it to the journal, then operate the switch.
    Act,
}

/// The command handling of one RTU.
#[derive(Debug)]
pub struct Control {
    group: String,
    node: String,
    known: BTreeMap<String, Known>,
    selects: BTreeMap<String, Select>,
    gate: Option<SignatureCheck>,
}

impl Control {
    /// Creates the state after a boot: nothing is selected.
    pub fn new(group: &str, substation: &Substation, gate: Option<SignatureCheck>) -> Self {
        let switch = |code: &str| substation.points.iter().any(|point| point.asset == code && point.code == "Pos");
        let known = substation.assets.iter().filter(|asset| switch(&asset.code)).map(|asset| {
            let earth = asset.code.strip_suffix("CB").map(|bay| format!("{bay}ES")).filter(|code| switch(code));
            (asset.code.clone(), Known { device: asset.device.clone(), operable: asset.operable, earth })
        });
        Self { group: group.to_owned(), node: substation.code.clone(), known: known.collect(), selects: BTreeMap::new(), gate }
    }

    /// Returns the check of signatures; `None` if unsigned commands are accepted.
    pub fn gate(&self) -> Option<&SignatureCheck> {
        self.gate.as_ref()
    }

    /// Decides on a command to a device. `retained` is whether the broker delivered it as a retained message.
    pub fn decide(&mut self, device: &str, order: &Order, retained: bool, scene: &Scene<'_>) -> Decision {
        // First of all, a repeated command gets the outcome of its first copy as the answer, so that a duplicated packet has no effect on it. This
        // includes a cancel, because a started command cannot be cancelled.
        if let Some(entry) = scene.journal.get(order.id) {
            return match entry.progress {
                Progress::Begun => Decision::Say(GatewayAnswer::Accepted, None),
                Progress::Finished => Decision::Say(GatewayAnswer::Terminated, None),
                Progress::Unfinished => Decision::Say(GatewayAnswer::Unknown, None),
            };
        }
        self.selects.retain(|_, select| scene.uptime < select.until);
        match self.refusal(device, order, retained, scene) {
            Some(cause) => {
                // A wrong execute ends the selection, as usual in this protocol family.
                if order.action == Action::Execute && self.selects.get(&order.asset).is_some_and(|select| select.id == order.id) {
                    self.selects.remove(&order.asset);
                }
                Decision::Say(GatewayAnswer::Refused, Some(cause))
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
        Self::switch_refusal(known, order, scene)
    }

    /// Checks again right before the switch is operated. Writing the journal takes time, and meanwhile the command may have expired, or the
    /// local/remote switch or another switch may have moved.
    pub fn second_look(&self, order: &Order, scene: &Scene<'_>) -> Option<AddCause> {
        if order.expires_at <= scene.now {
            return Some(AddCause::TimeLimitOver);
        }
        let Some(known) = self.known.get(&order.asset) else { return Some(AddCause::NotSupported) };
        Self::switch_refusal(known, order, scene)
    }

    /// Returns a reason against a command from the present state of the substation.
    fn switch_refusal(known: &Known, order: &Order, scene: &Scene<'_>) -> Option<AddCause> {
        if scene.local {
            return Some(AddCause::BlockedBySwitchingHierarchy);
        }
        match (scene.switch_state)(&order.asset) {
            None => Some(AddCause::NotSupported),
            Some(SwitchState::Moving) => Some(AddCause::CommandAlreadyInExecution),
            Some(SwitchState::At(stands)) if stands != order.from => Some(AddCause::InconsistentParameters),
            Some(SwitchState::At(stands)) if stands == order.target => Some(AddCause::PositionReached),
            Some(SwitchState::At(_)) => {
                let earthed = known.earth.as_deref().is_some_and(|earth| (scene.switch_state)(earth) != Some(SwitchState::At(Throw::Open)));
                (order.target == Throw::Closed && earthed).then_some(AddCause::BlockedByInterlocking)
            }
        }
    }

    fn take(&mut self, order: &Order, scene: &Scene<'_>) -> Decision {
        match order.action {
            Action::Select => {
                // Repeating a select does not extend it.
                let until = self.selects.get(&order.asset).map_or(scene.uptime + SELECT_MS, |select| select.until);
                let select = Select { id: order.id, from: order.from, target: order.target, until };
                self.selects.insert(order.asset.clone(), select);
                Decision::Say(GatewayAnswer::Selected, None)
            }
            Action::Cancel => {
                if self.selects.get(&order.asset).is_some_and(|select| select.id == order.id) {
                    self.selects.remove(&order.asset);
                }
                Decision::Say(GatewayAnswer::Cancelled, None)
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
