//! Tests unmodified edge nodes and live clients of other projects: the values of the nodes are discovered, stored and shown. The live clients, REST
//! and the database have the same rows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use crate::child::{Script, beside, node, python};
use crate::product::{PATIENCE, Servers, Service};

const MESSAGES: &str = "40";
/// Code of the demo utility. Edge nodes of this group are discovered without further configuration.
const GROUP: &str = "SAGAR";

/// The key of a value: device, metric, source time in ms.
type Key = (String, String, i64);

/// Reads the values that an edge node reports as sent, up to its `done`.
async fn sent_by(script: &mut Script) -> BTreeMap<Key, f64> {
    let lines = script.until(|line| line["done"] == true).await;
    let text = |line: &Value, key: &str| line[key].as_str().expect("text").to_owned();
    lines
        .iter()
        .filter(|line| line["metric"].is_string())
        .map(|line| {
            ((text(line, "device"), text(line, "metric"), line["at"].as_i64().expect("ms")), line["value"].as_f64().expect("number"))
        })
        .collect()
}

/// Returns the stored rows of an edge node: their number, which shows duplicates, and the values by key.
async fn stored_of(client: &Client, edge_node: &str) -> (usize, BTreeMap<Key, f64>) {
    let rows = client
        .query(
            "SELECT p.device, p.metric, (extract(epoch FROM s.ts) * 1000)::bigint, s.value
             FROM sample s JOIN point p ON p.id = s.point_id JOIN gateway g ON g.id = p.gateway_id
             WHERE g.code = $1 AND p.device <> ''",
            &[&edge_node],
        )
        .await
        .expect("the query runs");
    let count = rows.len();
    (count, rows.iter().map(|row| ((row.get(0), row.get(1), row.get(2)), row.get::<_, Option<f64>>(3).expect("a value"))).collect())
}

/// Waits until the database has all sent values, and compares them.
async fn expect_stored(client: &Client, edge_node: &str, sent: &BTreeMap<Key, f64>) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (count, stored) = stored_of(client, edge_node).await;
        if stored.len() >= sent.len() || Instant::now() > deadline {
            assert_eq!(&stored, sent, "{edge_node}: stored and sent differ");
            assert_eq!(count, stored.len(), "{edge_node}: rows doubled");
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// Returns the substation of a discovered edge node.
async fn location_of(client: &Client, edge_node: &str) -> i64 {
    client.query_one("SELECT location_id FROM gateway WHERE code = $1", &[&edge_node]).await.expect("discovered").get(0)
}

/// Returns the answer to the subscription of a stream.
fn answer_of<'a>(received: &'a [Value], stream: &str) -> &'a Value {
    received.iter().find(|line| line["subscribed"] == stream).map(|line| &line["answer"]).expect("an answer")
}

/// Returns the deltas of a stream after the answer to its subscription, and checks that each one continues the previous one. They are sorted by
/// offset, because not every client library delivers them in order.
fn deltas_of<'a>(received: &'a [Value], stream: &str) -> Vec<&'a Value> {
    let mut by_place: BTreeMap<i64, &Value> = BTreeMap::new();
    for delta in received.iter().map(|line| &line["delta"]).filter(|delta| delta["stream"] == stream) {
        let doubled = by_place.insert(delta["from"].as_i64().expect("a place"), delta);
        assert_eq!(doubled, None, "{stream}: two deltas continue one place");
    }
    let mut place = answer_of(received, stream)["offset"].as_i64().expect("a place");
    let mut deltas = Vec::new();
    while let Some(delta) = by_place.remove(&place) {
        place = delta["offset"].as_i64().expect("a place");
        deltas.push(delta);
    }
    deltas
}

/// Returns the latest value of each point of a diagram stream, from its snapshot and deltas.
fn points_of(received: &[Value], stream: &str) -> BTreeMap<i64, Option<f64>> {
    let deltas = deltas_of(received, stream).into_iter().map(|delta| &delta["changes"]);
    let values = std::iter::once(&answer_of(received, stream)["snapshot"]["points"]).chain(deltas);
    values.filter_map(Value::as_array).flatten().map(|value| (value[0].as_i64().expect("a point"), value[1].as_f64())).collect()
}

/// Returns the offsets of the event rows of a stream. A row that was received twice is in it twice.
fn offsets_of(received: &[Value], stream: &str) -> Vec<i64> {
    let mut offsets = rows(&answer_of(received, stream)["snapshot"]["rows"]);
    offsets.extend(deltas_of(received, stream).into_iter().flat_map(|delta| rows(&delta["rows"])));
    offsets
}

/// Returns the source time of the newest value that a diagram stream has delivered after its snapshot.
fn newest_of(received: &[Value], stream: &str) -> Option<i64> {
    let deltas = deltas_of(received, stream).into_iter();
    deltas.filter_map(|delta| delta["changes"].as_array()).flatten().filter_map(|value| value[3].as_i64()).max()
}

fn rows(rows: &Value) -> Vec<i64> {
    rows.as_array().into_iter().flatten().map(|row| row["offset"].as_i64().expect("an offset")).collect()
}

