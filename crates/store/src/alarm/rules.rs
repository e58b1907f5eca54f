//! Alarm rules of points.

use grid::alarm::{AlarmKind, Rule};
use grid::{ClientId, PointId};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::audit::{Entry, Origin};
use crate::convert::{sql, without_nul};
use crate::{Error, Result, Store, audit, tenant};

impl Store {
    /// Returns the rules of a point, or of the whole utility if `point` is `None`.
    pub async fn alarm_rules(&self, client: ClientId, point: Option<PointId>) -> Result<Vec<Rule>> {
        let rows = self.of(client).query(sql!("alarm/settings_of"), &[&client.0, &point.map(|point| point.0)]).await?;
        rows.iter().map(rule).collect()
    }

    /// Replaces the rules of a point and adds an audit entry.
    pub async fn replace_alarm_rules(&self, client: ClientId, point: PointId, rules: &[Rule], origin: &Origin) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // If two administrators save at the same time, the second set of rules replaces the first one completely.
        let statement = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&statement, &[&client.0]).await?;
        let statement = transaction.prepare_cached(sql!("alarm/settings_of")).await?;
        let before = transaction.query(&statement, &[&client.0, &Some(point.0)]).await?;
        let before: Vec<Value> = before.iter().map(|row| rule(row).map(|rule| audit_value(&rule))).collect::<Result<_>>()?;
        let statement = transaction.prepare_cached(sql!("alarm/clear_settings")).await?;
        transaction.execute(&statement, &[&client.0, &point.0]).await?;
        let after: Vec<Value> = rules.iter().map(audit_value).collect();
        let statement = transaction.prepare_cached(sql!("alarm/put_settings")).await?;
        transaction.execute(&statement, &[&client.0, &Value::from(after.clone())]).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "alarm_settings_changed", format!("point {point}"));
        audit::enter(&transaction, &entry.changing(Some(before.into()), Some(after.into()))).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Adds rules to points that have no rule of the same kind. For seeding.
    pub async fn add_alarm_rules(&self, client: ClientId, rules: &[Rule]) -> Result<u64> {
        let rows: Vec<Value> = rules.iter().map(audit_value).collect();
        self.execute(sql!("alarm/put_settings"), &[&client.0, &Value::from(rows)]).await
    }
}

fn audit_value(rule: &Rule) -> Value {
    json!({
        "point_id": rule.point.0, "kind": rule.kind.as_str(), "enabled": rule.enabled, "limit_value": rule.limit, "deadband": rule.deadband,
        "state_value": rule.state_value, "on_delay_s": rule.on_delay_s, "off_delay_s": rule.off_delay_s, "priority": rule.priority,
        "text": without_nul(&rule.text),
    })
}

fn rule(row: &Row) -> Result<Rule> {
    let kind: &str = row.try_get("kind")?;
    Ok(Rule {
        point: PointId(row.try_get("point_id")?),
        kind: AlarmKind::parse(kind).ok_or_else(|| Error::Unreadable(format!("kind of alarm {kind}")))?,
        enabled: row.try_get("enabled")?,
        limit: row.try_get("limit_value")?,
        deadband: row.try_get("deadband")?,
        state_value: row.try_get("state_value")?,
        on_delay_s: row.try_get("on_delay_s")?,
        off_delay_s: row.try_get("off_delay_s")?,
        priority: row.try_get("priority")?,
        text: row.try_get("text")?,
    })
}
