//! Acknowledging flashing points: permissions, scope, and notification of the hubs.

use serde_json::json;
use wire::bus::BusMessage;

use crate::field::{feed, reading};
use crate::server::Server;

const PATH: &str = "/api/sld/acknowledge";

async fn flashing(server: &Server) -> usize {
    let store = store::Store::connect(server.database.url(), 1).await.expect("connected");
    store.flashes(None).await.expect("flashes").len()
}

#[tokio::test]
async fn who_may_change_the_diagram_acknowledges_what_flashes_there() {
    let server = Server::start().await;
    feed(server.database.url(), &server.one, &[reading(1.0, 10_000), reading(2.0, 20_000)], &[]).await;
    feed(server.database.url(), &server.two, &[reading(1.0, 10_000)], &[]).await;
    assert_eq!(flashing(&server).await, 2);
    let mut bus = server.bus_messages();
    let (location, position) = (server.one.location.0, server.one.position.0);
    let token = server.sign_in("one-admin").await;
    let done = server.json_as(&token, "POST", PATH, &json!({ "locationId": location, "pointIds": [position] })).await;
    assert_eq!((done.status, &done.json()["result"]), (200, &json!({ "acknowledged": 1 })), "{done:?}");
    let message = bus.next().await;
    assert!(
        matches!(*message, BusMessage::Acknowledged { client, location: at } if client == server.one.client.0 && at == location),
        "{message:?}"
    );
    assert_eq!(flashing(&server).await, 1, "of the other utility");
    let again = server.json_as(&token, "POST", PATH, &json!({ "locationId": location })).await;
    assert_eq!((again.status, &again.json()["result"]), (200, &json!({ "acknowledged": 0 })));
    assert!(bus.try_next().is_none(), "nothing has changed");
    let audited = server.audited(server.one.client).await;
    assert_eq!(audited.iter().filter(|(action, _)| action == "changes_acknowledged").count(), 1);
    assert!(audited.contains(&("changes_acknowledged".to_owned(), format!("substation {location}"))), "{audited:?}");

    // All points of the substation, and none outside of the caller's area.
    feed(server.database.url(), &server.one, &[reading(1.0, 30_000)], &[]).await;
    let strangers = server.sign_in("one-division").await;
    for (token, body, status) in [
        (&strangers, json!({ "locationId": location }), 404),
        (&token, json!({ "locationId": server.two.location.0 }), 404),
        (&token, json!({ "locationId": server.one.division.0 }), 404),
        (&token, json!({ "locationId": server.one.other_location.0, "pointIds": [position] }), 404),
        (&token, json!({ "locationId": location, "pointIds": [position, server.two.position.0] }), 404),
        (&token, json!({ "locationId": location, "pointIds": [server.one.current.0] }), 404),
        (&token, json!({ "locationId": location, "pointIds": "all" }), 400),
        (&token, json!({ "locationId": location, "points": [] }), 400),
        (&token, json!({}), 400),
        (&token, json!({ "locationId": location, "pointIds": [] }), 200),
    ] {
        let answer = server.json_as(token, "POST", PATH, &body).await;
        assert_eq!(answer.status, status, "{body}: {answer:?}");
    }
    assert_eq!(flashing(&server).await, 2, "nothing of that has changed anything");
    let rest = server.json_as(&token, "POST", PATH, &json!({ "locationId": location, "pointIds": null })).await;
    assert_eq!((rest.status, &rest.json()["result"]), (200, &json!({ "acknowledged": 1 })));
}

#[tokio::test]
async fn who_may_only_look_does_not_acknowledge() {
    let server = Server::start().await;
    feed(server.database.url(), &server.one, &[reading(1.0, 10_000)], &[]).await;
    server.enter("looker", 8, Some(server.one.location)).await;
    let token = server.sign_in("looker").await;
    let body = json!({ "locationId": server.one.location.0 });
    let client = server.database.client().await;
    let read_only =
        "UPDATE page_access SET is_readonly = $1 WHERE role_id = 8 AND page_id = (SELECT id FROM page WHERE tab_key = 'dashboard.sld')";
    client.execute(read_only, &[&true]).await.expect("updated");
    assert_eq!(server.json_as(&token, "POST", PATH, &body).await.status, 403);
    assert_eq!(flashing(&server).await, 1);
    client.execute(read_only, &[&false]).await.expect("updated");
    assert_eq!(server.json_as(&token, "POST", PATH, &body).await.status, 200);
    assert_eq!(flashing(&server).await, 0);
}
