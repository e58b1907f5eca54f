//! One alarm for one cause: consequences of a trip or of an opened switch are suppressed, and become alarms only if they outlast it.

use std::time::Duration;

use bus::Subscription;
use grid::alarm::{AlarmKind, AlarmRecord, Rule, State};
use grid::{Micros, PointId, Quality};
use serde_json::json;
use wire::alarms::AlarmRow;

use crate::site::{Service, Site, now, published_alarms};

const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

/// A substation whose diagram has an incoming line, its breaker, the breaker of the feeder and the feeder; each voltage has two limits.
async fn site() -> Site {
    let site = Site::new(0).await;
    let position = |point: &str| json!({ "point": point });
    let drawing = json!({ "elements": [
        { "class": "source", "nodes": ["line"] },
        { "class": "breaker", "asset": "INC1CB", "nodes": ["line", "bus"], "position": position("INC1/INC1CB/Pos") },
        { "class": "breaker", "asset": "F1CB", "nodes": ["bus", "feeder"], "position": position("F1/F1CB/Pos") },
        { "class": "feeder", "asset": "F1", "nodes": ["feeder"] },
    ] });
    site.store.put_drawing(site.client, site.location, "One", &drawing).await.expect("stored");
    site.usual_rules().await;
    let rule = |point: PointId, kind: AlarmKind, limit: f64| Rule {
        point,
        kind,
        enabled: true,
        limit: Some(limit),
        deadband: 0.0,
        state_value: None,
        on_delay_s: 0,
        off_delay_s: 0,
        priority: 2,
        text: "Voltage".into(),
    };
    let rules = site.volts.iter().flat_map(|point| [rule(*point, AlarmKind::Low, 6.0), rule(*point, AlarmKind::LowLow, 5.8)]);
    site.store.add_alarm_rules(site.client, &rules.collect::<Vec<_>>()).await.expect("stored");
    site
}

/// Stores closed breakers and starts the service.
async fn start(site: &mut Site, at: Micros) -> Service {
    site.store_values(&[(site.position, CLOSED, at), (site.incomer, CLOSED, at)]).await;
    let service = site.start(|config| alarms::AlarmsConfig { outlasts: Duration::from_secs(1), ..config }).await;
    site.publish_volts(6.35, at);
    service
}

impl Site {
    fn publish_volts(&self, kv: f64, at: Micros) {
        self.volts.into_iter().for_each(|point| self.publish_value(point, kv, Quality::Good, at));
    }

    /// Stores a command of an operator that opens a breaker.
    async fn order_opening(&self, point: PointId, at: Micros) {
        let statement = format!(
            "INSERT INTO command (
                 id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status, to_status,
                 reason, simulated, from_address, correlation_id, state, requested_at, changed_at, issued, sent_at, due, \"offset\", owner)
             VALUES ('00000000-0000-4000-8000-000000000001', {}, {}, {}, {}, {}, 1, 1, 'A', 'direct', 2, 1, '', false, '', '', 'DONE',
                 now(), now(), now(), instant({}), now(), 1, 'nobody')",
            self.client,
            self.location,
            self.breaker,
            point,
            self.gateway,
            at.plus_millis(-500).0
        );
        self.database.client().await.batch_execute(&statement).await.expect("ordered");
    }

    async fn open_alarms(&self) -> Vec<AlarmRecord> {
        self.store.open_alarms(self.client, None, 100).await.expect("read")
    }
}

/// Returns the kinds of alarms that need attention, and the number of suppressed ones with this cause.
fn summary(alarms: &[AlarmRecord]) -> (Vec<&str>, usize) {
    let own: Vec<&AlarmRecord> = alarms.iter().filter(|alarm| alarm.life.state != State::Suppressed).collect();
    let causes: Vec<i64> = own.iter().map(|alarm| alarm.id).collect();
    let folded = alarms.iter().filter(|alarm| alarm.cause_id.is_some_and(|cause| causes.contains(&cause))).count();
    (own.iter().map(|alarm| alarm.kind.as_str()).collect(), folded)
}

/// Returns the next changes of alarms on the bus.
async fn rows(bus: &mut Subscription, count: usize) -> Vec<AlarmRow> {
    published_alarms(bus, count).await
}

