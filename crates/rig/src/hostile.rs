//! Malicious or invalid messages, each kind on a separate topic, with the reason of its dead letter.

use bytes::Bytes;
use field::sparkplug::{BD_SEQ, Metric, MetricValue, Payload};
use simulators::rtu::link::now_ms;

use crate::recorder::Message;

/// A kind of hostile message.
pub struct HostileMessage {
    /// Name in the report.
    pub name: &'static str,
    /// Its topic.
    pub topic: String,
    /// The reason code of its dead letter.
    pub reason: &'static str,
    /// Returns the payload for a number. Different numbers give different payloads.
    pub payload: fn(i64) -> Bytes,
}

/// Returns births of the gateways that send the hostile values.
pub fn introduction() -> Vec<Message> {
    let birth = |node: &str| {
        let metrics = vec![Metric::new(BD_SEQ, MetricValue::UInt64(0)).at(now_ms())];
        (format!("spBv1.0/SAGAR/NBIRTH/{node}"), encode(metrics, Some(0)))
    };
    let device = |node: &str| (format!("spBv1.0/SAGAR/DBIRTH/{node}/D"), encode(vec![value("P", 1.0)], Some(1)));
    ["EVIL1", "EVIL2", "EVIL3", "EVIL4", "EVIL5"].into_iter().flat_map(|node| [birth(node), device(node)]).collect()
}

/// Returns all kinds.
pub fn kinds() -> Vec<HostileMessage> {
    let data = |node: &str| format!("spBv1.0/SAGAR/DDATA/{node}/D");
    let kind = |name, topic: String, reason, payload| HostileMessage { name, topic, reason, payload };
    vec![
        kind("20 KB of anything", data("EVIL-20K"), "malformed", |number| noise(number, 20_000)),
        kind("1 MB of anything", data("EVIL-1M"), "oversize", |number| noise(number, 1_000_000)),
        kind("a cut Sparkplug message", data("EVIL-CUT"), "malformed", |number| {
            let whole = encode(vec![value("P", number as f64)], Some(2));
            whole.slice(..whole.len() - 3)
        }),
        kind("NaN", data("EVIL1"), "not_finite", |_| encode(vec![value("P", f64::NAN)], None)),
        kind("an infinite number", data("EVIL2"), "not_finite", |_| encode(vec![value("P", f64::INFINITY)], None)),
        kind("a text for a number", data("EVIL3"), "not_a_number", |number| {
            encode(vec![Metric::new("P", MetricValue::Text(format!("{number}"))).at(now_ms())], None)
        }),
        kind("a value of next week", data("EVIL4"), "future", |number| {
            encode(vec![value("P", number as f64).at(now_ms() + 604_800_000)], None)
        }),
        kind("a value of 1970", data("EVIL5"), "ancient", |number| {
            encode(vec![value("P", number as f64).at(1 + number.unsigned_abs())], None)
        }),
        kind("another utility's group", "spBv1.0/NOBODY/DDATA/RIG000/B1".into(), "unknown_group", |number| {
            encode(vec![value("P", number as f64)], None)
        }),
        kind("data of no device", "spBv1.0/SAGAR/DDATA/EVIL6/".into(), "topic", |number| encode(vec![value("P", number as f64)], None)),
        kind("JSON that is no UTF-8", "rig/J1/D".into(), "malformed", |_| Bytes::from_static(b"{\"tag\":\"\xff\xfe\",\"value\":1}")),
        kind("cut JSON", "rig/J2/D".into(), "malformed", |_| Bytes::from_static(b"{\"tag\":\"P\",\"value\":")),
        kind("deeply nested JSON", "rig/J3/D".into(), "malformed", |_| Bytes::from("[".repeat(100_000))),
        kind("JSON about something else", "rig/J4/D".into(), "mapping", |_| Bytes::from_static(b"{\"hello\":\"world\"}")),
    ]
}

fn value(name: &str, value: f64) -> Metric {
    Metric::new(name, MetricValue::Double(value)).at(now_ms())
}

fn encode(metrics: Vec<Metric>, seq: Option<u64>) -> Bytes {
    Payload { timestamp: Some(now_ms()), seq, metrics }.encode().into()
}

/// Returns random bytes. The first one is the tag of a protobuf field with an invalid wire type.
fn noise(number: i64, length: usize) -> Bytes {
    let mut state = number.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::once(0xff).chain(std::iter::repeat_with(&mut next)).take(length).collect()
}
