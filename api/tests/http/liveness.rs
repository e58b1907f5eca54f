//! While no ingest with a gateway's shard is running, REST reports nothing of the gateway as online or good, as the live socket does.

use std::time::Duration;

use grid::Quality;
use serde_json::{Value, json};

use crate::field::{feed, reading};
use crate::server::Server;

fn now_ms() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis() as i64
}

/// Returns the link states in each answer, and the quality of the breaker's position or the feeder's current.
async fn live_states(server: &Server, token: &str) -> (Vec<(String, Value)>, Vec<(String, i64)>) {
    let one = &server.one;
    let ask = async |path: String| {
        let answer = server.get_as(token, &format!("/api/{path}")).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()["result"].clone()
    };
    let online = [
        ("iecgw/gethoststate".to_owned(), "/gateways/0/online"),
        (format!("overview/location/{}", one.location), "/0/online"),
        ("assethealth/realtimertustatusbydate/0/0".to_owned(), "/0/online"),
        ("assethealth/getrtucommlistbycircleid/0/0/0".to_owned(), "/0/online"),
        ("assethealth/getfeedercommlistbycircleid/0/0/0".to_owned(), "/0/online"),
        (format!("assethealth/assetmonitoringdata/{}", one.feeder), "/online"),
    ];
    let quality = [
        ("assethealth/realtimefeederonstatusbydate/0".to_owned(), "/0/quality"),
        (format!("monitoring/getpdsdata/ast/{}", one.feeder), "/pdsData/0/quality"),
        (format!("sld/slddivaluesbyastpt/{}", one.location), "/diData/0/quality"),
        (format!("monitoring/getgdsdata/asset/{}", one.breaker), "/gdsData/0/quality"),
    ];
    let (mut links, mut qualities) = (Vec::new(), Vec::new());
    for (path, at) in online {
        let answer = ask(path.clone()).await;
        links.push((path, answer.pointer(at).unwrap_or_else(|| panic!("{at}: {answer}")).clone()));
    }
    for (path, at) in quality {
        let answer = ask(path.clone()).await;
        let quality = answer.pointer(at).and_then(Value::as_i64).unwrap_or_else(|| panic!("{path} {at}: {answer}"));
        qualities.push((path, quality));
    }
    (links, qualities)
}

/// Returns the time since which each answer reports the link state.
async fn since(server: &Server, token: &str) -> Vec<Value> {
    let calls = [
        ("realtimertustatusbydate/0/0".to_owned(), "/result/0/since"),
        ("getrtucommlistbycircleid/0/0/0".to_owned(), "/result/0/since"),
        ("getfeedercommlistbycircleid/0/0/0".to_owned(), "/result/0/since"),
        (format!("assetmonitoringdata/{}", server.one.feeder), "/result/since"),
    ];
    let mut found = Vec::new();
    for (path, at) in calls {
        let answer = server.get_as(token, &format!("/api/assethealth/{path}")).await.json();
        found.push(answer.pointer(at).unwrap_or_else(|| panic!("{path}: {answer}")).clone());
    }
    found
}

/// Waits until every answer has this link state; otherwise shows the last answers.
async fn until(server: &Server, token: &str, online: bool) {
    let lost = i64::from(Quality::CommLost.code());
    for _ in 0..400 {
        // Values become stale meanwhile, so each check stores a new one.
        let at = now_ms();
        feed(server.database.url(), &server.one, &[reading(2.0, at)], &[reading(61.0, at)]).await;
        let (links, qualities) = live_states(server, token).await;
        let same = links.iter().all(|(_, shown)| *shown == json!(online)) && qualities.iter().all(|(_, shown)| (*shown < lost) == online);
        if same {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not all say {online}: {:?}", live_states(server, token).await);
}

#[tokio::test]
async fn without_an_ingest_nothing_is_online_or_good() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    until(&server, &token, true).await;
    assert!(since(&server, &token).await.iter().all(Value::is_string));
    server.silence().await;
    until(&server, &token, false).await;
    assert!(since(&server, &token).await.iter().all(Value::is_null), "the last change is when it came, not when it was lost");
    server.beat().await;
    until(&server, &token, true).await;
}