#[tokio::test]
async fn opening_a_feeder_raises_one_alarm() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-5_000);
    site.order_opening(site.position, at).await;
    site.store_events(&[(site.position, OPEN, at)]).await;
    let opened = rows(&mut bus, 1).await.remove(0);
    assert_eq!((opened.kind.as_str(), opened.state.as_str(), opened.priority), ("opened", "active_unacked", 3), "{opened:?}");
    assert_eq!((opened.asset_id, opened.point_id, opened.customers), (Some(site.feeder.0), Some(site.position.0), 1_200));
    site.publish_volts(0.0, at.plus_millis(1_000));
    rows(&mut bus, 6).await;
    let alarms = site.open_alarms().await;
    assert_eq!(summary(&alarms), (vec!["opened"], 6), "{alarms:?}");
    // Supply returns, and so do the voltages.
    site.store_events(&[(site.position, CLOSED, at.plus_millis(2_000))]).await;
    assert_eq!(rows(&mut bus, 1).await[0].state, "cleared_unacked");
    site.publish_volts(6.35, at.plus_millis(3_000));
    let normal = rows(&mut bus, 6).await;
    assert!(normal.iter().all(|row| row.state == "normal" && row.cause_id.is_none()), "{normal:?}");
    let alarms = site.open_alarms().await;
    assert_eq!(summary(&alarms), (vec!["opened"], 0), "one to acknowledge: {alarms:?}");
    service.stop().await;
}

#[tokio::test]
async fn one_trip_raises_one_alarm() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now();
    // The relay and the breaker report in two messages, as devices do.
    site.store_events(&[(site.relay, 1.0, at)]).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    site.store_events(&[(site.position, OPEN, at.plus_millis(80))]).await;
    let mut published = rows(&mut bus, 2).await;
    site.publish_volts(0.0, at.plus_millis(1_000));
    published.extend(rows(&mut bus, 6).await);
    let raised: Vec<&str> = published.iter().filter(|row| row.state == "active_unacked").map(|row| row.kind.as_str()).collect();
    assert_eq!(raised, ["trip"], "{published:?}");
    let alarms = site.open_alarms().await;
    assert_eq!(summary(&alarms), (vec!["trip"], 7), "{alarms:?}");
    service.stop().await;
    // What ends while the service is down ends without another alarm.
    site.store_events(&[(site.relay, 0.0, at.plus_millis(3_000)), (site.position, CLOSED, at.plus_millis(3_000))]).await;
    site.store_values(&site.volts.map(|point| (point, 6.35, at.plus_millis(4_000)))).await;
    let service = site.start(|config| config).await;
    let published = rows(&mut bus, 8).await;
    let states: Vec<&str> = published.iter().map(|row| row.state.as_str()).filter(|state| *state != "normal").collect();
    assert_eq!(states, ["cleared_unacked"], "{published:?}");
    service.stop().await;
}

#[tokio::test]
async fn trip_of_the_incoming_line_is_the_cause_of_what_is_behind_it() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-1_000);
    site.store_events(&[(site.incomer, OPEN, at)]).await;
    let trip = rows(&mut bus, 1).await.remove(0);
    assert_eq!((trip.kind.as_str(), trip.point_id), ("trip", Some(site.incomer.0)));
    site.publish_volts(0.0, at.plus_millis(500));
    let folded = rows(&mut bus, 6).await;
    assert!(folded.iter().all(|row| row.state == "suppressed" && row.cause_id == Some(trip.id)), "{folded:?}");
    service.stop().await;
}

#[tokio::test]
async fn what_outlasts_its_cause_is_an_alarm_of_its_own() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-1_000);
    site.store_events(&[(site.position, OPEN, at)]).await;
    rows(&mut bus, 1).await;
    site.publish_volts(0.0, at.plus_millis(500));
    rows(&mut bus, 6).await;
    site.store_events(&[(site.position, CLOSED, now())]).await;
    rows(&mut bus, 1).await;
    // Two phases have their voltage again, the third one has not.
    let [r, y, b] = site.volts;
    let mut published = Vec::new();
    while published.len() < 6 {
        for (point, kv) in [(r, 6.35), (y, 6.35), (b, 3.1)] {
            site.publish_value(point, kv, Quality::Good, now());
        }
        published.extend(tokio::time::timeout(Duration::from_millis(200), published_alarms(&mut bus, 1)).await.into_iter().flatten());
    }
    let raised: Vec<(&str, Option<i64>, Option<f64>)> =
        published.iter().filter(|row| row.state == "active_unacked").map(|row| (row.kind.as_str(), row.point_id, row.value)).collect();
    assert_eq!(raised, [("low", Some(b.0), Some(0.0)), ("low_low", Some(b.0), Some(0.0))], "{published:?}");
    service.stop().await;
}

