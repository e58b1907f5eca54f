//! Every state of a command reaches the subscribers of its diagram, once and in order; tags are part of the diagram.

use grid::control::machine::{self, Event, Now, Object, Order, Timing};
use grid::control::{Holder, Mode, Support, Throw};
use grid::position::Position;
use grid::{MemberId, Quality};
use serde_json::{Value, json};
use store::audit::Origin;
use store::control::{Ask, Committed, Decision, NewCommand, NewTag, Site as Point};
use wire::bus::BusMessage;
use wire::control::{CommandRow, TagRow};

use crate::client::Client;
use crate::seeding::now;
use crate::site::Site;

fn object(point: &Point) -> Object {
    let timing = Timing::new(false);
    Object { support: Support { direct: true, sbo: true }, timing, command: point.held.as_ref().map(|held| held.command) }
}

fn at(point: &Point) -> Now {
    Now { wall: point.now, monotonic_ms: point.now.millis() }
}

fn publish(site: &Site, committed: &Committed) {
    let rows: Vec<CommandRow> = committed.rows.iter().map(CommandRow::from).collect();
    let offset = rows.last().expect("a row").offset;
    let Committed { client, epoch, from, .. } = committed;
    site.bus.publish(BusMessage::Commands { client: client.0, epoch: epoch.clone(), from: *from, offset, rows });
}

/// Operates the breaker successfully: REQUESTED, SENT, DONE. Publishes it on the bus if `told`.
async fn operate(site: &Site, reported: bool) {
    let (client, point) = (site.own.client, site.own.position);
    let origin = Origin { client: Some(client), from: "test".into(), ..Origin::default() };
    let ask = Ask { session: 1, now: now(), direction: None, key: None, window_ms: 1_000, burst: 3, network: None, places: Vec::new() };
    let holder = Holder { member: MemberId(7), session: 1 };
    let decide = |found: &Point, _: &_| {
        let order = Order { id: found.fresh, holder, from: Throw::Closed, target: Throw::Open, refusal: None };
        let begins = NewCommand {
            id: found.fresh,
            mode: Mode::Direct,
            from: 2,
            to: 1,
            member: holder.member,
            operator: "A. Nair".into(),
            session: 1,
            reason: String::new(),
            simulated: true,
        };
        let step = machine::step(object(found), Event::Direct(order), at(found));
        Decision { step: Some(step), begins: Some(begins), spends: None, remembers: None, audit: None, outcome: () }
    };
    let (sent, ()) = site.store.decide(client, point, &ask, "test", &origin, decide).await.expect("stored").expect("a point");
    let arrived = |found: &Point| {
        let event = Event::Position { position: Position::Open, quality: Quality::Good, source: found.now };
        Some(machine::step(object(found), event, at(found)))
    };
    let done = site.store.advance(client, point, &origin, arrived).await.expect("stored").expect("a change");
    if reported {
        publish(site, &sent.expect("states"));
        publish(site, &done);
    }
}

fn states(rows: &Value) -> Vec<(i64, String)> {
    let row = |row: &Value| (row["offset"].as_i64().expect("an offset"), row["state"].as_str().expect("a state").to_owned());
    rows.as_array().unwrap_or_else(|| panic!("rows: {rows}")).iter().map(row).collect()
}

async fn until(client: &mut Client, mut place: i64, last: i64) -> Vec<(i64, String)> {
    let mut seen = Vec::new();
    while place < last {
        let delta = client.event("delta").await;
        assert_eq!(delta["from"].as_i64(), Some(place), "{delta}");
        place = delta["offset"].as_i64().expect("an offset");
        seen.extend(states(&delta["rows"]));
    }
    seen
}

fn expected(from: i64, to: i64) -> Vec<(i64, String)> {
    (from..=to).map(|offset| (offset, ["REQUESTED", "SENT", "DONE"][(offset as usize - 1) % 3].to_owned())).collect()
}

#[tokio::test]
async fn every_state_arrives_once_also_to_who_was_away() {
    let site = Site::start(|config| config).await;
    let stream = format!("commands/{}", site.own.location);
    operate(&site, true).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    assert_eq!((&joined["ok"], &joined["class"], &joined["offset"]), (&json!(true), &json!("every"), &json!(3)), "{joined}");
    assert_eq!(states(&joined["snapshot"]["rows"]), [(3, "DONE".to_owned())], "each in its newest state");
    operate(&site, true).await;
    assert_eq!(until(&mut client, 3, 6).await, expected(4, 6));
    // The bus loses some states; the comparison with the database adds them.
    operate(&site, false).await;
    assert_eq!(until(&mut client, 6, 9).await, expected(7, 9));
    client.ask("unsubscribe", &json!({ "stream": stream })).await;
    operate(&site, true).await;
    let resumed = client.resume(&stream, &joined["epoch"], 4).await;
    // What the hub has not received yet when it answers follows.
    let (mut seen, place) = (states(&resumed["missed"]), resumed["offset"].as_i64().expect("an offset"));
    seen.extend(until(&mut client, place, 12).await);
    assert_eq!((seen, resumed.get("snapshot")), (expected(5, 12), None), "{resumed}");
    // A new hub reads them from the database.
    let port = site.second().await;
    let mut elsewhere = Client::sign_in(port, &site.token().await).await;
    let resumed = elsewhere.resume(&stream, &joined["epoch"], 4).await;
    assert_eq!(states(&resumed["missed"]), expected(5, 12), "{resumed}");
}

