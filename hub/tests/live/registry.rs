//! Changes of the registry reach the clients; the hub is notified only by the database.

use std::time::Duration;

use grid::{Level, NodeId};
use hub::HubConfig;
use serde_json::{Value, json};
use store::seed::{GatewaySeed, NodeSeed};

use crate::client::Client;
use crate::equipment;
use crate::seeding;
use crate::site::Site;

/// A client's copy of a diagram. It subscribes again after a delta that does not continue it.
struct Follower {
    client: Client,
    stream: String,
    epoch: Value,
    place: i64,
    /// Answers to its subscriptions, the newest last.
    answers: Vec<Value>,
}

impl Follower {
    async fn open(site: &Site, token: &str, stream: String) -> Self {
        let mut client = Client::sign_in(site.port, token).await;
        let answer = client.subscribe(&stream).await;
        assert_eq!(answer["ok"], json!(true), "{stream}: {answer}");
        let (epoch, place) = (answer["epoch"].clone(), answer["offset"].as_i64().expect("an offset"));
        Self { client, stream, epoch, place, answers: vec![answer] }
    }

    /// Returns the next delta that continues the stream, or the answer to a new subscription.
    async fn next(&mut self) -> Value {
        loop {
            let delta = self.client.event("delta").await;
            let number = |key: &str| delta[key].as_i64().expect("a number");
            let is_continued = delta["epoch"] == self.epoch;
            if delta["stream"] != json!(self.stream) || is_continued && number("offset") <= self.place {
                continue;
            }
            if is_continued && number("from") == self.place {
                self.place = number("offset");
                return delta;
            }
            let answer = self.client.resume(&self.stream, &self.epoch, self.place).await;
            self.epoch = answer["epoch"].clone();
            self.place = answer["offset"].as_i64().unwrap_or_default();
            self.answers.push(answer.clone());
            return answer;
        }
    }

    async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let next = self.next().await;
            if is_it(&next) {
                return next;
            }
        }
    }
}

/// Returns value and quality of a point in a delta of a diagram.
fn value_of(delta: &Value, point: i64) -> Option<(Value, Value)> {
    let change = delta["changes"].as_array()?.iter().find(|change| change[0] == json!(point))?;
    Some((change[1].clone(), change[2].clone()))
}

/// Returns a column of the rows of a delta or of a snapshot.
fn names(message: &Value, key: &str) -> Vec<Value> {
    let rows = message["rows"].as_array().or_else(|| message["snapshot"]["rows"].as_array());
    rows.into_iter().flatten().map(|row| row[key].clone()).collect()
}

/// Adds a node of each level above the substations beside those of the utility; returns them, the circle first.
async fn other_path(site: &Site) -> Vec<NodeId> {
    let mut path: Vec<NodeId> = Vec::new();
    for level in Level::ALL.into_iter().filter(|level| *level != Level::Substation) {
        let (client, parent, code) = (site.own.client, path.last().copied(), "FAR".to_owned());
        let seed = NodeSeed { client, level, parent, name: code.clone(), code, kv: None, lat: None, lon: None };
        path.push(site.store.put_node(&seed).await.expect("a node"));
    }
    path
}

/// Moves the substation of the utility.
async fn move_to(site: &Site, parent: NodeId) {
    let moved = "UPDATE node SET parent_id = $1 WHERE id = $2";
    site.database.client().await.execute(moved, &[&parent.0, &site.own.location.0]).await.expect("moved");
}

async fn run(site: &Site, statement: &str, id: i64) {
    assert_eq!(site.database.client().await.execute(statement, &[&id]).await.expect(statement), 1, "{statement}");
}

#[tokio::test]
async fn added_renamed_and_removed_points_reach_sockets() {
    let site = Site::start(|config| config).await;
    let token = site.token().await;
    let (location, feeder) = (site.own.location, site.own.feeder);
    let mut diagram = Follower::open(&site, &token, format!("sld/{location}")).await;
    let mut energy = Follower::open(&site, &token, format!("energy/location/{location}")).await;

    let seed = equipment::point(site.own.client, site.own.gateway, "F1", feeder, "F1/P");
    let added = site.store.put_points(&[seed]).await.expect("a point")[0];
    let delta = diagram.until(|delta| value_of(delta, added.0).is_some()).await;
    assert_eq!(value_of(&delta, added.0), Some((Value::Null, json!(6))), "it has no value yet: {delta}");
    energy
        .until(|delta| delta["columns"].as_array().is_some_and(|columns| columns.iter().any(|column| column["name"] == json!("P"))))
        .await;
    site.change(added, 1.5);
    diagram.until(|delta| value_of(delta, added.0) == Some((json!(1.5), json!(0)))).await;

    run(&site, "UPDATE asset SET name = 'North' WHERE id = $1", feeder.0).await;
    energy.until(|delta| names(delta, "assetName") == [json!("North")]).await;
    assert_eq!(energy.answers.len(), 1, "the stream went on");
}

