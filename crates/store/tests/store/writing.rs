//! The writer: repeated, conflicting, late and invalid input.

use grid::{ClientId, LinkOrder, LinkState, Micros, Ordinal, PointId, Quality, Reading};
use store::Writer;
use store::writer::{Batch, DeadLetter, DeviceMark, GatewayMark, Sample};
use testkit::Flavour;

use crate::fixture::{START, enter, reading, utility, utility_on};

#[tokio::test]
async fn resending_doubles_nothing_and_half_known_batches_add_their_half() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let mut writer = utility.writer().await;
        for (seconds, new, duplicate) in [(0..100, 100, 0), (0..100, 0, 100), (50..150, 50, 50), (150..151, 1, 0)] {
            let committed = writer.commit(&utility.currents(seconds.clone())).await.unwrap();
            assert_eq!(
                (committed.samples_new, committed.samples_duplicate, committed.conflicts),
                (new, duplicate, 0),
                "{seconds:?} on {flavour:?}"
            );
        }
        assert_eq!(utility.count("sample").await, 151);
        assert_eq!(utility.count("(SELECT DISTINCT point_id, ts FROM sample)").await, 151);
        let site = &utility.sites[0];
        let read = utility.store.samples(utility.client, site.current, START, START.plus_millis(3_000), 10).await.unwrap();
        assert_eq!(read.iter().map(|sample| sample.value).collect::<Vec<_>>(), [Some(0.0), Some(1.0), Some(2.0)]);
        assert_eq!(read[2].source.millis_since(START), 2_000);
        assert_eq!(read[2].received.millis_since(START), 2_200);
        assert_eq!(read[2].quality, Quality::Good);
    }
}

#[tokio::test]
async fn whether_values_were_announced_as_repeated_changes_nothing_that_is_stored() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    writer.commit(&utility.currents(0..10)).await.unwrap();
    let announced = |seconds: std::ops::Range<i64>, repeated: std::ops::Range<i64>| {
        let mut batch = utility.currents(seconds.clone());
        for (second, sample) in seconds.zip(&mut batch.samples) {
            sample.repeated = repeated.contains(&second);
        }
        batch
    };
    let cases = [
        (announced(5..15, 5..10), (5, 5), "as it is"),
        (announced(10..20, 0..0), (5, 5), "not at all"),
        (announced(20..30, 20..30), (10, 0), "although none was"),
        (announced(25..35, 28..33), (5, 5), "the wrong ones"),
    ];
    for (batch, (new, duplicate), why) in cases {
        let committed = writer.commit(&batch).await.unwrap();
        assert_eq!((committed.samples_new, committed.samples_duplicate, committed.conflicts), (new, duplicate, 0), "{why}");
    }
    let mut another = announced(0..1, 0..1);
    another.samples[0].reading.value = Some(77.0);
    for (new, duplicate) in [(1, 0), (0, 1)] {
        let committed = writer.commit(&another).await.unwrap();
        assert_eq!((committed.samples_new, committed.samples_duplicate, committed.conflicts), (new, duplicate, 0), "another value");
    }
}

#[tokio::test]
async fn second_value_of_one_instant_is_last_in_history_and_latest() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let point = utility.sites[0].current;
    let numbered = |seq: i64, value: f64| {
        let mut sample = utility.sample(point, 1, value);
        sample.reading.ordinal.seq = seq;
        sample
    };
    // In one batch and in two.
    let first =
        Batch { samples: vec![numbered(1, 5.0), utility.sample(point, 2, 6.0), numbered(2, 7.0), numbered(3, 7.0)], ..Batch::default() };
    let then = Batch { samples: vec![numbered(4, 8.0)], ..Batch::default() };
    for (batch, new, duplicate) in [(&first, 3, 1), (&then, 1, 0), (&first, 0, 4), (&then, 0, 1)] {
        let committed = writer.commit(batch).await.unwrap();
        assert_eq!((committed.samples_new, committed.samples_duplicate, committed.conflicts), (new, duplicate, 0));
    }
    let read = utility.store.samples(utility.client, point, START, START.plus_millis(1_999), 10).await.unwrap();
    let history: Vec<(Option<f64>, i64)> = read.iter().map(|sample| (sample.value, sample.source.0 - START.0 - 1_000_000)).collect();
    assert_eq!(history, [(Some(5.0), 0), (Some(7.0), 1), (Some(8.0), 2)]);
    let last = Batch { samples: vec![numbered(9, 9.0)], ..Batch::default() };
    let other = utility.sites[1].current;
    let at_other = |batch: &Batch| Batch {
        samples: batch.samples.iter().map(|sample| Sample { point: other, ..*sample }).collect(),
        ..Batch::default()
    };
    for batch in [&then, &last].map(at_other) {
        writer.commit(&batch).await.unwrap();
    }
    let read = utility.store.samples(utility.client, other, START, START.plus_millis(9_000), 10).await.unwrap();
    assert_eq!((read.last().and_then(|sample| sample.value), utility.latest(other).await), (Some(9.0), Some((Some(9.0), 1))));
}

