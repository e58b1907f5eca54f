//! Energy budgets of months that users enter or import from a file.

mod file;

use grid::{ClientId, Scope};
use serde_json::{Value, json};

use crate::audit::{Entry, Origin, enter};
use crate::convert::sql;
use crate::{Result, Store, tenant};

pub use file::{BudgetLine, COLUMNS, KWH_MAX, Month, parse_file};

/// Maximum number of returned months of a place. If there are more, the newest are returned.
const MONTHS_MAX: i64 = 120;

/// The budget of a month.
#[derive(Debug, Clone, PartialEq)]
pub struct EnteredBudget {
    /// The month.
    pub month: Month,
    /// The energy of the whole month, kWh.
    pub kwh: f64,
}

/// A budget to store.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetEntry {
    /// The place; `None` for the whole utility.
    pub place: Option<Scope>,
    /// The month and its energy.
    pub budget: EnteredBudget,
}

/// Number of new, changed and unchanged budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetCounts {
    /// New budgets.
    pub added: usize,
    /// Budgets that replace another one.
    pub changed: usize,
    /// Budgets that are stored already.
    pub same: usize,
}

fn ids(place: Option<Scope>) -> (Option<i64>, Option<i64>) {
    match place {
        None => (None, None),
        Some(Scope::Node(node)) => (Some(node.0), None),
        Some(Scope::Asset(asset)) => (None, Some(asset.0)),
    }
}

/// Returns the name of a place in the audit.
fn subject(client: ClientId, place: Option<Scope>) -> String {
    match place {
        None => format!("energy budget of client {client}"),
        Some(Scope::Node(node)) => format!("energy budget of node {node}"),
        Some(Scope::Asset(asset)) => format!("energy budget of asset {asset}"),
    }
}

impl Store {
    /// Returns the budgets of a place, the newest month first.
    pub async fn energy_budgets(&self, client: ClientId, place: Option<Scope>) -> Result<Vec<EnteredBudget>> {
        let (node, asset) = ids(place);
        let rows = self.of(client).query(sql!("energy_budget/of_place"), &[&client.0, &node, &asset, &MONTHS_MAX]).await?;
        let budget = |row: &tokio_postgres::Row| {
            let month: String = row.try_get("month")?;
            let month = Month::parse(&month).ok_or_else(|| crate::Error::Unreadable(format!("month {month}")))?;
            Ok(EnteredBudget { month, kwh: row.try_get("kwh")? })
        };
        rows.iter().map(budget).collect()
    }

    /// Stores the budget of a month, or removes it, and adds an audit entry if this changes something.
    pub async fn put_energy_budget(
        &self,
        client: ClientId,
        place: Option<Scope>,
        (month, kwh): (Month, Option<f64>),
        origin: &Origin,
    ) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let (is_changed, before): (bool, Option<f64>) = if let Some(kwh) = kwh {
            let statement = transaction.prepare_cached(sql!("energy_budget/put")).await?;
            let entry = BudgetEntry { place, budget: EnteredBudget { month, kwh } };
            let row = transaction.query_opt(&statement, &[&client.0, &stored(&[entry])]).await?;
            (row.is_some(), row.map(|row| row.try_get("kwh")).transpose()?.flatten())
        } else {
            let (node, asset) = ids(place);
            let statement = transaction.prepare_cached(sql!("energy_budget/remove")).await?;
            let row = transaction.query_opt(&statement, &[&client.0, &node, &asset, &month.to_string()]).await?;
            (row.is_some(), row.map(|row| row.try_get("kwh")).transpose()?)
        };
        tenant::release(&transaction).await?;
        if is_changed {
            let value = |kwh: f64| json!({ "month": month.to_string(), "kwh": kwh });
            let entry = Entry::new(origin, "energy_budget_changed", subject(client, place)).changing(before.map(value), kwh.map(value));
            enter(&transaction, &entry).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Stores the budgets of a file, each month of a place at most once, and adds an audit entry.
    pub async fn import_energy_budgets(&self, client: ClientId, entries: &[BudgetEntry], origin: &Origin) -> Result<BudgetCounts> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("energy_budget/put")).await?;
        let rows = transaction.query(&statement, &[&client.0, &stored(entries)]).await?;
        let mut counts = BudgetCounts { same: entries.len() - rows.len(), ..BudgetCounts::default() };
        for row in &rows {
            if row.try_get::<_, Option<f64>>("kwh")?.is_some() { counts.changed += 1 } else { counts.added += 1 }
        }
        tenant::release(&transaction).await?;
        let after = json!({ "added": counts.added, "changed": counts.changed, "same": counts.same });
        let entry = Entry::new(origin, "energy_budgets_imported", format!("client {client}")).changing(None, Some(after));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(counts)
    }
}

fn stored(entries: &[BudgetEntry]) -> Value {
    let row = |entry: &BudgetEntry| {
        let (node, asset) = ids(entry.place);
        json!({ "node_id": node, "asset_id": asset, "month": entry.budget.month.to_string(), "kwh": entry.budget.kwh })
    };
    entries.iter().map(row).collect::<Vec<_>>().into()
}
