//! The stored map: replaced as a whole, separately for each utility.

use grid::AssetId;
use store::geography::{Geography, Way, WayRecord};

use crate::fixture::{enter, utility};

#[tokio::test]
async fn a_map_is_replaced_whole_and_points_at_nothing_of_another_utility() {
    let utility = utility().await;
    let (other, _, others) = enter(&utility.store, "OTHER").await;
    let (here, there) = (utility.sites[0].location, utility.sites[1].location);
    let way = |kind| WayRecord { kind, name: "W".into(), path: vec![[83.1, 17.7], [83.2, 17.8]] };
    let line = |from, to| way(Way::Line { asset: None, kv: Some(33.0), from, to });
    let feeder = way(Way::Feeder { asset: utility.sites[0].breaker, location: here });
    let whole =
        Geography { places: vec![(here, [83.1, 17.7])], ways: vec![line(Some(here), Some(there)), line(None, Some(here)), feeder.clone()] };
    utility.store.put_geography(utility.client, &whole).await.unwrap();
    assert_eq!(utility.store.ways(utility.client).await.unwrap(), whole.ways);
    let nodes = utility.store.registry(Some(utility.client)).await.unwrap().nodes;
    let placed: Vec<_> = nodes.iter().filter_map(|node| Some((node.id, node.lon?, node.lat?))).collect();
    assert_eq!(placed, [(here, 83.1, 17.7)]);
    let stray = others[0].location;
    for wrong in [
        Geography { places: vec![(stray, [0.0, 0.0])], ways: Vec::new() },
        Geography { places: Vec::new(), ways: vec![line(Some(here), Some(stray))] },
        Geography { places: Vec::new(), ways: vec![way(Way::Feeder { asset: others[0].breaker, location: here })] },
        Geography { places: Vec::new(), ways: vec![way(Way::Feeder { asset: AssetId(i64::MAX), location: here })] },
    ] {
        assert!(utility.store.put_geography(utility.client, &wrong).await.is_err(), "{wrong:?}");
    }
    assert_eq!(utility.store.ways(utility.client).await.unwrap(), whole.ways, "what cannot be stored changes nothing");
    assert!(utility.store.ways(other).await.unwrap().is_empty());
    utility.store.put_geography(utility.client, &Geography { ways: vec![feeder.clone()], ..Geography::default() }).await.unwrap();
    assert_eq!(utility.store.ways(utility.client).await.unwrap(), [feeder]);
}
