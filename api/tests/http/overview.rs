//! The overview of substations over REST: dead feeders, and permissions.

use serde_json::{Value, json};
use store::Store;

use crate::field::{feed, reading};
use crate::server::Server;

fn drawing() -> Value {
    json!({ "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 100, "height": 300 }, "elements": [
        { "id": "s", "class": "source", "x": 0, "y": 0 },
        { "id": "b", "class": "busbar", "x1": -50, "y1": 40, "x2": 50, "y2": 40, "asset": "BUSA" },
        { "id": "l", "class": "line", "path": [[0, 0], [0, 40]] },
        { "id": "m", "class": "line", "path": [[0, 40], [0, 200]] },
        { "id": "c", "class": "breaker", "x": 0, "y": 100, "orientation": "vertical", "asset": "F1CB", "position": { "point": "F1/F1CB/Pos" } },
        { "id": "f", "class": "feeder", "x": 0, "y": 200, "asset": "F1" }
    ] })
}

fn now_ms() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis() as i64
}

#[tokio::test]
async fn a_feeder_is_dead_by_its_line_side_or_by_its_breaker() {
    let server = Server::start().await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let client = server.database.client().await;
    client.execute("UPDATE asset SET customers = 120 WHERE id = $1", &[&server.one.feeder.0]).await.expect("updated");
    // The fixture's drawing has no feeder and no busbar, so the state follows from the breaker.
    feed(server.database.url(), &server.one, &[reading(1.0, now_ms())], &[]).await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/overview/location/{}", server.one.location);
    let row = async || server.get_as(&token, &path).await.json()["result"][0].clone();
    let fields = |row: &Value| (row["feedersDead"].clone(), row["customersWithoutSupply"].clone(), row["energised"].clone());
    assert_eq!(fields(&row().await), (json!(1), json!(120), json!("unknown")));
    store.put_drawing(server.one.client, server.one.location, "S", &drawing()).await.expect("stored");
    let opened = row().await;
    assert_eq!(fields(&opened), (json!(1), json!(120), json!("energised")));
    let dead = |row: &Value| row["deadFeeders"][0]["customers"].clone();
    assert_eq!((dead(&opened), &opened["deadFeeders"][0]["assetId"]), (json!(120), &json!(server.one.feeder.0)));
    for (entered, expected) in [("0", json!(0)), ("NULL", Value::Null)] {
        client.batch_execute(&format!("UPDATE asset SET customers = {entered} WHERE id = {}", server.one.feeder.0)).await.expect("updated");
        // The api keeps what it has read of the registry for a moment.
        let mut found = row().await;
        while found["customersWithoutSupply"] != json!(0) || dead(&found) != expected {
            tokio::task::yield_now().await;
            found = row().await;
        }
        assert_eq!(fields(&found), (json!(1), json!(0), json!("energised")), "which feeder, and why nobody is counted");
    }
    // A feeder to another substation: its customers are counted there, and the row says why they are not counted here.
    client.batch_execute(&format!("UPDATE asset SET customers = 120 WHERE id = {}", server.one.feeder.0)).await.expect("updated");
    store.put_feeds(server.one.client, &[(server.one.feeder, server.one.other_location)]).await.expect("stored");
    server.registry.refresh().await;
    let bulk = row().await;
    assert_eq!(
        (fields(&bulk), &bulk["deadFeeders"][0]["feedsSubstation"]),
        ((json!(1), json!(0), json!("energised")), &json!(true)),
        "{bulk}"
    );
    store.put_feeds(server.one.client, &[]).await.expect("stored");
    server.registry.refresh().await;
    let own = row().await;
    assert_eq!(
        (fields(&own), &own["deadFeeders"][0]["feedsSubstation"]),
        ((json!(1), json!(120), json!("energised")), &json!(false)),
        "{own}"
    );
    assert_eq!((&opened["feeders"], &opened["loadMw"], &opened["quality"]), (&json!(1), &Value::Null, &json!(6)), "no power is measured");
    feed(server.database.url(), &server.one, &[reading(2.0, now_ms() + 1)], &[]).await;
    assert_eq!(fields(&row().await), (json!(0), json!(0), json!("energised")));
}

#[tokio::test]
async fn each_sees_the_substations_below_their_own_node() {
    let server = Server::start().await;
    let rows = async |person: &str, path: String| {
        let token = server.sign_in(person).await;
        let answer = server.get_as(&token, &path).await;
        let rows = answer.json()["result"].as_array().map(|rows| rows.iter().map(|row| row["locationId"].as_i64()).collect::<Vec<_>>());
        (answer.status, rows)
    };
    let one = &server.one;
    let (location, other) = (Some(one.location.0), Some(one.other_location.0));
    let all = || format!("/api/overview/client/{}", one.client);
    assert_eq!(rows("one-admin", all()).await, (200, Some(vec![location, other])));
    assert_eq!(rows("one-division", all()).await, (200, Some(vec![other])));
    assert_eq!(rows("one-admin", format!("/api/overview/division/{}", one.division)).await, (200, Some(vec![location])));
    for path in [
        format!("/api/overview/division/{}", one.division),
        format!("/api/overview/location/{}", one.location),
        format!("/api/overview/location/{}", one.other_division),
        format!("/api/overview/client/{}", server.two.client),
    ] {
        assert_eq!(rows("one-division", path.clone()).await.0, 404, "{path}");
    }
}
