//! What a gateway says about commands: no values of the field, so they are neither stored nor discovered but handed to whoever minds commands.

use std::collections::BTreeMap;

use field::command::COMMAND_EPOCH;
use field::sparkplug::MetricValue;
use field::topic::Kind;
use wire::bus::BusMessage;

use super::{Node, Work};
use crate::host::output::Out;

/// Between the name of what is operated and the parts of an order or answer (live.md section 4).
const ORDER: &str = "/Oper/";

/// Answers in one message, each to another device; what is beyond them is not looked at.
const ANSWERS_MAX: usize = 64;
/// The longest word or id of an answer that is handed on.
const TEXT_MAX: usize = 64;

/// What is gathered of one answer.
#[derive(Default)]
struct Answer {
    command: Option<String>,
    state: Option<String>,
    add_cause: Option<i64>,
}

impl Node {
    /// Takes from a birth what belongs into signed orders, and hands it on.
    pub(super) fn take_command_epoch(&mut self, work: &Work, out: &mut Out) {
        if work.kind == Kind::NBirth {
            self.command_epoch = work.payload.metric(COMMAND_EPOCH).and_then(|metric| metric.value.as_u64());
            self.tell_command_epoch(out);
        }
    }

    /// Tells it, once more to those who were not there.
    pub(in crate::host) fn tell_command_epoch(&self, out: &mut Out) {
        if let (Some(gateway), Some(epoch), true) = (self.gateway, self.command_epoch, self.session.is_confirmed()) {
            out.live.push(BusMessage::CommandEpoch { client: self.client.0, gateway: gateway.0, epoch });
        }
    }

    /// Hands on what a message answers to commands. Only data of now answers: what a birth repeats or a store brings late is of the past, and who waits
    /// for it has drawn the conclusion.
    pub(super) fn answer(&self, work: &Work, out: &mut Out) {
        let Some(gateway) = self.gateway.filter(|_| work.kind == Kind::DData) else { return };
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
