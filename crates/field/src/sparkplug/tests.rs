//! Payloads both ways, and hostile bytes.

use proptest::prelude::*;

use super::*;

fn value() -> impl Strategy<Value = MetricValue> {
    prop_oneof![
        Just(MetricValue::Null),
        any::<bool>().prop_map(MetricValue::Boolean),
        any::<i32>().prop_map(MetricValue::Int32),
        any::<i64>().prop_map(MetricValue::Int64),
        any::<u32>().prop_map(MetricValue::UInt32),
        any::<u64>().prop_map(MetricValue::UInt64),
        (-1e30_f32..1e30).prop_map(MetricValue::Float),
        (-1e300_f64..1e300).prop_map(MetricValue::Double),
        ".{0,20}".prop_map(MetricValue::Text),
        any::<u64>().prop_map(MetricValue::DateTime),
    ]
}

prop_compose! {
    fn metric()(
        name in proptest::option::of("[A-Za-z0-9/ ]{1,20}"), alias in any::<Option<u64>>(), timestamp in any::<Option<u64>>(), value in value(),
        historical in any::<bool>(), quality in any::<Option<i32>>(), qds in any::<Option<u16>>(),
        properties in proptest::collection::vec(("[a-z]{4,8}", value()), 0..3),
    ) -> Metric {
        Metric { name, alias, timestamp, datatype: None, value, historical, quality, qds, properties }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(timestamp in any::<Option<u64>>(), seq in any::<Option<u64>>(), metrics in proptest::collection::vec(metric(), 0..6)) {
        let payload = Payload { timestamp, seq, metrics };
        let mut read = Payload::decode(&payload.encode()).expect("our own bytes");
        for metric in &mut read.metrics {
            metric.datatype = None;
        }
        prop_assert_eq!(read, payload);
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Payload::decode(&bytes);
    }

    #[test]
    fn damaged_messages_never_panic(metrics in proptest::collection::vec(metric(), 1..4), at in any::<prop::sample::Index>(), flip in 1_u8..) {
        let mut bytes = Payload { timestamp: Some(1), seq: Some(2), metrics }.encode();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let _ = Payload::decode(&bytes);
    }
}

/// One metric as a foreign client would write it: field by field, with or without a type.
fn foreign(datatype: Option<u32>, value: proto::metric::Value) -> Metric {
    let metric = proto::Metric { name: Some("m".into()), datatype, value: Some(value), ..proto::Metric::default() };
    let payload = proto::Payload { metrics: vec![metric], ..proto::Payload::default() };
    Payload::decode(&payload.encode_to_vec()).expect("well formed").metrics.remove(0)
}

#[test]
fn integers_are_read_as_their_type_says() {
    use proto::metric::Value::{BooleanValue, IntValue, LongValue};
    for (datatype, value, expected) in [
        (Some(DataType::Int8), IntValue(0xff), MetricValue::Int32(-1)),
        (Some(DataType::Int8), IntValue(0xffff_ffff), MetricValue::Int32(-1)),
        (Some(DataType::Int8), IntValue(300), MetricValue::Int32(300)),
        (Some(DataType::Int16), IntValue(0x8000), MetricValue::Int32(-32_768)),
        (Some(DataType::Int32), IntValue(0xffff_fffe), MetricValue::Int32(-2)),
        (Some(DataType::Int32), LongValue(u64::MAX), MetricValue::Int32(-1)),
        (Some(DataType::Int64), LongValue(u64::MAX), MetricValue::Int64(-1)),
        (Some(DataType::UInt16), IntValue(0xffff), MetricValue::UInt32(0xffff)),
        (Some(DataType::DateTime), LongValue(5), MetricValue::DateTime(5)),
        (Some(DataType::Boolean), IntValue(1), MetricValue::Boolean(true)),
        (Some(DataType::Boolean), BooleanValue(true), MetricValue::Boolean(true)),
        (None, IntValue(7), MetricValue::UInt32(7)),
        (Some(DataType::Unknown), IntValue(7), MetricValue::UInt32(7)),
    ] {
        let read = foreign(datatype.map(|datatype| datatype as u32), value.clone());
        assert_eq!(read.value, expected, "{datatype:?} {value:?}");
    }
    assert_eq!(foreign(Some(4_711), IntValue(7)).value, MetricValue::UInt32(7));
}

#[test]
fn a_type_from_the_birth_is_applied_later() {
    let read = foreign(None, proto::metric::Value::IntValue(0xffff_ffff));
    assert_eq!(read.value.read_as(DataType::Int32), MetricValue::Int32(-1));
}

#[test]
fn too_many_metrics_are_refused_before_they_cost_memory() {
    // Field 2, length 0: an empty metric in two bytes.
    let fits = [0x12_u8, 0].repeat(METRIC_LIMIT);
    assert_eq!(Payload::decode(&fits).map(|payload| payload.metrics.len()), Ok(METRIC_LIMIT));
    assert_eq!(Payload::decode(&[0x12_u8, 0].repeat(METRIC_LIMIT + 1)), Err(DecodeError::TooManyMetrics));
    assert_eq!(Payload::decode(b"no protobuf at all"), Err(DecodeError::Malformed));
}

#[test]
fn host_state_in_both_forms() {
    assert_eq!(read_state(&state(true, 5)), Some((true, Some(5))));
    assert_eq!(read_state(b"OFFLINE"), Some((false, None)));
    assert_eq!(read_state(b"{\"online\":3}"), None);
}
