//! Compares an event room with a model: in any order of joins, reads, messages and flushes, each client gets each row
//! once and in order.

use std::time::Duration;

use grid::{NodeId, Scope};
use proptest::prelude::*;
use serde_json::Value;
use wire::rows::EventRow;

use super::*;
use crate::frame::{Frame, Post};
use crate::row::SharedRow;

/// A step of the model.
#[derive(Debug, Clone)]
enum Step {
    /// This many rows are committed but not yet published.
    Commit(usize),
    /// One bus message publishes this many rows.
    Publish(usize),
    /// The room sends its deltas.
    Send,
    /// A client joins and is answered from memory; it has all rows but the last published ones, this many.
    FromMemory(usize),
    /// A client joins and must be answered from the database.
    FromDatabase,
    /// The read for one of the clients ends.
    Read(usize),
    /// A client leaves and joins again while its read is running.
    ComeAgain(usize),
}

struct Client {
    id: ConnectionId,
    outbox: Arc<Outbox>,
    position: Arc<AtomicI64>,
    /// Memberships whose reads have not ended.
    readings: Vec<Arc<AtomicI64>>,
    /// The offset of the client, once it has been answered.
    place: Option<i64>,
}

fn row(offset: i64) -> SharedRow {
    Arc::new(EventRow {
        asset_name: String::new(),
        signal: String::new(),
        event_time: String::new(),
        change_to: String::new(),
        value: None,
        asset_id: 1,
        point_id: 1,
        location_id: 1,
        location_name: String::new(),
        received_time: String::new(),
        quality: 0,
        offset,
    })
}

impl Client {
    /// Receives the queued frames. Frames before the answer are not for this membership.
    fn receive(&mut self) {
        for frame in self.outbox.take(usize::MAX).into_iter().flat_map(Post::frames) {
            let Frame::Text(text) = frame else { panic!("text") };
            let event: Value = serde_json::from_str(text.as_str().trim_start_matches("42/live,")).unwrap();
            let delta = &event[1];
            let place = self.place.expect("nothing comes before the answer");
            assert_eq!(delta["from"].as_i64(), Some(place), "it goes on where the client stands");
            let offsets: Vec<i64> = delta["rows"].as_array().unwrap().iter().map(|row| row["offset"].as_i64().unwrap()).collect();
            let through = delta["offset"].as_i64().unwrap();
            assert_eq!(offsets, (place + 1..=through).collect::<Vec<_>>(), "each row once");
            self.place = Some(through);
        }
        assert_eq!(self.outbox.disconnect_reason(), None);
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (1_usize..5).prop_map(Step::Commit),
        4 => (1_usize..4).prop_map(Step::Publish),
        3 => Just(Step::Send),
        1 => (0_usize..5).prop_map(Step::FromMemory),
        1 => Just(Step::FromDatabase),
        2 => (0_usize..4).prop_map(Step::Read),
        1 => (0_usize..4).prop_map(Step::ComeAgain),
    ];
    prop::collection::vec(step, 0..60)
}

fn read(room: &mut Room, client: &mut Client, committed: i64) {
    room.send();
    client.receive();
    let joined = client.readings.remove(0);
    // Only the answer to the last subscription counts.
    if Arc::ptr_eq(&joined, &client.position) {
        client.place = Some(committed);
    }
    room.release(client.id, &joined, committed);
    client.receive();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]
    #[test]
    fn every_client_gets_every_row_once_in_order(steps in steps()) {
        let stream = Stream::Events(Scope::Node(NodeId(1)));
        let mut room = Room::new("events/location/1".into(), stream, "e".into(), 0);
        let (mut committed, mut reported) = (0_i64, 0_i64);
        let mut clients: Vec<Client> = Vec::new();
        for step in steps.into_iter().chain([Step::Publish(usize::MAX), Step::Send]) {
            match step {
                Step::Commit(rows) => committed += rows as i64,
                Step::Publish(rows) => {
                    let until = reported.saturating_add(i64::try_from(rows).unwrap_or(i64::MAX)).min(committed);
                    room.publish(&(reported + 1..=until).map(row).collect::<Vec<_>>());
                    reported = until;
                }
                Step::Send => {
                    room.send();
                }
                Step::FromMemory(before) => {
                    room.send();
                    let outbox = Arc::new(Outbox::new(1 << 20, Duration::from_mins(1)));
                    let id = clients.len() as ConnectionId;
                    let position = room.join(id, outbox.clone());
                    let place = (reported - before as i64).max(0);
                    // The answer contains all rows of the hub's memory.
                    let place = place.max(reported);
                    room.release(id, &position, place);
                    clients.push(Client { id, outbox, position, readings: Vec::new(), place: Some(place) });
                }
                Step::FromDatabase => {
                    room.send();
                    let outbox = Arc::new(Outbox::new(1 << 20, Duration::from_mins(1)));
                    let id = clients.len() as ConnectionId;
                    let position = room.join(id, outbox.clone());
                    clients.push(Client { id, outbox, readings: vec![position.clone()], position, place: None });
                }
                Step::Read(number) => {
                    if let Some(client) = clients.iter_mut().filter(|client| !client.readings.is_empty()).nth(number) {
                        read(&mut room, client, committed);
                    }
                }
                Step::ComeAgain(number) => {
                    room.send();
                    if let Some(client) = clients.get_mut(number) {
                        client.receive();
                        room.leave(client.id);
                        client.position = room.join(client.id, client.outbox.clone());
                        client.readings.push(client.position.clone());
                        client.place = None;
                    }
                }
            }
        }
        for client in &mut clients {
            client.receive();
            while !client.readings.is_empty() {
                read(&mut room, client, committed);
            }
            prop_assert_eq!(client.place, Some(committed), "client {}", client.id);
            prop_assert_eq!(client.position.load(Ordering::Relaxed), committed);
        }
    }
}

