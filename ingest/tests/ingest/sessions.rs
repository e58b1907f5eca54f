//! Tests sessions of edge nodes with a real broker: missed births, deaths of earlier connections, and several values
//! with one time.

use std::time::Duration;

use field::sparkplug::{BD_SEQ, Metric, MetricValue, OUTBOX, REBIRTH, read_state};
use field::topic::MessageKind;
use ingest::{IngestConfig, Mappings};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use wire::bus::BusMessage;

use crate::rig::{GROUP, Rig, Rtu, Watcher, current, database_client, now_ms, on_bus, switch};

/// A link to the broker that can be cut.
struct Line {
    url: String,
    is_open: watch::Sender<bool>,
}

impl Line {
    async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("mqtt://{}", listener.local_addr().expect("an address"));
        let (is_open, _) = watch::channel(true);
        let line = is_open.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut open = line.subscribe();
                if !*open.borrow() {
                    continue;
                }
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(("127.0.0.1", port)).await?;
                    tokio::select! {
                        done = tokio::io::copy_bidirectional(&mut near, &mut far) => done.map(drop),
                        _ = open.wait_for(|open| !open) => Ok(()),
                    }
                });
            }
        });
        Self { url, is_open }
    }
}

fn born(bd_seq: u64) -> Vec<Metric> {
    vec![Metric::new(BD_SEQ, MetricValue::UInt64(bd_seq)), Metric::new(OUTBOX, MetricValue::Boolean(true))]
}

fn aliases(names: [(&str, u64); 2]) -> Vec<Metric> {
    names.map(|(name, alias)| Metric { alias: Some(alias), ..Metric::new(name, MetricValue::Double(1.0)) }).into()
}

fn aliased(alias: u64, value: f64, at: u64) -> Metric {
    Metric { name: None, alias: Some(alias), ..Metric::new("", MetricValue::Double(value)).at(at) }
}

/// Returns the metrics of the points whose history has this value.
async fn points_with(rig: &Rig, value: f64) -> Vec<String> {
    let sql = "SELECT p.metric FROM sample s JOIN point p ON p.id = s.point_id WHERE s.value = $1 ORDER BY 1";
    let rows = database_client(&rig.database_url).await.query(sql, &[&value]).await.expect("rows");
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn alias_of_a_node_reborn_while_ingest_was_cut_off_waits_for_its_birth() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let line = Line::to(broker.port()).await;
    let url = line.url.clone();
    let mut rig = Rig::start_with(database.url(), &broker.url(), move |config| IngestConfig { url: url.clone(), ..config }).await;
    let mut state = Watcher::new(&broker.url(), "spBv1.0/STATE/switchyard").await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.send_once(MessageKind::NBirth, "", born(0)).await;
    rtu.send_once(MessageKind::DBirth, "F3", aliases([("F3/Ir", 7), ("F3/Ua", 8)])).await;
    rtu.boxed(1, false, vec![aliased(7, 100.0, start + 1)]).await;
    rtu.acknowledged(1).await;
    assert_eq!(points_with(&rig, 100.0).await, ["F3/Ir"]);

    line.is_open.send_replace(false);
    state.until(|message| read_state(&message.payload).is_some_and(|(online, _)| !online)).await;
    rtu.send_once(MessageKind::NBirth, "", born(0)).await;
    rtu.send_once(MessageKind::DBirth, "F3", aliases([("F3/Ua", 7), ("F3/Ir", 8)])).await;
    line.is_open.send_replace(true);
    state.until(|message| read_state(&message.payload).is_some_and(|(online, _)| online)).await;

    rtu.boxed(2, false, vec![aliased(7, 230.0, start + 2)]).await;
    rtu.command(REBIRTH).await;
    rtu.send_once(MessageKind::NBirth, "", born(0)).await;
    rtu.send_once(MessageKind::DBirth, "F3", aliases([("F3/Ua", 7), ("F3/Ir", 8)])).await;
    rtu.boxed(2, true, vec![aliased(7, 230.0, start + 2)]).await;
    rtu.acknowledged(2).await;
    assert_eq!(points_with(&rig, 230.0).await, ["F3/Ua"]);
    assert_eq!(rig.count("dead_letter").await, 0);
    rig.stop_ingest().await;
}

