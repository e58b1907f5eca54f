//! Ten thousand events in a burst, and a service that is killed while it processes them.

use std::time::Duration;

use grid::Micros;

use crate::site::{Site, now};

const RELAYS: usize = 100;
const EVENTS: usize = 10_000;

#[tokio::test]
async fn ten_thousand_events_and_none_is_lost_or_doubled() {
    let mut site = Site::new(RELAYS).await;
    site.usual_rules().await;
    let first = site.start(|config| alarms::AlarmsConfig { batch: 300, ..config }).await;
    let start = now().plus_millis(-20_000);
    // The relays in turn: each operates and resets fifty times, with 1 ms between two events.
    let event = |number: usize| {
        let value = if (number / RELAYS).is_multiple_of(2) { 1.0 } else { 0.0 };
        (site.relays[number % RELAYS], value, start.plus_millis(number as i64))
    };
    let all: Vec<_> = (0..EVENTS).map(event).collect();
    for part in all[..EVENTS / 2].chunks(500) {
        site.store_events(part).await;
    }
    let client = site.database.client().await;
    let through = async || -> i64 { client.query_one("SELECT through FROM alarm_cursor", &[]).await.expect("a cursor").get(0) };
    while through().await < 900 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Killed at any point; another process is on standby and takes over.
    let second = site.start(|config| config).await;
    first.kill().await;
    for part in all[EVENTS / 2..].chunks(500) {
        site.store_events(part).await;
    }
    while through().await < EVENTS as i64 {
        assert!(!second.task.is_finished());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    second.stop().await;
    let row = client
        .query_one(
            "SELECT count(*), min(\"offset\"), max(\"offset\"), count(*) FILTER (WHERE change = 'raised'), count(*) FILTER (WHERE change = 'cleared')
             FROM alarm_event",
            &[],
        )
        .await
        .expect("a row");
    let found: [i64; 5] = [0, 1, 2, 3, 4].map(|at| row.get(at));
    let all = EVENTS as i64;
    assert_eq!(found, [all, 1, all, all / 2, all / 2], "every change once, without a gap");
    let open = site.store.open_alarms(site.client, None, 1_000).await.expect("read");
    assert_eq!(open.len(), RELAYS, "one alarm a relay, however often");
    assert!(open.iter().all(|alarm| alarm.life.count == 50 && alarm.life.state.as_str() == "cleared_unacked"), "{:?}", open[0]);
    // In the order of source times: the time of each change is not before that of the previous one.
    let changes = site.store.alarms_after(site.client, None, 0, 20_000).await.expect("read");
    let times: Vec<Micros> =
        changes.iter().filter_map(|alarm| if alarm.life.state.is_active() { None } else { alarm.life.cleared }).collect();
    assert!(times.is_sorted(), "the order of source times");
    assert_eq!(times.len(), EVENTS / 2);
}
