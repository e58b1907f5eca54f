//! The one place of the house from which an order leaves for a gateway (trust.md S16).

use ed25519_dalek::Signer as _;
use field::client::PublishError;
use field::command::{Order, Seal};
use field::topic::{Kind, Topic};
use grid::control::machine::Effect;
use store::control::Site;

use super::Control;
use crate::state::Services;

/// How long an order is good: the broker throws it away after this, the gateway refuses it.
const EXPIRY_S: u32 = 5;

impl Control {
    /// Sends an order, once. It is on record before this is called; if it cannot leave now it never will.
    pub(super) fn send(&self, site: &Site, operator: &str, effect: Effect) -> Result<(), PublishError> {
        let Effect::Publish { action, id, from, target } = effect else { return Ok(()) };
        let now_ms = u64::try_from(Services::now().millis()).unwrap_or_default();
        let asset = site.metric.rsplit_once('/').map_or(site.metric.as_str(), |(asset, _)| asset).to_owned();
        let operator = operator.chars().take(OPERATOR_CHARS).collect();
        let mut order = Order { asset, id, action, target, from, operator, expires_at: now_ms + u64::from(EXPIRY_S) * 1_000, seal: None };
        // A gateway that wants a signature refuses what has none.
        if let (Some(key), Some(epoch)) = (&self.0.signing_key, self.image().epoch_of(site.gateway)) {
            let signed = order.signed(&site.group, &site.gateway_code, &site.device, epoch);
            order.seal = Some(Seal { epoch, signature: key.sign(&signed).to_bytes().to_vec() });
        }
        let topic = Topic::edge(&site.group, Kind::DCmd, &site.gateway_code, &site.device).to_string();
        let sent = self.0.publisher.try_order(&topic, order.encode(now_ms).encode(), EXPIRY_S);
        metrics::counter!("control_orders_total", "action" => action.word(), "sent" => if sent.is_ok() { "yes" } else { "no" })
            .increment(1);
        sent
    }
}

/// Names are cut for the gateway: it takes 200 bytes.
const OPERATOR_CHARS: usize = 50;
