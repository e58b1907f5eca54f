//! The one place of the house from which an order leaves for a gateway (trust.md S16).

use std::time::{Duration, UNIX_EPOCH};

use ed25519_dalek::Signer as _;
use field::client::PublishError;
use field::command::{Order, Seal};
use field::sparkplug::{Metric, MetricValue, Payload, REBIRTH};
use field::topic::{Kind, Topic};
use grid::control::Action;
use grid::control::machine::Effect;
use store::control::{Committed, Moment, Site};

use crate::clock;
use crate::handle::Control;

/// How long an order is good, from its decision on: the broker throws it away after this, the gateway refuses it.
const EXPIRY: Duration = Duration::from_secs(5);
/// How late an order may leave that moves something. Shorter than what makes another api take its command over, so that none leaves for a command that has
/// ended as unknown by then.
const LATE: Duration = Duration::from_secs(2);
/// Names are cut for the gateway: it takes 200 bytes.
const OPERATOR_CHARS: usize = 50;

/// How long the question how a gateway stands is good, s.
const INTERROGATION_S: u32 = 5;

/// Why an order has not left.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsent {
    /// The COMMIT, or this process, has stood still for too long.
    #[error("it was decided {0:?} ago")]
    Late(Duration),
    /// There is no connection, or it takes no more.
    #[error(transparent)]
    Refused(#[from] PublishError),
}

impl Control {
    /// Sends an order, once. It is on record before this is called; if it cannot leave now it never will.
    pub(crate) fn send(&self, committed: &Committed, operator: &str, effect: Effect) -> Result<(), Unsent> {
        let Effect::Publish { action, id, from, target } = effect else { return Ok(()) };
        let site = &committed.site;
        let count = |sent: bool| {
            metrics::counter!("control_orders_total", "action" => action.word(), "sent" => if sent { "yes" } else { "no" }).increment(1);
        };
        // Giving a selection up does no harm however late it comes.
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
        // A gateway that wants a signature refuses what has none.
        if let (Some(key), Some(epoch)) = (&self.0.signing_key, self.image().epoch_of(site.gateway)) {
            let signed = order.signed(&site.group, &site.gateway_code, &site.device, epoch);
            order.seal = Some(Seal { epoch, signature: key.sign(&signed).to_bytes().to_vec() });
        }
        let topic = Topic::edge(&site.group, Kind::DCmd, &site.gateway_code, &site.device).to_string();
        let sent = self.0.publisher.try_order(&topic, order.encode(ms(decided_ms + age)).encode(), expiry_s);
        count(sent.is_ok());
        Ok(sent?)
    }
}

impl Control {
    /// Asks a gateway to be born again, which brings all its positions as they are now. Ingest tells such a birth from one after a restart, so it ends nothing.
    /// Once for each command that ended in doubt, so no more often than devices are operated.
    pub(crate) fn interrogate(&self, site: &Site) {
        let now_ms = u64::try_from(clock::now().millis()).unwrap_or_default();
        let metrics = vec![Metric::new(REBIRTH, MetricValue::Boolean(true)).at(now_ms)];
        let payload = Payload { timestamp: Some(now_ms), seq: None, metrics }.encode();
        let topic = Topic::edge(&site.group, Kind::NCmd, &site.gateway_code, "").to_string();
        if let Err(error) = self.0.publisher.try_order(&topic, payload, INTERROGATION_S) {
            tracing::debug!(%error, gateway = site.gateway_code, "a gateway could not be asked how it stands");
        }
    }
}

/// For how many whole seconds the broker may keep an order that was decided so long ago; `None` for one that must not leave any more.
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