#[tokio::test]
async fn values_beyond_the_limit_of_an_instant_are_conflicts() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let point = utility.sites[0].current;
    let samples: Vec<_> = (0..20).map(|value| utility.sample(point, 1, f64::from(value))).collect();
    let batch = Batch { samples, ..Batch::default() };
    for new in [16, 0] {
        let committed = writer.commit(&batch).await.unwrap();
        assert_eq!((committed.samples_new, committed.samples_duplicate, committed.conflicts), (new, 16 - new, 4));
        let letters = utility.store.dead_letters(Some(utility.client), 10).await.unwrap();
        assert_eq!(letters.len(), 4, "each is written down once");
        assert!(letters.iter().all(|record| record.letter.reason == "conflict" && record.letter.client == Some(utility.client)));
    }
}

#[tokio::test]
async fn a_contradiction_keeps_what_is_stored_and_is_written_down_once() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let point = utility.sites[0].current;
    writer.commit(&utility.currents(0..3)).await.unwrap();
    writer.commit(&utility.events(0, 1..2)).await.unwrap();
    let mut absent = utility.sample(point, 2, 0.0);
    absent.reading.value = None;
    let mut worse = utility.sample(point, 0, 0.0);
    worse.reading.quality = Quality::Invalid;
    let batch = Batch {
        samples: vec![worse, utility.sample(point, 1, 99.0), absent, utility.sample(point, 3, 3.0)],
        // The same number of the outbox with another value.
        events: vec![utility.event(0, 1, 3.0)],
        ..Batch::default()
    };
    for new in [4, 0] {
        let committed = writer.commit(&batch).await.unwrap();
        assert_eq!((committed.samples_new, committed.samples_duplicate, committed.conflicts), (new, 4 - new, 1));
        assert!(committed.events.is_empty());
        let letters = utility.store.dead_letters(Some(utility.client), 10).await.unwrap();
        assert_eq!(letters.len(), 1);
        assert!(letters.iter().all(|record| record.letter.reason == "conflict" && record.letter.client == Some(utility.client)));
    }
    let read = utility.store.samples(utility.client, point, START, START.plus_millis(9_000), 10).await.unwrap();
    let read: Vec<(Option<f64>, Quality)> = read.iter().map(|sample| (sample.value, sample.quality)).collect();
    let good = |value: f64| (Some(value), Quality::Good);
    assert_eq!(
        read,
        [good(0.0), (Some(0.0), Quality::Invalid), good(1.0), good(99.0), good(2.0), (None, Quality::Good), good(3.0)],
        "what is stored stays, and what came later follows it"
    );
}

