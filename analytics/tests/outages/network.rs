//! Outages of a utility with a network: a source in one substation supplies the feeders of another one.

use grid::Micros;
use network::changes::ChangeSet;
use network::description::{
    Consumption, Container, ContainerKind, Electrical, Equipment, Measurement, Node, SourceVoltage, Switch, Terminal,
};
use network::{Description, EquipmentKind, Phases};
use store::audit::Origin;
use store::network::VersionNumber;

use crate::site::{CLOSED, OPEN, Site, now};

pub(crate) fn equipment(id: &str, kind: EquipmentKind, container: &str, nodes: &[&str], electrical: Electrical) -> Equipment {
    let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
    Equipment { id: id.into(), name: String::new(), kind, container: Some(container.into()), terminals, is_in_service: true, electrical }
}

/// The incoming breaker supplies a busbar with two feeders, of 70 and 30 customers.
pub(crate) fn description() -> Description {
    use EquipmentKind::{Breaker, BusbarSection, EnergyConsumer, EnergySource, LineSegment};
    let container = |id: &str, kind: ContainerKind, parent: Option<&str>| Container {
        id: id.into(),
        name: id.into(),
        kind,
        parent: parent.map(Into::into),
        nominal_kv: None,
        place: None,
    };
    let node = |id: &&str| Node {
        id: (*id).into(),
        name: String::new(),
        container: None,
        nominal_kv: Some(11.0),
        is_internal: false,
        place: None,
    };
    let measured = |equipment: &str, quantity: &str, terminal: Option<u8>, point: &str| Measurement {
        id: format!("{equipment}/{quantity}"),
        equipment: equipment.into(),
        terminal,
        quantity: quantity.into(),
        phases: Phases::ABC,
        point: Some(point.into()),
    };
    let consumer = |customers| Electrical::Consumer(Consumption { customers, kw: 1.0, ..Consumption::default() });
    let switch = || Electrical::Switch(Switch::default());
    Description {
        containers: vec![
            container("N", ContainerKind::Substation, None),
            container("N/F1", ContainerKind::Feeder, Some("N")),
            container("N/F2", ContainerKind::Feeder, Some("N")),
        ],
        nodes: ["grid", "bus", "f1", "f1-end", "f2", "f2-end"].iter().map(node).collect(),
        equipment: vec![
            equipment("N/G", EnergySource, "N", &["grid"], Electrical::Source(SourceVoltage::default())),
            equipment("N/INCCB", Breaker, "N", &["grid", "bus"], switch()),
            equipment("N/BUS", BusbarSection, "N", &["bus"], Electrical::Nothing),
            equipment("N/F1CB", Breaker, "N", &["bus", "f1"], switch()),
            equipment("N/F1/S", LineSegment, "N/F1", &["f1", "f1-end"], Electrical::Nothing),
            equipment("N/F1/C", EnergyConsumer, "N/F1", &["f1-end"], consumer(70)),
            equipment("N/F2CB", Breaker, "N", &["bus", "f2"], switch()),
            equipment("N/F2/S", LineSegment, "N/F2", &["f2", "f2-end"], Electrical::Nothing),
            equipment("N/F2/C", EnergyConsumer, "N/F2", &["f2-end"], consumer(30)),
        ],
        measurements: vec![
            measured("N/INCCB", "Pos", None, "RTU/INC/INCCB/Pos"),
            measured("N/F1CB", "Pos", None, "RTU/F1/F1CB/Pos"),
            measured("N/F2CB", "Pos", None, "RTU/F2/F2CB/Pos"),
            measured("N/G", "Vry", Some(1), "RTU/INC/INC/Vry"),
        ],
    }
}

async fn activate(site: &Site, since: Micros) {
    activate_version(site, description(), since).await;
}

pub(crate) async fn activate_version(site: &Site, description: Description, since: Micros) {
    let version = store_version(site, description).await;
    let why = "the place was checked";
    site.store.activate_network_despite_unfit(site.client, version, since, now(), why, &origin(site)).await.expect("active");
}

pub(crate) async fn store_version(site: &Site, description: Description) -> VersionNumber {
    let plan = site.store.plan_network(site.client, None, ChangeSet::Whole(description)).await.expect("a plan");
    site.store.apply_network(site.client, &plan, "", now(), &origin(site)).await.expect("stored").expect("a version")
}

fn origin(site: &Site) -> Origin {
    Origin { client: Some(site.client), from: "console".to_owned(), ..Origin::default() }
}

