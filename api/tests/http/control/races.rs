//! Two operators at once: one holds the device, the other gets the holder and the remaining time.

use std::time::Duration;

use serde_json::json;
use wire::bus::BusMessage;

use super::gateway::{Manner, pos};
use super::rig::{CLOSED, OPEN, Rig};

const RACES: usize = 500;

/// Waits until a number of transactions wait for a lock.
pub(super) async fn until_waiting(rig: &Rig, expected: i64) {
    let waiting = async {
        while rig.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").await < expected {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("they wait");
}

#[tokio::test]
async fn a_link_that_went_before_a_selection_ends_the_one_before_it_and_not_this_one() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let before = rig.status(&token).await["sourceTime"].as_i64();
    // While no decision is possible, three things happen in this order: this selection is cancelled, the next one is requested, and the
    // gateway publishes a birth without a death.
    let mut client = rig.server.database.client().await;
    let lock = client.transaction().await.expect("begun");
    lock.execute("SELECT FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE", &[&rig.server.one.client.0])
        .await
        .expect("locked");
    let (cancel, select) = (rig.order("isCancel", CLOSED, OPEN), rig.order("isSelect", CLOSED, OPEN));
    let (cancelled, selected, ()) = tokio::join!(
        rig.post(&token, &cancel),
        async {
            until_waiting(&rig, 1).await;
            rig.post(&token, &select).await
        },
        async {
            until_waiting(&rig, 2).await;
            rig.gateway.restart().await;
            until_waiting(&rig, 3).await;
            rig.until_status(&token, |status| status["sourceTime"].as_i64() > before).await;
            lock.commit().await.expect("released");
        }
    );
    assert_eq!(cancelled.json()["result"]["state"], "CANCELLED", "{cancelled:?}");
    assert_eq!(selected.json()["result"]["state"], "SELECTED", "{selected:?}");
    // The link state has been processed by now, because the gateway's answer arrived after it.
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "isExecute", CLOSED, OPEN).await, "ACCEPTED");
}

#[tokio::test]
async fn link_state_of_a_device_ends_a_selection_only_if_it_is_a_change() {
    let rig = Rig::start().await;
    let token = rig.operator("first", 2).await;
    let report = |count: i64, changed: bool| {
        rig.server.bus.publish(BusMessage::Device {
            client: rig.server.one.client.0,
            gateway: rig.server.one.gateway.0,
            device: "F1".to_owned(),
            online: true,
            since: 0,
            order: (1_000_000, count),
            changed,
        });
    };
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let command = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    report(1, false);
    rig.fence(&token).await;
    assert_eq!(rig.newest(&token).await["state"], "SELECTED", "reported again by a leader that found another state stored");
    report(2, true);
    rig.until(&token, &command, "CANCELLED").await;
}

#[tokio::test]
async fn of_two_operators_exactly_one_selects() {
    let rig = Rig::start().await;
    let tokens = [rig.operator("left", 2).await, rig.operator("right", 2).await];
    let select = rig.order("isSelect", CLOSED, OPEN);
    let mut wins = [0, 0];
    for race in 0..RACES {
        if race % 20 == 0 {
            // It continues to report, because a position of half a minute ago would be stale.
            rig.gateway.report(pos(CLOSED)).await;
        }
        let (left, right) = tokio::join!(rig.post(&tokens[0], &select), rig.post(&tokens[1], &select));
        let winner = usize::from(left.status != 200);
        let (won, lost) = if winner == 0 { (&left, &right) } else { (&right, &left) };
        assert_eq!((won.status, &won.json()["result"]["state"]), (200, &json!("SELECTED")), "race {race}: {left:?} {right:?}");
        let result = lost.json();
        let holder = format!("{} Nair", ["left", "right"][winner]);
        assert_eq!(
            (lost.status, &result["result"]["addCause"], &result["result"]["holder"]),
            (409, &json!(19), &json!(holder)),
            "race {race}: {result}"
        );
        let left_ms = result["result"]["until"].as_i64().expect("a time") - super::gateway::now_ms() as i64;
        assert!((25_000..=30_000).contains(&left_ms), "race {race}: {left_ms} ms left");
        assert!(result["message"].as_str().expect("a sentence").starts_with(&format!("Selected by {holder}, ")), "race {race}: {result}");
        wins[winner] += 1;
        let cancelled = rig.post(&tokens[winner], &rig.order("isCancel", CLOSED, OPEN)).await;
        assert_eq!(cancelled.json()["result"]["state"], "CANCELLED", "race {race}: {cancelled:?}");
    }
    assert_eq!(wins[0] + wins[1], RACES);
    assert_eq!(rig.count("reservation WHERE released IS NULL").await, 0);
    assert_eq!(rig.gateway.moves(), 0);
    println!("{wins:?}");
}
