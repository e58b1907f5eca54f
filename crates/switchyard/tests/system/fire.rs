//! Tests the live path while ingest, PostgreSQL, the broker and the hub are killed once each under load, in an order that a seed determines. No value
//! of a gateway is lost or stored twice, a live client misses no event, and values that are not live are not shown as live.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use field::sparkplug::{Metric, MetricValue};
use serde_json::Value;
use simulators::rtu::link::{self, Data, LinkConfig, now_ms};
use testkit::{Flavour, TestBroker, TestPostgres, free_port};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use crate::child::{Script, beside, node};
use crate::product::{PATIENCE, Servers, Service};

const GATEWAYS: usize = 4;
const POINTS: usize = 25;
const PERIOD: Duration = Duration::from_millis(100);
/// The lowest quality code that is not shown as live.
const COMM_LOST: i64 = 5;

/// The generated values: (gateway, metric, source time in ms) → value.
type Ledger = Arc<Mutex<BTreeMap<(String, String, i64), f64>>>;

/// A gateway with an outbox that sends a counter on every point, and opens and closes a breaker every second.
async fn gateway(mqtt_url: String, name: String, ledger: Ledger, stop: CancellationToken) {
    let config = LinkConfig { mqtt_url, group: "SAGAR".into(), node: name.clone(), outboxes: None };
    // Births have no values, so that all values go through the outbox.
    let births = Box::new(|| vec![("B1".to_owned(), Vec::new())]);
    let link = link::start(&config, births, CancellationToken::new()).expect("an address");
    let mut waiting = link.waiting;
    let mut tick = interval(PERIOD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut count, mut last) = (0u32, 0);
    while !stop.is_cancelled() {
        tick.tick().await;
        count += 1;
        last = now_ms().max(last + 1);
        let mut metrics: Vec<Metric> = (0..POINTS)
            .map(|point| Metric::new(format!("X{point}/P"), MetricValue::Double(f64::from(count) + point as f64 / 100.0)).at(last))
            .collect();
        if count % 10 == 0 {
            metrics.push(Metric::new("CB1/Pos", MetricValue::Int32(if count % 20 == 0 { 2 } else { 1 })).at(last));
        }
        {
            let mut ledger = ledger.lock().expect("not poisoned");
            for metric in &metrics {
                let key = (name.clone(), metric.name.clone().unwrap_or_default(), i64::try_from(last).unwrap_or(0));
                ledger.insert(key, metric.value.as_number().expect("a number"));
            }
        }
        link.data.send(Data { device: "B1".into(), metrics }).await.expect("the link runs");
    }
    drop(link.data);
    while waiting.changed().await.is_ok() {}
    assert_eq!(*waiting.borrow(), 0, "{name}: not everything was acknowledged");
}

/// The product, with each service as its own process.
struct Site {
    postgres: TestPostgres,
    broker: TestBroker,
    servers: Servers,
    ingest: Service,
    hub: Service,
    ports: [u16; 2],
}

impl Site {
    async fn new() -> Self {
        let postgres = testkit::postgres_server(Flavour::Timescale).await;
        let broker = testkit::broker().await;
        let servers = Servers { database: postgres.url(), mqtt: broker.url() };
        servers.prepare().await;
        let ports = [free_port(), free_port()];
        let ingest = servers.launch(&["ingest"], ports[0]);
        let hub = servers.launch(&["hub"], ports[1]);
        ingest.ready().await;
        hub.ready().await;
        Self { postgres, broker, servers, ingest, hub, ports }
    }
}

async fn report(observer: &mut Script) -> Value {
    observer.send_line("report").await;
    observer.next().await
}

/// Requests reports of the observer until one fulfils the condition.
async fn see(observer: &mut Script, what: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let seen = report(observer).await;
        if is_expected(&seen) {
            return seen;
        }
        assert!(Instant::now() < deadline, "{what}: not seen within {PATIENCE:?}; {}", summary(&seen));
        sleep(Duration::from_millis(250)).await;
    }
}

fn summary(seen: &Value) -> String {
    format!(
        "connected {}, beats {}, cuts {}, worst {}, faults {}",
        seen["connected"], seen["beats"], seen["cuts"], seen["worst"], seen["faults"]
    )
}

fn all_lost(seen: &Value) -> bool {
    let points = seen["points"].as_array().expect("points");
    !points.is_empty() && points.iter().all(|point| point[2].as_i64() >= Some(COMM_LOST))
}

fn all_live(seen: &Value) -> bool {
    let points = seen["points"].as_array().expect("points");
    seen["connected"] == true && points.len() > POINTS && points.iter().all(|point| point[2].as_i64() < Some(COMM_LOST))
}

