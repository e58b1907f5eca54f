//! The shipped mappings on payloads of the programs they are for, and hostile ones on all of them.

use std::fmt::Write as _;

use grid::Quality;
use grid::quality::RawQuality;
use proptest::prelude::*;

use super::*;
use crate::sparkplug::{Metric, MetricValue};

fn all() -> Mappings {
    let mut text = String::new();
    for (number, name) in Mappings::builtin_names().into_iter().enumerate() {
        // Some of them have the same topics as they are shipped.
        let topic = if name == "text" { "t/{node}/{device}/{point...}".to_owned() } else { format!("m{number}/{{node}}/{{device}}") };
        writeln!(text, "[[mapping]]\nbuiltin = \"{name}\"\ngroup = \"APDL\"\ntopic = \"{topic}\"").unwrap();
    }
    Mappings::from_toml(&text).unwrap()
}

fn shipped(name: &str) -> Mappings {
    Mappings::from_toml(&format!("[[mapping]]\nbuiltin = \"{name}\"\ngroup = \"APDL\"\n")).unwrap()
}

fn read(name: &str, topic: &str, payload: &str) -> Result<Message, ReadError> {
    shipped(name).read(topic, payload.as_bytes()).expect("a topic of the mapping")
}

fn only(message: &Message) -> &[Metric] {
    assert_eq!((message.group.as_str(), message.node.as_str(), message.devices.len()), ("APDL", "RTU1", 1), "{message:?}");
    &message.devices[0].1
}

