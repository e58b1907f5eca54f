//! Forwards the answers of gateways to commands. They are not telemetry, so they are published but neither stored nor
//! discovered.

use std::collections::BTreeMap;

use field::command::COMMAND_EPOCH;
use field::sparkplug::MetricValue;
use field::topic::MessageKind;
use wire::bus::BusMessage;

use super::{Node, Work};
use crate::host::output::Out;

/// Separates the name of the operated point from the parts of a command or answer (docs/reference/mqtt.md, Commands to
/// a gateway).
const ORDER: &str = "/Oper/";

/// Maximum number of answers in one message, each for a different switch; further answers are ignored.
const ANSWERS_MAX: usize = 64;
/// Maximum length of a text or id of an answer.
const TEXT_MAX: usize = 64;

/// The parts of one answer.
#[derive(Default)]
struct Answer {
    command: Option<String>,
    state: Option<String>,
    add_cause: Option<i64>,
}

impl Node {
    /// Stores the epoch for signed commands that a birth of the node contains, and publishes it.
    pub(super) fn take_command_epoch(&mut self, work: &Work, out: &mut Out) {
        if work.kind == MessageKind::NBirth {
            self.command_epoch = work.payload.metric(COMMAND_EPOCH).and_then(|metric| metric.value.as_u64());
            self.publish_command_epoch(out);
        }
    }

    /// Publishes the epoch for signed commands. It is called repeatedly, for subscribers that started later.
    pub(in crate::host) fn publish_command_epoch(&self, out: &mut Out) {
        if let (Some(gateway), Some(epoch), true) = (self.gateway, self.command_epoch, self.session.is_confirmed()) {
            out.live.push(BusMessage::CommandEpoch { client: self.client.0, gateway: gateway.0, epoch });
        }
    }

    /// Publishes the answers to commands in a message. Only current data are used: values that a birth repeats or an
    /// outbox sends late are too old for a waiting command.
    pub(super) fn answer(&self, work: &Work, out: &mut Out) {
        let Some(gateway) = self.gateway.filter(|_| work.kind == MessageKind::DData) else { return };
        let mut answers: BTreeMap<&str, Answer> = BTreeMap::new();
        for metric in work.payload.metrics.iter().filter(|metric| !metric.historical) {
            let Ok((name, value)) = self.session.resolve(&work.device, metric) else { continue };
            let Some((asset, part)) = name.rsplit_once(ORDER) else { continue };
            if !answers.contains_key(asset) && answers.len() >= ANSWERS_MAX {
                continue;
            }
            let answer = answers.entry(asset).or_default();
            match (part, value) {
                ("AckCmdId", MetricValue::Text(id)) if id.len() <= TEXT_MAX => answer.command = Some(id),
                ("State", MetricValue::Text(word)) if word.len() <= TEXT_MAX => answer.state = Some(word),
                ("AddCause", value) => answer.add_cause = value.as_number().map(|cause| cause as i64),
                _ => {}
            }
        }
        for (asset, answer) in answers {
            let (Some(command), Some(state)) = (answer.command, answer.state) else { continue };
            metrics::counter!("ingest_command_answers_total").increment(1);
            out.live.push(BusMessage::CommandAnswer {
                client: self.client.0,
                gateway: gateway.0,
                device: work.device.clone(),
                asset: asset.to_owned(),
                command,
                state,
                add_cause: answer.add_cause,
                received: work.origin.received.0,
            });
        }
    }
}