#[tokio::test]
async fn relay_without_its_breaker_and_low_voltage_with_supply_are_alarms() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now();
    site.store_events(&[(site.relay, 1.0, at)]).await;
    let relay = rows(&mut bus, 1).await.remove(0);
    assert_eq!((relay.kind.as_str(), relay.state.as_str()), ("state", "active_unacked"), "the breaker did not open");
    site.publish_value(site.volts[0], 5.9, Quality::Good, now());
    let low = rows(&mut bus, 1).await.remove(0);
    assert_eq!((low.kind.as_str(), low.state.as_str()), ("low", "active_unacked"), "the feeder has supply");
    // The breaker opens after all: what was raised a moment ago is folded.
    site.store_events(&[(site.position, OPEN, at.plus_millis(1_500))]).await;
    let published = rows(&mut bus, 3).await;
    let states: Vec<(&str, &str)> = published.iter().map(|row| (row.kind.as_str(), row.state.as_str())).collect();
    assert_eq!(states, [("trip", "active_unacked"), ("low", "suppressed"), ("state", "suppressed")], "{published:?}");
    service.stop().await;
}

#[tokio::test]
async fn nothing_stays_suppressed_by_an_alarm_that_is_over() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-2_000);
    site.store_events(&[(site.position, OPEN, at)]).await;
    rows(&mut bus, 1).await;
    site.publish_volts(0.0, at.plus_millis(500));
    rows(&mut bus, 6).await;
    // The incoming line trips too, so the feeder stays dead when its own breaker closes and its alarm clears.
    site.store_events(&[(site.incomer, OPEN, at.plus_millis(1_000))]).await;
    assert_eq!(rows(&mut bus, 1).await[0].point_id, Some(site.incomer.0));
    site.store_events(&[(site.position, CLOSED, at.plus_millis(1_500))]).await;
    assert_eq!(rows(&mut bus, 1).await[0].state, "cleared_unacked");
    let mut published = Vec::new();
    while published.len() < 6 {
        site.publish_volts(0.0, now());
        published.extend(tokio::time::timeout(Duration::from_millis(200), published_alarms(&mut bus, 1)).await.into_iter().flatten());
    }
    assert!(published.iter().all(|row| row.state == "active_unacked" && row.cause_id.is_none()), "{published:?}");
    service.stop().await;
}

#[tokio::test]
async fn end_of_the_alarm_of_a_cause_raises_what_lasts_at_once() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-2_000);
    site.store_events(&[(site.position, OPEN, at)]).await;
    rows(&mut bus, 1).await;
    site.publish_volts(0.0, at.plus_millis(500));
    rows(&mut bus, 6).await;
    site.store_events(&[(site.incomer, OPEN, at.plus_millis(1_000))]).await;
    rows(&mut bus, 1).await;
    site.store_events(&[(site.position, CLOSED, at.plus_millis(1_500))]).await;
    assert_eq!(rows(&mut bus, 1).await[0].state, "cleared_unacked");
    // The points report by exception: their values do not change, so none is published.
    let raised = rows(&mut bus, 6).await;
    assert!(raised.iter().all(|row| row.state == "active_unacked" && row.cause_id.is_none()), "{raised:?}");
    service.stop().await;
}

#[tokio::test]
async fn value_that_does_not_follow_the_supply_is_raised_without_a_newer_one() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-1_000);
    site.store_events(&[(site.position, OPEN, at)]).await;
    rows(&mut bus, 1).await;
    site.publish_volts(0.0, at.plus_millis(500));
    rows(&mut bus, 6).await;
    site.store_events(&[(site.position, CLOSED, now())]).await;
    rows(&mut bus, 1).await;
    let raised = rows(&mut bus, 6).await;
    assert!(raised.iter().all(|row| row.state == "active_unacked"), "{raised:?}");
    service.stop().await;
}