#[test]
fn fledgepower_data_objects() {
    // Field names and values as in the reading examples of the FledgePower documentation (fledgepower-deployment, south plugin IEC 104).
    let object = r#"{"do_type":"M_ME_NC_1","do_ca":41025,"do_oa":0,"do_ioa":4202832,"do_cot":20,"do_test":0,"do_negative":0,"do_value":-0.5,
        "do_quality_iv":0,"do_quality_bl":0,"do_quality_ov":0,"do_quality_sb":1,"do_quality_nt":0,"do_ts":1668631513250,"do_ts_iv":0}"#;
    for payload in [
        object.to_owned(),
        format!(r#"{{"data_object":{object}}}"#),
        format!(r#"[{{"timestamp":"2022-11-16T20:45:13.25Z","asset":"TM-1","readings":{{"data_object":{object}}}}}]"#),
    ] {
        let message = read("fledgepower-iec104", "fledge/iec104/RTU1", &payload).unwrap();
        let [metric] = only(&message) else { panic!("{message:?}") };
        assert_eq!(metric.name.as_deref(), Some("41025/4202832"), "{payload}");
        assert_eq!((&metric.value, metric.timestamp, metric.qds), (&MetricValue::Double(-0.5), Some(1_668_631_513_250), Some(0x20)));
    }
    let blind = object.replace(r#""do_value":-0.5,"#, "").replace(r#""do_quality_iv":0"#, r#""do_quality_iv":1"#);
    let message = read("fledgepower-iec104", "fledge/iec104/RTU1", &blind).unwrap();
    assert_eq!((&only(&message)[0].value, only(&message)[0].qds), (&MetricValue::Null, Some(0xa0)));
}

#[test]
fn fledgepower_flags() {
    let object = |flags: &str| format!(r#"{{"do_ca":1,"do_ioa":7,"do_value":2,"do_quality_iv":0,"do_ts":1668631513250,{flags}}}"#);
    let quality = |metric: &Metric| Quality::from_sparkplug(metric.quality, metric.qds.map(RawQuality));
    for (flags, expected, at) in [
        (r#""do_test":0,"do_negative":0,"do_ts_iv":0"#, Quality::Good, Some(1_668_631_513_250)),
        (r#""do_ts_iv":1"#, Quality::Questionable, None),
        (r#""do_ts_iv":true,"do_quality_nt":1"#, Quality::Stale, None),
        (r#""do_test":1"#, Quality::Invalid, Some(1_668_631_513_250)),
        (r#""do_test":1,"do_ts_iv":1"#, Quality::Invalid, None),
    ] {
        for payload in [object(flags), format!(r#"[{{"readings":{{"data_object":{}}}}}]"#, object(flags))] {
            let message = read("fledgepower-iec104", "fledge/iec104/RTU1", &payload).unwrap();
            let [metric] = only(&message) else { panic!("{message:?}") };
            assert_eq!((quality(metric), metric.timestamp, &metric.value), (expected, at, &MetricValue::Double(2.0)), "{payload}");
        }
    }
    let refused = object(r#""do_negative":1"#);
    assert_eq!(read("fledgepower-iec104", "fledge/iec104/RTU1", &refused), Err(ReadError::Negative));
    let beside = format!("[{refused},{}]", object(r#""do_negative":0"#));
    assert_eq!(only(&read("fledgepower-iec104", "fledge/iec104/RTU1", &beside).unwrap()).len(), 1, "what is beside it is taken");
}

#[test]
fn null_is_an_absent_value() {
    for (payload, is_there) in [
        (r#"{"ts":1700000000123,"tag":"F3/Ir","value":null}"#, true),
        (r#"{"ts":1700000000123,"tag":"F3/Ir"}"#, false),
        (r#"{"ts":1700000000123,"values":{"F3/Ir":null}}"#, true),
        (r#"{"ts":1700000000123,"tag":null,"value":null}"#, false),
        (r#"{"ts":1700000000123,"value":5}"#, false),
    ] {
        let message = read("flat", "flat/RTU1/F3", payload);
        let found = message.as_ref().ok().map(only).and_then(|metrics| Some((metrics.first()?, metrics.len())));
        let expected = found.is_some_and(|(metric, count)| {
            (metric.name.as_deref(), &metric.value, metric.timestamp, count)
                == (Some("F3/Ir"), &MetricValue::Null, Some(1_700_000_000_123), 1)
        });
        assert_eq!((message.is_ok(), expected), (is_there, is_there), "{payload}: {message:?}");
    }
    // A message without the value contains no item of the record.
    let one = "[[mapping]]\nname = \"m\"\ntopic = \"m\"\ngroup = \"APDL\"\nnode = \"RTU1\"\ndevice = \"D\"\n[[mapping.record]]\npoint = \"P\"\nvalue = [\"/v\"]\n";
    let one = Mappings::from_toml(one).unwrap();
    assert_eq!(only(&one.read("m", br#"{"v":null}"#).unwrap().unwrap())[0].value, MetricValue::Null);
    assert!(one.read("m", b"{}").unwrap().is_err());
}

#[test]
fn neuron_values_and_tags() {
    // The two upload formats of Neuron's MQTT application (docs.emqx.com, Neuron, MQTT north app).
    let message = read(
        "neuron-values",
        "neuron/mqtt/RTU1/grp",
        r#"{"timestamp":1650006388943,"node":"modbus","group":"grp","values":{"tag0":123,"tag1":true},"errors":{"tag2":2014},"metas":{}}"#,
    )
    .unwrap();
    let fields: Vec<_> = only(&message).iter().map(|metric| (metric.name.as_deref().unwrap(), &metric.value, metric.quality)).collect();
    assert_eq!(
        fields,
        [("tag0", &MetricValue::Double(123.0), None), ("tag1", &MetricValue::Boolean(true), None), ("tag2", &MetricValue::Null, Some(0))]
    );
    assert!(only(&message).iter().all(|metric| metric.timestamp == Some(1_650_006_388_943)));
    let message = read(
        "neuron-tags",
        "neuron/mqtt/RTU1/grp",
        r#"{"timestamp":1647497389075,"node":"modbus","group":"grp","tags":[{"name":"tag0","value":123},{"name":"tag1","value":1.5,"error":0},{"name":"tag2","error":2014}]}"#,
    )
    .unwrap();
    let fields: Vec<_> = only(&message).iter().map(|metric| (metric.name.as_deref().unwrap(), &metric.value, metric.quality)).collect();
    assert_eq!(
        fields,
        [
            ("tag0", &MetricValue::Double(123.0), Some(192)),
            ("tag1", &MetricValue::Double(1.5), Some(192)),
            ("tag2", &MetricValue::Null, Some(0))
        ]
    );
}

#[test]
fn flat_objects_and_plain_texts() {
    let message = read("flat", "flat/RTU1/F3", r#"{"ts":1700000000123,"tag":"F3/Ir","value":"12.5","quality":"bad"}"#).unwrap();
    let [metric] = only(&message) else { panic!("{message:?}") };
    assert_eq!((metric.name.as_deref(), &metric.value, metric.quality), (Some("F3/Ir"), &MetricValue::Double(12.5), Some(0)));
    let message = read("flat", "flat/RTU1/F3", r#"{"ts":1700000000123,"values":{"F3/Ir":1,"F3CB/Pos":2}}"#).unwrap();
    assert_eq!((message.devices[0].0.as_str(), only(&message).len()), ("F3", 2));
    for (text, expected) in
        [("230.4", MetricValue::Double(230.4)), (" on ", MetricValue::Boolean(true)), ("tripped", MetricValue::Text("tripped".into()))]
    {
        let message = read("text", "text/RTU1/F3/F3/Ua", text).unwrap();
        assert_eq!((only(&message)[0].name.as_deref(), &only(&message)[0].value), (Some("F3/Ua"), &expected));
    }
    assert_eq!(shipped("text").read("text/RTU1/F3", b"1"), None, "no topic of it");
}

#[test]
fn times_in_every_unit() {
    let time = |unit: &str, at: &str| {
        let text = format!(
            "[[mapping]]\nname = \"m\"\ntopic = \"m\"\ngroup = \"G\"\nnode = \"N\"\ndevice = \"D\"\n[[mapping.record]]\npoint = \"P\"\nvalue = [\"/v\"]\ntime = {{ at = [\"/t\"], unit = \"{unit}\" }}\n"
        );
        let message = Mappings::from_toml(&text).unwrap().read("m", format!("{{\"v\":1,\"t\":{at}}}").as_bytes()).unwrap();
        message.map(|message| message.devices[0].1[0].timestamp)
    };
    for (unit, at, expected) in [
        ("s", "1700000000", 1_700_000_000_000),
        ("s", "1700000000.5", 1_700_000_000_500),
        ("s", "\"1700000000.1234\"", 1_700_000_000_123),
        ("s", "\"18446744073709551.615\"", u64::MAX),
        ("ms", "1700000000123", 1_700_000_000_123),
        ("us", "1700000000123456", 1_700_000_000_123),
        ("ns", "1700000000123456789", 1_700_000_000_123),
        ("iso", "\"2023-11-14T22:13:20.123Z\"", 1_700_000_000_123),
    ] {
        assert_eq!(time(unit, at), Ok(Some(expected)), "{unit} {at}");
    }
    assert_eq!(time("ms", "null"), Ok(None));
    for (unit, at) in [
        ("iso", "\"yesterday\""),
        ("ms", "{}"),
        ("ms", "-1"),
        ("s", "-0.5"),
        ("s", "\"1.+1\""),
        ("s", "\"1.\""),
        ("s", "\"18446744073709551.616\""),
        ("s", "\"170141183460469231731687303715884105.999\""),
        ("s", "1e400"),
        ("ms", "\"\""),
    ] {
        assert!(time(unit, at).is_err(), "{unit} {at}");
    }
}

#[test]
fn what_cannot_be_taken_says_why() {
    let nested = "[".repeat(200) + &"]".repeat(200);
    for (payload, word) in [
        ("{", "no JSON"),
        ("\u{0}", "no JSON"),
        ("[]", "no value"),
        ("{\"tags\":[{\"value\":1}]}", "no point"),
        ("{\"tags\":5}", "no value"),
        ("{\"timestamp\":\"x\",\"tags\":[{\"name\":\"a\",\"value\":1}]}", "no time"),
        (nested.as_str(), "recursion"),
    ] {
        let error = read("neuron-tags", "neuron/mqtt/RTU1/grp", payload).unwrap_err().to_string();
        assert!(error.contains(word), "{payload}: {error}");
    }
    let many = format!("{{\"values\":{{{}}}}}", (0..=RECORD_LIMIT).map(|n| format!("\"{n}\":1")).collect::<Vec<_>>().join(","));
    assert_eq!(read("flat", "flat/RTU1/F3", &many), Err(ReadError::Many));
    assert_eq!(shipped("flat").read("flat/R/F", &vec![b' '; PAYLOAD_LIMIT + 1]), Some(Err(ReadError::Long(PAYLOAD_LIMIT + 1))));
}

#[test]
fn a_mapping_that_cannot_work_is_refused_by_name() {
    let flat = |more: &str| format!("[[mapping]]\nbuiltin = \"flat\"\ngroup = \"G\"\nname = \"mine\"\n{more}");
    for (text, word) in [
        ("[[mapping]]\nbuiltin = \"opc\"\n".to_owned(), "neuron-values"),
        ("[[mapping]]\nbuiltin = \"flat\"\n".to_owned(), "group"),
        ("[[mapping]]\nname = \"mine\"\ntopic = \"a\"\n".to_owned(), "`mine`"),
        (flat("topic = \"a/#/b\"\n"), "topic pattern"),
        (flat("topic = \"spBv1.0/{node}/{device}/x\"\n"), "Sparkplug"),
        (flat("topic = \"a/{device}\"\n"), "`node`"),
        (
            flat("") + "[[mapping]]\nbuiltin = \"flat\"\ngroup = \"H\"\nname = \"other\"\ntopic = \"flat/x/{device}\"\nnode = \"N\"\n",
            "come twice",
        ),
        (flat("[[mapping.record]]\npoint = \"{/a\"\nvalue = [\"/v\"]\n"), "brace"),
        (flat("[[mapping.record]]\npoint = \"p\"\nvalue = [\"v\"]\n"), "no JSON pointer"),
        (flat("[[mapping.record]]\npoint = \"{@key}\"\nvalue = [\"/v\"]\n"), "@key"),
        (flat("colour = \"red\"\n"), "colour"),
    ] {
        let error = Mappings::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
    assert!(Mappings::from_toml("").unwrap().is_empty());
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        ".{0,8}".prop_map(Into::into),
    ];
    let keys = prop_oneof![
        Just("values"),
        Just("tags"),
        Just("errors"),
        Just("timestamp"),
        Just("ts"),
        Just("name"),
        Just("value"),
        Just("do_value"),
        Just("do_ca")
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::Array),
            proptest::collection::vec((keys.clone().prop_map(str::to_owned), inner), 0..6)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_bytes_panic(topic in "(m[0-4]|t)/[a-z]{0,3}(/[a-z]{0,3}){0,3}", bytes in any::<Vec<u8>>()) {
        let _ = all().read(&topic, &bytes);
    }

    #[test]
    fn no_json_panics(mapping in 0_usize..4, value in json()) {
        let _ = all().read(&format!("m{mapping}/n/d"), value.to_string().as_bytes());
    }

    #[test]
    fn a_value_comes_through_unchanged(value in any::<f64>().prop_filter("JSON has no others", |value| value.is_finite()), at in 0_u64..1 << 53, name in "[a-zA-Z0-9/_]{1,20}") {
        let payloads = [
            ("neuron-values", "neuron/a/RTU1/g", serde_json::json!({ "timestamp": at, "values": { name.clone(): value } })),
            ("neuron-tags", "neuron/a/RTU1/g", serde_json::json!({ "timestamp": at, "tags": [{ "name": name, "value": value }] })),
            ("flat", "flat/RTU1/g", serde_json::json!({ "ts": at, "tag": name, "value": value })),
        ];
        for (mapping, topic, payload) in payloads {
            let message = read(mapping, topic, &payload.to_string()).unwrap();
            let [metric] = only(&message) else { panic!("{message:?}") };
            prop_assert_eq!(metric.name.as_deref(), Some(name.as_str()));
            prop_assert_eq!((&metric.value, metric.timestamp), (&MetricValue::Double(value), Some(at)));
        }
    }
}