#[test]
fn delta_goes_only_to_who_has_what_it_continues() {
    let (image, stream) = (Image::default(), Stream::Diagram(NodeId(1)));
    let mut room = Room::new("sld/1".into(), stream, "e".into(), 0);
    let outbox = Arc::new(Outbox::new(2_000, Duration::from_hours(1)));
    room.join(1, outbox.clone());
    outbox.push_every(Utf8Bytes::from("x".repeat(1_500)));
    room.mark_point(PointId(1), false);
    assert_eq!(room.flush(&image), 0, "the client is left behind");
    outbox.take(usize::MAX);
    assert_eq!(outbox.take_behind(), [stream]);
    // There is room again, but another change arrives before the core refreshes the client.
    room.mark_point(PointId(2), false);
    assert_eq!(room.flush(&image), 0, "this continues nothing that the client has");
    room.refresh(&outbox, &image);
    let frames: Vec<Frame> = outbox.take(usize::MAX).into_iter().flat_map(Post::frames).collect();
    let [Frame::Text(text)] = &frames[..] else { panic!("one delta: {frames:?}") };
    let event: Value = serde_json::from_str(text.as_str().trim_start_matches("42/live,")).unwrap();
    assert_eq!((&event[1]["from"], &event[1]["offset"]), (&0.into(), &2.into()));
}

#[test]
fn room_that_cannot_go_on_reaches_every_member() {
    let stream = Stream::Events(Scope::Node(NodeId(1)));
    for (epoch, place, disconnect_reason) in [("e", 5, false), ("e", 20, true), ("another", 20, false)] {
        let mut room = Room::new("events/location/1".into(), stream, "e".into(), 5);
        let outbox = Arc::new(Outbox::new(2_000, Duration::from_hours(1)));
        let position = room.join(1, outbox.clone());
        room.release(1, &position, place);
        room.end_stream(epoch, 20);
        assert_eq!(outbox.disconnect_reason().is_some(), disconnect_reason, "epoch {epoch}, place {place}");
        assert_eq!(outbox.take(usize::MAX).is_empty(), disconnect_reason, "epoch {epoch}, place {place}");
    }
}

#[test]
fn client_that_joins_between_two_flushes_shares_the_snapshot() {
    let mut room = Room::new("sld/1".into(), Stream::Diagram(NodeId(1)), "e".into(), 1);
    let (image, outbox) = (Image::default(), Arc::new(Outbox::new(10_000, Duration::from_secs(9))));
    let join = |room: &mut Room, id| {
        room.flush_before_snapshot(&image);
        let snapshot = room.snapshot(&image).expect("a snapshot");
        (snapshot.get().to_owned(), room.join(id, outbox.clone()))
    };
    let (snapshot, first) = join(&mut room, 1);
    room.mark_point(PointId(7), false);
    let (same, second) = join(&mut room, 2);
    assert_eq!((snapshot, room.top(), outbox.take(10_000).len()), (same, 1, 0), "the change waits for its window");
    assert_eq!(room.flush(&image), 2, "and leaves to both");
    assert_eq!((first.load(Ordering::Relaxed), second.load(Ordering::Relaxed), room.top()), (2, 2, 2));
}
