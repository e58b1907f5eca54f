//! Publishes commands to gateways; the only module of the product that does so (checked by `crates/switchyard/tests/architecture.rs`).

use std::time::{Duration, UNIX_EPOCH};

use ed25519_dalek::Signer as _;
use field::client::PublishError;
use field::command::{Order, Seal};
use field::sparkplug::{Metric, MetricValue, Payload, REBIRTH};
use field::topic::{MessageKind, Topic};
use grid::control::Action;
use grid::control::machine::Effect;
use store::control::{Committed, Moment, Site};

use crate::clock;
use crate::handle::Control;

/// Lifetime of a command after its decision. After this time the broker discards the command, and the gateway refuses it.
const EXPIRY: Duration = Duration::from_secs(5);
/// A command that moves a device is published only if it is at most this old. This is shorter than the time after which another api takes the command over. So
/// no command is published after it has ended as UNKNOWN.
const LATE: Duration = Duration::from_secs(2);
/// Limit of the operator's name. A gateway accepts 200 bytes.
const OPERATOR_CHARS: usize = 50;

/// Lifetime of a rebirth request, s.
const INTERROGATION_S: u32 = 5;

/// Why a command was not published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsent {
    /// The COMMIT or this process was delayed for too long. Contains the time since the decision.
    #[error("it was decided {0:?} ago")]
    Late(Duration),
    /// There is no connection, or its queue is full.
    #[error(transparent)]
    Refused(#[from] PublishError),
}

impl Control {
    /// Publishes a command, once. It must be committed before. If publishing fails, it is not repeated.
    pub(crate) fn send(&self, committed: &Committed, operator: &str, effect: Effect) -> Result<(), Unsent> {
        let Effect::Publish { action, id, from, target } = effect else { return Ok(()) };
        let site = &committed.site;
        let count = |sent: bool| {
            metrics::counter!("control_orders_total", "action" => action.as_str(), "sent" => if sent { "yes" } else { "no" }).increment(1);
        };
        // Cancelling a selection is harmless at any age.
        let decided = if action == Action::Cancel { Moment::now() } else { committed.decided };
        let age = decided.age();
        let Some(expiry_s) = good_for_s(action, age) else {
            count(false);
            return Err(Unsent::Late(age));
        };
        let decided_ms = decided.wall().duration_since(UNIX_EPOCH).unwrap_or_default();
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let asset = site.metric.rsplit_once('/').map_or(site.metric.as_str(), |(asset, _)| asset).to_owned();
        let operator = operator.chars().take(OPERATOR_CHARS).collect();
        let mut order = Order { asset, id, action, target, from, operator, expires_at: ms(decided_ms + EXPIRY), seal: None };
        // A gateway that requires signatures refuses a command without one.
        if let (Some(key), Some(epoch)) = (&self.0.signing_key, self.image().epoch_of(site.gateway)) {
            let signed = order.signed(&site.group, &site.gateway_code, &site.device, epoch);
            order.seal = Some(Seal { epoch, signature: key.sign(&signed).to_bytes().to_vec() });
        }
        let topic = Topic::edge(&site.group, MessageKind::DCmd, &site.gateway_code, &site.device).to_string();
        let sent = self.0.publisher.try_order(&topic, order.encode(ms(decided_ms + age)).encode(), expiry_s);
        count(sent.is_ok());
        Ok(sent?)
    }
}

impl Control {
    /// Requests a rebirth, which reports all current positions of the gateway. Ingest distinguishes the requested birth from a birth after a restart, so it
    /// does not end a command. It is requested once for each command with unknown outcome.
    pub(crate) fn interrogate(&self, site: &Site) {
        let now_ms = u64::try_from(clock::now().millis()).unwrap_or_default();
        let metrics = vec![Metric::new(REBIRTH, MetricValue::Boolean(true)).at(now_ms)];
        let payload = Payload { timestamp: Some(now_ms), seq: None, metrics }.encode();
        let topic = Topic::edge(&site.group, MessageKind::NCmd, &site.gateway_code, "").to_string();
        if let Err(error) = self.0.publisher.try_order(&topic, payload, INTERROGATION_S) {
            tracing::debug!(%error, gateway = site.gateway_code, "the rebirth request to a gateway was not sent; its position stays unknown");
        }
    }
}

/// Returns how many whole seconds the broker may keep a command of this age; `None` if it must not be published any more.
fn good_for_s(action: Action, age: Duration) -> Option<u32> {
    let may_be = if matches!(action, Action::Execute | Action::Direct) { LATE } else { EXPIRY };
    let left = EXPIRY.checked_sub(age).filter(|_| age <= may_be)?;
    u32::try_from(left.as_secs()).ok().filter(|left| *left > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_good_for_what_is_left_of_its_time_and_what_moves_something_leaves_soon_or_never() {
        let cases = [
            (Action::Direct, 0, Some(5)),
            (Action::Execute, 1, Some(4)),
            (Action::Execute, 1_999, Some(3)),
            (Action::Direct, 2_000, Some(3)),
            (Action::Direct, 2_001, None),
            (Action::Execute, 60_000, None),
            (Action::Select, 2_001, Some(2)),
            (Action::Select, 4_000, Some(1)),
            (Action::Select, 4_001, None),
            (Action::Select, 60_000, None),
        ];
        for (action, age_ms, expected) in cases {
            assert_eq!(good_for_s(action, Duration::from_millis(age_ms)), expected, "{action:?} after {age_ms} ms");
        }
    }
}
