//! Old rows are deleted: changes of alarms and faults, and faults that have ended. Open faults stay.

use std::time::Duration;

use crate::site::{Site, now};

const CLOSED: f64 = 2.0;
const OPEN: f64 = 1.0;

async fn count(site: &Site, rows: &str) -> i64 {
    site.database.client().await.query_one(&format!("SELECT count(*) FROM {rows}"), &[]).await.expect("counted").get(0)
}

async fn until(is_so: impl AsyncFn() -> bool) {
    let waiting = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("in time");
}

#[tokio::test]
async fn old_changes_and_faults_go_and_what_lasts_stays() {
    let mut site = Site::new(0).await;
    let service = site.start(|config| config).await;
    // Two trips; the breaker stays open after the second.
    let at = now().plus_millis(-600_000);
    let events = [(OPEN, 0), (CLOSED, 60_000), (OPEN, 400_000)];
    site.store_events(&events.map(|(position, ms)| (site.position, position, at.plus_millis(ms)))).await;
    until(async || count(&site, "fault WHERE ended IS NOT NULL").await == 1 && count(&site, "fault WHERE ended IS NULL").await == 1).await;
    service.stop().await;
    let (alarms, faults) = (count(&site, "alarm_event").await, count(&site, "fault_event").await);
    assert!(alarms > 1 && faults > 2, "{alarms} and {faults} changes");
    let client = site.database.client().await;
    client
        .batch_execute(
            "UPDATE alarm_event SET at = at - INTERVAL '401 days'; UPDATE fault_event SET at = at - INTERVAL '401 days';
             UPDATE fault SET started = started - INTERVAL '401 days', ended = ended - INTERVAL '401 days'",
        )
        .await
        .expect("aged");
    let alarm_count = count(&site, "alarm").await;
    // Kept for ever; then changes for 400 days, and then faults too.
    let service = site.start(|config| alarms::AlarmsConfig { keep_days: 0, forget: Duration::from_millis(20), ..config }).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    service.stop().await;
    assert_eq!(count(&site, "alarm_event WHERE at < now() - INTERVAL '400 days'").await, alarms);
    assert_eq!(count(&site, "fault").await, 2);
    let service = site.start(|config| alarms::AlarmsConfig { forget: Duration::from_millis(20), ..config }).await;
    let old = async |table: &str| count(&site, &format!("{table} WHERE at < now() - INTERVAL '400 days'")).await;
    until(async || old("alarm_event").await == 0 && old("fault_event").await == 0).await;
    service.stop().await;
    assert_eq!(count(&site, "fault").await, 2, "faults are kept for longer than their changes");
    client.batch_execute("INSERT INTO history_kept VALUES ('fault', now() - INTERVAL '400 days')").await.expect("expired");
    // Another process, which has not read since when faults are kept.
    site.store = store::Store::connect(site.database.url(), 4).await.expect("connected");
    let service = site.start(|config| alarms::AlarmsConfig { keep_days: 0, forget: Duration::from_millis(20), ..config }).await;
    until(async || count(&site, "fault").await == 1).await;
    service.stop().await;
    assert_eq!(count(&site, "fault WHERE ended IS NULL").await, 1, "what lasts stays, however old");
    assert!(count(&site, "alarm").await >= alarm_count, "alarms themselves stay");
}
