//! The map: stored geometry is returned, errors have their place, and users see only their area.

use serde_json::{Value, json};

use crate::server::{Answer, Server};

const PATH: &str = "/api/admin/map";

fn feature(geometry: impl Into<Value>, properties: impl Into<Value>) -> Value {
    let (geometry, properties) = (geometry.into(), properties.into());
    json!({ "type": "Feature", "geometry": geometry, "properties": properties })
}

fn way(coordinates: impl Into<Value>) -> Value {
    let coordinates = coordinates.into();
    json!({ "type": "LineString", "coordinates": coordinates })
}

fn collection(features: &[Value]) -> Value {
    json!({ "type": "FeatureCollection", "features": features })
}

/// Returns both substations of utility one with a line between them, a line from outside, and a feeder.
fn network(server: &Server) -> Value {
    let one = &server.one;
    let (from, to) = (one.location.0, one.other_location.0);
    let place = |lon: f64| json!({ "type": "Point", "coordinates": [lon, 17.7] });
    let path = json!([[83.2, 17.7], [83.25, 17.72], [83.3, 17.7]]);
    collection(&[
        feature(place(83.2), json!({ "kind": "substation", "locationId": from })),
        feature(place(83.3), json!({ "kind": "substation", "locationId": to })),
        feature(
            way(path.clone()),
            json!({ "kind": "line", "assetId": one.feeder.0, "kv": 33.0, "fromLocationId": from, "toLocationId": to, "name": "Between" }),
        ),
        feature(way(path.clone()), json!({ "kind": "line", "toLocationId": from, "name": "From outside" })),
        feature(way(path), json!({ "kind": "feeder", "assetId": one.feeder.0, "locationId": from, "name": "F1" })),
    ])
}

async fn put(server: &Server, token: &str, map: &Value) -> Answer {
    server.json_as(token, "PUT", PATH, map).await
}

#[tokio::test]
async fn what_is_stored_comes_back_and_can_be_put_again() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let shown = format!("/api/map/network/client/{}", server.one.client);
    assert_eq!(server.get_as(&token, &shown).await.json()["result"], collection(&[]), "nobody knows where anything is");
    let stored = put(&server, &token, &network(&server)).await;
    assert_eq!((stored.status, &stored.json()["result"]), (200, &json!({ "substations": 2, "lines": 2, "feeders": 1 })), "{stored:?}");
    let map = server.get_as(&token, &shown).await.json()["result"].clone();
    let kinds: Vec<&Value> = map["features"].as_array().expect("features").iter().map(|feature| &feature["properties"]["kind"]).collect();
    assert_eq!(kinds, ["substation", "substation", "line", "line", "feeder"]);
    assert_eq!(map["features"][0]["geometry"]["coordinates"], json!([83.2, 17.7]));
    assert_eq!(map["features"][0]["properties"]["kv"], json!("33/11 kV"), "as the hierarchy has it");
    let given = network(&server);
    for index in 2..5 {
        assert_eq!(map["features"][index]["geometry"], given["features"][index]["geometry"]);
    }
    let overview = server.get_as(&token, &format!("/api/overview/location/{}", server.one.location)).await.json();
    assert_eq!((&overview["result"][0]["lat"], &overview["result"][0]["lon"]), (&json!(17.7), &json!(83.2)), "one place, told everywhere");
    assert_eq!(put(&server, &token, &map).await.status, 200);
    assert_eq!(server.get_as(&token, &shown).await.json()["result"], map);
    let entered = server.audited(server.one.client).await;
    assert_eq!(entered.iter().filter(|(action, _)| action == "map_replaced").count(), 2);
    let below = server.get_as(&token, &format!("/api/map/network/location/{}", server.one.other_location)).await.json();
    let names: Vec<&Value> =
        below["result"]["features"].as_array().expect("features").iter().map(|feature| &feature["properties"]["name"]).collect();
    assert_eq!(names, ["D2 location", "Between"], "what has an end there");
}

