//! Tests messages of the JSON lane: discovered, stored, published, acknowledged to the broker, and offline after
//! silence.

use std::time::Duration;

use ingest::{IngestConfig, Mappings};
use wire::bus::BusMessage;

use crate::rig::{GROUP, Rig, Rtu, now_ms, on_bus};

fn mappings() -> Mappings {
    let neuron = format!("[[mapping]]\nbuiltin = \"neuron-tags\"\ngroup = \"{GROUP}\"\n");
    let records = r#"
        [[mapping.record]]
        each = "*"
        point = "{/do_ioa}"
        device = "CA{/do_ca}"
        value = ["/do_value"]
        time = { at = ["/do_ts"], unit = "ms" }
    "#;
    let iec = format!("[[mapping]]\nbuiltin = \"fledgepower-iec104\"\ngroup = \"{GROUP}\"\n{records}");
    Mappings::from_toml(&(neuron + &iec)).expect("good mappings")
}

#[tokio::test]
async fn foreign_payloads_go_the_same_way() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let foreign = |config| IngestConfig { mappings: mappings(), foreign_silence: Duration::from_secs(2), ..config };
    let mut rig = Rig::start_with(database.url(), &broker.url(), foreign).await;
    let mut bus = rig.bus.subscribe();
    let client = Rtu::connect(&broker.url(), "ANY").await;
    let at = now_ms() - 5_000;
    client
        .raw(
            "neuron/app/GW1/F3",
            format!(r#"{{"timestamp":{at},"tags":[{{"name":"F3/Ir","value":101.5}},{{"name":"F3CB/Pos","value":2}}]}}"#).into(),
        )
        .await;
    on_bus(&mut bus, |message| matches!(message, BusMessage::Gateway { online: true, .. }).then_some(())).await;
    rig.until_count("sample", 2).await;
    // A change of position is an event. The repeated message, which QoS 1 allows, is none.
    let opened = format!(r#"{{"timestamp":{},"tags":[{{"name":"F3CB/Pos","value":1}}]}}"#, at + 1_000);
    client.raw("neuron/app/GW1/F3", opened.clone().into()).await;
    client.raw("neuron/app/GW1/F3", opened.into()).await;
    rig.until_count("event", 1).await;
    // Two devices in one message.
    let list = format!(r#"[{{"do_ca":1,"do_ioa":7,"do_value":5.5,"do_ts":{at}}},{{"do_ca":2,"do_ioa":7,"do_value":6.5,"do_ts":{at}}}]"#);
    client.raw("fledge/iec104/GW2", list.into()).await;
    rig.until_count("sample", 5).await;
    let registry = rig.store.registry(Some(rig.client)).await.expect("a registry");
    let mut points: Vec<_> = registry.points.iter().map(|point| format!("{}/{}", point.device, point.metric)).collect();
    points.sort();
    assert_eq!(points, ["CA1/7", "CA2/7", "F3/F3/Ir", "F3/F3CB/Pos"]);
    for (topic, payload) in [
        ("neuron/app/GW1/F3", "{"),
        ("neuron/app/GW1/F3", r#"{"values":{}}"#),
        ("neuron/app/GW1/F3", r#"{"timestamp":1,"tags":[{"name":"F3/Ir","value":1}]}"#),
        ("neuron/app/GW1/F3", r#"{"tags":[{"name":"F3/Ir","value":1e999}]}"#),
        ("neuron/app/GW1/", r#"{"tags":[{"name":"F3/Ir","value":1}]}"#),
    ] {
        client.raw(topic, payload.into()).await;
    }
    rig.until_count("dead_letter", 5).await;
    let reasons = rig.dead_letters().await;
    assert_eq!(reasons, ["ancient", "malformed", "malformed", "mapping", "topic"], "{reasons:?}");
    // The JSON lane has no death message: the gateway is offline after its silence limit.
    on_bus(&mut bus, |message| matches!(message, BusMessage::Gateway { online: false, .. }).then_some(())).await;
    rig.stop_ingest().await;
    // The messages were acknowledged to the broker, so it delivers none of them again.
    rig.start_ingest().await;
    client.raw("neuron/app/GW1/F3", format!(r#"{{"timestamp":{},"tags":[{{"name":"F3/Ir","value":9}}]}}"#, at + 3_000).into()).await;
    rig.until_count("sample", 6).await;
    assert_eq!(rig.count("dead_letter").await, 5);
    rig.stop_ingest().await;
}
