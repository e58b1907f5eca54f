//! Events: offsets in commit order, pages by source time, separation of utilities.

use grid::Scope;
use store::writer::Batch;
use testkit::Flavour;

use crate::fixture::{enter, utility, utility_on};

#[tokio::test]
async fn only_new_events_get_offsets_and_come_back_described() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (epoch, top) = utility.store.event_stream(utility.client).await.unwrap();
        assert_eq!(top, 0);
        let mut writer = utility.writer().await;
        let committed = writer.commit(&utility.events(0, 0..3)).await.unwrap();
        let [entered] = committed.events.as_slice() else { panic!("{committed:?}") };
        assert_eq!((entered.client, &entered.epoch, entered.from, entered.offset), (utility.client, &epoch, 0, 3));
        let row = &entered.rows[1];
        assert_eq!((row.offset, row.signal.as_str(), row.change_to(), row.location), (2, "Position", "CLOSED", utility.sites[0].location));
        assert_eq!((row.asset, row.location_name.as_str()), (utility.sites[0].breaker, "AUTONAGAR"));

        let committed = writer.commit(&utility.events(0, 1..5)).await.unwrap();
        assert_eq!((committed.events[0].from, committed.events[0].offset, committed.events[0].rows.len()), (3, 5, 2));
        let committed = writer.commit(&utility.events(0, 0..5)).await.unwrap();
        assert!(committed.events.is_empty() && committed.conflicts == 0, "{committed:?}");
        assert_eq!(utility.store.event_stream(utility.client).await.unwrap(), (epoch, 5));

        let mut twice = utility.events(0, [7, 7, 8]);
        twice.events[1].index = 1;
        twice.events.push(twice.events[0]);
        let committed = writer.commit(&twice).await.unwrap();
        assert_eq!(committed.events[0].rows.iter().map(|event| event.offset).collect::<Vec<_>>(), [6, 7, 8]);
        assert_eq!(utility.count("event").await, 8);
    }
}

#[tokio::test]
async fn a_change_that_a_birth_told_as_well_is_one_event() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let by_birth = |second| {
        let mut batch = utility.events(0, [second]);
        batch.events[0].reading.ordinal = grid::Ordinal::default();
        batch
    };
    let by_outbox = |second| utility.events(0, [second]);
    let numbered = |second, seq| {
        let mut batch = utility.events(0, [second]);
        batch.events[0].reading.ordinal.seq = seq;
        batch
    };
    let mut both = by_birth(30);
    both.events.extend(by_outbox(30).events);
    let mut other_value = by_birth(40);
    other_value.events[0].reading.value = Some(3.0);
    let cases = [
        (by_birth(10), 1, "the birth first"),
        (by_outbox(10), 0, "and its outbox after"),
        (by_outbox(10), 0, "and once more"),
        (by_birth(10), 0, "and the birth once more"),
        (numbered(10, 1_000), 1, "the same change in the same instant under another number is another"),
        (by_outbox(20), 1, "the outbox first"),
        (by_birth(20), 0, "and the birth after"),
        (both, 1, "in one batch"),
        (by_outbox(40), 1, "a change"),
        (other_value, 1, "and another in the same instant"),
    ];
    for (batch, new, why) in cases {
        let committed = writer.commit(&batch).await.unwrap();
        assert_eq!((committed.events.iter().map(|entered| entered.rows.len()).sum::<usize>(), committed.conflicts), (new, 0), "{why}");
    }
    assert_eq!(utility.store.event_stream(utility.client).await.unwrap().1, 6, "offsets without a gap");
}

#[tokio::test]
async fn changes_without_number_in_one_instant_are_events_of_their_own() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let plain = |values: &[f64]| {
        let events = values.iter().map(|value| {
            let mut event = utility.event(0, 10, *value);
            event.reading.ordinal = grid::Ordinal::default();
            event
        });
        Batch { events: events.collect(), ..Batch::default() }
    };
    let cases: [(&[f64], usize, &str); 6] = [
        (&[2.0], 1, "a change"),
        (&[2.0], 0, "its message again"),
        (&[1.0], 1, "another change in the same millisecond"),
        (&[2.0, 1.0], 0, "both messages again"),
        (&[0.0, 3.0, 0.0], 2, "two more in one batch"),
        (&[2.0, 1.0, 0.0, 3.0], 0, "all of them again"),
    ];
    for (values, new, why) in cases {
        let committed = writer.commit(&plain(values)).await.unwrap();
        assert_eq!((committed.events.iter().map(|entered| entered.rows.len()).sum::<usize>(), committed.conflicts), (new, 0), "{why}");
    }
    let events = utility.store.events_after(utility.client, None, 0, 100).await.unwrap();
    assert_eq!(events.iter().filter_map(|event| event.value).collect::<Vec<_>>(), [2.0, 1.0, 0.0, 3.0], "in their order");
}