#[tokio::test]
async fn death_with_a_foreign_number_is_answered_by_a_rebirth_request() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut bus = rig.bus.subscribe();
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    rtu.birth(true).await;
    on_bus(&mut bus, |message| matches!(message, BusMessage::Gateway { online: true, .. }).then_some(())).await;
    let death = vec![Metric::new(BD_SEQ, MetricValue::UInt64(5))];
    rtu.send(MessageKind::NDeath, "", death.clone()).await;
    rtu.command(REBIRTH).await;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, now_ms())]).await;
    rtu.acknowledged(1).await;
    assert_eq!(rig.count("gateway WHERE NOT online").await, 0);
    assert_eq!(rig.count("link_change WHERE NOT online").await, 0);
    // Without an answer the death is true.
    rtu.send(MessageKind::NDeath, "", death).await;
    on_bus(&mut bus, |message| matches!(message, BusMessage::Gateway { online: false, .. }).then_some(())).await;
    rig.stop_ingest().await;
}

#[tokio::test]
async fn values_of_one_millisecond_end_alike_in_history_and_latest() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "PLAIN").await;
    let at = now_ms() - 1_000;
    rtu.birth(false).await;
    rtu.send(MessageKind::DData, "F3", vec![switch(1, at - 100), current(1.0, at - 100)]).await;
    rig.until_count("sample", 2).await;
    rtu.send(MessageKind::DData, "F3", vec![switch(2, at), current(5.0, at)]).await;
    rtu.send(MessageKind::DData, "F3", vec![switch(1, at), current(6.0, at)]).await;
    rtu.send(MessageKind::DData, "F3", vec![switch(0, at + 1), switch(2, at + 1), current(7.0, at + 1), current(8.0, at + 1)]).await;
    rig.until_count("event", 4).await;
    rig.until_count("sample", 10).await;
    rig.stop_ingest().await;
    let latest = "SELECT p.metric, l.value, (SELECT s.value FROM sample s WHERE s.point_id = p.id ORDER BY s.ts DESC LIMIT 1), \
                  (SELECT e.value FROM event e WHERE e.point_id = p.id ORDER BY e.\"offset\" DESC LIMIT 1) \
                  FROM latest l JOIN point p ON p.id = l.point_id ORDER BY 1";
    let rows = database_client(&rig.database_url).await.query(latest, &[]).await.expect("rows");
    let rows: Vec<(String, f64, f64, Option<f64>)> = rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect();
    assert_eq!(rows, [("F3/Ir".into(), 8.0, 8.0, None), ("F3CB/Pos".into(), 2.0, 2.0, Some(2.0))]);
    assert_eq!(rig.dead_letters().await, [] as [&str; 0]);
}

#[tokio::test]
async fn null_of_the_flat_lane_takes_the_last_value_from_the_screen() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mappings = || Mappings::from_toml(&format!("[[mapping]]\nbuiltin = \"flat\"\ngroup = \"{GROUP}\"\n")).expect("a mapping");
    let mut rig = Rig::start_with(database.url(), &broker.url(), move |config| IngestConfig {
        mappings: mappings(),
        foreign_silence: Duration::from_mins(10),
        ..config
    })
    .await;
    let mut bus = rig.bus.subscribe();
    let client = Rtu::connect(&broker.url(), "ANY").await;
    let at = now_ms() - 5_000;
    client.raw("flat/GW1/F3", format!(r#"{{"ts":{at},"tag":"F3/Ir","value":101.5}}"#).into()).await;
    rig.until_count("sample", 1).await;
    client.raw("flat/GW1/F3", format!(r#"{{"ts":{},"tag":"F3/Ir","value":null}}"#, at + 1_000).into()).await;
    let shown = on_bus(&mut bus, |message| match message {
        BusMessage::Changes { changes, .. } => changes.iter().find(|change| change.value.is_none()).copied(),
        _ => None,
    })
    .await;
    assert_eq!(shown.quality, grid::Quality::Invalid.code());
    rig.until_count("latest WHERE value IS NULL AND quality = 4", 1).await;
    assert_eq!(rig.count("dead_letter").await, 0);
    rig.stop_ingest().await;
}
