//! Questions about one utility, on connections that can read nothing of another: whatever a statement's own filter gets wrong, the database adds its own
//! (row-level security, V008).

use deadpool_postgres::Transaction;
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

    /// The rows of a question about what people of one utility do or are, which the role that only reads may not see: asked on a connection for all,
    /// bound to this utility meanwhile.
    pub(crate) async fn query_bound(&self, client: ClientId, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let prepared = transaction.prepare_cached(statement).await?;
        let rows = transaction.query(&prepared, params).await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// One round trip on the way for one utility at a time: its role may be missing where everything else works.
    pub(crate) async fn ping_tenants(&self) -> Result<()> {
        self.tenants.get().await?.simple_query("").await?;
        Ok(())
    }
}

/// Binds a transaction on a connection for all utilities to one of them, to its end or to [`release`]: rows of another are neither read nor written,
/// whatever a statement gets wrong.
pub(crate) async fn bind(transaction: &Transaction<'_>, client: ClientId) -> Result<()> {
    set(transaction, &client.to_string()).await
}

/// Lets a bound transaction go on for all: sessions may be in another utility than their person, and the chains of the audit are no utility's.
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
        // Sent together, done in this order. Without the first there is no answer, so none was for another utility.
        let (_, rows) = tokio::try_join!(connection.query_one(&bind, bound), connection.query(&prepared, params))?;
        Ok(rows)
    }

    /// The one row that there may be.
    pub(crate) async fn query_opt(self, statement: &str, params: Params<'_>) -> Result<Option<Row>> {
        Ok(self.query(statement, params).await?.into_iter().next())
    }
}