#[tokio::test]
async fn two_writers_at_once_leave_no_gap_and_resends_no_double() {
    let utility = utility().await;
    let (mut one, mut two) = (utility.writer().await, utility.writer().await);
    let work = async |writer: &mut store::Writer, site: usize| {
        let mut ranges = Vec::new();
        for start in (0..200).step_by(10) {
            // Every batch repeats half of the previous one, and half of its rows are of the site of the other writer.
            let mut batch = utility.events(site, start - 5..start + 10);
            batch.events.extend(utility.events(1 - site, start..start + 5).events);
            let committed = writer.commit(&batch).await.unwrap();
            ranges.extend(committed.events.iter().map(|entered| (entered.from, entered.offset)));
        }
        ranges
    };
    let (first, second) = tokio::join!(work(&mut one, 0), work(&mut two, 1));
    let mut ranges: Vec<(i64, i64)> = first.into_iter().chain(second).collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0].1 == pair[1].0), "{ranges:?}");
    let events = utility.store.events_after(utility.client, None, 0, 10_000).await.unwrap();
    assert_eq!(events.iter().map(|event| event.offset).collect::<Vec<_>>(), (1..=410).collect::<Vec<_>>());
    assert_eq!(utility.store.event_stream(utility.client).await.unwrap().1, 410);
}

#[tokio::test]
async fn pages_go_back_in_source_time_with_late_events_in_their_place() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    for seconds in [vec![10, 20, 30], vec![15, 5, 30 + 1], vec![12]] {
        writer.commit(&utility.events(0, seconds)).await.unwrap();
    }
    // The same source time three times, in the device's order.
    let mut ties = utility.events(0, [40, 40, 40]);
    for (event, seq) in ties.events.iter_mut().zip([42, 40, 41]) {
        event.reading.ordinal.seq = seq;
    }
    writer.commit(&ties).await.unwrap();
    let scope = Scope::Node(utility.circle);
    let (mut seqs, mut before) = (Vec::new(), None);
    loop {
        let page = utility.store.events_newest(utility.client, scope, before, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.offset);
        seqs.extend(page.iter().map(|event| event.ordinal.seq));
    }
    assert_eq!(seqs, [42, 41, 40, 31, 30, 20, 15, 12, 10, 5]);
    assert!(utility.store.events_newest(utility.client, scope, Some(999), 3).await.unwrap().is_empty(), "no such offset");
}

#[tokio::test]
async fn a_period_bounds_the_pages_from_its_end_to_its_start() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let committed = utility.events(0, [10, 20, 30, 40, 50]);
    let at = |index: usize| committed.events[index].reading.source;
    let period = (Some(at(1)), Some(at(4)));
    writer.commit(&committed).await.unwrap();
    for scope in [Scope::Node(utility.circle), Scope::Asset(utility.sites[0].breaker)] {
        let (mut seqs, mut before) = (Vec::new(), None);
        loop {
            let page = utility.store.events_newest_within(utility.client, scope, period, before, 2).await.unwrap();
            let Some(last) = page.last() else { break };
            before = Some(last.offset);
            seqs.extend(page.iter().map(|event| event.ordinal.seq));
        }
        assert_eq!(seqs, [40, 30, 20], "{scope:?}");
    }
}

#[tokio::test]
async fn scopes_and_utilities_keep_to_themselves() {
    let utility = utility().await;
    let (foreign, foreign_circle, _) = enter(&utility.store, "KSEB").await;
    let mut writer = utility.writer().await;
    writer.commit(&utility.events(0, 0..3)).await.unwrap();
    writer.commit(&utility.events(1, 10..15)).await.unwrap();
    let [near, far] = utility.sites.as_slice() else { panic!() };
    let scopes = [
        (Scope::Node(utility.circle), 8, 8),
        (Scope::Node(near.location), 3, 3),
        (Scope::Node(far.location), 5, 8),
        (Scope::Asset(near.breaker), 3, 3),
        (Scope::Asset(far.breaker), 5, 8),
        (Scope::Node(foreign_circle), 0, 0),
    ];
    for (scope, count, top) in scopes {
        let store = &utility.store;
        assert_eq!(store.events_newest(utility.client, scope, None, 100).await.unwrap().len(), count, "{scope:?}");
        assert_eq!(store.events_after(utility.client, Some(scope), 0, 100).await.unwrap().len(), count, "{scope:?}");
        assert_eq!(store.scope_top(utility.client, scope).await.unwrap(), top, "{scope:?}");
        assert!(store.events_newest(foreign, scope, None, 100).await.unwrap().is_empty(), "{scope:?} asked by another utility");
        assert!(store.events_after(foreign, Some(scope), 0, 100).await.unwrap().is_empty(), "{scope:?} asked by another utility");
        assert_eq!(store.scope_top(foreign, scope).await.unwrap(), 0, "{scope:?} asked by another utility");
    }
    assert!(utility.store.events_after(foreign, None, 0, 100).await.unwrap().is_empty());
    let samples = Batch { samples: vec![utility.sample(near.current, 1, 1.0)], ..Batch::default() };
    writer.commit(&samples).await.unwrap();
    let (from, to) = (crate::fixture::START, crate::fixture::START.plus_millis(60_000));
    assert_eq!(utility.store.samples(utility.client, near.current, from, to, 10).await.unwrap().len(), 1);
    assert!(utility.store.samples(foreign, near.current, from, to, 10).await.unwrap().is_empty());
    assert!(utility.store.latest_of(foreign, None).await.unwrap().is_empty());
    assert!(utility.store.latest_since(Some(foreign), from).await.unwrap().is_empty());
    let page = utility.store.events_after(utility.client, None, 2, 3).await.unwrap();
    assert_eq!(page.iter().map(|event| event.offset).collect::<Vec<_>>(), [3, 4, 5]);
}
