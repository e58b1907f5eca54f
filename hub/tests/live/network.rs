//! Diagrams of substations that are part of a network: one trip changes all of them in the same turn.

use grid::manual_entry::{EntryRule, EntryTerms};
use grid::{ClientId, Micros, NodeId, PointId};
use network::changes::ChangeSet;
use network::description::{Consumption, Container, ContainerKind, Electrical, Equipment, Measurement, Node, SourceVoltage, Terminal};
use network::{Description, EquipmentKind, Phases};
use serde_json::{Value, json};
use store::audit::Origin;
use store::manual_entry::{EntrySubject, NewManualEntry, SamePosition, Withdrawal};
use store::network::VersionNumber;
use wire::bus::BusMessage;

use crate::client::Client;
use crate::equipment as assets;
use crate::seeding::now;
use crate::site::Site;

pub(crate) const LIVE_KV: f64 = 131.0;

fn equipment(id: &str, kind: EquipmentKind, nodes: &[&str]) -> Equipment {
    let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
    let electrical = if kind == EquipmentKind::EnergySource { Electrical::Source(SourceVoltage::default()) } else { Electrical::Nothing };
    let station = id.split('/').next().map(str::to_owned);
    Equipment { id: id.into(), name: String::new(), kind, container: station, terminals, is_in_service: true, electrical }
}

/// A source and a breaker in substation N, and a line from there to the busbar of substation BESIDE, which has 25 customers.
fn description() -> Description {
    let station = |id: &str| Container {
        id: id.into(),
        name: id.into(),
        kind: ContainerKind::Substation,
        parent: None,
        nominal_kv: None,
        place: None,
    };
    let node =
        |id: &str| Node { id: id.into(), name: String::new(), container: None, nominal_kv: Some(132.0), is_internal: false, place: None };
    let measured = |equipment: &str, quantity: &str, terminal: Option<u8>, point: &str| Measurement {
        id: format!("{equipment}/{quantity}"),
        equipment: equipment.into(),
        terminal,
        quantity: quantity.into(),
        phases: Phases::ABC,
        point: Some(point.into()),
    };
    Description {
        containers: vec![station("N"), station("BESIDE")],
        nodes: vec![node("grid"), node("line"), node("far")],
        equipment: vec![
            equipment("N/G", EquipmentKind::EnergySource, &["grid"]),
            equipment("N/CB1", EquipmentKind::Breaker, &["grid", "line"]),
            equipment("N/L", EquipmentKind::LineSegment, &["line", "far"]),
            equipment("BESIDE/BUS", EquipmentKind::BusbarSection, &["far"]),
            Equipment {
                electrical: Electrical::Consumer(Consumption { customers: 25, ..Consumption::default() }),
                ..equipment("BESIDE/C", EquipmentKind::EnergyConsumer, &["far"])
            },
        ],
        measurements: vec![measured("N/CB1", "Pos", None, "RTU/F1/CB1/Pos"), measured("N/G", "Vry", Some(1), "RTU/F1/F1/X0")],
    }
}

pub(crate) fn origin(client: ClientId) -> Origin {
    Origin { client: Some(client), actor: None, session: None, from: "console".into(), correlation: String::new() }
}

/// The network is active, and both substations have a diagram. Returns the second one.
pub(crate) async fn site() -> (Site, NodeId) {
    site_with(description()).await
}

