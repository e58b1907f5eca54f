//! Outages of a utility with a network: a source in one substation supplies the feeders of another one.

use grid::Micros;
use network::changes::ChangeSet;
use network::description::{
    Consumption, Container, ContainerKind, Electrical, Equipment, Measurement, Node, SourceVoltage, Switch, Terminal,
};
use network::{Description, EquipmentKind, Phases};
use store::audit::Origin;

use crate::site::{CLOSED, OPEN, Site, now};

fn equipment(id: &str, kind: EquipmentKind, container: &str, nodes: &[&str], electrical: Electrical) -> Equipment {
    let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
    Equipment { id: id.into(), name: String::new(), kind, container: Some(container.into()), terminals, is_in_service: true, electrical }
}

/// The incoming breaker supplies a busbar with two feeders, of 70 and 30 customers.
fn description() -> Description {
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
    use EquipmentKind::{Breaker, BusbarSection, EnergyConsumer, EnergySource, LineSegment};
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
    let origin = Origin { client: Some(site.client), from: "console".to_owned(), ..Origin::default() };
    let plan = site.store.plan_network(site.client, None, ChangeSet::Whole(description())).await.expect("a plan");
    let version = site.store.apply_network(site.client, &plan, "", now(), &origin).await.expect("stored").expect("a version");
    site.store.activate_network(site.client, version, since, now(), &origin).await.expect("active");
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
