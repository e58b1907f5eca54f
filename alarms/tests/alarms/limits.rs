//! Limits, links and shelving, with values from the bus and from the database.

use std::time::Duration;

use grid::Quality;
use grid::alarm::{Act, AlarmKind, Rule, State};
use grid::thermal::{Cooling, Paper, Regime};
use store::audit::Origin;
use store::rating::{EnteredParameters, EnteredRating, IndicatorLimits};
use wire::bus::BusMessage;

use crate::site::{Site, now, published_alarms};

pub(crate) fn oil_rule(site: &Site) -> Rule {
    Rule {
        point: site.oil,
        kind: AlarmKind::High,
        enabled: true,
        limit: Some(85.0),
        deadband: 3.0,
        state_value: None,
        on_delay_s: 0,
        off_delay_s: 0,
        priority: 2,
        text: "Oil temperature".into(),
    }
}

#[tokio::test]
async fn the_limits_of_a_rating_raise_alarms_where_nobody_has_decided_otherwise() {
    let site = Site::new(0).await;
    let transformer = site.store.registry(Some(site.client)).await.expect("read");
    let transformer = transformer.assets.iter().find(|asset| asset.code == "TX1").expect("a transformer").id;
    let limits = IndicatorLimits { oil_alarm: Some(80.0), oil_trip: Some(90.0), ..IndicatorLimits::default() };
    let plate = EnteredRating {
        mva: 5.0,
        cooling: Cooling::Onan,
        paper: Paper::Normal,
        regime: Regime::NormalCyclic,
        given: EnteredParameters::default(),
        limits,
        used_life_years: 0.0,
    };
    let origin = Origin { client: Some(site.client), from: "test".into(), ..Origin::default() };
    let mut bus = site.bus.subscribe();
    let service = site.start(|config| config).await;
    let start = now();
    let at = |second: i64| start.plus_millis(second * 1_000 - 60_000);
    // Above the limit for ten seconds, the delay of indicators.
    let hot = |second: i64, value: f64| {
        site.publish_value(site.oil, value, Quality::Good, at(second));
        site.publish_value(site.oil, value, Quality::Good, at(second + 11));
    };
    site.store.replace_plate(site.client, transformer, &plate, &origin).await.expect("stored");
    site.bus.publish(BusMessage::AlarmRules { client: site.client.0 });
    let raised = loop {
        // The rating is read again within a moment.
        hot(1, 86.5);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let open = site.store.open_alarms(site.client, None, 10).await.expect("read");
        if let [alarm] = &open[..] {
            break alarm.clone();
        }
    };
    assert_eq!(
        (raised.kind, raised.limit, raised.text.as_str(), raised.priority),
        (AlarmKind::High, Some(80.0), "Oil temperature high", 2)
    );
    // A rule entered by a user replaces the rule of the same kind only.
    site.store.replace_alarm_rules(site.client, site.oil, &[oil_rule(&site)], &origin).await.expect("stored");
    site.bus.publish(BusMessage::AlarmRules { client: site.client.0 });
    let changed = loop {
        let rows = published_alarms(&mut bus, 1).await.remove(0);
        if rows.limit != Some(80.0) {
            break rows;
        }
    };
    assert_eq!((changed.id, changed.kind.as_str(), changed.limit), (raised.id, "high", Some(85.0)));
    hot(30, 95.0);
    let tripped = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((tripped.kind.as_str(), tripped.limit, tripped.priority), ("high_high", Some(90.0), 1));
    service.stop().await;
}

#[tokio::test]
async fn a_limit_is_passed_and_left_again() {
    let site = Site::new(0).await;
    site.store.add_alarm_rules(site.client, &[oil_rule(&site)]).await.expect("stored");
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    let start = now();
    let at = |second: i64| start.plus_millis(second * 1_000 - 60_000);
    site.publish_value(site.oil, 99.0, Quality::Invalid, at(0));
    site.publish_value(site.oil, 86.5, Quality::Good, at(1));
    let raised = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!(
        (raised.kind.as_str(), raised.state.as_str(), raised.priority, raised.count),
        ("high", "active_unacked", 2, 1),
        "{raised:?}"
    );
    assert_eq!((raised.value, raised.limit, raised.text.as_str()), (Some(86.5), Some(85.0), "Oil temperature high"));
    assert_eq!((raised.location_id, raised.location_name.as_str(), raised.offset), (site.location.0, "The location", 1));
    assert_eq!(raised.raised, Some(wire::time::iso(at(1))), "the invalid value before raised nothing");
    // A stale value does not count, and neither does one within the deadband.
    site.publish_value(site.oil, 20.0, Quality::Stale, at(2));
    site.publish_value(site.oil, 83.0, Quality::Good, at(3));
    site.publish_value(site.oil, 81.0, Quality::Good, at(4));
    let cleared = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((cleared.id, cleared.state.as_str(), cleared.offset), (raised.id, "cleared_unacked", 2));
    assert_eq!(cleared.cleared, Some(wire::time::iso(at(4))));
    // Raised again before it is acknowledged: the same alarm.
    site.publish_value(site.oil, 90.0, Quality::Good, at(5));
    let again = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((again.id, again.state.as_str(), again.count), (raised.id, "active_unacked", 2));
    let open = site.store.open_alarms(site.client, None, 10).await.expect("read");
    assert_eq!(open.iter().map(|alarm| (alarm.id, alarm.offset, alarm.raised_offset)).collect::<Vec<_>>(), [(raised.id, 3, 3)]);
    service.stop().await;
}