#[tokio::test]
async fn latest_goes_forward_only_and_never_to_a_historical_value() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let point = utility.sites[0].current;
    let mut historical = utility.sample(point, 50, 50.0);
    historical.historical = true;
    let steps = [
        (vec![utility.sample(point, 10, 1.0)], (Some(1.0), 10), "the first"),
        (vec![utility.sample(point, 20, 2.0), utility.sample(point, 15, 1.5)], (Some(2.0), 20), "the newest of a batch"),
        (vec![utility.sample(point, 12, 9.0)], (Some(2.0), 20), "a late one"),
        (vec![historical], (Some(2.0), 20), "a historical one"),
        (vec![utility.sample(point, 30, 3.0)], (Some(3.0), 30), "a newer one"),
        (vec![utility.sample(point, 20, 2.0), utility.sample(point, 10, 1.0)], (Some(3.0), 30), "a resend"),
    ];
    for (samples, expected, why) in steps {
        writer.commit(&Batch { samples, ..Batch::default() }).await.unwrap();
        assert_eq!(utility.latest(point).await, Some(expected), "{why}");
    }
    assert_eq!(utility.count("sample").await, 6);
    let second = &utility.sites[1];
    assert!(utility.store.latest_of(utility.client, Some(second.location)).await.unwrap().is_empty());
    assert_eq!(utility.store.latest_of(utility.client, Some(utility.sites[0].location)).await.unwrap().len(), 1);
    let newer = utility.store.latest_since(None, START.plus_millis(30_000)).await.unwrap();
    assert_eq!(newer.iter().map(|(id, reading)| (*id, reading.value, reading.ordinal.seq)).collect::<Vec<_>>(), [(point, Some(3.0), 30)]);
    assert!(utility.store.latest_since(Some(utility.client), START.plus_millis(30_200)).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_large_batch_moves_latest_after_it_and_a_lost_writer_is_healed() {
    let utility = utility().await;
    let client = utility.database.client().await;
    let template = utility.sites[0].current;
    let rows = client
        .query(
            "INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals)
             SELECT client_id, gateway_id, asset_id, device, 'x/' || n, 'x', 'other', '', 0 FROM point, generate_series(1, 1000) n WHERE id = $1
             RETURNING id",
            &[&template.0],
        )
        .await
        .unwrap();
    let now = Micros(client.query_one("SELECT (extract(epoch FROM now()) * 1e6)::bigint", &[]).await.unwrap().get(0));
    let samples: Vec<Sample> = rows
        .iter()
        .map(|row| {
            let mut sample = utility.sample(PointId(row.get(0)), 0, 1.0);
            sample.reading.source = now.plus_millis(-1_000);
            sample.reading.received = now;
            sample
        })
        .collect();
    let mut writer = utility.writer().await;
    writer.commit(&Batch { samples: samples.clone(), ..Batch::default() }).await.unwrap();
    drop(writer);
    assert_eq!(utility.count("latest").await, 0, "held back, and lost with the writer");
    let mut writer = utility.writer().await;
    assert_eq!(utility.count("latest").await, 1_000, "healed");

    let later = samples.iter().map(|sample| {
        let mut later = *sample;
        later.reading.source = now;
        later.reading.value = Some(2.0);
        later
    });
    writer.commit(&Batch { samples: later.collect(), ..Batch::default() }).await.unwrap();
    writer.flush().await.unwrap();
    assert_eq!(utility.count("latest WHERE value = 2").await, 1_000, "flushed");
}

#[tokio::test]
async fn a_failed_batch_leaves_nothing_and_is_known_as_hopeless() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let foreign = enter(&utility.store, "KSEB").await;
    let good = || utility.currents(0..5);
    let mut unheard_of = good();
    unheard_of.samples.push(utility.sample(PointId(999_999), 1, 1.0));
    let mut foreign_event = good();
    foreign_event.events.push(utility.event(0, 1, 1.0));
    foreign_event.events[0].point = foreign.2[0].position;
    let mut no_client = good();
    no_client.events.push(utility.event(0, 1, 1.0));
    no_client.events[0].client = ClientId(999);
    let mut no_time = good();
    no_time.samples[2].reading.source = Micros(i64::MAX);
    for (batch, why) in
        [(unheard_of, "no such point"), (foreign_event, "another client's point"), (no_client, "no such client"), (no_time, "no such time")]
    {
        let error = writer.commit(&batch).await.expect_err(why);
        assert!(error.is_permanent() && !error.is_connection(), "{why}: {error}");
        for table in ["sample", "event", "latest", "dead_letter"] {
            assert_eq!(utility.count(table).await, 0, "{why}: {table}");
        }
    }
    assert_eq!(utility.store.event_stream(utility.client).await.unwrap().1, 0);
    writer.commit(&good()).await.unwrap();
    assert_eq!(utility.count("sample").await, 5, "the connection is still good");
}

