//! Feeders that supply a substation: replaced as a whole, separately for each utility.

use grid::AssetId;

use crate::fixture::{enter, utility};

#[tokio::test]
async fn what_feeds_a_substation_is_replaced_as_a_whole_and_is_the_utilitys_own() {
    let utility = utility().await;
    let (store, first, second) = (&utility.store, &utility.sites[0], &utility.sites[1]);
    let (other, ..) = enter(store, "OTHER").await;
    store.put_feeds(utility.client, &[(first.breaker, second.location)]).await.unwrap();
    assert_eq!(store.feeds(utility.client).await.unwrap(), [(first.breaker, second.location)]);
    assert_eq!(store.feeds(other).await.unwrap(), []);
    assert!(store.put_feeds(other, &[(first.breaker, second.location)]).await.is_err(), "not of that utility");
    assert!(store.put_feeds(utility.client, &[(AssetId(0), second.location)]).await.is_err(), "no such asset");
    assert_eq!(store.feeds(utility.client).await.unwrap().len(), 1, "what was refused has changed nothing");
    store.put_feeds(utility.client, &[]).await.unwrap();
    assert_eq!(store.feeds(utility.client).await.unwrap(), []);
}
