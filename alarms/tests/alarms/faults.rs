//! Faults and trip alarms from the events of a bay.

use std::time::Duration;

use bus::{Received, Subscription};
use grid::{Micros, Quality};
use wire::bus::BusMessage;
use wire::faults::FaultRow;

use crate::site::{Site, now, published_alarms};

const DAY_MS: i64 = 86_400_000;

const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

async fn published_faults(bus: &mut Subscription, count: usize) -> Vec<FaultRow> {
    let mut reported = Vec::new();
    while reported.len() < count {
        let next = tokio::time::timeout(Duration::from_mins(1), bus.next()).await.expect("in time").expect("a bus");
        if let Received::Message(message) = next
            && let BusMessage::Faults { rows, .. } = &*message
        {
            reported.extend(rows.iter().cloned());
        }
    }
    reported
}

#[tokio::test]
async fn a_trip_with_a_reclosing_is_one_momentary_fault() {
    let mut site = Site::new(0).await;
    site.usual_rules().await;
    let service = site.start(|config| config).await;
    let (mut bus, mut alarms) = (site.bus.subscribe(), site.bus.subscribe());
    let start = now().plus_millis(-30_000);
    let at = |ms: i64| start.plus_millis(ms);
    for (point, value) in site.fault_currents.into_iter().zip([2_600.0, 130.0, 128.0]) {
        site.publish_value(point, value, Quality::Good, at(0));
    }
    site.store_events(&[
        (site.relay, 1.0, at(0)),
        (site.position, OPEN, at(80)),
        (site.position, CLOSED, at(480)),
        (site.relay, 0.0, at(600)),
    ])
    .await;
    let reported = published_faults(&mut bus, 2).await;
    let open = &reported[0];
    assert_eq!((open.status.as_str(), open.fault_type.as_deref(), open.asset_id), ("Open", Some("LG"), site.feeder.0), "{open:?}");
    assert_eq!((open.trip_type.as_deref(), open.customers, open.offset), (Some("50"), 1_200, 1));
    let closed = &reported[1];
    assert_eq!((closed.id, closed.status.as_str(), closed.momentary, closed.trips), (open.id, "Closed", true, 1), "{closed:?}");
    assert_eq!((closed.trip_type.as_deref(), closed.severity.as_str()), (Some("50, 79 success"), "Low"));
    assert_eq!(closed.fault_current_r, Some(2_600.0));
    assert_eq!((open.minutes, closed.minutes), (None, Some(0.4 / 60.0)), "only of a fault that is over");
    // One alarm, the trip. The relay follows from it and needs no acknowledgement.
    let reported = published_alarms(&mut alarms, 4).await;
    let words: Vec<(&str, i16, &str)> = reported.iter().map(|row| (row.kind.as_str(), row.priority, row.state.as_str())).collect();
    let expected = [("state", 2, "suppressed"), ("trip", 1, "active_unacked"), ("trip", 1, "cleared_unacked"), ("state", 2, "normal")];
    assert_eq!(words, expected, "in the order of source times");
    assert_eq!((reported[0].cause_id, reported[1].cause_id), (Some(reported[1].id), None));
    service.stop().await;
}

#[tokio::test]
async fn currents_that_come_late_complete_a_fault_and_a_lockout_is_told() {
    let mut site = Site::new(0).await;
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    // Longer ago than the waiting time of any relay.
    let start = now().plus_millis(-120_000);
    site.store_events(&[(site.position, OPEN, start)]).await;
    let reported = published_faults(&mut bus, 2).await;
    assert_eq!((reported[0].fault_type.as_deref(), reported[0].trip_type.as_deref()), (None, None), "{reported:?}");
    assert_eq!(reported[1].trip_type.as_deref(), Some("lockout"), "it stays open");
    for (point, value) in site.fault_currents.into_iter().zip([900.0, 120.0, 899.0]) {
        site.publish_value(point, value, Quality::Good, start.plus_millis(500));
    }
    let mut completed = published_faults(&mut bus, 1).await.remove(0);
    while completed.fault_type.is_none() {
        completed = published_faults(&mut bus, 1).await.remove(0);
    }
    assert_eq!((completed.fault_type.as_deref(), completed.trip_type.as_deref()), (Some("LL"), Some("51, lockout")), "{completed:?}");
    let open = site.store.faults_open(site.client).await.expect("read");
    assert_eq!(open.iter().map(|record| record.id).collect::<Vec<_>>(), [reported[0].id]);
    service.stop().await;
}