#[tokio::test]
async fn commands_of_another_utility_are_of_no_stream() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let (foreign, missing) = (format!("commands/{}", site.other.location), "commands/999999999".to_owned());
    for stream in [foreign, missing, format!("commands/{}", site.own.circle)] {
        let answer = client.subscribe(&stream).await;
        assert_eq!((&answer["ok"], &answer["code"]), (&json!(false), &json!("unknown_stream")), "{stream}: {answer}");
    }
}

#[tokio::test]
async fn diagram_shows_tags_until_they_expire() {
    let site = Site::start(|config| config).await;
    let client_id = site.own.client;
    let origin = Origin { client: Some(client_id), from: "test".into(), ..Origin::default() };
    let stream = format!("sld/{}", site.own.location);
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    assert_eq!(joined["snapshot"]["tags"], json!([]), "{joined}");
    let tagged = async |client: &mut Client| loop {
        let delta = client.event("delta").await;
        if let Some(tags) = delta.get("tags") {
            return tags.as_array().expect("tags").len();
        }
    };
    let tag = |reason: &str, expires| NewTag {
        scope: grid::control::tag::TagScope::Device,
        asset: Some(site.own.feeder),
        location: site.own.location,
        kind: "caution",
        holder: "A. Nair".into(),
        holder_id: MemberId(7),
        reason: reason.into(),
        expires,
        for_minutes: None,
        places: Vec::new(),
    };
    let no_inhibit = |_: &store::control::Site, _: &grid::command::TagRecord| unreachable!("a caution ends nothing");
    let placed = site.store.place_tag(client_id, &tag("published", None), &origin, no_inhibit).await.expect("stored").expect("an asset");
    let rows = |tags: &[grid::command::TagRecord]| tags.iter().map(TagRow::from).collect();
    let location = site.own.location.0;
    let news = |version, tags| BusMessage::Tags { client: client_id.0, location, version, tags };
    site.bus.publish(news(placed.version, rows(&placed.tags)));
    assert_eq!(tagged(&mut client).await, 1);
    // Not published on the bus.
    site.store.place_tag(client_id, &tag("found", None), &origin, no_inhibit).await.expect("stored").expect("an asset");
    assert_eq!(tagged(&mut client).await, 2, "found by the comparison with the database");
    // An older list that arrives late changes nothing.
    site.bus.publish(news(placed.version, rows(&placed.tags)));
    // A tag that expires soon. The list from the bus contains it, even if the hub applies it late.
    let soon = now().plus_millis(1_000);
    let brief = site.store.place_tag(client_id, &tag("brief", Some(soon)), &origin, no_inhibit).await.expect("stored").expect("an asset");
    site.bus.publish(news(brief.version, rows(&brief.tags)));
    assert_eq!(tagged(&mut client).await, 3);
    assert_eq!(tagged(&mut client).await, 2);
    assert!(now() >= soon, "not before its time");
    let mut late = Client::sign_in(site.port, &site.token().await).await;
    let tags = late.subscribe(&stream).await["snapshot"]["tags"].clone();
    let mut reasons: Vec<&str> = tags.as_array().expect("tags").iter().filter_map(|tag| tag["reason"].as_str()).collect();
    reasons.sort_unstable();
    assert_eq!(reasons, ["found", "published"]);
}

#[tokio::test]
async fn version_of_the_areas_reaches_every_screen_of_the_utility() {
    let site = Site::start(|config| config).await;
    let id = site.own.client.0;
    let stream = format!("areas/client/{id}");
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    assert_eq!(joined["snapshot"]["rows"], json!([{ "clientId": id, "version": 0 }]), "{joined}");
    let version = async |client: &mut Client| client.event("delta").await["rows"][0]["version"].clone();
    site.bus.publish(BusMessage::Areas { client: id, version: 3 });
    assert_eq!(version(&mut client).await, 3);
    // An older version that arrives late, and one of another utility, change nothing.
    site.bus.publish(BusMessage::Areas { client: id, version: 2 });
    site.bus.publish(BusMessage::Areas { client: site.other.client.0, version: 9 });
    // Not published on the bus.
    let raised = format!("UPDATE stream SET top = 5 WHERE client_id = {id} AND kind = 'area'");
    site.database.client().await.batch_execute(&raised).await.expect("raised");
    assert_eq!(version(&mut client).await, 5, "found by the comparison with the database");
    let foreign = client.subscribe(&format!("areas/client/{}", site.other.client)).await;
    assert_eq!((&foreign["ok"], &foreign["code"]), (&json!(false), &json!("unknown_stream")), "{foreign}");
}
