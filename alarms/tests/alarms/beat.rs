//! The service publishes its heartbeat while it works, and none while it cannot.

use std::time::Duration;

use bus::{Received, Subscription};
use wire::bus::BusMessage;

use crate::away::{beside, reachable};
use crate::site::{Site, now};

async fn beaten(bus: &mut Subscription, client: i64) {
    loop {
        let next = tokio::time::timeout(Duration::from_mins(1), bus.next()).await.expect("in time").expect("a bus");
        if matches!(&next, Received::Message(message) if matches!(&**message, BusMessage::AlarmsAlive { client: of } if *of == client)) {
            return;
        }
    }
}

#[tokio::test]
async fn a_service_without_a_database_says_nothing_and_is_heard_again_when_it_is_back() {
    let site = Site::new(0).await;
    let server = beside(&site).await;
    let mut bus = site.bus.subscribe();
    let service = site.start(|config| alarms::AlarmsConfig { beat: Duration::from_millis(50), ..config }).await;
    beaten(&mut bus, site.client.0).await;
    beaten(&mut bus, site.client.0).await;
    reachable(&server, &site, false).await;
    // Running steps may still end. After the first failed query there is no heartbeat.
    tokio::time::sleep(Duration::from_millis(300)).await;
    while bus.try_next().is_some() {}
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(bus.try_next().is_none(), "it says that it works, and cannot");
    reachable(&server, &site, true).await;
    beaten(&mut bus, site.client.0).await;
    service.stop().await;
}

#[tokio::test]
async fn who_stands_by_says_nothing() {
    let site = Site::new(0).await;
    let first = site.start(|config| alarms::AlarmsConfig { beat: Duration::from_millis(50), ..config }).await;
    // The second service has a bus of its own, like another process, so everything on it is published by the second one.
    let elsewhere = Site { bus: bus::Bus::local(1_000), ..site };
    let mut bus = elsewhere.bus.subscribe();
    let second = elsewhere.start(|config| alarms::AlarmsConfig { beat: Duration::from_millis(50), ..config }).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(bus.try_next().is_none(), "it has no lead");
    first.kill().await;
    beaten(&mut bus, elsewhere.client.0).await;
    second.stop().await;
}

#[tokio::test]
async fn who_is_behind_says_nothing_until_all_events_are_taken() {
    const EVENTS: usize = 40;
    let mut site = Site::new(1).await;
    site.usual_rules().await;
    // Creates a cursor in the events to continue from.
    let mut bus = site.bus.subscribe();
    let service = site.start(|config| config).await;
    beaten(&mut bus, site.client.0).await;
    service.stop().await;
    let start = now().plus_millis(-60_000);
    let event = |nth: usize| (site.relays[0], if nth.is_multiple_of(2) { 1.0 } else { 0.0 }, start.plus_millis(nth as i64));
    let events: Vec<_> = (0..EVENTS).map(event).collect();
    site.store_events(&events).await;
    let mut bus = site.bus.subscribe();
    let service = site.start(|config| alarms::AlarmsConfig { batch: 1, beat: Duration::ZERO, ..config }).await;
    let mut reported = 0;
    let first_beat = async {
        loop {
            let Some(Received::Message(message)) = bus.next().await else { panic!("the bus has ended or lost something") };
            match &*message {
                BusMessage::Alarms { rows, .. } => reported += rows.len(),
                BusMessage::AlarmsAlive { .. } => return,
                _ => {}
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(1), first_beat).await.expect("in time");
    assert_eq!(reported, EVENTS, "behind, it says that it works");
    service.stop().await;
}