#[tokio::test]
async fn second_operation_of_a_relay_during_a_fault_is_an_alarm() {
    let mut site = site().await;
    let start_at = now().plus_millis(-60_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-30_000);
    site.store_events(&[(site.relay, 1.0, at), (site.position, OPEN, at.plus_millis(80)), (site.relay, 0.0, at.plus_millis(500))]).await;
    let first = rows(&mut bus, 3).await;
    assert!(first.iter().all(|row| row.kind == "trip" || row.state != "active_unacked"), "{first:?}");
    site.store_events(&[(site.relay, 1.0, at.plus_millis(20_000))]).await;
    let second = rows(&mut bus, 1).await.remove(0);
    assert_eq!((second.kind.as_str(), second.state.as_str()), ("state", "active_unacked"), "{second:?}");
    service.stop().await;
}

#[tokio::test]
async fn earlier_occurrence_stays_in_the_list_when_a_new_one_follows_from_a_trip() {
    let mut site = site().await;
    let start_at = now().plus_millis(-20_000);
    let service = start(&mut site, start_at).await;
    let mut bus = site.bus.subscribe();
    let at = now().plus_millis(-10_000);
    let volt = site.volts[0];
    site.publish_value(volt, 5.9, Quality::Good, at);
    rows(&mut bus, 1).await;
    site.publish_value(volt, 6.35, Quality::Good, at.plus_millis(1_000));
    assert_eq!(rows(&mut bus, 1).await[0].state, "cleared_unacked");
    // The low value is known before the trip that is its cause.
    site.publish_value(volt, 5.9, Quality::Good, at.plus_millis(3_000));
    assert_eq!(rows(&mut bus, 1).await[0].state, "active_unacked");
    site.store_events(&[(site.position, OPEN, at.plus_millis(2_900))]).await;
    let published = rows(&mut bus, 2).await;
    let states: Vec<(&str, &str)> = published.iter().map(|row| (row.kind.as_str(), row.state.as_str())).collect();
    assert_eq!(states, [("trip", "active_unacked"), ("low", "cleared_unacked")], "{published:?}");
    // It becomes an alarm again if it outlasts the trip.
    site.store_events(&[(site.position, CLOSED, now())]).await;
    assert_eq!(rows(&mut bus, 1).await[0].kind, "trip");
    let mut released = Vec::new();
    while released.is_empty() {
        site.publish_value(volt, 5.9, Quality::Good, now());
        released.extend(tokio::time::timeout(Duration::from_millis(200), published_alarms(&mut bus, 1)).await.into_iter().flatten());
    }
    assert_eq!((released[0].kind.as_str(), released[0].state.as_str()), ("low", "active_unacked"), "{released:?}");
    service.stop().await;
}

#[tokio::test]
async fn months_of_history_raise_no_old_alarms() {
    const DAY_MS: i64 = 86_400_000;
    let mut site = Site::new(0).await;
    site.usual_rules().await;
    // Each event is a batch of its own: the closing of a fault is never in the batch of its opening.
    let service = site.start(|config| alarms::AlarmsConfig { batch: 1, ..config }).await;
    let start = now().plus_millis(-100 * DAY_MS);
    let of_day = |day: i64| {
        let at = start.plus_millis(day * DAY_MS);
        [
            (site.relay, 1.0, at),
            (site.position, OPEN, at.plus_millis(80)),
            (site.position, CLOSED, at.plus_millis(480)),
            (site.relay, 0.0, at.plus_millis(600)),
        ]
    };
    let events: Vec<_> = (0..20).flat_map(of_day).collect();
    site.store_events_late(&events, 100 * DAY_MS).await;
    let top = site.store.event_stream(site.client).await.expect("read").1;
    while site.store.alarm_cursor(site.client).await.expect("read").is_none_or(|cursor| cursor.events.through < top) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let faults = site.store.faults_since(site.client, None, Micros(0), 100).await.expect("read");
    assert_eq!(faults.len(), 20);
    let changes = site.store.alarms_after(site.client, None, 0, 100).await.expect("read");
    assert!(changes.is_empty(), "{} changes of alarms, such as {:?}", changes.len(), changes.first());
    service.stop().await;
}
