//! Settings of the overcurrent relays of feeders (`grid::protection`).

use grid::protection::{Curve, Element, Setting};
use grid::{AssetId, ClientId};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::audit::{Entry, Origin};
use crate::convert::sql;
use crate::{Error, Result, Store, audit, tenant};

impl Store {
    /// Returns the settings of a feeder's relay, one for each element. Empty if there are no settings, or if the feeder belongs to another utility.
    pub async fn relay_settings(&self, client: ClientId, asset: AssetId) -> Result<Vec<Setting>> {
        let rows = self.of(client).query(sql!("relay/of_asset"), &[&client.0, &asset.0]).await?;
        rows.iter().map(setting).collect()
    }

    /// Replaces the settings of a feeder's relay, at most one for each element, and adds an audit entry.
    pub async fn replace_relay_settings(&self, client: ClientId, asset: AssetId, settings: &[Setting], origin: &Origin) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // If two administrators save at the same time, the second settings replace the first ones completely.
        let statement = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&statement, &[&client.0]).await?;
        let statement = transaction.prepare_cached(sql!("relay/of_asset")).await?;
        let before = transaction.query(&statement, &[&client.0, &asset.0]).await?;
        let before: Vec<Value> =
            before.iter().map(|row| setting(row).map(|setting| audit_value(asset, &setting))).collect::<Result<_>>()?;
        let statement = transaction.prepare_cached(sql!("relay/clear")).await?;
        transaction.execute(&statement, &[&client.0, &asset.0]).await?;
        let after: Vec<Value> = settings.iter().map(|setting| audit_value(asset, setting)).collect();
        let statement = transaction.prepare_cached(sql!("relay/put")).await?;
        let entered = transaction.execute(&statement, &[&client.0, &Value::from(after.clone())]).await?;
        // An element is contained twice, or the asset belongs to another utility.
        if entered != settings.len() as u64 {
            return Err(Error::Data(format!("{entered} of {} settings of the relay of asset {asset} were entered", settings.len())));
        }
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "relay_settings_changed", format!("asset {asset}"));
        audit::enter(&transaction, &entry.changing(Some(before.into()), Some(after.into()))).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Adds settings of elements that have none. For seeding.
    pub async fn add_relay_settings(&self, client: ClientId, settings: &[(AssetId, Setting)]) -> Result<u64> {
        let rows: Vec<Value> = settings.iter().map(|(asset, setting)| audit_value(*asset, setting)).collect();
        self.execute(sql!("relay/put"), &[&client.0, &Value::from(rows)]).await
    }
}

fn audit_value(asset: AssetId, setting: &Setting) -> Value {
    json!({
        "asset_id": asset.0, "element": setting.element.as_str(), "pickup_a": setting.pickup_a, "curve": setting.curve.as_str(), "tms": setting.tms,
        "time_s": setting.time_s,
    })
}

fn setting(row: &Row) -> Result<Setting> {
    let (element, curve): (&str, &str) = (row.try_get("element")?, row.try_get("curve")?);
    Ok(Setting {
        element: Element::parse(element).ok_or_else(|| Error::Unreadable(format!("element {element}")))?,
        pickup_a: row.try_get("pickup_a")?,
        curve: Curve::parse(curve).ok_or_else(|| Error::Unreadable(format!("curve {curve}")))?,
        tms: row.try_get("tms")?,
        time_s: row.try_get("time_s")?,
    })
}