#[tokio::test]
async fn what_is_wrong_is_told_with_its_path_and_changes_nothing() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(put(&server, &token, &network(&server)).await.status, 200);
    let shown = format!("/api/map/network/client/{}", server.one.client);
    let before = server.get_as(&token, &shown).await.json()["result"].clone();
    let (location, feeder, foreign) = (server.one.location.0, server.one.feeder.0, server.two.location.0);
    let good = json!([[83.2, 17.7], [83.3, 17.7]]);
    let line = |more: Value| {
        let mut line = json!({ "kind": "line", "toLocationId": location, "name": "L" });
        line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        line
    };
    for (geometry, properties, path) in [
        (way(json!([[83.2, 17.7], [190.0, 17.7]])), line(json!({})), "features[0].geometry.coordinates[1]"),
        (way(json!([[83.2, 17.7]])), line(json!({})), "features[0].geometry.coordinates "),
        (
            json!({ "type": "Point", "coordinates": [83.2, 97.0] }),
            json!({ "kind": "substation", "locationId": location }),
            "features[0].geometry.coordinates ",
        ),
        (json!({ "type": "Point", "coordinates": [83.2, 17.0] }), line(json!({})), "features[0].geometry.type"),
        (way(good.clone()), json!({ "kind": "substation", "locationId": location }), "features[0].geometry.type"),
        (
            way(good.clone()),
            line(json!({ "fromLocationId": foreign })),
            "features[0].properties.fromLocationId: there is no such substation",
        ),
        (
            way(good.clone()),
            line(json!({ "fromLocationId": 999_999_999 })),
            "features[0].properties.fromLocationId: there is no such substation",
        ),
        (way(good.clone()), line(json!({ "toLocationId": null })), "features[0].properties "),
        (way(good.clone()), line(json!({ "kv": -1.0 })), "features[0].properties.kv"),
        (way(good.clone()), line(json!({ "name": " " })), "features[0].properties.name"),
        (way(good.clone()), line(json!({ "assetId": server.two.feeder.0 })), "features[0].properties.assetId: there is no such asset"),
        (
            way(good.clone()),
            json!({ "kind": "feeder", "assetId": feeder, "locationId": server.one.other_location.0, "name": "F" }),
            "features[0].properties.assetId",
        ),
        (way(good), json!({ "kind": "river", "name": "R" }), "features[0].properties"),
        (json!({ "type": "Polygon", "coordinates": [] }), line(json!({})), "features[0].geometry"),
    ] {
        let answer = put(&server, &token, &collection(&[feature(geometry, properties)])).await;
        let message = answer.json()["message"].as_str().expect("a sentence").to_owned();
        assert!(answer.status == 400 && message.contains(path), "{path}: {answer:?}");
    }
    assert_eq!(server.get_as(&token, &shown).await.json()["result"], before);
    for person in ["one-division", "two-admin"] {
        let token = server.sign_in(person).await;
        let status = put(&server, &token, &network(&server)).await.status;
        assert_eq!(status, if person == "two-admin" { 400 } else { 403 }, "{person}");
    }
    assert_eq!(server.get_as(&token, &shown).await.json()["result"], before);
}

#[tokio::test]
async fn a_large_map_is_taken_and_a_larger_one_is_not() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let path: Vec<[f64; 2]> = (0..1_000).map(|place| [83.0 + f64::from(place) * 1e-4, 17.123_456]).collect();
    let feeder = feature(
        way(json!(path)),
        json!({ "kind": "feeder", "assetId": server.one.feeder.0, "locationId": server.one.location.0, "name": "F1" }),
    );
    let large = |features: usize| collection(&vec![feeder.clone(); features]);
    assert!(large(100).to_string().len() > 2_000_000);
    assert_eq!(put(&server, &token, &large(100)).await.status, 200);
    assert_eq!(put(&server, &token, &large(300)).await.status, 413);
}

#[tokio::test]
async fn map_hides_the_invisible_end_of_a_line() {
    let server = Server::start().await;
    let admin = server.sign_in("one-admin").await;
    assert_eq!(put(&server, &admin, &network(&server)).await.status, 200);
    let token = server.sign_in("one-division").await;
    let map = server.get_as(&token, &format!("/api/map/network/client/{}", server.one.client)).await.json()["result"].clone();
    let properties: Vec<&Value> = map["features"].as_array().expect("features").iter().map(|feature| &feature["properties"]).collect();
    assert_eq!(properties.len(), 2, "the own substation and the line that leads there: {map}");
    assert_eq!(properties[0]["locationId"], server.one.other_location.0);
    let to = server.one.other_location.0;
    let expected = json!({ "kind": "line", "assetId": null, "kv": 33.0, "fromLocationId": null, "toLocationId": to, "name": "Between" });
    assert_eq!(properties[1], &expected);
    let foreign = server.get_as(&token, &format!("/api/map/network/client/{}", server.two.client)).await;
    assert_eq!(foreign.status, 404);
}
