//! Outages from events: by drawings or breakers, with late events, and after the service ends at any point.

use grid::Micros;

use store::outage::{RecomputedOutages, RecomputedStation};

use crate::site::{CLOSED, OPEN, Site, now};

/// Returns the time one day ago.
fn yesterday() -> Micros {
    now().plus_millis(-24 * 3_600_000)
}

#[tokio::test]
async fn a_reclosing_is_one_outage_and_a_lockout_lasts_from_its_own_opening() {
    let mut site = Site::new().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let ([one, two], [relay, _]) = (site.positions, site.relays);
    // The events were stored before the service started.
    site.store_events(&[
        (relay, 1.0, at(9)),
        (one, OPEN, at(10)),
        (one, CLOSED, at(11)),
        (two, OPEN, at(20)),
        (one, OPEN, at(1_000)),
        (one, CLOSED, at(1_001)),
        (one, OPEN, at(1_002)),
        (one, CLOSED, at(4_600)),
    ])
    .await;
    let service = site.start(2);
    site.settled().await;
    let expected =
        [(1, 10, Some(11), "fault"), (1, 1_000, Some(1_001), "unknown"), (1, 1_002, Some(4_600), "unknown"), (2, 20, None, "unknown")];
    assert_eq!(site.outages_since(start).await, expected);
    let outages = site.outages().await;
    let [reclosing, lockout] = [1_000, 1_002].map(|second| outages.iter().find(|outage| outage.started == at(second)).expect("found"));
    assert_eq!((lockout.evidence.len(), lockout.provisional, lockout.incident), (2, false, reclosing.incident), "{lockout:?}");
    let events = site.store.events_at(site.client, &lockout.evidence).await.expect("read");
    assert_eq!(events.iter().map(grid::Event::change_to).collect::<Vec<_>>(), ["OPEN", "CLOSED"]);
    // An open outage keeps its identity.
    let open = site.outages().await.into_iter().find(|outage| outage.ended.is_none()).expect("one that lasts");
    site.store_events(&[(two, CLOSED, at(9_000))]).await;
    site.settled().await;
    let ended = site.store.outage(site.client, open.id).await.expect("read").expect("the same one");
    assert_eq!(ended.ended, Some(at(9_000)));
    service.stop().await;
}

#[tokio::test]
async fn by_the_drawing_the_loss_of_the_busbar_is_one_incident_of_all_feeders() {
    let mut site = Site::new().await;
    site.draw().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let ([one, two], incoming) = (site.positions, site.incoming);
    // The second feeder's breaker has never moved, so it has always had its present position.
    site.store_values(&[(two, CLOSED, now())]).await;
    let service = site.start(1_000);
    site.store_events(&[
        (incoming, OPEN, at(100)),
        (one, OPEN, at(160)),
        (incoming, CLOSED, at(1_000)),
        (one, CLOSED, at(2_000)),
        (site.frequency, 1.0, at(5_000)),
        (two, OPEN, at(5_001)),
        (two, CLOSED, at(6_000)),
    ])
    .await;
    site.settled().await;
    let expected = [(1, 100, Some(2_000), "upstream"), (2, 100, Some(1_000), "upstream"), (2, 5_001, Some(6_000), "load_shedding")];
    assert_eq!(site.outages_since(start).await, expected);
    let incidents: Vec<i64> = site.outages().await.iter().map(|outage| outage.incident).collect();
    assert!(incidents[0] == incidents[1] && incidents[1] != incidents[2], "{incidents:?}");
    service.stop().await;
}