#[tokio::test]
async fn removed_point_has_no_value_any_more() {
    let site = Site::start(|config| config).await;
    let token = site.token().await;
    let seed = equipment::asset(site.own.client, site.own.location, "F2", "F2", 1, "feeder");
    let asset = site.store.put_assets(&[seed]).await.expect("an asset")[0];
    let seed = equipment::point(site.own.client, site.own.gateway, "F2", asset, "F2/Ir");
    let point = site.store.put_points(&[seed]).await.expect("a point")[0];
    let mut diagram = Follower::open(&site, &token, format!("sld/{}", site.own.location)).await;
    site.change(point, 7.0);
    diagram.until(|delta| value_of(delta, point.0) == Some((json!(7.0), json!(0)))).await;
    let mut currents = Follower::open(&site, &token, format!("loadcurrent/location/{}", site.own.location)).await;
    assert_eq!(names(&currents.answers[0], "deviceName"), [json!("F1"), json!("F2")]);

    run(&site, "DELETE FROM point WHERE id = $1", point.0).await;
    diagram.until(|delta| value_of(delta, point.0) == Some((Value::Null, json!(6)))).await;
    // A delta cannot remove a row, so the table starts again.
    currents.until(|message| names(message, "deviceName") == [json!("F1")]).await;
    assert_eq!(currents.answers.len(), 2);
    let late = Follower::open(&site, &token, diagram.stream.clone()).await;
    let points = late.answers[0]["snapshot"]["points"].as_array().expect("points").clone();
    assert!(!points.iter().any(|shown| shown[0] == json!(point.0)));
}

#[tokio::test]
async fn new_substation_is_seen_by_its_own_utility_alone() {
    let site = Site::start(|config| config).await;
    let token = site.token().await;
    let (_, foreign) = site.session(site.other.member).await;
    let mut own = Follower::open(&site, &token, format!("overview/client/{}", site.own.client)).await;
    let mut gateways = Follower::open(&site, &token, format!("comms/client/{}", site.own.client)).await;
    let mut other = Follower::open(&site, &foreign, format!("overview/client/{}", site.other.client)).await;
    let row =
        site.database.client().await.query_one("SELECT parent_id FROM node WHERE id = $1", &[&site.own.location.0]).await.expect("one");
    let location = seeding::substation(&site.store, site.own.client, Some(NodeId(row.get(0))), "NEW").await;
    own.until(|delta| names(delta, "locationId").contains(&json!(location.0))).await;
    let gateway = GatewaySeed { client: site.own.client, code: "NEW".into(), name: "New".into(), location };
    site.store.put_gateway(&gateway).await.expect("a gateway");
    gateways.until(|delta| names(delta, "name").contains(&json!("New"))).await;

    let stream = format!("sld/{location}");
    assert_eq!(own.client.subscribe(&stream).await["ok"], json!(true));
    assert_eq!(other.client.subscribe(&stream).await["code"], json!("unknown_stream"));
    // The first delta in the stream of the other utility is about that utility.
    run(&site, "UPDATE node SET name = 'Theirs' WHERE id = $1", site.other.location.0).await;
    let delta = other.next().await;
    assert_eq!(names(&delta, "locationId"), [json!(site.other.location.0)], "{delta}");
}

#[tokio::test]
async fn substation_that_moves_away_ends_the_streams_of_the_confined() {
    let mut site = Site::start(|config| config).await;
    // The user is confined to the circle, and the substation moves to another circle.
    let confined = seeding::member(&site.store, site.own.client, "CIRCLE", 3, Some(site.own.circle)).await;
    let (_, token) = site.session(confined).await;
    let mut streams = Vec::new();
    for stream in
        [format!("sld/{}", site.own.location), format!("events/location/{}", site.own.location), format!("readings/{}", site.own.feeder)]
    {
        streams.push(Follower::open(&site, &token, stream).await);
    }
    site.operate(1, true).await;
    let far = other_path(&site).await;
    move_to(&site, far[far.len() - 1]).await;
    for stream in &mut streams {
        stream.until(|message| message["code"] == json!("unknown_stream")).await;
    }
    // A client that ignores the end of the stream receives nothing more.
    site.change(site.own.position, 1.0);
    let mut of_all = Follower::open(&site, &site.token().await, format!("sld/{}", site.own.location)).await;
    site.change(site.own.position, 2.0);
    of_all.until(|delta| value_of(delta, site.own.position.0) == Some((json!(2.0), json!(0)))).await;
    let mut silent = streams.swap_remove(0);
    site.shutdown.cancel();
    while let crate::client::Received::Event(name, message) = silent.client.receive().await {
        assert!(name != "delta" || value_of(&message, site.own.position.0).is_none(), "{message}");
    }
}

