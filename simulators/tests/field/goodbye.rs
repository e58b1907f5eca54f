//! Tests an orderly shutdown of an edge node through a real broker: its death is published, and the host reports it
//! offline.

use std::time::Duration;

use field::client::{Event, Events, Incoming, Publisher, Qos, Settings, connect};
use field::sparkplug::{ACK_EPOCH, ACK_SEQ, BD_SEQ, Metric, MetricValue, OUTBOX_EPOCH, OUTBOX_SEQ, Payload};
use field::topic::{MessageKind, Topic};
use simulators::replay::{self, Column, Map, ReplayConfig};
use simulators::rtu::link::{self, LinkConfig};
use tokio_util::sync::CancellationToken;

const PATIENCE: Duration = Duration::from_secs(30);
const NODE: &str = "N1";

/// A host that acknowledges what it receives.
struct Host {
    group: String,
    publisher: Publisher,
    events: Events,
}

impl Host {
    async fn new() -> Self {
        let group = testkit::unique("G");
        let settings = Settings {
            subscriptions: vec![(format!("spBv1.0/{group}/#"), Qos::AtLeastOnce)],
            ..Settings::new(testkit::shared_mqtt_url(), format!("host-{group}"))
        };
        let (publisher, events) = connect(settings).expect("good settings");
        let mut host = Self { group, publisher, events };
        while !matches!(host.event().await, Event::Up { .. }) {}
        host
    }

    async fn event(&mut self) -> Event {
        tokio::time::timeout(PATIENCE, self.events.next()).await.expect("in time").expect("a connection")
    }

    /// Waits for the next message of a kind, and decodes its payload.
    async fn next(&mut self, expected: MessageKind) -> (Incoming, Payload) {
        loop {
            let Event::Message(message) = self.event().await else { continue };
            let Ok(Topic::Edge { kind, .. }) = Topic::parse(&message.topic) else { continue };
            let payload = Payload::decode(&message.payload).expect("a payload");
            self.acknowledge(&payload);
            if kind == expected {
                return (message, payload);
            }
        }
    }

    fn acknowledge(&self, payload: &Payload) {
        let number = |name| payload.metric(name).and_then(|metric| metric.value.as_u64());
        let Some((epoch, seq)) = number(OUTBOX_EPOCH).zip(number(OUTBOX_SEQ)) else { return };
        let metric = |name, value| Metric::new(name, MetricValue::UInt64(value));
        let metrics = vec![metric(ACK_EPOCH, epoch), metric(ACK_SEQ, seq)];
        let topic = Topic::edge(&self.group, MessageKind::NCmd, NODE, "").to_string();
        let payload = Payload { timestamp: None, seq: None, metrics }.encode();
        self.publisher.try_publish(&topic, payload, Qos::AtMostOnce, false).expect("room");
    }

    fn link(&self) -> LinkConfig {
        LinkConfig { mqtt_url: testkit::shared_mqtt_url(), group: self.group.clone(), node: NODE.into(), outboxes: None }
    }
}

fn bd_seq(payload: &Payload) -> Option<u64> {
    payload.metric(BD_SEQ).and_then(|metric| metric.value.as_u64())
}

#[tokio::test]
async fn ending_link_publishes_its_death_before_and_after_disconnecting() {
    let mut host = Host::new().await;
    let shutdown = CancellationToken::new();
    let mut link = link::start(&host.link(), Box::new(Vec::new), shutdown.clone()).expect("good settings");
    let (_, birth) = host.next(MessageKind::NBirth).await;
    shutdown.cancel();
    // Published by the node, and by the broker as its will.
    for _ in 0..2 {
        let (message, death) = host.next(MessageKind::NDeath).await;
        assert!(bd_seq(&death).is_some() && bd_seq(&death) == bd_seq(&birth), "{death:?}");
        assert!(death.seq.is_none() && death.metrics.len() == 1 && !message.retain, "{death:?}");
    }
    tokio::time::timeout(PATIENCE, link.ended()).await.expect("an end");
}

#[tokio::test]
async fn replay_ends_with_the_death_of_its_node() {
    let mut host = Host::new().await;
    let file = std::env::temp_dir().join(format!("switchyard-goodbye-{}.csv", testkit::unique("r")));
    std::fs::write(&file, "date,a\n2016-07-01 00:00:00,1\n2016-07-01 01:00:00,2\n").expect("a file");
    let map = Map {
        group: host.group.clone(),
        node: NODE.into(),
        device: "TX1".into(),
        time: "date".into(),
        zone: None,
        columns: vec![Column { name: "a".into(), metric: "TX1/OTI".into(), unit: String::new() }],
    };
    let config = ReplayConfig { mqtt_url: testkit::shared_mqtt_url(), file: file.clone(), map, speed: 0.0 };
    let replay = tokio::spawn(replay::run(config, CancellationToken::new()));
    let (_, death) = host.next(MessageKind::NDeath).await;
    assert_eq!(bd_seq(&death), Some(0), "of the first connection");
    assert_eq!(tokio::time::timeout(PATIENCE, replay).await.expect("an end").expect("no panic").expect("acknowledged"), 2);
    std::fs::remove_file(file).expect("the file");
}