async fn site_with(description: Description) -> (Site, NodeId) {
    let mut site = Site::start(|config| config).await;
    site.beside().await;
    let client = site.own.client;
    let row = site.database.client().await.query_one("SELECT id FROM node WHERE code = 'BESIDE'", &[]).await.expect("a substation");
    let beside = NodeId(row.get(0));
    let own = json!([
        { "id": "G", "class": "source", "nodes": ["a"] },
        { "id": "CB1", "class": "breaker", "nodes": ["a", "b"], "position": { "point": "F1/CB1/Pos" } },
        { "id": "f", "class": "feeder", "nodes": ["b"] },
    ]);
    let other = json!([{ "id": "s", "class": "source", "nodes": ["a"] }, { "id": "BUS", "class": "busbar", "nodes": ["a"] }]);
    for (location, elements) in [(site.own.location, own), (beside, other)] {
        let drawing =
            json!({ "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 9, "height": 9 }, "elements": elements });
        site.store.put_drawing(client, location, "S", &drawing).await.expect("stored");
    }
    site.bus.publish(BusMessage::Registry { client: client.0 });
    activate(&site, description).await;
    (site, beside)
}

/// Stores a network and activates it.
async fn activate(site: &Site, description: Description) -> VersionNumber {
    let (client, origin) = (site.own.client, origin(site.own.client));
    let plan = site.store.plan_network(client, None, ChangeSet::Whole(description)).await.expect("a plan");
    let version = site.store.apply_network(client, &plan, "", now(), &origin).await.expect("stored").expect("a version");
    site.store.activate_network(client, version, Micros(0), now(), &origin).await.expect("active");
    version
}

pub(crate) async fn open(site: &Site, location: NodeId) -> (Client, Value) {
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&format!("sld/{location}")).await;
    assert_eq!(joined["ok"], json!(true), "{joined}");
    let nodes = joined["snapshot"]["nodes"].clone();
    (client, nodes)
}

/// Applies deltas until each node has the state.
pub(crate) async fn until(client: &mut Client, nodes: &mut Value, state: i64) {
    let is_reached =
        |nodes: &Value| nodes.as_array().is_some_and(|nodes| !nodes.is_empty() && nodes.iter().all(|node| node[1] == json!(state)));
    while !is_reached(nodes) {
        let delta = client.event("delta").await;
        let nodes = nodes.as_array_mut().expect("a list");
        for changed in delta["nodes"].as_array().into_iter().flatten() {
            match nodes.iter_mut().find(|node| node[0] == changed[0]) {
                Some(node) => *node = changed.clone(),
                None => nodes.push(changed.clone()),
            }
        }
    }
}

#[tokio::test]
async fn symbol_is_the_equipment_with_its_point_that_fits_its_neighbours() {
    let mut description = description();
    // One point reports two breakers, of which the diagram shows the first.
    description.nodes.push(Node { id: "beside".into(), ..description.nodes[0].clone() });
    description.equipment[1].id = "N/Q0".into();
    description.equipment.push(equipment("N/Q1", EquipmentKind::Breaker, &["grid", "beside"]));
    description.equipment.push(equipment("N/f", EquipmentKind::BusbarSection, &["line"]));
    description.measurements[0].equipment = "N/Q0".into();
    let second = Measurement { id: "second".into(), equipment: "N/Q1".into(), ..description.measurements[0].clone() };
    description.measurements.push(second);
    let (site, _) = site_with(description).await;
    let (mut client, mut nodes) = open(&site, site.own.location).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut client, &mut nodes, 1).await;
}

#[tokio::test]
async fn trip_at_one_substation_takes_the_supply_from_the_diagram_of_another() {
    let (site, beside) = site().await;
    let (mut client, mut nodes) = open(&site, beside).await;
    until(&mut client, &mut nodes, 0).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut client, &mut nodes, 1).await;
    site.change(site.own.position, 1.0);
    until(&mut client, &mut nodes, 2).await;
    site.change(site.own.position, 2.0);
    until(&mut client, &mut nodes, 1).await;
    // The voltage of the source disappears, and both substations are dead, although no switch has moved.
    site.change(site.own.currents[1], 0.2);
    until(&mut client, &mut nodes, 2).await;
    let (mut client, mut nodes) = open(&site, site.own.location).await;
    until(&mut client, &mut nodes, 2).await;
}