#[tokio::test]
async fn streams_of_areas_follow_a_substation_that_moves() {
    let mut site = Site::start(|config| config).await;
    site.operate(2, true).await;
    let far = other_path(&site).await;
    // This hub has read both paths.
    site.port = site.second_with(|config| HubConfig { sockets_per_session: 20, sockets_per_member: 20, ..config }).await;
    site.loaded(site.port).await;
    let (near, far_circle) = (site.own.circle, far[0]);
    let of_near = seeding::member(&site.store, site.own.client, "NEAR", 3, Some(near)).await;
    let of_far = seeding::member(&site.store, site.own.client, "FAR", 3, Some(far_circle)).await;
    let (near_token, far_token) = (site.session(of_near).await.1, site.session(of_far).await.1);
    let mut left = Vec::new();
    let mut joined = Vec::new();
    let whole = format!("client/{}", site.own.client);
    for (kind, area) in [("events", None), ("alarms", None), ("faults", None), ("alarms", Some(&whole)), ("faults", Some(&whole))] {
        let stream = |circle: NodeId| area.map_or_else(|| format!("{kind}/circle/{circle}"), |area| format!("{kind}/{area}"));
        left.push(Follower::open(&site, &near_token, stream(near)).await);
        joined.push(Follower::open(&site, &far_token, stream(far_circle)).await);
    }
    let mut tables = Vec::new();
    for kind in ["overview", "comms", "loadcurrent"] {
        let near = Follower::open(&site, &near_token, format!("{kind}/circle/{near}")).await;
        let far = Follower::open(&site, &far_token, format!("{kind}/circle/{far_circle}")).await;
        assert_eq!((rows_of(&near.answers[0]), rows_of(&far.answers[0])), (1, 0), "{kind}");
        tables.push((near, far));
    }
    assert_eq!((rows_of(&left[0].answers[0]), rows_of(&joined[0].answers[0])), (2, 0));

    move_to(&site, far[far.len() - 1]).await;
    for (stream, rows) in left.iter_mut().map(|stream| (stream, false)).chain(joined.iter_mut().map(|stream| (stream, true))) {
        // The rows that the client has belong to the area before the move, so it gets a snapshot of the present area.
        let message = stream.until(|message| message["ok"] == json!(true)).await;
        assert!(message["snapshot"].is_object(), "{}: {message}", stream.stream);
        let expected = if rows && stream.stream.starts_with("events") { 2 } else { 0 };
        assert_eq!(rows_of(&message), expected, "{}: {message}", stream.stream);
    }
    for (near, far) in &mut tables {
        near.until(|message| message["snapshot"].is_object() && rows_of(message) == 0).await;
        far.until(|message| rows_of(message) == 1).await;
    }
    // Both streams continue: a new row goes to the new area only.
    site.operate(1, true).await;
    joined[0].until(|message| rows_of(message) == 1).await;
    let again = Follower::open(&site, &near_token, format!("events/circle/{near}")).await;
    assert_eq!(rows_of(&again.answers[0]), 0);
}

/// The number of rows in a delta or in a snapshot.
fn rows_of(message: &Value) -> usize {
    let rows = message["rows"].as_array().or_else(|| message["snapshot"]["rows"].as_array());
    rows.map_or(0, Vec::len)
}

#[tokio::test]
async fn utility_added_during_the_first_load_appears() {
    let site = Site::start(|config| HubConfig { reconcile: Duration::from_hours(1), ..config }).await;
    let database = site.database.client().await;
    // The second hub reads this table after it has read the list of utilities.
    database.batch_execute("BEGIN; LOCK TABLE latest IN ACCESS EXCLUSIVE MODE").await.expect("a lock");
    let (port, registry) = site.second_followed(|config| HubConfig { reconcile: Duration::from_hours(1), ..config }).await;
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'latest'::regclass";
    let observer = site.database.client().await;
    while observer.query_one(waiting, &[]).await.expect("locks").get::<_, i64>(0) == 0 {
        tokio::task::yield_now().await;
    }
    let (client, path) = seeding::utility(&site.store, "LATE").await;
    let member = seeding::member(&site.store, client, "LATE", 2, None).await;
    registry.refresh().await;
    assert!(registry.utility(client).is_some());
    let (_, token) = site.session(member).await;
    let mut socket = Client::sign_in(port, &token).await;
    let stream = format!("events/circle/{}", path[0]);
    assert_eq!(socket.subscribe(&stream).await["code"], json!("unavailable"), "the load is still under way");
    database.batch_execute("COMMIT").await.expect("the lock is given back");
    let joined = async {
        while socket.subscribe(&stream).await["ok"] != json!(true) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), joined).await.expect("the utility appears");
}
