//! Queries about one utility, on connections that cannot read the data of another one. Even if the filter of a statement is wrong, row-level security (V008)
//! applies.

use deadpool_postgres::Transaction;
use grid::ClientId;
use tokio_postgres::Row;

use crate::convert::sql;
use crate::pool::Params;
use crate::{Result, Store};

/// Access to the data of one utility.
#[derive(Clone, Copy)]
pub(crate) struct Tenant<'a> {
    store: &'a Store,
    client: ClientId,
}

impl Store {
    /// Returns access to the data of one utility.
    pub(crate) fn of(&self, client: ClientId) -> Tenant<'_> {
        Tenant { store: self, client }
    }

    /// Runs a query about one utility, or with `None` about all utilities.
    pub(crate) async fn query_of(&self, client: Option<ClientId>, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        match client {
            Some(client) => self.of(client).query(statement, params).await,
            None => self.query(statement, params).await,
        }
    }

    /// Runs a query about users of one utility. The role of the tenant connections cannot read these tables, so a connection for all utilities is bound to this
    /// one for the query.
    pub(crate) async fn query_bound(&self, client: ClientId, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let prepared = transaction.prepare_cached(statement).await?;
        let rows = transaction.query(&prepared, params).await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// Checks a tenant connection with one round trip. Its database role can be missing while other connections work.
    pub(crate) async fn ping_tenants(&self) -> Result<()> {
        self.tenants.get().await?.simple_query("").await?;
        Ok(())
    }
}

/// Binds a transaction to one utility until its end or [`release`]. It can then neither read nor write rows of another utility, even if a statement is wrong.
pub(crate) async fn bind(transaction: &Transaction<'_>, client: ClientId) -> Result<()> {
    set(transaction, &client.to_string()).await
}

/// Releases a bound transaction for all utilities: a session can be in another utility than its user, and audit chains belong to no utility.
pub(crate) async fn release(transaction: &Transaction<'_>) -> Result<()> {
    set(transaction, "every").await
}

async fn set(transaction: &Transaction<'_>, bound: &str) -> Result<()> {
    let statement = transaction.prepare_cached(sql!("import/bind")).await?;
    transaction.query_one(&statement, &[&bound]).await?;
    Ok(())
}

impl Tenant<'_> {
    pub(crate) async fn query(self, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let connection = self.store.tenants.get().await?;
        let (bind, prepared) = (connection.prepare_cached(sql!("tenant/bind")).await?, connection.prepare_cached(statement).await?);
        let client = self.client.to_string();
        let bound: Params<'_> = &[&client];
        // Both are sent together and run in this order. If binding fails, the query returns no rows to the caller.
        let (_, rows) = tokio::try_join!(connection.query_one(&bind, bound), connection.query(&prepared, params))?;
        Ok(rows)
    }

    /// Runs a query with at most one row.
    pub(crate) async fn query_opt(self, statement: &str, params: Params<'_>) -> Result<Option<Row>> {
        Ok(self.query(statement, params).await?.into_iter().next())
    }
}
