//! Queries about one utility, on connections that cannot read the data of another one. Even if the filter of a statement is wrong, row-level security
//! applies (`migrations/V001__utilities.sql`).

use deadpool_postgres::{Object, Transaction};
use futures_util::{TryStreamExt, pin_mut};
use grid::ClientId;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use crate::cancel::CancelOnDrop;
use crate::class::ReadClass;
use crate::convert::sql;
use crate::pool::Params;
use crate::{Error, Result, Store};

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
    /// utility during the query.
    pub(crate) async fn query_bound(&self, client: ClientId, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let mut connection = CancelOnDrop::new(self.pool.get().await?);
        let rows = query_in_transaction(&mut connection, client, statement, params).await;
        connection.finish();
        rows
    }
}

async fn query_in_transaction(connection: &mut Object, client: ClientId, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
    let transaction = connection.transaction().await?;
    bind(&transaction, client).await?;
    let prepared = transaction.prepare_cached(statement).await?;
    let rows = transaction.query(&prepared, params).await?;
    transaction.commit().await?;
    Ok(rows)
}

/// Binds a transaction to one utility until its end or [`release`]. It can then neither read nor write rows of another utility, even if a statement is wrong.
pub(crate) async fn bind(transaction: &Transaction<'_>, client: ClientId) -> Result<()> {
    set(transaction, &client.to_string()).await
}

/// Ends the binding of a transaction, so that it can access all utilities. This is necessary because a session can be in another utility than its user, and
/// audit chains belong to no utility.
pub(crate) async fn release(transaction: &Transaction<'_>) -> Result<()> {
    set(transaction, "every").await
}

async fn set(transaction: &Transaction<'_>, bound: &str) -> Result<()> {
    let statement = transaction.prepare_cached(sql!("import/bind")).await?;
    transaction.query_one(&statement, &[&bound]).await?;
    Ok(())
}

impl Tenant<'_> {
    /// Returns the rows. In class [`ReadClass::Interactive`] a read that takes too long is [`Error::ReadTooLong`].
    pub(crate) async fn query(self, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let connection = CancelOnDrop::new(self.store.tenants.get().await?);
        let rows = query_as_tenant(&connection, self.client, statement, params).await;
        connection.finish();
        rows.map_err(|error| self.error(error))
    }

    /// Passes each row to `visit` when it arrives, so that a long answer is never completely in memory. An error of `visit` ends the query.
    pub(crate) async fn each(self, statement: &str, params: Params<'_>, mut visit: impl FnMut(&Row) -> Result<()> + Send) -> Result<()> {
        let connection = CancelOnDrop::new(self.store.tenants.get().await?);
        let rows = async {
            let (bind, prepared) = (connection.prepare_cached(sql!("tenant/bind")).await?, connection.prepare_cached(statement).await?);
            let client = self.client.to_string();
            let bound: Params<'_> = &[&client];
            let (_, rows) = tokio::try_join!(connection.query_one(&bind, bound), connection.query_raw(&prepared, params.to_vec()))?;
            Ok(rows)
        };
        let end = match rows.await {
            Ok(rows) => {
                pin_mut!(rows);
                loop {
                    match rows.try_next().await {
                        Ok(Some(row)) => visit(&row)?,
                        Ok(None) => break Ok(()),
                        Err(error) => break Err(error),
                    }
                }
            }
            Err(error) => Err(error),
        };
        connection.finish();
        end.map_err(|error| self.error(error))
    }

    fn error(self, error: tokio_postgres::Error) -> Error {
        match self.store.class {
            ReadClass::Interactive if error.code() == Some(&SqlState::QUERY_CANCELED) => Error::ReadTooLong,
            _ => error.into(),
        }
    }

    /// Runs a query with at most one row.
    pub(crate) async fn query_opt(self, statement: &str, params: Params<'_>) -> Result<Option<Row>> {
        Ok(self.query(statement, params).await?.into_iter().next())
    }
}

async fn query_as_tenant(
    connection: &Object,
    client: ClientId,
    statement: &str,
    params: Params<'_>,
) -> std::result::Result<Vec<Row>, tokio_postgres::Error> {
    let (bind, prepared) = (connection.prepare_cached(sql!("tenant/bind")).await?, connection.prepare_cached(statement).await?);
    let client = client.to_string();
    let bound: Params<'_> = &[&client];
    // Both are sent together and run in this order. If binding fails, the query returns no rows to the caller.
    let (_, rows) = tokio::try_join!(connection.query_one(&bind, bound), connection.query(&prepared, params))?;
    Ok(rows)
}
