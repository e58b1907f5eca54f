//! Users of roles 3 to 8 give their credentials before each operation. A ticket is valid once, for a minute, for one user.

use serde_json::json;

use super::gateway::pos;
use super::rig::{CLOSED, OPEN, Rig};
use crate::field::PASSWORD;

#[tokio::test]
async fn a_ticket_is_good_once_and_not_for_long() {
    let rig = Rig::start().await;
    let token = rig.operator("field", 4).await;
    let status = rig.status(&token).await;
    assert_eq!((&status["credentialsRequired"], &status["operable"]), (&json!(true), &json!(true)), "{status}");
    let none = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    assert_eq!(
        (none.status, &none.json()["message"], &none.json()["result"]["addCause"]),
        (403, &json!("Invalid Credential..."), &json!(20))
    );

    let wrong = json!({ "Email": "field", "Password": "not the password at all" });
    assert_eq!(rig.server.json_as(&token, "POST", "/api/sld/validatecredentialsfordocontrol", &wrong).await.status, 403);
    assert_eq!(rig.refused(&token, "isSelect", CLOSED, OPEN).await, (403, 20));

    rig.prove(&token, "field").await;
    rig.sql("UPDATE control_ticket SET until = now() - interval '1 s' WHERE used IS NULL").await;
    assert_eq!(rig.refused(&token, "isSelect", CLOSED, OPEN).await, (403, 20), "its time is over");

    // Select and execute take one ticket together.
    rig.prove(&token, "field").await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    rig.state(&token, "isExecute", CLOSED, OPEN).await;
    rig.until_status(&token, |status| status["currentDIText"] == "OPEN" && status["reservation"].is_null()).await;
    assert_eq!(rig.refused(&token, "directOperate", OPEN, CLOSED).await, (403, 20), "it is spent");
    assert_eq!(rig.gateway.moves(), 1);
}

#[tokio::test]
async fn a_ticket_is_of_one_session_and_of_what_it_was_given_for() {
    let rig = Rig::start().await;
    let token = rig.operator("field", 4).await;
    let elsewhere = rig.server.sign_in("field").await;
    rig.prove(&elsewhere, "field").await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (403, 20), "another session's");
    let check = async |body: serde_json::Value| rig.server.json_as(&token, "POST", "/api/sld/validatecredentialsfordocontrol", &body).await;
    let feeder = json!({ "Email": "field", "Password": PASSWORD, "assetId": rig.server.one.feeder.0 });
    assert_eq!(check(feeder).await.status, 200);
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (403, 20), "another asset's");
    let closing = json!({ "Email": "field", "Password": PASSWORD, "assetId": rig.server.one.breaker.0, "toDIStatus": 2 });
    assert_eq!(check(closing).await.status, 200);
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (403, 20), "for closing");
    let opening = json!({ "Email": "field", "Password": PASSWORD, "assetId": rig.server.one.breaker.0, "toDIStatus": 1 });
    assert_eq!(check(opening).await.status, 200);
    rig.state(&token, "directOperate", CLOSED, OPEN).await;
    let neither = json!({ "Email": "field", "Password": PASSWORD, "assetId": rig.server.one.breaker.0, "toDIStatus": 3 });
    assert_eq!(check(neither).await.status, 400);
    let of_nothing = json!({ "Email": "field", "Password": PASSWORD, "toDIStatus": 1 });
    assert_eq!(check(of_nothing).await.status, 400, "what the number means is the asset's to say");
}

#[tokio::test]
async fn a_ticket_for_closing_a_single_point_never_opens_it() {
    let (open, closed) = (0, 1);
    let rig = Rig::start().await;
    let token = rig.operator("field", 4).await;
    rig.sql("UPDATE point SET encoding = 'single', expected_ms = 3600000 WHERE metric = 'F1CB/Pos'").await;
    rig.gateway.report(pos(closed)).await;
    let check = async |to: i32| {
        let body = json!({ "Email": "field", "Password": PASSWORD, "assetId": rig.server.one.breaker.0, "toDIStatus": to });
        rig.server.json_as(&token, "POST", "/api/sld/validatecredentialsfordocontrol", &body).await.status
    };
    let is_closed = |status: &serde_json::Value| {
        // The age is known once the register has been read again.
        let is_read = status["ageLimitMs"] == 3 * 3_600_000;
        status["currentDIText"] == "CLOSED" && status["changeDIStatus"] == open && status["operable"] == true && is_read
    };
    rig.until_status(&token, is_closed).await;
    assert_eq!(check(2).await, 400, "no position of a single point");
    assert_eq!(check(closed).await, 200);
    assert_eq!(rig.refused(&token, "directOperate", closed, open).await, (403, 20), "for closing");
    assert!(rig.gateway.actions().is_empty());
    assert_eq!(check(open).await, 200);
    rig.state(&token, "directOperate", closed, open).await;
    assert_eq!(rig.gateway.actions().len(), 1);
}

#[tokio::test]
async fn where_everybody_has_to_roles_1_and_2_do_too() {
    let rig = Rig::start_with(json!({ "stepupAll": true })).await;
    for (name, role) in [("chief", 1), ("admin", 2)] {
        let token = rig.operator(name, role).await;
        assert_eq!(rig.status(&token).await["credentialsRequired"], true);
        assert_eq!(rig.refused(&token, "isSelect", CLOSED, OPEN).await, (403, 20), "role {role}");
        rig.prove(&token, name).await;
        assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED", "role {role}");
        assert_eq!(rig.state(&token, "isCancel", CLOSED, OPEN).await, "CANCELLED");
    }
}

#[tokio::test]
async fn rights_and_times_of_operating_change_only_with_confirmed_credentials() {
    let rig = Rig::start().await;
    let admin = rig.operator("second", 2).await;
    let path = "/api/admin/configuration";
    let mut configuration = rig.server.get_as(&admin, path).await.json()["result"].clone();
    assert_eq!(configuration["control"]["enabled"], true);
    // Everything else is saved without credentials.
    assert_eq!(rig.server.json_as(&admin, "PUT", path, &configuration).await.status, 200);
    configuration["control"]["selectSeconds"] = 45.into();
    let refused = rig.server.json_as(&admin, "PUT", path, &configuration).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (403, &json!("Confirm your user name and password to change how devices are operated."))
    );
    let stored = async || rig.server.get_as(&admin, path).await.json()["result"]["control"]["selectSeconds"].clone();
    assert_eq!(stored().await, 30);
    rig.prove(&admin, "second").await;
    assert_eq!(rig.server.json_as(&admin, "PUT", path, &configuration).await.status, 200);
    assert_eq!(stored().await, 45);
    configuration["control"]["enabled"] = false.into();
    assert_eq!(rig.server.json_as(&admin, "PUT", path, &configuration).await.status, 403, "a ticket counts once");
    configuration["control"]["enabled"] = true.into();
    configuration["control"]["selectSeconds"] = 4.into();
    rig.prove(&admin, "second").await;
    let wrong = rig.server.json_as(&admin, "PUT", path, &configuration).await;
    assert_eq!((wrong.status, &wrong.json()["message"]), (400, &json!("control.selectSeconds must lie between 5 and 120")));
}
