//! Questions about one utility, on connections that can read nothing of another: whatever a statement's own filter gets wrong, the database adds its own
//! (row-level security, V008).

use grid::ClientId;
use tokio_postgres::Row;

use crate::convert::sql;
use crate::pool::Params;
use crate::{Result, Store};

/// The database as one utility may see it.
#[derive(Clone, Copy)]
pub(crate) struct Tenant<'a> {
    store: &'a Store,
    client: ClientId,
}

impl Store {
    /// For one utility.
    pub(crate) fn of(&self, client: ClientId) -> Tenant<'_> {
        Tenant { store: self, client }
    }

    /// The rows of a question that is about one utility or, with `None`, about all.
    pub(crate) async fn query_of(&self, client: Option<ClientId>, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        match client {
            Some(client) => self.of(client).query(statement, params).await,
            None => self.query(statement, params).await,
        }
    }
}

impl Tenant<'_> {
    pub(crate) async fn query(self, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let connection = self.store.tenants.get().await?;
        let (bind, prepared) = (connection.prepare_cached(sql!("tenant/bind")).await?, connection.prepare_cached(statement).await?);
        let client = self.client.to_string();
        let bound: Params<'_> = &[&client];
        // Sent together, done in this order. Without the first there is no answer, so none was for another utility.
        let (_, rows) = tokio::try_join!(connection.query_one(&bind, bound), connection.query(&prepared, params))?;
        Ok(rows)
    }

    /// The one row that there may be.
    pub(crate) async fn query_opt(self, statement: &str, params: Params<'_>) -> Result<Option<Row>> {
        Ok(self.query(statement, params).await?.into_iter().next())
    }
}