#[tokio::test]
async fn an_opening_that_was_ordered_is_no_fault() {
    let mut site = Site::new(0).await;
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    let at: Micros = now().plus_millis(-200_000);
    let statement = format!(
        "INSERT INTO command (
             id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status, to_status, reason,
             simulated, from_address, correlation_id, state, requested_at, changed_at, issued, sent_at, due, \"offset\", owner)
         VALUES ('00000000-0000-4000-8000-000000000001', {}, {}, {}, {}, {}, 1, 1, 'A', 'direct', 2, 1, '', false, '', '', 'DONE',
             now(), now(), now(), instant({}), now(), 1, 'nobody')",
        site.client, site.location, site.breaker, site.position, site.gateway, at.plus_millis(-1_000).0
    );
    site.database.client().await.batch_execute(&statement).await.expect("ordered");
    // An opening by command with its closing; then one without a command.
    let trip = at.plus_millis(100_000);
    site.store_events(&[(site.position, OPEN, at), (site.position, CLOSED, at.plus_millis(20_000)), (site.position, OPEN, trip)]).await;
    let reported = published_faults(&mut bus, 1).await.remove(0);
    assert_eq!(reported.start, wire::time::iso(trip), "the first one is no fault");
    let all = site.store.faults_since(site.client, None, Micros(0), 10).await.expect("read");
    assert_eq!(all.len(), 1, "{all:?}");
    service.stop().await;
}

#[tokio::test]
async fn a_trip_that_is_long_over_is_a_fault_and_calls_nobody_and_one_that_stands_does() {
    let mut site = Site::new(0).await;
    site.usual_rules().await;
    let service = site.start(|config| config).await;
    let (mut bus, mut alarms) = (site.bus.subscribe(), site.bus.subscribe());
    let hours_ago = |hours: i64| now().plus_millis(-hours * 3_600_000);
    let events = [(site.position, OPEN, hours_ago(40)), (site.position, CLOSED, hours_ago(39)), (site.position, OPEN, hours_ago(30))];
    site.store_events_late(&events, 25 * 3_600_000).await;
    let reported = published_faults(&mut bus, 3).await;
    let states: Vec<&str> = reported.iter().map(|row| row.status.as_str()).collect();
    assert_eq!(states, ["Open", "Closed", "Open"]);
    let reported = published_alarms(&mut alarms, 1).await;
    assert_eq!((reported[0].kind.as_str(), reported[0].state.as_str(), reported[0].count), ("trip", "active_unacked", 1), "{reported:?}");
    let open = site.store.open_alarms(site.client, None, 10).await.expect("read");
    assert_eq!(open.len(), 1, "{open:?}");
    service.stop().await;
}

#[tokio::test]
async fn currents_that_nobody_heard_are_those_that_are_stored_nearest_to_the_trip() {
    let mut site = Site::new(0).await;
    site.usual_rules().await;
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    let start = now().plus_millis(-10 * DAY_MS);
    let at = |ms: i64| start.plus_millis(ms);
    let [r, y, b] = site.fault_currents;
    // Currents of one hour before, of the trip, and of a second trip some seconds later; none of them was on the bus.
    let near = [(r, 2_600.0, at(0)), (y, 2_550.0, at(0)), (b, 128.0, at(0))];
    let others = [(r, 900.0, at(-3_600_000)), (r, 700.0, at(6_000)), (y, 710.0, at(6_000)), (b, 90.0, at(6_000))];
    site.store_values(&[&near[..], &others[..]].concat()).await;
    site.store_events_late(&[(site.relay, 1.0, at(0)), (site.position, OPEN, at(80)), (site.position, CLOSED, at(480))], 10 * DAY_MS).await;
    let reported = published_faults(&mut bus, 1).await;
    let first = &reported[0];
    assert_eq!(
        (first.fault_current_r, first.fault_current_y, first.fault_current_b),
        (Some(2_600.0), Some(2_550.0), Some(128.0)),
        "{first:?}"
    );
    assert_eq!(first.fault_type.as_deref(), Some("LL"), "{first:?}");
    // If one phase is not stored, the fault type stays unknown.
    let later = start.plus_millis(DAY_MS);
    site.store_values(&[(r, 2_600.0, later)]).await;
    site.store_events_late(&[(site.position, OPEN, later), (site.position, CLOSED, later.plus_millis(400))], 9 * DAY_MS).await;
    let last = loop {
        let reported = published_faults(&mut bus, 1).await;
        if let Some(row) = reported.into_iter().find(|row| row.id != first.id && row.status == "Closed") {
            break row;
        }
    };
    assert_eq!((last.fault_current_r, last.fault_type), (Some(2_600.0), None));
    service.stop().await;
}
