//! The overview stream: dead feeders with and without a drawing, links, and rows by user rights.

use serde_json::{Value, json};
use wire::bus::BusMessage;

use crate::client::Client;
use crate::site::Site;

/// A source, a busbar, the breaker and the feeder on one line.
fn drawing() -> Value {
    json!({ "elements": [
        { "id": "s", "class": "source", "x": 0, "y": 0 },
        { "id": "b", "class": "busbar", "x1": -50, "y1": 40, "x2": 50, "y2": 40 },
        { "id": "l", "class": "line", "path": [[0, 0], [0, 40]] },
        { "id": "m", "class": "line", "path": [[0, 40], [0, 200]] },
        { "id": "c", "class": "breaker", "x": 0, "y": 100, "orientation": "vertical", "position": { "point": "F1/CB1/Pos" } },
        { "id": "f", "class": "feeder", "x": 0, "y": 200, "asset": "F1" }
    ] })
}

/// The rows of an overview stream, by substation.
struct Overview {
    client: Client,
    stream: String,
    place: i64,
    rows: Vec<Value>,
}

impl Overview {
    async fn open(port: u16, token: &str, stream: String) -> Self {
        let mut client = Client::sign_in(port, token).await;
        let joined = client.subscribe(&stream).await;
        assert_eq!(joined["ok"], json!(true), "{joined}");
        let (place, rows) = (joined["offset"].as_i64().expect("an offset"), joined["snapshot"]["rows"].as_array().expect("rows").clone());
        Self { client, stream, place, rows }
    }

    async fn until(&mut self, is_there: impl Fn(&Value) -> bool) {
        while !self.rows.iter().any(&is_there) {
            let delta = self.client.event("delta").await;
            if delta["stream"] != json!(self.stream) {
                continue;
            }
            assert_eq!(delta["from"].as_i64(), Some(self.place), "{delta}");
            self.place = delta["offset"].as_i64().expect("an offset");
            for row in delta["rows"].as_array().expect("rows") {
                match self.rows.iter_mut().find(|held| held["locationId"] == row["locationId"]) {
                    Some(held) => held.clone_from(row),
                    None => self.rows.push(row.clone()),
                }
            }
        }
    }
}

async fn customers(site: &Site) {
    let client = site.database.client().await;
    client.execute("UPDATE asset SET customers = 120 WHERE id = $1", &[&site.own.feeder.0]).await.expect("updated");
    site.bus.publish(BusMessage::Registry { client: site.own.client.0 });
}

#[tokio::test]
async fn a_dead_feeder_is_told_with_its_customers_with_a_drawing_and_without() {
    let site = Site::start(|config| config).await;
    let token = site.token().await;
    let mut overview = Overview::open(site.port, &token, format!("overview/circle/{}", site.own.circle)).await;
    assert_eq!((&overview.rows[0]["online"], &overview.rows[0]["feeders"]), (&json!(true), &json!(1)));
    assert_eq!(
        (&overview.rows[0]["energised"], &overview.rows[0]["loadMw"]),
        (&Value::Null, &Value::Null),
        "no drawing, no power measured"
    );
    customers(&site).await;
    let dead = |row: &Value| (row["feedersDead"].clone(), row["customersWithoutSupply"].clone(), row["energised"].clone());
    site.change(site.own.position, 1.0);
    overview.until(|row| dead(row) == (json!(1), json!(120), Value::Null)).await;
    // Intermediate: the state is unknown, so the feeder does not count as dead.
    site.change(site.own.position, 0.0);
    overview.until(|row| dead(row) == (json!(0), json!(0), Value::Null)).await;
    site.store.put_drawing(site.own.client, site.own.location, "S", &drawing()).await.expect("stored");
    overview.until(|row| dead(row) == (json!(0), json!(0), json!("energised"))).await;
    site.change(site.own.position, 1.0);
    overview.until(|row| dead(row) == (json!(1), json!(120), json!("energised"))).await;
    // The state of an offline substation is unknown.
    site.report_link(site.own.gateway, false);
    overview.until(|row| row["online"] == json!(false) && dead(row) == (json!(0), json!(0), json!("unknown"))).await;
}

#[tokio::test]
async fn overview_has_the_substations_below_the_users_node() {
    let mut site = Site::start(|config| config).await;
    let (_, confined) = site.beside().await;
    let token = site.token().await;
    let mut all = Overview::open(site.port, &token, format!("overview/client/{}", site.own.client)).await;
    // The hub may have read the field before the second substation was there; it sends the row after the next read.
    all.until(|row| row["locationId"] != json!(site.own.location.0)).await;
    let token = site.session(confined).await.1;
    let own = Overview::open(site.port, &token, format!("overview/client/{}", site.own.client)).await;
    let ids: Vec<&Value> = own.rows.iter().map(|row| &row["locationId"]).collect();
    assert_eq!(ids, [&json!(site.own.location.0)]);
    assert_eq!(own.rows[0]["breadCrumbName"].as_str().map(|path| path.split(" › ").count()), Some(6));
    let mut client = own.client;
    for stream in [format!("overview/client/{}", site.other.client), format!("overview/circle/{}", site.own.circle)] {
        assert_eq!(client.subscribe(&stream).await["code"], json!("unknown_stream"), "{stream}");
    }
    // Both rooms receive its changes.
    site.silence();
    all.until(|row| row["locationId"] == json!(site.own.location.0) && row["online"] == json!(false)).await;
}