/// Checks that a live client has the same values and events as REST and the database.
async fn expect_same(product: &Service, token: &str, database: &Client, location: i64, received: &[Value], who: &str) {
    let values = product.get(token, &format!("/api/sld/sldgenericdatavalues/location/{location}")).await;
    let rest: BTreeMap<i64, Option<f64>> = values["result"]["gdsData"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (row["pointId"].as_i64().expect("id"), row["value"].as_f64()))
        .collect();
    assert!(!rest.is_empty(), "{values}");
    assert_eq!(points_of(received, &format!("sld/{location}")), rest, "{who}: the diagram differs from REST");

    let log = product.get(token, &format!("/api/monitoring/dieventlog/{location}?limit=5000")).await;
    let by_rest: BTreeSet<i64> = rows(&log["result"]).into_iter().collect();
    let stored: BTreeSet<i64> = database
        .query("SELECT e.\"offset\" FROM event e JOIN point p ON p.id = e.point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.location_id = $1", &[&location])
        .await
        .expect("the query runs")
        .iter()
        .map(|row| row.get(0))
        .collect();
    let live = offsets_of(received, &format!("events/location/{location}"));
    assert_eq!(by_rest, stored, "{who}: REST differs from the database");
    assert_eq!(live.iter().copied().collect::<BTreeSet<_>>(), stored, "{who}: the live events differ from the database");
    assert_eq!(live.len(), stored.len(), "{who}: an event was heard twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_clients_read_what_foreign_gateways_sent() {
    let database = testkit::database().await;
    let broker = testkit::broker().await;
    let servers = Servers { database: database.url().to_owned(), mqtt: broker.url() };
    servers.prepare().await;
    let product = servers.start(&["all"]).await;
    servers.ingest_online().await;
    let sql = database.client().await;

    let mqtt_port = broker.port().to_string();
    let script = beside("clients/edge_node.mjs").display().to_string();
    let mut npm = Script::start(&node(), &[&script, &broker.url(), GROUP, "NPM1", MESSAGES]);
    let script = beside("clients/edge_node.py").display().to_string();
    let mut pypi = Script::start(&python(), &[&script, "127.0.0.1", &mqtt_port, GROUP, "PYPI1", MESSAGES]);
    expect_stored(&sql, "NPM1", &sent_by(&mut npm).await).await;
    expect_stored(&sql, "PYPI1", &sent_by(&mut pypi).await).await;

    let login = product.sign_in("admin").await;
    let token = login["token"].as_str().expect("a token");
    let location = location_of(&sql, "NPM1").await;
    let (diagram, events) = (format!("sld/{location}"), format!("events/location/{location}"));
    let script = beside("clients/reader.mjs").display().to_string();
    let mut javascript = Script::start(&node(), &[&script, &product.base(), token, &diagram, &events]);
    let script = beside("clients/reader.py").display().to_string();
    let mut python_reader = Script::start(&python(), &[&script, &product.base(), token, &diagram, &events]);
    let mut received_js = Vec::new();
    let mut received_py = Vec::new();
    for (reader, received) in [(&mut javascript, &mut received_js), (&mut python_reader, &mut received_py)] {
        for _ in 0..2 {
            received.extend(reader.until(|line| line["subscribed"].is_string()).await);
        }
    }

    // The same node sends more values while both clients are connected: their rows must equal the stored ones.
    drop(npm.leave().await);
    let script = beside("clients/edge_node.mjs").display().to_string();
    let mut again = Script::start(&node(), &[&script, &broker.url(), GROUP, "NPM1", MESSAGES]);
    let sent = sent_by(&mut again).await;
    let last = sent.keys().map(|key| key.2).max().expect("something was sent");
    wait_for_latest(&sql, "NPM1", last).await;
    let top: i64 = sql
        .query_one("SELECT max(e.\"offset\") FROM event e JOIN point p ON p.id = e.point_id JOIN gateway g ON g.id = p.gateway_id WHERE g.code = 'NPM1'", &[])
        .await
        .expect("the query runs")
        .get(0);
    for (reader, received) in [(&mut javascript, &mut received_js), (&mut python_reader, &mut received_py)] {
        while !offsets_of(received, &events).contains(&top) || newest_of(received, &diagram) < Some(last) {
            received.push(reader.next().await);
        }
    }
    expect_same(&product, token, &sql, location, &received_js, "socket.io-client").await;
    expect_same(&product, token, &sql, location, &received_py, "python-socketio").await;
    drop((javascript.leave().await, python_reader.leave().await, again.leave().await, pypi.leave().await));
}

/// Waits until the newest stored value of an edge node has the source time `last`.
async fn wait_for_latest(client: &Client, edge_node: &str, last: i64) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (_, stored) = stored_of(client, edge_node).await;
        let newest: Vec<i64> =
            ["F1CB/Pos", "F1/Ir"].iter().filter_map(|metric| stored.keys().filter(|key| key.1 == *metric).map(|key| key.2).max()).collect();
        if newest == [last, last] {
            return;
        }
        assert!(Instant::now() < deadline, "{edge_node}: stored up to {newest:?}, sent up to {last}");
        sleep(Duration::from_millis(100)).await;
    }
}
