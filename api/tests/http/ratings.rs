//! Ratings of transformers: permissions, and their effects.

use serde_json::{Value, json};
use store::Store;

use crate::field::reading;
use crate::permissible_load::{store_values, transformer};
use crate::server::Server;

fn now_ms() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis() as i64
}

fn rating() -> Value {
    json!({
        "ratedMva": 5.0, "cooling": "onan", "paper": "normal", "regime": "normal_cyclic", "parameters": { "lossRatio": 6.5 },
        "limits": { "oilAlarmC": 80.0, "oilTripC": 90.0 }, "usedLifeYears": 2.0
    })
}

#[tokio::test]
async fn an_administrator_enters_what_is_known_of_a_transformer() {
    let server = Server::start().await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let (own, _) = transformer(&store, &server.one).await;
    let (foreign, _) = transformer(&store, &server.two).await;
    let admin = server.sign_in("one-admin").await;
    let list = server.get_as(&admin, "/api/admin/ratings").await.json()["result"].clone();
    assert_eq!((list.as_array().map(Vec::len), &list[0]["assetId"], &list[0]["rating"]), (Some(1), &json!(own.0), &Value::Null), "{list}");
    assert_eq!((&list[0]["locationName"], &list[0]["defaults"]["oilRiseK"]), (&json!("D1 location"), &json!(60.0)), "{list}");
    let path = format!("/api/admin/ratings/{own}");
    let mut bus = server.bus_messages();
    let put = server.json_as(&admin, "PUT", &path, &rating()).await;
    assert_eq!(put.status, 200, "{put:?}");
    let result = server.get_as(&admin, &path).await.json()["result"].clone();
    assert_eq!(result, put.json()["result"]);
    assert_eq!(
        (&result["rating"]["parameters"]["lossRatio"], &result["rating"]["parameters"]["k11"]),
        (&json!(6.5), &Value::Null),
        "{result}"
    );
    assert_eq!(
        (&result["rating"]["limits"]["oilAlarmC"], &result["rating"]["limits"]["windingTripC"]),
        (&json!(80.0), &Value::Null),
        "{result}"
    );
    let rules_changed = async { while !matches!(*bus.next().await, wire::bus::BusMessage::AlarmRules { .. }) {} };
    tokio::time::timeout(std::time::Duration::from_secs(20), rules_changed).await.expect("the alarm service is told");
    let changed = Value::Object(
        rating()
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.clone(), value.clone()))
            .chain([("ratedMva".to_owned(), json!(8.0))])
            .collect(),
    );
    assert_eq!(server.json_as(&admin, "PUT", &path, &changed).await.json()["result"]["rating"]["ratedMva"], json!(8.0));
    let entered = server.audited(server.one.client).await;
    assert_eq!(entered.iter().filter(|entry| **entry == ("rating_changed".to_owned(), format!("asset {own}"))).count(), 2, "{entered:?}");

    for (path, body, status, message) in [
        (format!("/api/admin/ratings/{}", server.one.feeder), rating(), 400, "the asset is no transformer"),
        (format!("/api/admin/ratings/{foreign}"), rating(), 404, ""),
        ("/api/admin/ratings/999999".to_owned(), rating(), 404, ""),
        (
            path.clone(),
            json!({ "ratedMva": 5.0, "cooling": "water", "paper": "normal", "regime": "normal_cyclic" }),
            400,
            "cooling must be",
        ),
        (path.clone(), json!({ "ratedMva": 5.0, "cooling": "onan", "paper": "normal", "regime": "normal_cyclic", "more": 1 }), 400, "more"),
    ] {
        let answer = server.json_as(&admin, "PUT", &path, &body).await;
        assert!(answer.status == status && answer.body.contains(message), "{path}: {answer:?}");
    }
    assert_eq!(server.get_as(&admin, &format!("/api/admin/ratings/{foreign}")).await.status, 404);
    // A user who is not an administrator neither sees nor changes them.
    let other = server.sign_in("one-division").await;
    for (method, path) in [("GET", "/api/admin/ratings".to_owned()), ("GET", path.clone()), ("PUT", path.clone())] {
        let answer =
            if method == "GET" { server.get_as(&other, &path).await } else { server.json_as(&other, method, &path, &rating()).await };
        assert!([403, 404].contains(&answer.status), "{method} {path}: {answer:?}");
    }
    assert_eq!(server.get_as(&admin, &path).await.json()["result"]["rating"]["ratedMva"], json!(8.0));
}

#[tokio::test]
async fn a_transformer_that_carries_more_than_it_may_is_an_alert() {
    let server = Server::start().await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let (own, [oil, winding, power, ambient]) = transformer(&store, &server.one).await;
    // The gateway is online before the api first reads its link state, which is then cached for a moment.
    store_values(server.database.url(), &server.one, &[]).await;
    let admin = server.sign_in("one-admin").await;
    assert_eq!(server.json_as(&admin, "PUT", &format!("/api/admin/ratings/{own}"), &rating()).await.status, 200);
    let mut at = now_ms();
    let mut alerts = async |mva: f64| -> Vec<Value> {
        at += 1;
        // In balance at 0.7 of its rating and 30 °C of air, or a little more: a day in summer.
        let values = [(oil, 65.0), (winding, 78.0), (power, mva), (ambient, 30.0)].map(|(point, value)| (point, reading(value, at)));
        store_values(server.database.url(), &server.one, &values).await;
        let answer = server.get_as(&admin, &format!("/api/eealerts/location/{}", server.one.location)).await.json();
        answer["result"].as_array().expect("rows").iter().filter(|row| row["kind"] == "overload").cloned().collect()
    };
    assert_eq!(alerts(3.5).await, Vec::<Value>::new(), "it may carry that for ever");
    let limited = alerts(4.8).await;
    assert_eq!(limited.len(), 1);
    let fields = |row: &Value| (row["priority"].clone(), row["assetId"].clone(), row["value"].clone(), row["unit"].clone());
    assert_eq!(fields(&limited[0]), (json!(2), json!(own.0), json!(4.8), json!("MVA")), "{limited:?}");
    let forever = limited[0]["limit"].as_f64().expect("a limit");
    assert!((3.5..4.8).contains(&forever), "{limited:?}");
    let critical = alerts(7.4).await;
    assert_eq!(fields(&critical[0]), (json!(1), json!(own.0), json!(7.4), json!("MVA")), "{critical:?}");
    let two_hours = critical[0]["limit"].as_f64().expect("a limit");
    assert!(two_hours > 4.8 && two_hours < 7.4, "{critical:?}");
    // Without a running ingest no value is live, so there is no alert.
    server.silence().await;
    for _ in 0..400 {
        if alerts(7.4).await.is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("it is an alert still: {:?}", alerts(7.4).await);
}
