//! Administration of members and their permissions, with immediate effect; and feedback of users.

use serde_json::{Value, json};
use wire::bus::BusMessage;

use crate::server::Server;

fn draft(overrides: &Value) -> Value {
    let mut body = json!({
        "firstName": "Uma", "lastName": "O'Neil <b>", "email": "uma@example.org", "roleId": 2, "nodeId": null, "canOperate": false, "flags": {}
    });
    for (key, value) in overrides.as_object().expect("an object") {
        body[key] = value.clone();
    }
    body
}

fn change(overrides: &Value) -> Value {
    let mut body = draft(&json!({ "disabled": false }));
    for (key, value) in overrides.as_object().expect("an object") {
        body[key] = value.clone();
    }
    body
}

#[tokio::test]
async fn a_member_is_added_invited_and_signs_in_with_a_password_of_their_own() {
    let server = Server::start().await;
    let admin = server.sign_in("one-admin").await;
    let body = draft(
        &json!({ "username": "uma", "roleId": 4, "nodeId": server.one.division.0, "flags": { "showAssetTab": false }, "profilePicturePath": "/users/uma.jpg" }),
    );
    let added = server.json_as(&admin, "POST", "/api/Admin/Members", &body).await;
    assert_eq!(added.status, 200, "{added:?}");
    let row = added.json()["result"].clone();
    assert_eq!((&row["role"], &row["lastName"], &row["disabled"]), (&json!("DivisionAdmin"), &json!("O'Neil <b>"), &json!(false)));
    assert_eq!((&row["flags"], &row["profilePicturePath"]), (&json!({ "showAssetTab": false }), &json!("/users/uma.jpg")));
    let id = row["id"].as_i64().expect("an id");
    let listed = server.get_as(&admin, "/api/admin/members?limit=1000").await.json();
    assert!(listed["result"].as_array().expect("rows").contains(&row), "{listed}");
    assert!(!listed.to_string().contains("argon2"), "no hash leaves the house");
    assert_eq!(server.json_as(&admin, "POST", &format!("/api/admin/members/{id}/invite"), &Value::Null).await.status, 200);
    let mail = server.mail().await;
    let (_, link) = mail.split_once("/setpassword#").expect("a link");
    let body = json!({ "token": link.lines().next().expect("a line").trim(), "password": "seven kettles under a tram" }).to_string();
    let json_body = [("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/api/member/setpassword", &json_body, &body).await.status, 200);
    let login = server.token("username=uma&password=seven+kettles+under+a+tram&feui=1").await.json();
    assert_eq!((&login["roleId"], &login["divisionId"]), (&json!(4), &json!(server.one.division.0)));
    assert_eq!(login["profilePicturePath"], "/users/uma.jpg");
    assert_eq!(
        (&login["showAssetTab"], &login["showOutageTab"]),
        (&json!(false), &json!(true)),
        "the person's own switches before the utility's"
    );
    let audited = server.audited(server.one.client).await;
    for action in ["member_added", "member_invited", "password_set"] {
        assert!(audited.contains(&(action.to_owned(), format!("member {id}"))), "{action}: {audited:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_with_what_is_allowed_and_changes_nothing() {
    let server = Server::start().await;
    let admin = server.sign_in("one-admin").await;
    let before = server.get_as(&admin, "/api/admin/members").await.json();
    let foreign = server.two.division.0;
    for (overrides, word) in [
        (json!({ "username": "ab" }), "username must have 3 to 64"),
        (json!({ "username": "u; DROP TABLE member" }), "username must have 3 to 64"),
        (json!({ "username": "ONE-ADMIN" }), "is taken"),
        (json!({ "username": "two-admin" }), "is taken"),
        (json!({ "firstName": "" }), "firstName"),
        (json!({ "firstName": "x".repeat(101) }), "firstName must have 1 to 100"),
        (json!({ "lastName": "a\u{0}b" }), "lastName"),
        (json!({ "email": "nobody" }), "email must be an address"),
        (json!({ "email": "a@b\r\nBcc: c@d" }), "email must be an address"),
        (json!({ "roleId": 9 }), "roleId must lie between 1 and 8"),
        (json!({ "roleId": -3 }), "roleId must lie between 1 and 8"),
        (json!({ "roleId": "2" }), "roleId"),
        (json!({ "nodeId": server.one.circle.0 }), "nodeId must be null"),
        (json!({ "roleId": 4 }), "nodeId must be a division"),
        (json!({ "roleId": 4, "nodeId": server.one.circle.0 }), "nodeId must be a division"),
        (json!({ "roleId": 4, "nodeId": foreign }), "nodeId must be a division of this utility"),
        (json!({ "flags": { "showEverything": true } }), "showEverything"),
        (json!({ "flags": { "showAssetTab": "yes" } }), "flags"),
        (json!({ "clientId": 2 }), "clientId"),
        (json!({ "passwordHash": "x" }), "passwordHash"),
    ] {
        let mut body = draft(&overrides);
        body["username"] = overrides.get("username").cloned().unwrap_or_else(|| json!("uma"));
        let answer = server.json_as(&admin, "POST", "/api/admin/members", &body).await;
        assert_eq!(answer.status, 400, "{overrides}: {answer:?}");
        let message = answer.json()["message"].as_str().expect("a message").to_owned();
        assert!(message.contains(word), "{overrides}: {message}");
    }
    assert_eq!(server.get_as(&admin, "/api/admin/members").await.json()["result"], before["result"]);
}

#[tokio::test]
async fn only_administrators_of_the_utility_decide_and_nobody_about_their_own_rights() {
    let server = Server::start().await;
    let super_id = server.enter("super", 1, None).await;
    let (admin, division, superior) =
        (server.sign_in("one-admin").await, server.sign_in("one-division").await, server.sign_in("super").await);
    let own = server.one.admin;
    let put = async |token: &str, id: i64, overrides: &Value| {
        server.json_as(token, "PUT", &format!("/api/admin/members/{id}"), &change(overrides)).await.status
    };
    assert_eq!(server.get_as(&division, "/api/admin/members").await.status, 403);
    assert_eq!(put(&division, own, &json!({})).await, 403);
    let new_super = draft(&json!({ "username": "uma", "roleId": 1 }));
    assert_eq!(server.json_as(&admin, "POST", "/api/admin/members", &new_super).await.status, 403, "role 2 makes no role 1");
    assert_eq!(put(&admin, super_id, &json!({})).await, 403, "nor takes it away");
    assert_eq!(put(&admin, super_id, &json!({ "roleId": 1 })).await, 403, "nor renames it");
    assert_eq!(server.json_as(&admin, "POST", &format!("/api/admin/members/{super_id}/invite"), &Value::Null).await.status, 403);
    for own_rights in [json!({ "roleId": 1 }), json!({ "canOperate": true }), json!({ "disabled": true })] {
        assert_eq!(put(&admin, own, &own_rights).await, 403, "{own_rights}");
    }
    assert_eq!(put(&admin, own, &json!({ "firstName": "Asha" })).await, 200, "but their own name");
    let (foreign, missing) = (server.two.admin, 999_999);
    for id in [foreign, missing] {
        assert_eq!(put(&admin, id, &json!({})).await, 404);
        assert_eq!(put(&superior, id, &json!({})).await, 404, "a super user decides in the utility they are in");
        assert_eq!(server.json_as(&admin, "POST", &format!("/api/admin/members/{id}/invite"), &Value::Null).await.status, 404);
    }
    let refused = server.audited(server.one.client).await.into_iter().filter(|(action, _)| action == "access_refused").count();
    assert!(refused >= 8, "{refused}");
    server.database.client().await.batch_execute("UPDATE member SET demo = true WHERE username = 'one-admin'").await.expect("set");
    assert_eq!(server.get_as(&admin, "/api/admin/members").await.status, 403, "the demo user only looks");
}

#[tokio::test]
async fn other_rights_are_felt_at_once_and_the_hubs_are_told() {
    let server = Server::start().await;
    let (admin, division) = (server.sign_in("one-admin").await, server.sign_in("one-division").await);
    let members = server.get_as(&admin, "/api/admin/members").await.json();
    let row = members["result"].as_array().expect("rows").iter().find(|row| row["username"] == "one-division").expect("a row").clone();
    let path = format!("/api/admin/members/{}", row["id"]);
    let base = json!({ "roleId": 4, "nodeId": server.one.other_division.0 });
    let mut messages = server.bus_messages();
    assert_eq!(server.json_as(&admin, "PUT", &path, &change(&base)).await.status, 200);
    assert_eq!(server.get_as(&division, "/api/iecgw/gethoststate").await.status, 200, "a new name ends nothing");
    let moved = json!({ "roleId": 4, "nodeId": server.one.division.0 });
    assert_eq!(server.json_as(&admin, "PUT", &path, &change(&moved)).await.status, 200);
    let message = messages.next().await;
    assert!(matches!(*message, BusMessage::Session { client, .. } if client == server.one.client.0), "{message:?}");
    assert_eq!(server.get_as(&division, "/api/iecgw/gethoststate").await.status, 401);
    let again = server.sign_in("one-division").await;
    let location = server.one.location;
    assert_eq!(server.get_as(&again, &format!("/api/sld/slddivaluesbyastpt/{location}")).await.status, 200, "and there are the new ones");
    let disabled = json!({ "roleId": 4, "nodeId": server.one.division.0, "disabled": true });
    assert_eq!(server.json_as(&admin, "PUT", &path, &change(&disabled)).await.status, 200);
    assert_eq!(server.get_as(&again, "/api/iecgw/gethoststate").await.status, 401);
    let form = format!("username=one-division&password={}", crate::field::PASSWORD.replace(' ', "+"));
    assert_eq!(server.token(&form).await.status, 403);
    let rows = server.get_as(&admin, "/api/audit?limit=1000").await.json();
    let entered = rows["result"].as_array().expect("rows").iter().find(|row| row["action"] == "member_changed").expect("a row").clone();
    assert_eq!((&entered["before"]["disabled"], &entered["after"]["disabled"]), (&json!(false), &json!(true)), "{entered}");
}

#[tokio::test]
async fn who_had_the_address_is_told_and_the_links_that_went_there_are_worth_nothing() {
    let server = Server::start().await;
    let admin = server.sign_in("one-admin").await;
    let body = draft(&json!({ "username": "uma", "email": "typo@example.org" }));
    let id = server.json_as(&admin, "POST", "/api/admin/members", &body).await.json()["result"]["id"].clone();
    assert_eq!(server.json_as(&admin, "POST", &format!("/api/admin/members/{id}/invite"), &Value::Null).await.status, 200);
    let invitation = server.mail().await;
    assert!(invitation.contains("within a day"), "{invitation}");
    let corrected = change(&json!({ "email": "uma@example.org" }));
    assert_eq!(server.json_as(&admin, "PUT", &format!("/api/admin/members/{id}"), &corrected).await.status, 200);
    let reported = server.mail().await;
    assert!(reported.contains("To: typo@example.org") && reported.contains("user name uma"), "{reported}");
    assert!(!reported.contains("uma@example.org") && !reported.contains("setpassword"), "nothing of the new one: {reported}");
    let (_, link) = invitation.split_once("/setpassword#").expect("a link");
    let body = json!({ "token": link.lines().next().expect("a line").trim(), "password": "seven kettles under a tram" }).to_string();
    let refused = server.send("POST", "/api/member/setpassword", &[("Content-Type", "application/json")], &body).await;
    assert_eq!(refused.status, 403, "{refused:?}");

    // A user with a password does not keep an invitation link that is valid for a day.
    let own = server.one.admin;
    assert_eq!(server.json_as(&admin, "POST", &format!("/api/admin/members/{own}/invite"), &Value::Null).await.status, 200);
    let again = server.mail().await;
    assert!(again.contains("To: one-admin@example.org") && again.contains("within ten minutes"), "{again}");
}

#[tokio::test]
async fn feedback_is_kept_as_it_was_written_for_super_users_alone() {
    let server = Server::start().await;
    server.enter("super", 1, None).await;
    let (division, superior) = (server.sign_in("two-division").await, server.sign_in("super").await);
    let text = "<script>alert('x')</script>; DROP TABLE feedback --";
    let sent = server.json_as(&division, "POST", "/api/feedback", &json!({ "text": text, "page": "/dashboard" })).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    for (body, word) in [
        (json!({ "text": " ", "page": "" }), "text must have 1 to 2000"),
        (json!({ "text": "x".repeat(2_001), "page": "" }), "text must have 1 to 2000"),
        (json!({ "text": "x", "page": "x".repeat(201) }), "page may have 200"),
        (json!({ "text": "x", "page": "", "member": 1 }), "member"),
        (json!({ "text": "x" }), "page"),
    ] {
        let answer = server.json_as(&division, "POST", "/api/feedback", &body).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.json()["message"].as_str().is_some_and(|message| message.contains(word)), "{answer:?}");
    }
    let rows = server.get_as(&superior, "/api/feedback").await.json()["result"].clone();
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    assert_eq!((&rows[0]["text"], &rows[0]["member"], &rows[0]["client"]), (&json!(text), &json!("two-division"), &json!("Utility two")));
    assert_eq!(server.get_as(&division, "/api/feedback").await.status, 403);
    for _ in 1..20 {
        server.json_as(&division, "POST", "/api/feedback", &json!({ "text": "x", "page": "" })).await;
    }
    assert_eq!(server.json_as(&division, "POST", "/api/feedback", &json!({ "text": "x", "page": "" })).await.status, 429);
}
