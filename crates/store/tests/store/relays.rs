//! Settings of relays, faults over time, and single values page by page.

use grid::fault::{Fault, FaultRecord};
use grid::protection::{Curve, Element, Setting};
use grid::{Micros, Ordinal, Quality, Reading, Scope};
use store::Writer;
use store::audit::Origin;
use store::writer::{Batch, Sample};

use crate::fixture::{START, enter, utility};

fn setting(element: Element, pickup_a: f64) -> Setting {
    Setting { element, pickup_a, curve: Curve::DefiniteTime, tms: None, time_s: Some(0.05) }
}

#[tokio::test]
async fn settings_are_of_one_utility_and_what_somebody_entered_outlives_the_seed() {
    let utility = utility().await;
    let other = enter(&utility.store, "KSEB").await;
    let (store, client, asset) = (&utility.store, utility.client, utility.sites[0].breaker);
    let origin = Origin { client: Some(client), from: "console".to_owned(), ..Origin::default() };
    let inverse = Setting { element: Element::Time, pickup_a: 200.0, curve: Curve::Very, tms: Some(0.3), time_s: None };
    let given = [setting(Element::EarthInstantaneous, 60.0), inverse];
    store.replace_relay_settings(client, asset, &given, &origin).await.unwrap();
    assert_eq!(store.relay_settings(client, asset).await.unwrap(), [inverse, given[0]], "in the order of the elements");
    let seed = [(asset, setting(Element::Time, 999.0)), (asset, setting(Element::Instantaneous, 1_500.0))];
    store.add_relay_settings(client, &seed).await.unwrap();
    assert_eq!(store.relay_settings(client, asset).await.unwrap(), [inverse, seed[1].1, given[0]]);
    assert_eq!(store.relay_settings(other.0, asset).await.unwrap(), []);
    assert!(store.replace_relay_settings(other.0, asset, &given, &origin).await.is_err(), "an asset of another utility");
    assert_eq!(store.relay_settings(client, asset).await.unwrap().len(), 3);
    store.replace_relay_settings(client, asset, &[], &origin).await.unwrap();
    assert_eq!(store.relay_settings(client, asset).await.unwrap(), []);
    let audited = store.audit_rows(client, None, 10).await.unwrap();
    assert_eq!(audited.iter().filter(|row| row.action == "relay_settings_changed").count(), 2);
}

#[tokio::test]
async fn faults_of_a_span_are_those_that_began_in_it() {
    let utility = utility().await;
    let (store, client, site) = (&utility.store, utility.client, &utility.sites[0]);
    let minute = |minute: i64| START.plus_millis(minute * 60_000);
    let record = |start: Micros| FaultRecord {
        client,
        id: 0,
        breaker: site.position,
        asset: site.breaker,
        asset_name: String::new(),
        location: site.location,
        location_name: String::new(),
        customers: 0,
        fault: Fault {
            start,
            end: Some(start.plus_millis(1_000)),
            opened: start,
            trips: 1,
            reclosed: true,
            lockout: false,
            currents: [None; 3],
        },
        offset: 0,
    };
    let enter = |ledger: &mut store::alarm::Ledger| (0..5).for_each(|nth| ledger.put_fault(record(minute(nth))));
    store.enter_alarms(client, None, (&[], &[site.position]), enter).await.unwrap();
    let span = (minute(1), minute(4));
    let starts = |faults: Vec<FaultRecord>| faults.iter().map(|fault| fault.fault.start).collect::<Vec<_>>();
    let all = store.faults_between(client, None, span, 10).await.unwrap();
    let ids: Vec<i64> = all.iter().map(|fault| fault.id).collect();
    assert_eq!(starts(all), [minute(3), minute(2), minute(1)]);
    assert_eq!(starts(store.faults_between(client, Some(Scope::Node(utility.circle)), span, 2).await.unwrap()), [minute(3), minute(2)]);
    assert_eq!(starts(store.faults_between(client, Some(Scope::Node(utility.sites[1].location)), span, 10).await.unwrap()), []);
    assert_eq!(starts(store.faults_between(client, Some(Scope::Asset(site.breaker)), span, 10).await.unwrap()).len(), 3);
    assert!(store.relays_operated(client, &ids).await.unwrap().is_empty(), "no relay has told");
}

#[tokio::test]
async fn every_value_is_shown_once_and_in_order_however_many_there_are() {
    let utility = utility().await;
    let (store, client, point) = (&utility.store, utility.client, utility.sites[0].current);
    let count = 45_000_i64;
    let sample = |nth: i64| {
        let source = START.plus_millis(nth * 1_000);
        let reading = Reading { value: Some(nth as f64), quality: Quality::Good, source, received: source, ordinal: Ordinal::default() };
        Sample { point, client, reading, historical: true, repeated: false }
    };
    let batch = Batch { samples: (0..count).map(sample).collect(), ..Batch::default() };
    Writer::connect(utility.database.url()).await.unwrap().commit(&batch).await.unwrap();
    let span = (START, START.plus_millis(count * 1_000));
    for (limit, expected) in [(u64::MAX, count), (30_000, 30_000), (40_000, 40_000), (0, 0)] {
        let mut next = 0;
        let seen = store
            .each_sample(client, point, span, limit, |sample| {
                assert_eq!(sample.value, Some(f64::from(next)));
                next += 1;
            })
            .await
            .unwrap();
        assert_eq!((seen, i64::from(next)), (expected as u64, expected), "{limit}");
    }
    let other = enter(store, "KSEB").await;
    assert_eq!(store.each_sample(other.0, point, span, 10, |_| panic!("another utility's")).await.unwrap(), 0);
}
