//! Discovery of gateways by their birth messages.

use grid::Level;
use grid::measure::Quantity;
use grid::point::kind_of_code;
use store::{Discovered, Discovery, NewPoint};

use crate::fixture::{START, Utility, utility};

fn metric(device: &str, metric: &str) -> NewPoint {
    let code = metric.rsplit('/').next().unwrap_or_default();
    let quantity = Quantity::of_code(code);
    NewPoint {
        device: device.to_owned(),
        metric: metric.to_owned(),
        code: code.to_owned(),
        kind: kind_of_code(code),
        quantity,
        unit: quantity.unit().to_owned(),
        expected_ms: None,
    }
}

fn discovery(utility: &Utility, gateway: &str, points: Vec<NewPoint>) -> Discovery {
    Discovery { client: utility.client, gateway_code: gateway.to_owned(), points, now: START }
}

#[tokio::test]
async fn an_unknown_gateway_gets_a_place_of_its_own_once() {
    let utility = utility().await;
    let birth = discovery(
        &utility,
        "FOREIGN",
        vec![metric("TX9", "TX9/OTI"), metric("TX9", "TX9CB/Pos"), metric("", "Uptime"), metric("D", "HUFL")],
    );
    let births = [birth.clone(), birth.clone(), birth.clone(), birth.clone()];
    let found = tokio::join!(
        utility.store.discover(&births[0]),
        utility.store.discover(&births[1]),
        utility.store.discover(&births[2]),
        utility.store.discover(&births[3]),
    );
    let first = found.0.unwrap().points;
    for other in [found.1, found.2, found.3] {
        assert_eq!(other.unwrap().points, first);
    }
    let mut addresses: Vec<(String, String, i32)> =
        first.iter().map(|point| (point.address(), point.asset_name.clone(), point.asset_type)).collect();
    addresses.sort();
    let expected = [("/Uptime", "FOREIGN", 11), ("D/HUFL", "D", 11), ("TX9/TX9/OTI", "TX9", 2), ("TX9/TX9CB/Pos", "TX9CB", 3)];
    assert_eq!(addresses, expected.map(|(address, asset, class)| (address.to_owned(), asset.to_owned(), class)));

    let registry = utility.store.registry(Some(utility.client)).await.unwrap();
    let gateway = registry.gateways.iter().find(|gateway| gateway.code == "FOREIGN").unwrap();
    assert!(gateway.discovered && !gateway.online && gateway.last_seen == Some(START));
    let location = registry.nodes.iter().find(|node| node.id == gateway.location).unwrap();
    assert_eq!((location.level, location.code.as_str(), location.path.len()), (Level::Substation, "FOREIGN", 6));
    assert_eq!(registry.nodes.iter().filter(|node| node.code == "DISCOVERED").count(), 5);
}

#[tokio::test]
async fn a_known_gateway_keeps_what_is_described_and_gains_what_is_new() {
    let utility = utility().await;
    let site = &utility.sites[0];
    let before = utility.store.registry(None).await.unwrap();
    let mut known = metric("F3", "F3/Ir");
    known.unit = "mA".to_owned();
    let found = utility
        .store
        .discover(&discovery(&utility, "AUTONAGAR", vec![known, metric("F3", "F3/Iy"), metric("F3", "F3/Iy")]))
        .await
        .unwrap()
        .points;
    assert_eq!(found.len(), 2);
    let old = found.iter().find(|point| point.metric == "F3/Ir").unwrap();
    assert_eq!((old.id, old.unit.as_str(), old.expected_ms), (site.current, "A", Some(10_000)));
    let new = found.iter().find(|point| point.metric == "F3/Iy").unwrap();
    assert_eq!((new.asset, new.location, new.gateway), (old.asset, site.location, site.gateway));
    let after = utility.store.registry(None).await.unwrap();
    assert_eq!((&after.nodes, &after.assets, &after.gateways), (&before.nodes, &before.assets, &before.gateways));
    assert_eq!(after.points.len(), before.points.len() + 1);
}

#[tokio::test]
async fn names_that_cannot_be_kept_are_refused_and_nothing_is_entered() {
    let utility = utility().await;
    let before = utility.store.registry(None).await.unwrap();
    let long = "x".repeat(513);
    for (gateway, device, name) in [("G", "D", "a\0b"), ("G", "D", long.as_str()), (long.as_str(), "D", "x"), ("", "D", "x")] {
        let points = vec![metric("D", "good"), metric(device, name)];
        let error = utility.store.discover(&discovery(&utility, gateway, points)).await.unwrap_err();
        assert!(error.is_permanent(), "{error}");
    }
    assert_eq!(utility.store.registry(None).await.unwrap(), before);
}

#[tokio::test]
async fn discoveries_entered_together_are_as_if_entered_alone() {
    let (together, alone) = (utility().await, utility().await);
    let gateways = |utility: &Utility| -> Vec<Discovery> {
        let points = |number: i32| match number {
            // A birth of a node without metrics of its own.
            0 => Vec::new(),
            _ => vec![metric("F1", "F1/Ir"), metric("F1", "F1CB/Pos")],
        };
        (0..3).map(|number| discovery(utility, &format!("NEW{number}"), points(number))).collect()
    };
    let found = together.store.discover_all(&gateways(&together)).await.unwrap();
    for (discovery, found) in gateways(&alone).iter().zip(&found) {
        let single = alone.store.discover(discovery).await.unwrap();
        let addresses =
            |found: &Discovered| found.points.iter().map(|point| (point.address(), point.asset_name.clone())).collect::<Vec<_>>();
        assert_eq!(addresses(&single), addresses(found));
        assert!(found.points.iter().all(|point| point.gateway == found.gateway));
    }
    for (what, expected) in [("node WHERE code LIKE 'NEW%'", 3), ("node WHERE code = 'DISCOVERED'", 5), ("gateway WHERE discovered", 3)] {
        assert_eq!((together.count(what).await, alone.count(what).await), (expected, expected), "{what}");
    }
    // One that cannot be entered takes the others with it, so that the caller can enter them one by one.
    let mut refused = gateways(&together);
    refused.push(discovery(&together, "LAST", vec![metric("F1", "a\0b")]));
    refused.insert(0, discovery(&together, "FIRST", vec![]));
    assert!(together.store.discover_all(&refused).await.unwrap_err().is_permanent());
    assert_eq!(together.count("gateway WHERE code IN ('FIRST', 'LAST')").await, 0);
}
