//! Ratings of transformers: missing parameters have the default of the cooling, stored ones are kept, and utilities are separate.

use grid::thermal::{Cooling, Paper, Parameters, Regime};
use store::rating::{IndicatorLimits, RatingSeed};

use crate::fixture::{enter, utility};

#[tokio::test]
async fn what_is_not_known_is_the_default_of_the_cooling() {
    let utility = utility().await;
    let (store, client, asset) = (&utility.store, utility.client, utility.sites[0].breaker);
    assert_eq!(store.rating(client, asset).await.unwrap(), None);
    let limits = IndicatorLimits { oil_alarm: Some(85.0), winding_trip: Some(105.0), ..IndicatorLimits::default() };
    let seed = RatingSeed { client, asset, mva: 8.0, cooling: Cooling::Onaf, paper: Paper::Upgraded, limits, used_life_years: 3.25 };
    store.put_ratings(&[seed]).await.unwrap();
    let found = store.rating(client, asset).await.unwrap().unwrap();
    assert_eq!(found.rating.parameters, Parameters::typical(Cooling::Onaf));
    assert_eq!((found.rating.paper, found.rating.regime, found.limits), (Paper::Upgraded, Regime::NormalCyclic, limits));
    assert!((found.rating.mva - 8.0).abs() < 1e-12 && (found.used_life_years - 3.25).abs() < 1e-12);
}

#[tokio::test]
async fn what_the_heat_run_showed_stays_when_the_seed_comes_again() {
    let utility = utility().await;
    let (store, client, asset) = (&utility.store, utility.client, utility.sites[0].breaker);
    let seed = RatingSeed {
        client,
        asset,
        mva: 8.0,
        cooling: Cooling::Onan,
        paper: Paper::Normal,
        limits: IndicatorLimits::default(),
        used_life_years: 0.0,
    };
    store.put_ratings(&[seed]).await.unwrap();
    let statement = "UPDATE rating SET oil_rise_k = 52, gradient_k = 18, k21 = 1.5, regime = 'long_emergency' WHERE asset_id = $1";
    utility.database.client().await.execute(statement, &[&asset.0]).await.unwrap();
    store.put_ratings(&[seed]).await.unwrap();
    let found = store.rating(client, asset).await.unwrap().unwrap().rating;
    let expected = Parameters { oil_rise_k: 52.0, gradient_k: 18.0, k21: 1.5, ..Parameters::typical(Cooling::Onan) };
    assert_eq!((found.parameters, found.regime), (expected, Regime::LongEmergency));
}

#[tokio::test]
async fn a_rating_is_of_one_utility() {
    let utility = utility().await;
    let other = enter(&utility.store, "KSEB").await;
    let (store, asset) = (&utility.store, utility.sites[0].breaker);
    let seed = |client| RatingSeed {
        client,
        asset,
        mva: 5.0,
        cooling: Cooling::Onan,
        paper: Paper::Normal,
        limits: IndicatorLimits::default(),
        used_life_years: 0.0,
    };
    assert!(store.put_ratings(&[seed(other.0)]).await.is_err(), "an asset of another utility");
    store.put_ratings(&[seed(utility.client)]).await.unwrap();
    assert_eq!(store.rating(other.0, asset).await.unwrap(), None);
    assert!(store.rating(utility.client, asset).await.unwrap().is_some());
}
