//! Corrections by users are kept, whatever later events report.

use grid::outage::Cause;
use store::audit::Origin;
use store::outage::{Correction, OutageRecord};

use crate::site::{CLOSED, OPEN, Site, now};

async fn decide(site: &Site, id: i64, correction: Correction) -> Option<OutageRecord> {
    let origin = Origin { client: Some(site.client), from: "console".to_owned(), ..Origin::default() };
    let corrected = site.store.correct_outage(site.client, id, (&correction, "seen on site", "A"), &origin, |_, _| Ok::<_, ()>(()));
    corrected.await.expect("stored").expect("there is one").expect("allowed")
}

async fn correct(site: &Site, id: i64, correction: Correction) -> OutageRecord {
    decide(site, id, correction).await.expect("it stays")
}

#[tokio::test]
async fn corrections_outlast_late_events() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    let service = site.start(1_000);
    site.store_events(&[
        (one, OPEN, at(1_000)),
        (one, CLOSED, at(5_000)),
        (two, OPEN, at(1_000)),
        (two, CLOSED, at(5_000)),
        (two, OPEN, at(20_000)),
        (two, CLOSED, at(21_000)),
    ])
    .await;
    site.settled().await;
    let all = site.outages().await;
    let of = |feeder: usize| all.iter().filter(move |outage| outage.asset == site.feeders[feeder]).collect::<Vec<_>>();
    let (first, second, third) = (of(0)[0].id, of(1)[0].id, of(1)[1].id);
    let ended = correct(&site, first, Correction { ended: Some(at(4_000)), ..Correction::default() }).await;
    assert_eq!((ended.started, ended.ended, ended.worked.and_then(|worked| worked.ended)), (at(1_000), Some(at(4_000)), Some(at(5_000))));
    correct(&site, second, Correction { cause: Some(Cause::Planned), ..Correction::default() }).await;
    // The first outage began earlier than reported. The third one did not happen: its breaker was closed all the time.
    let late = [(one, OPEN, at(500)), (two, CLOSED, at(900)), (two, CLOSED, at(1_001)), (two, OPEN, at(4_999))];
    site.store_events(&late[..1]).await;
    site.settled().await;
    let moved = site.store.outage(site.client, first).await.expect("read").expect("the same one");
    assert_eq!((moved.started, moved.ended, moved.note.as_deref()), (at(500), Some(at(4_000)), Some("seen on site")));
    assert_eq!(moved.worked.map(|worked| worked.started), Some(at(500)));
    site.store_events(&late[1..]).await;
    site.settled().await;
    let kept = site.store.outage(site.client, second).await.expect("read").expect("kept");
    assert_eq!((kept.cause(), kept.correction.cause), (Cause::Planned, Some(Cause::Planned)));
    assert!(site.store.outage(site.client, third).await.expect("read").is_some(), "nothing of it has changed");
    service.stop().await;
}

#[tokio::test]
async fn what_somebody_decided_stays_when_the_events_tell_of_it_no_more() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let one = site.positions[0];
    let service = site.start(1_000);
    // The first report of the breaker is an opening.
    site.store_events(&[(one, OPEN, at(1_000)), (one, CLOSED, at(5_000)), (one, OPEN, at(9_000)), (one, CLOSED, at(9_600))]).await;
    site.settled().await;
    let all = site.outages().await;
    correct(&site, all[0].id, Correction { excluded: true, ..Correction::default() }).await;
    // It had been open for long before, so the start of the outage is unknown.
    site.store_events(&[(one, OPEN, at(10))]).await;
    site.settled().await;
    let now_known = site.outages_since(start).await;
    assert_eq!(now_known.iter().map(|reported| (reported.1, reported.2)).collect::<Vec<_>>(), [(10, Some(5_000)), (9_000, Some(9_600))]);
    let kept = site.store.outage(site.client, all[0].id).await.expect("read").expect("kept");
    assert_eq!((kept.started, kept.correction.excluded), (at(10), true), "it is the one that begins earlier");
    let entered: i64 = site
        .database
        .client()
        .await
        .query_one("SELECT count(*) FROM audit WHERE action = 'outage_corrected'", &[])
        .await
        .expect("read")
        .get(0);
    assert_eq!(entered, 1);
    service.stop().await;
}

#[tokio::test]
async fn one_that_was_kept_is_the_same_when_the_events_tell_of_it_again() {
    let mut site = Site::new().await;
    site.draw_fed_twice().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let (coupler, incoming) = (site.positions[1], site.incoming);
    let service = site.start(1_000);
    site.store_events(&[(coupler, OPEN, at(10)), (incoming, OPEN, at(1_000)), (incoming, CLOSED, at(5_000))]).await;
    site.settled().await;
    let of_feeder = async |site: &Site| -> Vec<OutageRecord> {
        site.outages().await.into_iter().filter(|outage| outage.asset == site.feeders[0]).collect()
    };
    let first = of_feeder(&site).await.remove(0);
    correct(&site, first.id, Correction { cause: Some(Cause::Planned), ..Correction::default() }).await;
    // A late event: the coupler supplied it all the time.
    site.store_events(&[(coupler, CLOSED, at(900))]).await;
    site.settled().await;
    let kept = of_feeder(&site).await;
    assert_eq!((kept.len(), kept[0].id, kept[0].worked, kept[0].started), (1, first.id, None, at(1_000)), "{kept:?}");
    // An even later event: the coupler had opened again before.
    site.store_events(&[(coupler, OPEN, at(950))]).await;
    site.settled().await;
    let again = of_feeder(&site).await;
    assert_eq!((again.len(), again[0].id, again[0].worked), (1, first.id, first.worked), "{again:?}");
    assert_eq!(again[0].correction, Correction { cause: Some(Cause::Planned), ..Correction::default() }, "and nothing else is decided");
    // The correction is set again and removed; then nothing of it is left.
    site.store_events(&[(coupler, CLOSED, at(980))]).await;
    site.settled().await;
    assert_eq!(of_feeder(&site).await[0].worked, None);
    assert_eq!(decide(&site, first.id, Correction::default()).await, None);
    assert_eq!(of_feeder(&site).await, []);
    // Without a correction the outage is computed as before.
    site.store_events(&[(coupler, OPEN, at(990))]).await;
    site.settled().await;
    let new = of_feeder(&site).await;
    assert_eq!((new.len(), new[0].started, new[0].ended), (1, at(1_000), Some(at(5_000))), "{new:?}");
    service.stop().await;
}
