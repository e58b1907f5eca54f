//! Fuzzes Sparkplug B payloads and topics, commands and their answers: no bytes panic, and a decoded message is equal after it is encoded and decoded
//! again.
#![no_main]

use field::command::{Answer, Order};
use field::sparkplug::{Payload, read_state};
use field::topic::Topic;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = read_state(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Ok(topic) = Topic::parse(text) {
            assert_eq!(Topic::parse(&topic.to_string()).ok(), Some(topic));
        }
    }
    if let Ok(payload) = Payload::decode(bytes) {
        let again = Payload::decode(&payload.encode()).expect("what we write can be read");
        assert_eq!(again.metrics.len(), payload.metrics.len());
        assert_eq!((again.timestamp, again.seq), (payload.timestamp, payload.seq));
        if let Some(Ok(order)) = Order::decode(&payload) {
            assert_eq!(Order::decode(&order.encode(0)), Some(Ok(order)));
        }
        for answer in Answer::decode(&payload) {
            let metrics = answer.encode(0);
            assert_eq!(Answer::decode(&Payload { metrics, ..Payload::default() }), [answer]);
        }
    }
});