/// Applies deltas until the nodes of a network have these states. Panics if the stream ends.
async fn until_rows(client: &mut Client, rows: &mut Value, expected: &Value) {
    while rows != expected {
        let delta = client.event("delta").await;
        for changed in delta["rows"].as_array().into_iter().flatten() {
            let rows = rows.as_array_mut().expect("a list");
            let row = rows.iter_mut().find(|row| row["id"] == changed["id"]).expect("a row of the snapshot");
            *row = changed.clone();
        }
    }
}

#[tokio::test]
async fn new_position_point_changes_the_stream_of_the_network() {
    let mut whole = description();
    whole.nodes.push(Node { id: "behind".into(), ..whole.nodes[1].clone() });
    whole.equipment[2].terminals[1].node = "behind".into();
    whole.equipment.push(equipment("N/LBS", EquipmentKind::LoadBreakSwitch, &["behind", "far"]));
    // The registry has no such point yet: the switch is in its normal position.
    let position = Measurement {
        id: "N/LBS/Pos".into(),
        equipment: "N/LBS".into(),
        point: Some("RTU/F1/LBS/Pos".into()),
        ..whole.measurements[0].clone()
    };
    whole.measurements.push(position);
    let (site, beside) = site_with(whole).await;
    let (mut first, mut nodes) = open(&site, beside).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut first, &mut nodes, 1).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let mut rows = client.subscribe(&format!("network/{}", site.own.location)).await["snapshot"]["rows"].clone();
    let state = |id: &str, state: i64| json!({ "id": id, "state": state });
    let states = |far: i64| json!([state("grid", 1), state("line", 1), state("far", far), state("behind", 1)]);
    let sorted = |mut rows: Value| {
        rows.as_array_mut().expect("a list").sort_by_key(|row| row["id"].as_str().map(str::to_owned));
        rows
    };
    rows = sorted(rows);
    assert_eq!(rows, sorted(states(1)));
    let utility = &site.own;
    let asset = assets::asset(utility.client, utility.location, "F1", "LBS", 3, "breaker");
    let asset = site.store.put_assets(&[asset]).await.expect("an asset")[0];
    let point = assets::point(utility.client, utility.gateway, "F1", asset, "LBS/Pos");
    site.store.put_points(&[point]).await.expect("a point");
    site.bus.publish(BusMessage::Registry { client: utility.client.0 });
    until_rows(&mut client, &mut rows, &sorted(states(0))).await;
}

#[tokio::test]
async fn stream_of_a_station_has_the_nodes_at_it_and_at_the_ends_of_its_lines() {
    let (site, beside) = site().await;
    let (mut first, mut nodes) = open(&site, beside).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut first, &mut nodes, 1).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&format!("network/{}", site.own.location)).await;
    let mut rows = joined["snapshot"]["rows"].clone();
    let states = |far: i64| json!([{ "id": "far", "state": far }, { "id": "grid", "state": 1 }, { "id": "line", "state": far }]);
    assert_eq!(rows, states(1));
    site.change(site.own.position, 1.0);
    until_rows(&mut client, &mut rows, &states(2)).await;
    // Another substation has only its own node, and a utility without a network none.
    let joined = client.subscribe(&format!("network/{beside}")).await;
    assert_eq!(joined["snapshot"]["rows"], json!([{ "id": "far", "state": 2 }]));
    let token = site.session(site.other.member).await.1;
    let mut other = Client::sign_in(site.port, &token).await;
    assert_eq!(other.subscribe(&format!("network/{}", site.other.location)).await["snapshot"]["rows"], json!([]));
    assert_eq!(other.subscribe(&format!("network/{beside}")).await["ok"], json!(false), "of another utility");
}

