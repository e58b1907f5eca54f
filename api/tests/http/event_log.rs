//! The event log: order, paging, and the offset of its stream.

use serde_json::{Value, json};

use crate::field::{feed, reading};
use crate::server::Server;

async fn page(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn offsets(page: &Value) -> Vec<i64> {
    page["result"].as_array().expect("rows").iter().map(|row| row["offset"].as_i64().expect("an offset")).collect()
}

#[tokio::test]
async fn newest_first_with_the_place_in_the_stream() {
    let server = Server::start().await;
    let changes: Vec<_> = (1..=7).map(|second| reading(f64::from(1 + second % 2), i64::from(second) * 1_000)).collect();
    feed(server.database.url(), &server.one, &changes, &[]).await;
    let token = server.sign_in("one-admin").await;
    let division = server.one.division;

    let all = page(&server, &token, &format!("/api/monitoring/dieventlog/{division}")).await;
    let times: Vec<_> =
        all["result"].as_array().expect("rows").iter().map(|row| row["EventTime"].as_str().expect("a time").to_owned()).collect();
    assert!(times.is_sorted_by(|a, b| a >= b) && times.len() == 7, "{times:?}");
    let newest = &all["result"][0];
    assert_eq!(
        (&newest["AssetName"], &newest["DISignal"], &newest["ChangeTo"]),
        (&json!("one F1CB"), &json!("Position"), &json!("CLOSED"))
    );
    assert_eq!(all["offset"], 7);
    assert!(!all["epoch"].as_str().expect("an epoch").is_empty());

    let location = page(&server, &token, &format!("/api/monitoring/dieventlog/{}?kind=location", server.one.location)).await;
    let asset = page(&server, &token, &format!("/api/monitoring/diasseteventlog/{}", server.one.breaker)).await;
    assert_eq!(location["result"], all["result"]);
    assert_eq!(asset["result"], all["result"]);
    let nothing = page(&server, &token, &format!("/api/monitoring/dieventlog/{}", server.one.other_division)).await;
    assert_eq!(nothing["result"], json!([]));
}

#[tokio::test]
async fn pages_meet_without_gap_or_repeat() {
    let server = Server::start().await;
    let changes: Vec<_> = (1..=7).map(|second| reading(f64::from(1 + second % 2), i64::from(second) * 1_000)).collect();
    feed(server.database.url(), &server.one, &changes, &[]).await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/monitoring/dieventlog/{}?limit=3", server.one.division);
    let mut seen = offsets(&page(&server, &token, &path).await);
    loop {
        let next = offsets(&page(&server, &token, &format!("{path}&before={}", seen.last().expect("rows"))).await);
        if next.is_empty() {
            break;
        }
        seen.extend(next);
    }
    assert_eq!(seen, [7, 6, 5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn a_bad_page_is_refused_with_what_is_allowed() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let base = format!("/api/monitoring/dieventlog/{}", server.one.division);
    for (query, status) in [
        ("limit=0", 400),
        ("limit=5001", 400),
        ("limit=many", 400),
        ("kind=location", 404),
        ("kind=DIVISION", 200),
        ("limit=5000", 200),
        ("from=yesterday", 400),
        ("from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z", 400),
        ("from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z", 200),
    ] {
        assert_eq!(server.get_as(&token, &format!("{base}?{query}")).await.status, status, "{query}");
    }
}