#[tokio::test]
async fn trip_of_the_infeed_is_one_outage_of_all_feeders_with_their_customers() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    activate(&site, start.plus_millis(-1_000)).await;
    site.store_values(&[(one, CLOSED, now()), (two, CLOSED, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    site.store_events(&[(site.incoming, OPEN, at(1_000)), (site.incoming, CLOSED, at(4_600))]).await;
    site.settled().await;
    // There is no drawing: without the network, the breakers of the feeders alone would count, and they have not moved.
    assert_eq!(site.outages_since(start).await, [(1, 1_000, Some(4_600), "upstream"), (2, 1_000, Some(4_600), "upstream")]);
    let outages = site.outages().await;
    assert_eq!(outages[0].incident, outages[1].incident);
    let mut customers: Vec<u64> = outages.iter().map(|outage| outage.customers.as_ref().expect("counted").interrupted()).collect();
    customers.sort_unstable();
    assert_eq!(customers, [30, 70], "of the consumers, and not the 100 of each asset");
    service.stop().await;
}

#[tokio::test]
async fn feeder_is_found_at_any_breaker_with_the_point_of_its_bay() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    let mut description = description();
    // No container has the name of the feeder, and one point reports two breakers: that of a spare bay and that of the feeder.
    for id in description
        .containers
        .iter_mut()
        .map(|of| &mut of.id)
        .chain(description.equipment.iter_mut().filter_map(|of| of.container.as_mut()))
    {
        *id = id.replace("N/F1", "N/ONE");
    }
    description.nodes.push(Node { id: "spare".into(), ..description.nodes[0].clone() });
    let spare = equipment("N/SPARE", EquipmentKind::Breaker, "N", &["bus", "spare"], Electrical::Switch(Switch::default()));
    description.equipment.push(spare);
    let position = description.measurements.iter().find(|of| of.equipment == "N/F1CB").expect("a position");
    let [before, after] = ["before", "after"].map(|id| Measurement { id: id.into(), equipment: "N/SPARE".into(), ..position.clone() });
    description.measurements.insert(0, before);
    description.measurements.push(after);
    activate_version(&site, description, start.plus_millis(-1_000)).await;
    site.store_values(&[(one, CLOSED, now()), (two, CLOSED, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    site.store_events(&[(site.incoming, OPEN, at(1_000)), (site.incoming, CLOSED, at(4_600))]).await;
    site.settled().await;
    assert_eq!(of_first_feeder(&site, start).await, [(1_000, Some(4_600), "upstream", vec![(1_000, 70), (4_600, 0)])]);
    service.stop().await;
}

#[tokio::test]
async fn outage_of_a_feeder_without_customers_has_none() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    let mut description = description();
    description.equipment.retain(|equipment| equipment.id != "N/F1/C");
    // With an entered number, the consumers of the feeder could be missing in the network.
    let statement = format!("UPDATE asset SET customers = NULL WHERE id = {}", site.feeders[0]);
    site.database.client().await.batch_execute(&statement).await.expect("updated");
    activate_version(&site, description, start.plus_millis(-1_000)).await;
    site.store_values(&[(one, CLOSED, now()), (two, CLOSED, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    site.store_events(&[(site.incoming, OPEN, at(1_000)), (site.incoming, CLOSED, at(4_600))]).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [(1, 1_000, Some(4_600), "upstream"), (2, 1_000, Some(4_600), "upstream")]);
    // It is known that nobody was interrupted.
    assert_eq!(of_first_feeder(&site, start).await, [(1_000, Some(4_600), "upstream", vec![(1_000, 0)])]);
    service.stop().await;
}

#[tokio::test]
async fn outage_of_a_feeder_whose_customers_are_only_entered_has_those() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    let mut description = description();
    description.equipment.retain(|equipment| equipment.id != "N/F1/C");
    activate_version(&site, description, start.plus_millis(-1_000)).await;
    site.store_values(&[(one, CLOSED, now()), (two, CLOSED, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    site.store_events(&[(site.incoming, OPEN, at(1_000)), (site.incoming, CLOSED, at(4_600))]).await;
    site.settled().await;
    let outages = site.outages().await.into_iter();
    let mut customers: Vec<_> = outages.map(|outage| (outage.asset, outage.customers.map(|counted| counted.interrupted()))).collect();
    customers.sort_unstable();
    assert_eq!(customers, [(site.feeders[0], None), (site.feeders[1], Some(30))]);
    service.stop().await;
}

#[tokio::test]
async fn activation_of_a_network_changes_outages_from_then_on_only() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [one, two] = site.positions;
    site.store_values(&[(one, CLOSED, now()), (two, CLOSED, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    let trips = [
        (site.incoming, OPEN, at(1_000)),
        (site.incoming, CLOSED, at(2_000)),
        (site.incoming, OPEN, at(5_000)),
        (site.incoming, CLOSED, at(6_000)),
    ];
    site.store_events(&trips).await;
    site.settled().await;
    assert_eq!(site.outages_since(start).await, [], "no breaker of a feeder has moved");
    activate(&site, at(4_000)).await;
    let expected = [(1, 5_000, Some(6_000), "upstream"), (2, 5_000, Some(6_000), "upstream")];
    let patience = std::time::Instant::now();
    while site.outages_since(start).await != expected {
        assert!(patience.elapsed().as_secs() < 20, "{:?}", site.outages().await);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    service.stop().await;
}

/// The line of the first feeder ends at the breaker of the second one, which is normally open. The source of the network is on the busbar.
fn tied() -> Description {
    let mut description = description();
    description.containers.retain(|container| container.id != "N/F2");
    description.equipment.retain(|equipment| !equipment.id.starts_with("N/F2"));
    let switch = Electrical::Switch(Switch { is_normally_open: true, ..Switch::default() });
    description.equipment.push(equipment("N/F2CB", EquipmentKind::Breaker, "N", &["bus", "f1-end"], switch));
    description.nodes.retain(|node| !node.id.starts_with("f2"));
    description
}

#[tokio::test]
async fn customers_of_a_line_between_two_bays_are_interrupted_once() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let [breaker, tie] = site.positions;
    activate_version(&site, tied(), start.plus_millis(-1_000)).await;
    site.store_values(&[(breaker, CLOSED, now()), (tie, OPEN, now()), (site.incoming, CLOSED, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    site.store_events(&[(breaker, OPEN, at(1_000)), (breaker, CLOSED, at(4_600))]).await;
    site.settled().await;
    let outages = site.outages().await.into_iter();
    let mut customers: Vec<_> = outages.map(|outage| (outage.asset, outage.customers.map(|counted| counted.interrupted()))).collect();
    customers.sort_unstable();
    assert_eq!(customers, [(site.feeders[0], Some(70)), (site.feeders[1], None)]);
    service.stop().await;
}

/// Of the first feeder, 20 customers are behind a section switch, which reports as the second breaker. A tie that reports as the incoming breaker connects
/// their end with the busbar.
fn sectioned() -> Description {
    use EquipmentKind::{EnergyConsumer, LineSegment, LoadBreakSwitch};
    let mut description = description();
    let node = Node { id: "f1-far".into(), ..description.nodes[0].clone() };
    description.nodes.push(node);
    description.equipment.retain(|equipment| !equipment.id.starts_with("N/F2") && equipment.id != "N/INCCB");
    description.measurements.retain(|measured| !measured.equipment.starts_with("N/F2") && measured.equipment != "N/INCCB");
    description.containers.retain(|container| container.id != "N/F2");
    let switch = |is_normally_open| Electrical::Switch(Switch { is_normally_open, ..Switch::default() });
    let consumer = Electrical::Consumer(Consumption { customers: 20, kw: 1.0, ..Consumption::default() });
    description.equipment.extend([
        equipment("N/IN", LineSegment, "N", &["grid", "bus"], Electrical::Nothing),
        equipment("N/F1/SW", LoadBreakSwitch, "N/F1", &["f1-end", "f1-far"], switch(false)),
        equipment("N/F1/C2", EnergyConsumer, "N/F1", &["f1-far"], consumer),
        equipment("N/F1/TIE", LoadBreakSwitch, "N/F1", &["f1-far", "bus"], switch(true)),
    ]);
    description.nodes.retain(|node| !node.id.starts_with("f2"));
    let position = |equipment: &str, point: &str| Measurement {
        id: format!("{equipment}/Pos"),
        equipment: equipment.into(),
        point: Some(point.into()),
        ..description.measurements[0].clone()
    };
    let further = [position("N/F1/SW", "RTU/F2/F2CB/Pos"), position("N/F1/TIE", "RTU/INC/INCCB/Pos")];
    description.measurements.extend(further);
    description
}

/// Returns the outages of the first feeder as start, end and cause, with the number of customers from each second on.
async fn of_first_feeder(site: &Site, start: Micros) -> Vec<(i64, Option<i64>, &'static str, Vec<(i64, u64)>)> {
    let second = |at: Micros| at.millis_since(start) / 1_000;
    let outages = site.outages().await.into_iter().filter(|outage| outage.asset == site.feeders[0]);
    let outages = outages.map(|outage| {
        let steps = outage.customers.as_ref().expect("counted").steps().iter().map(|(at, customers)| (second(*at), *customers));
        (second(outage.started), outage.ended.map(second), outage.cause().as_str(), steps.collect())
    });
    outages.collect()
}

#[tokio::test]
async fn only_customers_without_supply_count_wherever_the_feeder_is_fed_from() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let ([breaker, section], tie) = (site.positions, site.incoming);
    activate_version(&site, sectioned(), start.plus_millis(-1_000)).await;
    site.store_values(&[(breaker, CLOSED, now()), (section, CLOSED, now()), (tie, CLOSED, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    let moves = [
        (tie, OPEN, at(100)),
        // A part of the feeder.
        (section, OPEN, at(1_000)),
        (section, CLOSED, at(2_000)),
        // From its far end: nobody is interrupted.
        (tie, CLOSED, at(3_000)),
        (breaker, OPEN, at(4_000)),
        (breaker, CLOSED, at(5_000)),
        // All of it; the far part has supply again first.
        (tie, OPEN, at(6_000)),
        (breaker, OPEN, at(7_000)),
        (section, OPEN, at(7_500)),
        (tie, CLOSED, at(8_000)),
        (breaker, CLOSED, at(9_000)),
    ];
    site.store_events(&moves).await;
    site.settled().await;
    let expected = vec![
        (1_000, Some(2_000), "unknown", vec![(1_000, 20), (2_000, 0)]),
        (7_000, Some(9_000), "unknown", vec![(7_000, 90), (8_000, 70), (9_000, 0)]),
    ];
    assert_eq!(of_first_feeder(&site, start).await, expected);
    // A late event in the middle of an outage that lasts, and one that gives back what it had taken.
    site.store_events(&[(section, CLOSED, at(10_000)), (tie, OPEN, at(11_000)), (section, OPEN, at(12_000))]).await;
    site.settled().await;
    site.store_events(&[(breaker, OPEN, at(13_000)), (breaker, CLOSED, at(14_000))]).await;
    site.settled().await;
    let lasting = (12_000, None, "unknown", vec![(12_000, 20), (13_000, 90), (14_000, 20)]);
    assert_eq!(of_first_feeder(&site, start).await, [expected, vec![lasting]].concat());
    service.stop().await;
}

#[tokio::test]
async fn customers_without_supply_from_the_start_hide_no_outage_of_the_others() {
    let mut site = Site::new().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let at = |second: i64| start.plus_millis(second * 1_000);
    let ([breaker, section], tie) = (site.positions, site.incoming);
    activate_version(&site, sectioned(), start.plus_millis(-1_000)).await;
    site.store_values(&[(breaker, CLOSED, now()), (section, OPEN, now()), (tie, OPEN, now()), (site.voltage, 11.0, at(0))]).await;
    let service = site.start(1_000);
    site.store_events(&[(breaker, OPEN, at(1_000)), (breaker, CLOSED, at(2_000))]).await;
    site.settled().await;
    let expected = vec![(1_000, Some(2_000), "unknown", vec![(1_000, 70), (2_000, 0)])];
    assert_eq!(of_first_feeder(&site, start).await, expected);
    service.stop().await;
}

#[tokio::test]
async fn late_events_of_last_year_do_not_delay_present_ones() {
    const LATE: i64 = 300;
    let mut site = Site::new().await;
    let (start, today) = (now().plus_millis(-200 * 86_400_000), now().plus_millis(-3 * 3_600_000));
    let [one, two] = site.positions;
    activate(&site, start.plus_millis(-1_000)).await;
    site.store_values(&[(one, CLOSED, now()), (two, CLOSED, now()), (site.voltage, 11.0, start)]).await;
    let service = site.start(1);
    site.store_events(&[(two, OPEN, start), (two, CLOSED, start.plus_millis(60_000))]).await;
    site.settled().await;
    let hours = |hours: i64| start.plus_millis(hours * 3_600_000);
    let late = (1..=LATE).flat_map(|nth| [(one, OPEN, hours(nth)), (one, CLOSED, hours(nth).plus_millis(1_800_000))]);
    let trip = |minute: i64| [(two, OPEN, today.plus_millis(minute * 60_000)), (two, CLOSED, today.plus_millis((minute + 10) * 60_000))];
    site.store_events(&late.chain(trip(0)).collect::<Vec<_>>()).await;
    for minute in [0, 60] {
        if minute > 0 {
            site.store_events(&trip(minute)).await;
        }
        let began = today.plus_millis(minute * 60_000);
        while !site.outages().await.iter().any(|outage| outage.started == began && outage.ended.is_some()) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let (_, top) = site.store.event_stream(site.client).await.expect("read");
        let through = site.store.outage_cursor(site.client).await.expect("read").expect("claimed").through;
        assert!(through < top - 2 * LATE, "the late events are not complete yet: {through} of {top}");
    }
    site.settled().await;
    let outages = site.outages().await;
    assert_eq!(outages.len() as i64, LATE + 3);
    assert!(outages.iter().all(|outage| outage.ended.is_some()));
    service.stop().await;
}
