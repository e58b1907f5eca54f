//! The open commands that this process knows.

use std::time::Instant;

use grid::control::State;
use grid::{ClientId, GatewayId, LinkOrder, PointId};

/// A command that has not reached a final state. Bounded by the number of points that can be operated: each has at most one.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) client: ClientId,
    pub(crate) point: PointId,
    pub(crate) gateway: GatewayId,
    pub(crate) device: String,
    pub(crate) session: i64,
    pub(crate) state: State,
    /// When its state expires, by the monotonic clock.
    pub(crate) due: Instant,
    /// When this process received the state.
    pub(crate) noted: Instant,
    /// The link states that were known when it was decided.
    pub(crate) links: Links,
}

/// The link states of a gateway and a device that a decision knew. Only a newer link state affects the command of the decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Links {
    /// When the decision read the process image, or slightly earlier. Link states received after this time were not known to it.
    pub(crate) at: Instant,
    /// The order of the known link state of the gateway.
    pub(crate) gateway: Option<LinkOrder>,
    /// The order of the known link state of the device.
    pub(crate) device: Option<LinkOrder>,
}

impl Links {
    /// Returns the links for a decision of another api. Every link state that is received from `at` on may affect its command.
    pub(crate) fn unknown(at: Instant) -> Self {
        Self { at, gateway: None, device: None }
    }

    /// Returns whether the decision knew a link state of this order, or a newer one. The bus can lag behind the database for a moment.
    pub(crate) fn knew(&self, of_device: bool, received: Instant, order: LinkOrder) -> bool {
        let known = if of_device { self.device } else { self.gateway };
        received <= self.at || known.is_some_and(|known| order <= known)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use grid::Term;

    use super::*;

    #[test]
    fn decision_knows_link_states_up_to_its_own() {
        let at = Instant::now();
        let (before, after) = (at.checked_sub(Duration::from_secs(1)).expect("the machine is older"), at + Duration::from_secs(1));
        let place = |count| LinkOrder { term: Term(2), count };
        let decided = Links { at, gateway: Some(place(7)), device: Some(place(3)) };
        let cases = [
            ("heard before the decision", decided, false, before, place(9), true),
            ("heard at the decision", decided, false, at, place(9), true),
            ("the state that it had from the database", decided, false, after, place(7), true),
            ("an older one", decided, false, after, place(6), true),
            ("a newer one of the gateway", decided, false, after, place(8), false),
            ("a newer one of the device", decided, true, after, place(4), false),
            ("the one of the device", decided, true, after, place(3), true),
            ("what was never reported", Links { device: None, ..decided }, true, after, place(1), false),
            ("a decision of another process", Links::unknown(at), false, after, place(1), false),
        ];
        for (case, links, of_device, received, order, expected) in cases {
            assert_eq!(links.knew(of_device, received, order), expected, "{case}");
        }
    }
}
