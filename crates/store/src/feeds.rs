//! Feeders that supply another substation of the utility. Their customers and load are not counted in addition to those of that substation.

use grid::{AssetId, ClientId, NodeId};

use crate::convert::sql;
use crate::tenant::bind;
use crate::{Result, Store};

impl Store {
    /// Returns the feeders of a utility that supply another substation of it, ordered by id. All other feeders supply customers.
    pub async fn feeds(&self, client: ClientId) -> Result<Vec<(AssetId, NodeId)>> {
        let rows = self.of(client).query(sql!("feeds/list"), &[&client.0]).await?;
        rows.iter().map(|row| Ok((AssetId(row.try_get("asset_id")?), NodeId(row.try_get("location_id")?)))).collect()
    }

    /// Replaces these feeders, during set-up.
    pub async fn put_feeds(&self, client: ClientId, feeds: &[(AssetId, NodeId)]) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        transaction.execute(sql!("feeds/clear"), &[&client.0]).await?;
        let (assets, locations): (Vec<i64>, Vec<i64>) = feeds.iter().map(|(asset, location)| (asset.0, location.0)).unzip();
        transaction.execute(sql!("feeds/put"), &[&client.0, &assets, &locations]).await?;
        Ok(transaction.commit().await?)
    }
}