async fn strike(site: &mut Site, observer: &mut Script, target: &str) {
    match target {
        "ingest" => {
            site.ingest.kill9().await;
            see(observer, "values marked as lost while ingest is dead", all_lost).await;
            site.ingest = site.servers.launch(&["ingest"], site.ports[0]);
        }
        "postgres" => {
            site.postgres.kill9();
            // The live values do not depend on the database.
            see(observer, "live values while PostgreSQL is dead", |seen| all_live(seen) && seen["worst"].as_i64() == Some(0)).await;
            site.postgres.restart().await;
        }
        "broker" => {
            site.broker.kill();
            see(observer, "values marked as lost while the broker is dead", all_lost).await;
            site.broker.restart().await;
        }
        _ => {
            site.hub.kill9().await;
            see(observer, "the cut, by the client", |seen| seen["connected"] == false).await;
            site.hub = site.servers.launch(&["hub"], site.ports[1]);
        }
    }
    see(observer, "the picture live again by itself", all_live).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_part_dies_once_and_nothing_is_lost_or_doubled() {
    let seed: u64 = std::env::var("SWITCHYARD_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let mut targets = vec!["ingest", "postgres", "broker", "hub"];
    targets.rotate_left(usize::try_from(seed % 4).unwrap_or(0));
    if seed / 4 % 2 == 1 {
        targets.reverse();
    }
    println!("seed {seed}: {targets:?}");
    let mut site = Site::new().await;
    let ledger = Ledger::default();
    let stop = CancellationToken::new();
    let mut gateways = JoinSet::new();
    for number in 1..=GATEWAYS {
        gateways.spawn(gateway(site.servers.mqtt.clone(), format!("FIRE{number}"), ledger.clone(), stop.clone()));
    }

    // The observer needs a token, and the location that the discovery created.
    let api = site.servers.start(&["api"]).await;
    let login = api.sign_in("admin").await;
    let token = login["token"].as_str().expect("a token").to_owned();
    let location = location(&site, "FIRE1").await;
    let (diagram, events) = (format!("sld/{location}"), format!("events/location/{location}"));
    let script = beside("clients/observer.mjs").display().to_string();
    let mut observer = Script::start(&node(), &[&script, &site.hub.base(), &token, &diagram, &events]);
    see(&mut observer, "the first live picture", all_live).await;
    for target in targets {
        println!("killing {target}");
        strike(&mut site, &mut observer, target).await;
    }

    stop.cancel();
    while let Some(done) = gateways.join_next().await {
        done.expect("every gateway was acknowledged");
    }
    check(&site, &ledger).await;
    let stored = stored_events(&site, location).await;
    let seen =
        see(&mut observer, "every stored event at the client", |seen| seen["events"].as_array().map(Vec::len) == Some(stored.len())).await;
    assert_eq!(seen["doubled"], serde_json::json!([]), "events heard twice");
    assert_eq!(seen["faults"], serde_json::json!([]));
    let mut received: Vec<i64> = seen["events"].as_array().expect("offsets").iter().filter_map(Value::as_i64).collect();
    received.sort_unstable();
    assert_eq!(received, stored);
    observer.leave().await;
}

async fn sql(site: &Site) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&site.postgres.url(), tokio_postgres::NoTls).await.expect("connects");
    tokio::spawn(connection);
    client
}

async fn location(site: &Site, gateway: &str) -> i64 {
    let client = sql(site).await;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let row = client.query_opt("SELECT location_id FROM gateway WHERE code = $1", &[&gateway]).await.expect("the query runs");
        if let Some(row) = row {
            return row.get(0);
        }
        assert!(Instant::now() < deadline, "{gateway} was not discovered");
        sleep(Duration::from_millis(100)).await;
    }
}

async fn stored_events(site: &Site, location: i64) -> Vec<i64> {
    let rows = sql(site)
        .await
        .query("SELECT \"offset\" FROM event WHERE location_id = $1 ORDER BY 1", &[&location])
        .await
        .expect("the query runs");
    rows.iter().map(|row| row.get(0)).collect()
}

/// Checks that every generated value is stored once, and that no other value is stored.
async fn check(site: &Site, ledger: &Ledger) {
    let rows = sql(site)
        .await
        .query(
            "SELECT g.code, p.metric, (extract(epoch FROM s.ts) * 1000)::bigint, s.value
             FROM sample s JOIN point p ON p.id = s.point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'FIRE%' AND p.device = 'B1'",
            &[],
        )
        .await
        .expect("the query runs");
    let stored: BTreeMap<(String, String, i64), f64> =
        rows.iter().map(|row| ((row.get(0), row.get(1), row.get(2)), row.get::<_, Option<f64>>(3).expect("a value"))).collect();
    let generated = ledger.lock().expect("not poisoned").clone();
    let lost = generated.iter().filter(|(key, _)| !stored.contains_key(*key)).count();
    let doubled = rows.len() - stored.len();
    let wrong = generated.iter().filter(|(key, value)| stored.get(*key).is_some_and(|held| held.to_bits() != value.to_bits())).count();
    println!("generated {}, stored {}, lost {lost}, doubled {doubled}, wrong {wrong}", generated.len(), rows.len());
    assert_eq!((lost, doubled, wrong), (0, 0, 0));
    assert_eq!(stored.len(), generated.len(), "something was stored that nobody sent");
    let events: i64 = sql(site)
        .await
        .query_one("SELECT count(*) FROM event e JOIN point p ON p.id = e.point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.code LIKE 'FIRE%'", &[])
        .await
        .expect("the query runs")
        .get(0);
    let switched = generated.keys().filter(|key| key.1 == "CB1/Pos").count();
    assert_eq!(usize::try_from(events).unwrap_or(0), switched, "events lost or doubled");
}