#[tokio::test]
async fn what_was_stored_while_nobody_worked_is_found() {
    let mut site = Site::new(0).await;
    site.store.add_alarm_rules(site.client, &[oil_rule(&site)]).await.expect("stored");
    let at = now();
    site.store_values(&[(site.oil, 99.0, at)]).await;
    let mut bus = site.bus.subscribe();
    let service = site.start(|config| config).await;
    let raised = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((raised.state.as_str(), raised.value), ("active_unacked", Some(99.0)));
    service.stop().await;
    // The service continues from the stored alarm, and finds that its condition has ended.
    site.store_values(&[(site.oil, 50.0, at.plus_millis(1_000))]).await;
    let service = site.start(|config| config).await;
    let cleared = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((cleared.id, cleared.state.as_str(), cleared.count), (raised.id, "cleared_unacked", 1));
    // A new rule applies at once.
    site.store.add_alarm_rules(site.client, &[Rule { kind: AlarmKind::Low, limit: Some(60.0), ..oil_rule(&site) }]).await.expect("stored");
    site.bus.publish(BusMessage::AlarmRules { client: site.client.0 });
    let low = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((low.kind.as_str(), low.value), ("low", Some(50.0)));
    // Removing a rule ends its alarm.
    let origin = Origin { client: Some(site.client), from: "test".into(), ..Origin::default() };
    site.store.replace_alarm_rules(site.client, site.oil, &[], &origin).await.expect("stored");
    site.bus.publish(BusMessage::AlarmRules { client: site.client.0 });
    let gone = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((gone.id, gone.state.as_str()), (low.id, "cleared_unacked"));
    service.stop().await;
}

#[tokio::test]
async fn a_link_that_is_down_is_an_alarm_and_a_shelf_ends() {
    let site = Site::new(0).await;
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    let gateway = |online, at: grid::Micros| BusMessage::Gateway {
        client: site.client.0,
        gateway: site.gateway.0,
        online,
        since: at.0,
        order: (1, at.0),
        changed: true,
    };
    let start = now();
    site.bus.publish(gateway(false, start.plus_millis(1)));
    let down = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((down.kind.as_str(), down.text.as_str(), down.asset_id, down.point_id), ("comm", "RTU One is offline", None, None));
    // Shelved until a time of the database's clock; the service unshelves it.
    let origin = Origin { client: Some(site.client), from: "test".into(), ..Origin::default() };
    let shelve = |alarm: &mut grid::alarm::AlarmRecord, now: grid::Micros| {
        alarm.shelved_reason = Some("known".into());
        let outcome = alarm.life.step(Act::Shelve(now.plus_millis(200)));
        outcome.change()
    };
    let acted = site
        .store
        .act_on_alarms(site.client, &[down.id], &origin, |_| Ok::<_, ()>(Vec::new()), shelve)
        .await
        .expect("stored")
        .expect("may");
    assert_eq!(acted.committed.expect("a change").rows[0].offset, 2);
    let back = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((back.shelved_until, back.shelved_reason, back.offset), (None, None, 3), "{:?}", back.state);
    site.bus.publish(gateway(true, start.plus_millis(2)));
    assert_eq!(published_alarms(&mut bus, 1).await[0].state, "cleared_unacked");
    // A device of a gateway that is online.
    site.bus.publish(BusMessage::Device {
        client: site.client.0,
        gateway: site.gateway.0,
        device: "F1".into(),
        online: false,
        since: start.plus_millis(3).0,
        order: (1, 1),
        changed: true,
    });
    assert_eq!(published_alarms(&mut bus, 1).await[0].text, "Device F1 of RTU One is offline");
    let open = site.store.open_alarms(site.client, None, 10).await.expect("read");
    assert!(open.iter().all(|alarm| alarm.life.state != State::Normal) && open.len() == 2, "{open:?}");
    service.stop().await;
}

#[tokio::test]
async fn death_after_a_clock_correction_raises_its_alarm() {
    let site = Site::new(0).await;
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    let gateway = |online, at: grid::Micros, count| BusMessage::Gateway {
        client: site.client.0,
        gateway: site.gateway.0,
        online,
        since: at.0,
        order: (1, count),
        changed: true,
    };
    // It is born by a clock that is an hour ahead, and dies after that clock was corrected.
    let start = now();
    site.bus.publish(gateway(true, start.plus_millis(3_600_000), 1));
    site.bus.publish(gateway(false, start, 2));
    let down = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((down.kind.as_str(), down.state.as_str(), down.text.as_str()), ("comm", "active_unacked", "RTU One is offline"));
    // A state that was reported before this death changes nothing, although its clock was ahead. The next birth ends the alarm.
    site.bus.publish(gateway(true, start.plus_millis(3_600_001), 1));
    site.bus.publish(gateway(true, start.plus_millis(5), 3));
    let back = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((back.id, back.state.as_str(), back.offset), (down.id, "cleared_unacked", down.offset + 1));
    service.stop().await;
}

#[tokio::test]
async fn a_delay_ends_by_itself() {
    let site = Site::new(0).await;
    site.store.add_alarm_rules(site.client, &[Rule { on_delay_s: 1, ..oil_rule(&site) }]).await.expect("stored");
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    let at = now();
    site.publish_value(site.oil, 99.0, Quality::Good, at);
    let raised = published_alarms(&mut bus, 1).await.remove(0);
    assert!(now().millis_since(at) >= Duration::from_secs(1).as_millis() as i64);
    assert_eq!(raised.raised, Some(wire::time::iso(at)));
    service.stop().await;
}
