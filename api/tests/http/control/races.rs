//! Two operators at once: one has the device, the other is told who and for how long.

use serde_json::json;

use super::gateway::pos;
use super::rig::{CLOSED, OPEN, Rig};

const RACES: usize = 500;

#[tokio::test]
async fn of_two_operators_exactly_one_selects() {
    let rig = Rig::start().await;
    let tokens = [rig.operator("left", 2).await, rig.operator("right", 2).await];
    let select = rig.order("isSelect", CLOSED, OPEN);
    let mut wins = [0, 0];
    for race in 0..RACES {
        if race % 20 == 0 {
            // It goes on reporting; a position of half a minute ago would not be believed.
            rig.gateway.report(pos(CLOSED)).await;
        }
        let (left, right) = tokio::join!(rig.post(&tokens[0], &select), rig.post(&tokens[1], &select));
        let winner = usize::from(left.status != 200);
        let (won, lost) = if winner == 0 { (&left, &right) } else { (&right, &left) };
        assert_eq!((won.status, &won.json()["result"]["state"]), (200, &json!("SELECTED")), "race {race}: {left:?} {right:?}");
        let told = lost.json();
        let holder = format!("{} Nair", ["left", "right"][winner]);
        assert_eq!(
            (lost.status, &told["result"]["addCause"], &told["result"]["holder"]),
            (409, &json!(19), &json!(holder)),
            "race {race}: {told}"
        );
        let left_ms = told["result"]["until"].as_i64().expect("a time") - super::gateway::now_ms() as i64;
        assert!((25_000..=30_000).contains(&left_ms), "race {race}: {left_ms} ms left");
        assert!(told["message"].as_str().expect("a sentence").starts_with(&format!("Selected by {holder}, ")), "race {race}: {told}");
        wins[winner] += 1;
        let cancelled = rig.post(&tokens[winner], &rig.order("isCancel", CLOSED, OPEN)).await;
        assert_eq!(cancelled.json()["result"]["state"], "CANCELLED", "race {race}: {cancelled:?}");
    }
    assert_eq!(wins[0] + wins[1], RACES);
    assert_eq!(rig.count("reservation WHERE released IS NULL").await, 0);
    assert_eq!(rig.gateway.moves(), 0);
    println!("{wins:?}");
}