#[tokio::test]
async fn stream_has_no_nodes_at_substations_outside_of_the_users_area() {
    let (site, beside) = site().await;
    let (mut first, mut nodes) = open(&site, beside).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut first, &mut nodes, 1).await;
    let row = site.database.client().await.query_one("SELECT id FROM member WHERE username = 'CONFINED'", &[]).await.expect("a member");
    let (_, token) = site.session(grid::MemberId(row.get(0))).await;
    let mut confined = Client::sign_in(site.port, &token).await;
    let name = format!("network/{}", site.own.location);
    let mut rows = confined.subscribe(&name).await["snapshot"]["rows"].clone();
    let states = |line: i64| json!([{ "id": "grid", "state": 1 }, { "id": "line", "state": line }]);
    assert_eq!(rows, states(1), "without the busbar of the other substation");
    let mut whole = Client::sign_in(site.port, &site.token().await).await;
    let all = whole.subscribe(&name).await["snapshot"]["rows"].clone();
    assert_eq!(all.as_array().map(Vec::len), Some(3), "{all}");
    site.change(site.own.position, 1.0);
    until_rows(&mut confined, &mut rows, &states(2)).await;
}

#[tokio::test]
async fn diagrams_follow_another_version_of_the_network() {
    let (site, beside) = site().await;
    let (mut client, mut nodes) = open(&site, beside).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut client, &mut nodes, 1).await;
    // The line is out of service.
    let mut changed = description();
    changed.equipment[2].is_in_service = false;
    let utility = site.own.client;
    let origin = origin(utility);
    let plan = site.store.plan_network(utility, Some(1), ChangeSet::Whole(changed)).await.expect("a plan");
    let version = site.store.apply_network(utility, &plan, "", now(), &origin).await.expect("stored").expect("a version");
    site.store.activate_network(utility, version, now().plus_millis(1_000), now(), &origin).await.expect("active");
    until(&mut client, &mut nodes, 2).await;
}

/// Runs statements in the database.
async fn run(site: &Site, statements: &str) {
    site.database.client().await.batch_execute(statements).await.expect("run");
}

/// Waits until a diagram says whether the active network is in memory. Returns its node states.
async fn until_available(client: &mut Client, nodes: &mut Value, is_available: bool) {
    loop {
        let delta = client.event("delta").await;
        for changed in delta["nodes"].as_array().into_iter().flatten() {
            let nodes = nodes.as_array_mut().expect("a list");
            let node = nodes.iter_mut().find(|node| node[0] == changed[0]).expect("a node of the snapshot");
            node.clone_from(changed);
        }
        if delta["networkUnavailable"] == json!(!is_available) {
            return;
        }
    }
}

#[tokio::test]
async fn states_are_unknown_while_the_active_network_is_not_in_memory() {
    let (site, beside) = site().await;
    let (mut client, mut nodes) = open(&site, beside).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut client, &mut nodes, 1).await;
    let mut overview = Client::sign_in(site.port, &site.token().await).await;
    let name = format!("overview/client/{}", site.own.client);
    let rows = overview.subscribe(&name).await["snapshot"]["rows"].clone();
    let is_flagged = |rows: &Value, flag: bool| rows.as_array().expect("rows").iter().all(|row| row["networkUnavailable"] == json!(flag));
    assert!(is_flagged(&rows, false), "{rows}");
    // A version that cannot be used becomes active, as if a later release had written it. The former one says nothing about the present.
    let activate =
        format!("INSERT INTO network_activation (client_id, since, version, entered) VALUES ({}, now(), 1, now())", site.own.client);
    run(&site, "UPDATE network_equipment SET kind = 'Elevator' WHERE kind = 'BusbarSection'").await;
    run(&site, &activate).await;
    until_available(&mut client, &mut nodes, false).await;
    assert!(nodes.as_array().expect("nodes").iter().all(|node| node[1] == json!(0)), "{nodes}");
    let rows = overview.event("delta").await["rows"].clone();
    assert!(is_flagged(&rows, true), "{rows}");
    // The drawing is no network of its own in the meantime, although its position and its source are received.
    let drawing = json!({
        "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 9, "height": 9 },
        "elements": [
            { "id": "G", "class": "source", "nodes": ["a"] },
            { "id": "CB1", "class": "breaker", "nodes": ["a", "b"], "position": { "point": "F1/CB1/Pos" } },
        ],
    });
    let other = &site.other;
    site.store.put_drawing(other.client, other.location, "S", &drawing).await.expect("stored");
    let (port, registry) = site.second_followed(|config| config).await;
    assert!(registry.networks().loaded().await);
    site.loaded(port).await;
    let change = |utility: &crate::site::Utility| {
        let at = now().0;
        let change =
            wire::bus::Change { point: utility.position.0, value: Some(2.0), quality: 0, source: at, received: at, epoch: 1, seq: at };
        site.bus.publish(BusMessage::Changes { client: utility.client.0, changes: vec![change] });
    };
    let (_, token) = site.session(other.member).await;
    let mut without = Client::sign_in(port, &token).await;
    let mut drawn = without.subscribe(&format!("sld/{}", other.location)).await["snapshot"]["nodes"].clone();
    change(&site.own);
    change(other);
    until(&mut without, &mut drawn, 1).await;
    let mut second = Client::sign_in(port, &site.token().await).await;
    let snapshot = second.subscribe(&format!("sld/{}", site.own.location)).await["snapshot"].clone();
    assert_eq!(snapshot["networkUnavailable"], json!(true));
    assert_eq!(snapshot["nodes"], json!([[0, 0], [1, 0]]));
    let mut rows = Client::sign_in(port, &site.token().await).await;
    assert_eq!(rows.subscribe(&format!("network/{beside}")).await["snapshot"]["rows"], json!([]));
    // The next version can be used.
    run(&site, "UPDATE network_equipment SET kind = 'BusbarSection' WHERE kind = 'Elevator'").await;
    run(&site, &activate).await;
    until_available(&mut client, &mut nodes, true).await;
    until(&mut client, &mut nodes, 1).await;
}