#[tokio::test]
async fn salvage_stores_what_is_good_and_writes_down_what_is_not() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let mut batch = utility.currents(0..20);
    batch.samples[7].reading.source = Micros(i64::MAX);
    batch.events = utility.events(0, 0..9).events;
    batch.events[4].point = PointId(999_999);
    batch.gateways =
        vec![GatewayMark { gateway: utility.sites[0].gateway, online: Some(true), at: START, order: LinkOrder::default(), entered: true }];
    for (new, duplicate, events) in [(19, 0, 8), (0, 19, 0)] {
        let committed = writer.salvage(&batch).await.unwrap();
        assert_eq!((committed.samples_new, committed.samples_duplicate, committed.conflicts), (new, duplicate, 0));
        assert_eq!(committed.events.iter().map(|part| part.rows.len()).sum::<usize>(), events);
    }
    let events = utility.store.events_after(utility.client, None, 0, 100).await.unwrap();
    assert!(events.is_sorted_by_key(|event| event.ordinal) && events.len() == 8, "{events:?}");
    let letters = utility.store.dead_letters(None, 10).await.unwrap();
    assert!(letters.iter().all(|record| record.letter.reason == "unstorable") && letters.len() == 4, "{letters:?}");
}

#[tokio::test]
async fn dead_letters_take_anything() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let letter = DeadLetter {
        client: None,
        topic: "spBv1.0/\0/NDATA".to_owned(),
        reason: "topic".to_owned(),
        detail: "a NUL \0 in it".to_owned(),
        payload: vec![0; 100_000],
        received: Micros(i64::MIN),
    };
    writer
        .commit(&Batch { dead: vec![letter.clone(), DeadLetter { client: Some(utility.client), ..letter }], ..Batch::default() })
        .await
        .unwrap();
    let all = utility.store.dead_letters(None, 10).await.unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].letter.payload.len(), all[0].letter.topic.as_str()), (65_536, "spBv1.0/\u{fffd}/NDATA"));
    assert_eq!(utility.store.dead_letters(Some(utility.client), 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn gateways_are_marked_with_their_state_and_since_when() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let gateway = utility.sites[0].gateway;
    let at = |second: i64| START.plus_millis(second * 1_000);
    let steps = [
        (vec![(Some(true), 1), (None, 2)], (true, Some(at(1)), Some(at(2)))),
        (vec![(Some(true), 5)], (true, Some(at(1)), Some(at(5)))),
        (vec![(Some(false), 9)], (false, Some(at(9)), Some(at(5)))),
        (vec![(None, 10)], (false, Some(at(9)), Some(at(10)))),
        (vec![(Some(true), 12)], (true, Some(at(12)), Some(at(12)))),
        (vec![(Some(false), 20), (Some(true), 21)], (true, Some(at(21)), Some(at(21)))),
    ];
    for (marks, expected) in steps {
        let gateways = marks
            .iter()
            .map(|&(online, second)| GatewayMark {
                gateway,
                online,
                at: at(second),
                order: LinkOrder { term: grid::Term(1), count: second },
                entered: true,
            })
            .collect();
        writer.commit(&Batch { gateways, ..Batch::default() }).await.unwrap();
        let registry = utility.store.registry(Some(utility.client)).await.unwrap();
        let record = registry.gateways.iter().find(|record| record.id == gateway).unwrap();
        assert_eq!((record.online, record.since, record.last_seen), expected, "{marks:?}");
    }
}

#[tokio::test]
async fn a_device_is_as_it_was_last_said_to_be() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let at = |second: i64| START.plus_millis(second * 1_000);
    for (marks, expected) in [
        (vec![(false, 1)], (false, at(1))),
        (vec![(true, 2), (false, 3), (true, 4)], (true, at(4))),
        (vec![(false, 3)], (true, at(4))),
        (vec![(false, 9)], (false, at(9))),
    ] {
        let mark = |&(online, second): &(bool, i64)| DeviceMark {
            gateway: utility.sites[0].gateway,
            device: "F3".into(),
            online,
            at: at(second),
            order: LinkOrder { term: grid::Term(1), count: second },
        };
        writer.commit(&Batch { devices: marks.iter().map(mark).collect(), ..Batch::default() }).await.unwrap();
        let registry = utility.store.registry(Some(utility.client)).await.unwrap();
        let held: Vec<_> = registry.devices.iter().map(|device| (device.code.as_str(), device.online, device.since)).collect();
        assert_eq!(held, [("F3", expected.0, expected.1)], "{marks:?}");
    }
}

