//! Seeding, and reading back what was seeded.

use grid::Level;
use grid::measure::Quantity;
use grid::point::PointKind;
use grid::position::Encoding;
use serde_json::json;
use store::seed::NodeSeed;
use testkit::Flavour;

use crate::fixture::{asset, enter, point, utility_on};

#[tokio::test]
async fn the_field_reads_back_as_entered_and_entering_it_again_changes_nothing() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let store = &utility.store;
        let (foreign, _, _) = enter(store, "KSEB").await;
        let all = store.registry(None).await.unwrap();
        let own = store.registry(Some(utility.client)).await.unwrap();
        enter(store, "APDL").await;
        assert_eq!(store.registry(None).await.unwrap(), all);
        assert_eq!((all.clients.len(), all.nodes.len(), all.assets.len(), all.gateways.len(), all.points.len()), (2, 14, 8, 4, 8));
        assert_eq!((own.clients.len(), own.nodes.len(), own.assets.len(), own.gateways.len(), own.points.len()), (1, 7, 4, 2, 4));
        assert!(all.points.iter().filter(|point| point.client == foreign).count() == 4);
        let substation = own.nodes.iter().find(|node| node.code == "MVP").unwrap();
        assert_eq!(
            (substation.level, substation.path.len(), substation.path[0], substation.path[5]),
            (Level::Substation, 6, utility.circle, substation.id)
        );
        let position = own.points.iter().find(|point| point.id == utility.sites[0].position).unwrap();
        assert_eq!(
            (position.kind, position.asset_type, position.address().as_str()),
            (PointKind::Status(Encoding::DoublePoint), 3, "F3/F3CB/Pos")
        );
        assert_eq!((position.asset, position.location, position.decimals), (utility.sites[0].breaker, utility.sites[0].location, 0));
        assert!(own.assets.iter().any(|asset| asset.is_sbo_supported && asset.kv == Some(11.0) && asset.customers == 120));
    }
}

#[tokio::test]
async fn what_has_changed_is_updated_under_the_same_id() {
    let utility = utility_on(Flavour::Timescale).await;
    let (store, site) = (&utility.store, &utility.sites[0]);
    let renamed = asset(utility.client, site.location, "F3CB", 3, "isolator");
    let added = asset(utility.client, site.location, "A0", 12, "busbar");
    let ids = store.put_assets(&[added, renamed]).await.unwrap();
    assert_eq!(ids[1], site.breaker);
    let mut scaled = point(utility.client, site.gateway, site.breaker, "F3/Ir", PointKind::Measurand, Quantity::Current);
    scaled.scale = 0.001;
    let other = point(utility.client, site.gateway, site.breaker, "F3/In", PointKind::Measurand, Quantity::Current);
    let points = store.put_points(&[other, scaled]).await.unwrap();
    assert_eq!(points[1], site.current);
    let registry = store.registry(None).await.unwrap();
    assert!(registry.points.iter().any(|point| point.id == site.current && (point.scale - 0.001).abs() < 1e-12));
    assert_eq!(registry.assets.iter().find(|asset| asset.id == site.breaker).unwrap().class_name, "isolator");
}

#[tokio::test]
async fn a_node_hangs_only_under_the_level_above_in_its_own_utility() {
    let utility = utility_on(Flavour::Timescale).await;
    let (_, foreign_circle, _) = enter(&utility.store, "KSEB").await;
    let cases = [
        (Level::Circle, None, true),
        (Level::Circle, Some(utility.circle), false),
        (Level::Division, Some(utility.circle), true),
        (Level::Division, None, false),
        (Level::Town, Some(utility.circle), false),
        (Level::Division, Some(foreign_circle), false),
    ];
    for (level, parent, allowed) in cases {
        let seed = NodeSeed {
            client: utility.client,
            level,
            parent,
            code: "X".into(),
            name: "X".into(),
            kv: None,
            lat: Some(17.7),
            lon: Some(83.3),
        };
        assert_eq!(utility.store.put_node(&seed).await.is_ok(), allowed, "{level:?} under {parent:?}");
    }
    let foreign_asset = asset(utility.client, foreign_circle, "F9", 1, "feeder");
    assert!(utility.store.put_assets(&[foreign_asset]).await.unwrap_err().is_permanent());
}

#[tokio::test]
async fn drawings_and_the_mark_of_a_finished_seed() {
    let utility = utility_on(Flavour::Plain).await;
    let (foreign, _, _) = enter(&utility.store, "KSEB").await;
    let (store, location) = (&utility.store, utility.sites[0].location);
    assert!(store.drawing(utility.client, location).await.unwrap().is_none());
    for version in [1, 2] {
        let body = json!({ "format": "switchyard-sld", "version": version });
        store.put_drawing(utility.client, location, "Autonagar", &body).await.unwrap();
        assert_eq!(store.drawing(utility.client, location).await.unwrap(), Some(body));
    }
    assert!(store.drawing(foreign, location).await.unwrap().is_none());
    assert!(store.put_drawing(foreign, location, "theirs", &json!({})).await.unwrap_err().is_permanent());
    let nodes = store.registry(Some(utility.client)).await.unwrap().nodes;
    assert_eq!(nodes.iter().filter(|node| node.drawing_stored.is_some()).map(|node| node.id).collect::<Vec<_>>(), [location]);

    assert!(!store.is_seeded("APDL").await.unwrap());
    store.mark_seeded(utility.client).await.unwrap();
    assert!(store.is_seeded("APDL").await.unwrap());
    assert!(!store.is_seeded("KSEB").await.unwrap() && !store.is_seeded("NONE").await.unwrap());
}