/// The same network with a switch without a point behind the busbar of BESIDE, at which a voltage is measured.
fn with_tail() -> Description {
    let mut description = description();
    let end = Node { id: "end".into(), ..description.nodes[0].clone() };
    description.nodes.push(end);
    description.equipment.push(equipment("BESIDE/SW", EquipmentKind::Breaker, &["far", "end"]));
    let voltage = Measurement {
        id: "BESIDE/BUS/Vry".into(),
        equipment: "BESIDE/BUS".into(),
        terminal: Some(1),
        quantity: "Vry".into(),
        phases: Phases::ABC,
        point: Some("RTU/F1/F1/X1".into()),
    };
    description.measurements.push(voltage);
    description
}

fn manual_entry(site: &Site, subject: EntrySubject, quantity: &str, value: f64) -> NewManualEntry {
    NewManualEntry {
        subject,
        quantity: quantity.into(),
        phases: Phases::NONE,
        value,
        reason: "seen by the crew".into(),
        member: Some(site.own.member),
        by: "Asha Rao".into(),
        terms: EntryTerms { rule: EntryRule::UntilReported, observed: now(), entered: now(), seen: None },
        same: SamePosition::default(),
        points: Vec::new(),
    }
}

/// Applies deltas until a point of a diagram has this value and quality.
async fn until_value(client: &mut Client, snapshot: &Value, point: PointId, expected: (f64, u8)) {
    let is_it = |value: &Value| value[0] == json!(point.0) && (&value[1], &value[2]) == (&json!(expected.0), &json!(expected.1));
    let has = |values: &Value| values.as_array().into_iter().flatten().any(is_it);
    if has(&snapshot["points"]) {
        return;
    }
    while !has(&client.event("delta").await["changes"]) {}
}