#[tokio::test]
async fn link_states_are_stored_by_their_order_whatever_the_clock_said() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let gateway = utility.sites[0].gateway;
    let states = [
        (None, "as an upgrade leaves it"),
        (Some((1, 5, true, 100)), "a birth, by a clock that is ahead"),
        (Some((1, 6, false, 50)), "a death after the clock was set back"),
        (Some((1, 4, true, 200)), "a birth of before, from another writer"),
        (Some((2, 1, true, 40)), "a birth that the next leader reports"),
        (Some((1, 9, false, 300)), "a death that the former leader reports"),
    ];
    let mut expected: Option<LinkState> = None;
    for (state, why) in states {
        if let Some((term, count, online, second)) = state {
            let (at, order) = (START.plus_millis(second * 1_000), LinkOrder { term: grid::Term(term), count });
            let state = LinkState { online, since: at, order };
            if state.supersedes(expected.as_ref()) {
                expected = Some(state);
            }
            let gateways = vec![GatewayMark { gateway, online: Some(online), at, order, entered: true }];
            let devices = vec![DeviceMark { gateway, device: "F3".into(), online, at, order }];
            writer.commit(&Batch { gateways, devices, ..Batch::default() }).await.unwrap();
        }
        let registry = utility.store.registry(Some(utility.client)).await.unwrap();
        let record = registry.gateways.iter().find(|record| record.id == gateway).unwrap();
        assert_eq!(record.link(), expected, "{why}");
        assert_eq!(registry.devices.first().map(store::registry::DeviceRecord::link), expected, "{why}");
    }
}

#[tokio::test]
async fn latest_is_stored_by_the_order_of_readings_whatever_the_clock_said() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    let point = utility.sites[0].position;
    let (of_term, earlier) = (|term, count| Ordinal::of_term(grid::Term(term), count), |epoch, seq| Ordinal { epoch, seq });
    let mut expected: Option<Reading> = None;
    for (value, (ordinal, second, why)) in (1_i32..).zip([
        (earlier(i64::MIN + (1 << 32), 9), 100, "from an earlier release, of the lowest epoch that an outbox may have"),
        (earlier(1_700, 5), 100, "of the same time, of a later outbox"),
        (earlier(1_700, 4), 100, "of the same time and outbox, with a lower number"),
        (earlier(i64::MAX, 1), 99, "measured earlier"),
        (of_term(3, 5), 340, "numbered by ingest, by a clock that is ahead"),
        (of_term(3, 6), 100, "after the clock was corrected"),
        (of_term(3, 4), 400, "taken before, from another writer"),
        (of_term(3, 6), 100, "the same message, another value of the same time"),
        (of_term(3, 6), 101, "the same message, a later value"),
        (of_term(4, 1), 40, "taken by the next leader, by a clock that was set back"),
        (of_term(3, 9), 500, "spooled by the former leader"),
        (earlier(i64::MAX, i64::MAX), 900, "from an earlier release"),
        (earlier(0, 0), 900, "as found in the history"),
        (of_term(4, 2), 41, "the next one"),
    ]) {
        let next = Reading { ordinal, ..reading(second, f64::from(value)) };
        if expected.is_none_or(|shown| next.supersedes(&shown)) {
            expected = Some(next);
        }
        let sample = Sample { point, client: utility.client, reading: next, historical: false, repeated: false };
        writer.commit(&Batch { samples: vec![sample], ..Batch::default() }).await.unwrap();
        let stored = utility.store.latest_of(utility.client, None).await.unwrap();
        assert_eq!(stored.iter().find(|(id, _)| *id == point).map(|(_, reading)| *reading), expected, "{why}");
    }
    assert_eq!(expected.and_then(|reading| reading.value), Some(14.0));
}

