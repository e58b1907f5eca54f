//! A super user switches to another utility: one at a time, and only through the server.

use wire::bus::BusMessage;

use crate::server::Server;

#[tokio::test]
async fn the_new_session_sees_the_other_utility_alone() {
    let server = Server::start().await;
    let id = server.enter("super", 1, None).await;
    let token = server.sign_in("super").await;
    let (one, two) = (server.one.client.0, server.two.client.0);
    let circles = |client: i64| format!("/api/circle/circlesbyclient/{client}");
    assert_eq!(server.get_as(&token, &circles(one)).await.status, 200);
    assert_eq!(server.get_as(&token, &circles(two)).await.status, 404, "one active utility at a time");
    let mut messages = server.bus_messages();
    let answer = server.json_as(&token, "POST", &format!("/api/Client/Switch/{two}"), &serde_json::Value::Null).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let login = answer.json();
    assert_eq!((&login["clientId"], &login["clientName"], &login["id"]), (&two.into(), &"Utility two".into(), &id.into()));
    let message = messages.next().await;
    assert!(matches!(*message, BusMessage::Session { client, .. } if client == one), "the hubs leave the old rooms: {message:?}");
    assert_eq!(server.get_as(&token, &circles(one)).await.status, 401, "the old session has ended");
    let next = login["token"].as_str().expect("a token");
    assert_eq!(server.get_as(next, &circles(two)).await.status, 200);
    assert_eq!(server.get_as(next, &circles(one)).await.status, 404);
    let location = server.one.location;
    assert_eq!(server.get_as(next, &format!("/api/sld/slddivaluesbyastpt/{location}")).await.status, 404);
    // A renewal stays there, and so do administration and audit.
    let renewed = server.token(&format!("ref={}&feui=1", login["ref"].as_str().expect("a secret"))).await.json();
    assert_eq!(renewed["clientId"], two);
    let next = renewed["token"].as_str().expect("a token");
    let members = server.get_as(next, "/api/admin/members").await.json();
    let names: Vec<&str> = members["result"].as_array().expect("rows").iter().filter_map(|row| row["username"].as_str()).collect();
    assert_eq!(names, ["two-admin", "two-division"]);
    assert!(server.audited(server.two.client).await.contains(&("client_switch".to_owned(), format!("client {two}"))));
    assert_eq!(server.get_as(next, &format!("/api/member/logout/{id}")).await.status, 200, "signing out works anywhere");
}

#[tokio::test]
async fn nobody_else_switches_and_an_unknown_utility_changes_nothing() {
    let server = Server::start().await;
    server.enter("super", 1, None).await;
    let (admin, token) = (server.sign_in("one-admin").await, server.sign_in("super").await);
    let switch =
        async |token: &str, to: &str| server.json_as(token, "POST", &format!("/api/client/switch/{to}"), &serde_json::Value::Null).await;
    let two = server.two.client.to_string();
    assert_eq!(switch(&admin, &two).await.status, 403);
    assert!(server.audited(server.one.client).await.contains(&("access_refused".to_owned(), "/api/client/switch/{clientId}".to_owned())));
    for unknown in ["999999", "0", "x", "1%27--"] {
        assert_eq!(switch(&token, unknown).await.status, 404, "{unknown}");
    }
    assert_eq!(server.get_as(&token, "/api/iecgw/gethoststate").await.status, 200, "the session goes on");
}