#[tokio::test]
async fn entered_value_is_substituted_on_the_diagram_until_a_newer_report() {
    let site = Site::start(|config| config).await;
    let (client, point) = (site.own.client, site.own.currents[0]);
    site.change(point, 80.0);
    let mut stream = Client::sign_in(site.port, &site.token().await).await;
    let snapshot = stream.subscribe(&format!("sld/{}", site.own.location)).await["snapshot"].clone();
    until_value(&mut stream, &snapshot, point, (80.0, 0)).await;
    let entry = manual_entry(&site, EntrySubject::Point(point), "Ir", 410.0);
    let entered = site.store.enter_manually(client, &entry, &[], &origin(client)).await.expect("stored").entered().expect("entered");
    until_value(&mut stream, &Value::Null, point, (410.0, 1)).await;
    // A hub that starts now shows it, too.
    let mut second = Client::sign_in(site.second().await, &site.token().await).await;
    let snapshot = second.subscribe(&format!("sld/{}", site.own.location)).await["snapshot"].clone();
    until_value(&mut second, &snapshot, point, (410.0, 1)).await;
    let withdrawal = Withdrawal { by: "Asha Rao", reason: "read wrongly", at: now() };
    site.store.withdraw_manual_entry(client, entered.id, withdrawal, &[], &origin(client)).await.expect("stored").expect("withdrawn");
    until_value(&mut stream, &Value::Null, point, (80.0, 0)).await;
    let again = manual_entry(&site, EntrySubject::Point(point), "Ir", 415.0);
    site.store.enter_manually(client, &again, &[], &origin(client)).await.expect("stored").entered().expect("entered");
    until_value(&mut stream, &Value::Null, point, (415.0, 1)).await;
    site.change(point, 81.0);
    until_value(&mut stream, &Value::Null, point, (81.0, 0)).await;
}

#[tokio::test]
async fn measured_voltage_and_confirmed_position_decide_what_is_live() {
    let (site, beside) = site_with(with_tail()).await;
    let (mut first, mut nodes) = open(&site, beside).await;
    // Nothing is known of the infeed, but the busbar has voltage.
    site.change(site.own.currents[2], LIVE_KV);
    until(&mut first, &mut nodes, 1).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let mut rows = client.subscribe(&format!("network/{beside}")).await["snapshot"]["rows"].clone();
    let states = |end: i64| json!([{ "id": "end", "state": end }, { "id": "far", "state": 1 }]);
    assert_eq!(rows, states(1), "the switch is assumed closed");
    let switch = EntrySubject::Equipment { id: "BESIDE/SW".into(), version: VersionNumber(1) };
    let entry = manual_entry(&site, switch, "Pos", 1.0);
    let own = origin(site.own.client);
    let entered = site.store.enter_manually(site.own.client, &entry, &[], &own).await.expect("stored").entered().expect("entered");
    until_rows(&mut client, &mut rows, &states(2)).await;
    let withdrawal = Withdrawal { by: "Asha Rao", reason: "closed again", at: now() };
    site.store.withdraw_manual_entry(site.own.client, entered.id, withdrawal, &[], &own).await.expect("stored").expect("withdrawn");
    until_rows(&mut client, &mut rows, &states(1)).await;
}

#[tokio::test]
async fn customers_without_supply_follow_the_network_where_nothing_is_drawn() {
    let (site, beside) = site().await;
    site.database.client().await.execute("DELETE FROM drawing WHERE location_id = $1", &[&beside.0]).await.expect("deleted");
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&format!("overview/client/{}", site.own.client)).await;
    let mut rows = joined["snapshot"]["rows"].as_array().expect("rows").clone();
    for (position, customers) in [(1.0, 25), (2.0, 0), (1.0, 25)] {
        site.change(site.own.position, position);
        let expected = |row: &Value| row["locationId"] == json!(beside.0) && row["customersWithoutSupply"] == json!(customers);
        while !rows.iter().any(expected) {
            let delta = client.event("delta").await;
            for row in delta["rows"].as_array().expect("rows") {
                match rows.iter_mut().find(|held| held["locationId"] == row["locationId"]) {
                    Some(held) => held.clone_from(row),
                    None => rows.push(row.clone()),
                }
            }
        }
        let elsewhere = |row: &&Value| row["locationId"] != json!(beside.0);
        assert!(rows.iter().filter(elsewhere).all(|row| row["customersWithoutSupply"] == json!(0)), "{rows:?}");
    }
}