#[tokio::test]
async fn healing_does_not_bring_back_a_value_of_a_clock_that_was_ahead() {
    let utility = utility().await;
    let client = utility.database.client().await;
    let now = Micros(client.query_one("SELECT (extract(epoch FROM now()) * 1e6)::bigint", &[]).await.unwrap().get(0));
    let mut writer = utility.writer().await;
    let point = utility.sites[0].position;
    for (count, source_ms, received_ms, value) in [(1, 240_000, 0, 1.0), (2, 10, 100, 2.0)] {
        let mut sample = utility.sample(point, 0, value);
        let ordinal = Ordinal::of_term(grid::Term(3), count);
        let (source, received) = (now.plus_millis(source_ms), now.plus_millis(received_ms));
        sample.reading = Reading { source, received, ordinal, ..sample.reading };
        writer.commit(&Batch { samples: vec![sample], ..Batch::default() }).await.unwrap();
    }
    drop(writer);
    let _next = utility.writer().await;
    let stored = utility.store.latest_of(utility.client, None).await.unwrap();
    assert_eq!(stored.iter().map(|(_, reading)| reading.value).collect::<Vec<_>>(), [Some(2.0)]);
}

#[tokio::test]
async fn newest_value_that_came_late_is_healed() {
    let utility = utility().await;
    let client = utility.database.client().await;
    let now = Micros(client.query_one("SELECT (extract(epoch FROM now()) * 1e6)::bigint", &[]).await.unwrap().get(0));
    let (early, late) = (utility.sites[0].current, utility.sites[1].current);
    let reading = |source_ms: i64, received_ms: i64, value| Reading {
        source: now.plus_millis(source_ms),
        received: now.plus_millis(received_ms),
        ..reading(0, value)
    };
    let mut writer = utility.writer().await;
    let sample = |point, reading, historical| Sample { point, client: utility.client, reading, historical, repeated: false };
    writer.commit(&Batch { samples: vec![sample(early, reading(-900_000, -900_000, 1.0), false)], ..Batch::default() }).await.unwrap();
    // A crash leaves deferred values in the history only. The broker had kept these values for ten minutes.
    let held = [early, late].map(|point| sample(point, reading(-600_000, 0, 2.0), true));
    writer.commit(&Batch { samples: held.to_vec(), ..Batch::default() }).await.unwrap();
    drop(writer);
    let _next = utility.writer().await;
    let mut stored = utility.store.latest_of(utility.client, None).await.unwrap();
    stored.sort_by_key(|(point, _)| *point);
    let stored: Vec<_> = stored.iter().map(|(point, reading)| (*point, reading.value)).collect();
    assert_eq!(stored, [(early, Some(2.0)), (late, Some(2.0))]);
}

#[tokio::test]
async fn a_server_that_goes_away_is_an_outage_and_the_resend_heals_it() {
    let mut server = testkit::postgres_server(Flavour::Plain).await;
    store::migrate(&server.url()).await.unwrap();
    let store = store::Store::connect(&server.url(), 2).await.unwrap();
    let (client, _, sites) = enter(&store, "APDL").await;
    let mut writer = Writer::connect(&server.url()).await.unwrap();
    let batch = |second: i64| Batch {
        samples: vec![Sample { point: sites[0].current, client, reading: reading(second, 1.0), historical: false, repeated: false }],
        ..Batch::default()
    };
    writer.commit(&batch(1)).await.unwrap();
    server.kill9();
    let error = writer.commit(&batch(2)).await.unwrap_err();
    assert!(error.is_connection() && !error.is_permanent(), "{error}");
    let error = store.ping().await.unwrap_err();
    assert!(error.is_connection(), "{error}");
    let error = Writer::connect(&server.url()).await.map(drop).unwrap_err();
    assert!(error.is_connection(), "{error}");
    server.restart().await;
    store.ping().await.unwrap();
    let mut writer = Writer::connect(&server.url()).await.unwrap();
    assert_eq!(writer.commit(&batch(1)).await.unwrap().samples_duplicate, 1, "what was committed has survived");
    // A connection error does not show whether the second commit was done; now it is stored, once.
    let resent = writer.commit(&batch(2)).await.unwrap();
    assert_eq!((resent.samples_new + resent.samples_duplicate, resent.conflicts), (1, 0));
}