#[tokio::test]
async fn late_events_change_the_past_and_a_restart_repeats_nothing() {
    let mut site = Site::new().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    let service = site.start(1_000);
    site.store_events(&[(one, OPEN, at(1_000)), (one, CLOSED, at(8_000)), (two, OPEN, at(2_000))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [(1, 1_000, Some(8_000), "unknown"), (2, 2_000, None, "unknown")]);
    service.kill().await;
    let service = site.start(1_000);
    // Late events: a closing in between, and an earlier trip.
    site.store_events(&[(one, CLOSED, at(3_000)), (one, OPEN, at(6_000)), (one, OPEN, at(10)), (one, CLOSED, at(20))]).await;
    site.settled().await;
    let expected =
        [(1, 10, Some(20), "unknown"), (1, 1_000, Some(3_000), "unknown"), (1, 6_000, Some(8_000), "unknown"), (2, 2_000, None, "unknown")];
    assert_eq!(site.outages_since(start).await, expected);
    // A second service takes over after the first one has stopped.
    let other = site.start(1_000);
    service.stop().await;
    site.store_events(&[(two, CLOSED, at(9_500))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await.last(), Some(&(2, 2_000, Some(9_500), "unknown")));
    other.stop().await;
}

#[tokio::test]
async fn what_was_unknown_is_worked_out_again_when_it_has_said_something() {
    let mut site = Site::new().await;
    site.draw().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let one = site.positions[0];
    let service = site.start(1_000);
    site.store_events(&[(one, OPEN, at(10)), (one, CLOSED, at(1_000))]).await;
    site.settled().await;
    // The incoming breaker has never reported, so the supply before and after is unknown.
    let all = site.outages().await;
    assert!(all.len() == 1 && all[0].provisional, "{all:?}");
    site.store_values(&[(site.incoming, CLOSED, now()), (site.positions[1], CLOSED, now())]).await;
    while site.outages().await[0].provisional {
        tokio::task::yield_now().await;
    }
    assert_eq!(site.outages_since(start).await, [(1, 10, Some(1_000), "unknown")]);
    service.stop().await;
}

#[tokio::test]
async fn orders_and_tags_tell_why() {
    let mut site = Site::new().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    let mut statements = Vec::new();
    for (number, (breaker, point, second)) in [(site.breakers[0], one, 100), (site.breakers[1], two, 200)].into_iter().enumerate() {
        statements.push(format!(
            "INSERT INTO command (
                 id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status, to_status, reason,
                 simulated, from_address, correlation_id, state, requested_at, changed_at, issued, sent_at, due, \"offset\", owner)
             VALUES ('00000000-0000-4000-8000-00000000000{number}', {}, {}, {breaker}, {point}, {}, 1, 1, 'A', 'direct', 2, 1, '', false, '', '', 'DONE',
                 now(), now(), now(), instant({}), now(), 1, 'nobody');",
            site.client,
            site.location,
            site.gateway,
            at(second).0
        ));
    }
    statements.push(format!(
        "INSERT INTO tag (client_id, location_id, scope, asset_id, kind, holder, holder_id, reason, placed_at)
         VALUES ({}, {}, 'bay', {}, 'inhibit', 'A', 1, 'maintenance', instant({}))",
        site.client,
        site.location,
        site.feeders[1],
        at(0).0
    ));
    site.database.client().await.batch_execute(&statements.join("\n")).await.expect("entered");
    let service = site.start(1_000);
    site.store_events(&[(one, OPEN, at(102)), (two, OPEN, at(202)), (one, CLOSED, at(902)), (two, CLOSED, at(902))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [(1, 102, Some(902), "switching"), (2, 202, Some(902), "planned")]);
    service.stop().await;
}

#[tokio::test]
async fn many_events_are_taken_page_by_page() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-30 * 24 * 3_600_000);
    let one = site.positions[0];
    // Off for six minutes of every ten.
    let cycle =
        |number: i64| [(one, OPEN, start.plus_millis(number * 600_000)), (one, CLOSED, start.plus_millis(number * 600_000 + 360_000))];
    let events: Vec<_> = (0..4_000).flat_map(cycle).collect();
    for part in events.chunks(1_000) {
        site.store_events(part).await;
    }
    let service = site.start(777);
    site.settled().await;
    let all = site.outages().await;
    assert_eq!(all.len(), 4_000);
    assert!(all.iter().all(|outage| outage.ended == Some(outage.started.plus_millis(360_000)) && outage.trips == 1));
    service.stop().await;
}

#[tokio::test]
async fn the_cause_does_not_depend_on_what_was_told_first() {
    let mut site = Site::new().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let ([one, two], [relay, _]) = (site.positions, site.relays);
    let service = site.start(1_000);
    site.store_events(&[(one, OPEN, at(10)), (two, OPEN, at(2_000))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [(1, 10, None, "unknown"), (2, 2_000, None, "unknown")]);
    // The relay reports after the breaker, and the outage has not ended.
    site.store_events(&[(relay, 1.0, at(8))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [(1, 10, None, "fault"), (2, 2_000, None, "unknown")]);
    // A fault with currents is stored after all events have been processed.
    let statement = format!(
        "INSERT INTO fault (id, client_id, point_id, asset_id, location_id, customers, started, opened, trips, reclosed, lockout, current_r, \"offset\")
         VALUES (1, {client}, {two}, {breaker}, {place}, 0, instant({started}), instant({started}), 1, false, false, 900, 1);
         INSERT INTO fault_event (client_id, \"offset\", fault_id, asset_id, location_id, opened, trips, reclosed, lockout, current_r)
         VALUES ({client}, 1, 1, {breaker}, {place}, instant({started}), 1, false, false, 900);
         INSERT INTO stream (client_id, kind, top) VALUES ({client}, 'fault', 1) ON CONFLICT (client_id, kind) DO UPDATE SET top = 1",
        client = site.client,
        breaker = site.breakers[1],
        place = site.location,
        started = at(2_000).0
    );
    site.database.client().await.batch_execute(&statement).await.expect("entered");
    while site.outages_since(start).await[1].3 != "fault" {
        tokio::task::yield_now().await;
    }
    service.stop().await;
}

#[tokio::test]
async fn a_substation_whose_incoming_line_is_measured_dead_has_no_supply() {
    let mut site = Site::new().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let ([one, two], incoming, voltage) = (site.positions, site.incoming, site.voltage);
    site.draw().await;
    site.store_values(&[(one, CLOSED, now()), (two, CLOSED, now()), (incoming, CLOSED, now()), (voltage, 11.1, at(0))]).await;
    let service = site.start(1_000);
    // No switch moves: the voltage alone shows it. A phase to phase voltage of a tenth is not yet dead.
    site.store_values(&[(voltage, 1.2, at(900))]).await;
    site.store_values(&[(voltage, 0.0, at(1_000)), (voltage, 0.1, at(1_060))]).await;
    let expect = async |site: &Site, expected: &[(usize, i64, Option<i64>, &'static str)]| {
        let patience = std::time::Instant::now();
        while site.outages_since(start).await != expected {
            assert!(patience.elapsed().as_secs() < 20, "{:?}", site.outages().await);
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    expect(&site, &[(1, 1_000, None, "upstream"), (2, 1_000, None, "upstream")]).await;
    let incidents: Vec<i64> = site.outages().await.iter().map(|outage| outage.incident).collect();
    assert!(incidents[0] == incidents[1] && incidents[0] < 0, "one interruption, which no event began: {incidents:?}");
    site.store_values(&[(voltage, 11.0, at(3_000))]).await;
    let over = [(1, 1_000, Some(3_000), "upstream"), (2, 1_000, Some(3_000), "upstream")];
    expect(&site, &over).await;
    // A later event recomputes the substation with the same result.
    site.store_events(&[(one, OPEN, at(4_000)), (one, CLOSED, at(4_010))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [over[0], (1, 4_000, Some(4_010), "unknown"), over[1]]);
    service.stop().await;
}

#[tokio::test]
async fn a_switch_that_was_silent_earlier_is_still_waited_for() {
    let mut site = Site::new().await;
    let ([one, two], start) = (site.positions, yesterday());
    site.store.claim_outages(site.client, "worker").await.expect("claimed");
    let later = start.plus_millis(3_600_000);
    for (from, silent) in [(start, [one, two].as_slice()), (later, &[one])] {
        let stations = [RecomputedStation { location: site.location, silent: silent.to_vec(), layout: None }];
        let rework = RecomputedOutages { stations: &stations, from, outages: &[] };
        assert!(site.store.enter_outages(site.client, "worker", &rework).await.expect("entered"));
    }
    site.store_values(&[(two, CLOSED, now())]).await;
    let gaps = site.store.outage_gaps(site.client).await.expect("read");
    assert_eq!(gaps.iter().map(|gap| gap.since).collect::<Vec<_>>(), [start]);
    // Recomputed from the first instant on with one of them silent; the other has reported.
    let stations = [RecomputedStation { location: site.location, silent: vec![one], layout: None }];
    let rework = RecomputedOutages { stations: &stations, from: start, outages: &[] };
    assert!(site.store.enter_outages(site.client, "worker", &rework).await.expect("entered"));
    assert_eq!(site.store.outage_gaps(site.client).await.expect("read"), []);
}

#[tokio::test]
async fn a_drawing_where_there_was_none_has_a_past_and_another_one_has_not() {
    let mut site = Site::new().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let ([one, two], incoming) = (site.positions, site.incoming);
    site.store_values(&[(two, CLOSED, now())]).await;
    let service = site.start(1_000);
    site.store_events(&[(one, OPEN, at(10)), (one, CLOSED, at(40)), (incoming, OPEN, at(1_000)), (incoming, CLOSED, at(2_000))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [(1, 10, Some(40), "unknown")], "by the breakers alone");
    let first = site.outages().await[0].clone();
    site.draw().await;
    let expected = [(1, 10, Some(40), "unknown"), (1, 1_000, Some(2_000), "upstream"), (2, 1_000, Some(2_000), "upstream")];
    let patience = std::time::Instant::now();
    while site.outages_since(start).await != expected {
        assert!(patience.elapsed().as_secs() < 20, "{:?}", site.outages().await);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(site.outages().await[0].id, first.id, "the same one");
    // Another drawing does not apply to the time before it.
    let unlaid = || async { site.store.outages_unlaid(site.client, 300_000).await.expect("read") };
    assert_eq!(unlaid().await, []);
    site.draw_fed_twice().await;
    assert_eq!(unlaid().await, []);
    service.stop().await;
}

#[tokio::test]
async fn another_momentary_threshold_derives_the_past_again() {
    let mut site = Site::new().await;
    let start = yesterday();
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, _] = site.positions;
    let service = site.start(1_000);
    site.store_events(&[(one, OPEN, at(10)), (one, CLOSED, at(40)), (one, OPEN, at(130)), (one, CLOSED, at(160))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [(1, 10, Some(160), "unknown")], "one series within five minutes");
    let statement =
        format!("UPDATE client SET config = '{{\"reliability\": {{\"momentaryThresholdMin\": 1}}}}' WHERE id = {}", site.client);
    site.database.client().await.batch_execute(&statement).await.expect("updated");
    let expected = [(1, 10, Some(40), "unknown"), (1, 130, Some(160), "unknown")];
    let patience = std::time::Instant::now();
    while site.outages_since(start).await != expected {
        assert!(patience.elapsed().as_secs() < 20, "{:?}", site.outages().await);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    service.stop().await;
}
