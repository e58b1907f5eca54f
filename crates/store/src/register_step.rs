//! Steps of energy registers that users have confirmed.

use grid::register::ConfirmedStep;
use grid::{ClientId, Micros, PointId};
use serde_json::{Value, json};

use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, micros, sql, without_nul};
use crate::{Result, Store, tenant};

/// A confirmed step of a register.
#[derive(Debug, Clone, PartialEq)]
pub struct StepConfirmation {
    /// The register.
    pub point: PointId,
    /// The step.
    pub step: ConfirmedStep,
    /// Name of the user who confirmed it.
    pub by: String,
    /// Time of the confirmation.
    pub confirmed: Micros,
    /// The reason that the user gave.
    pub note: String,
}

impl Store {
    /// Returns the confirmed steps of some registers from a time (inclusive) to another (exclusive).
    pub async fn confirmed_steps(
        &self,
        client: ClientId,
        points: &[PointId],
        (from, to): (Micros, Micros),
    ) -> Result<Vec<StepConfirmation>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let rows = self.of(client).query(sql!("register_step/of_points"), &[&client.0, &points, &Stamp(from), &Stamp(to)]).await?;
        let confirmation = |row: &tokio_postgres::Row| {
            Ok(StepConfirmation {
                point: PointId(row.try_get("point_id")?),
                step: ConfirmedStep { at: micros(row, "at")?, amount: row.try_get("amount")? },
                by: row.try_get("confirmed_by")?,
                confirmed: micros(row, "confirmed")?,
                note: row.try_get("note")?,
            })
        };
        rows.iter().map(confirmation).collect()
    }

    /// Stores the confirmation of a step and adds an audit entry. If the step is confirmed already, nothing changes.
    pub async fn confirm_step(&self, client: ClientId, of: &StepConfirmation, origin: &Origin) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let put = transaction.prepare_cached(sql!("register_step/put")).await?;
        let (by, note) = (without_nul(&of.by), without_nul(&of.note));
        let (at, confirmed) = (Stamp(of.step.at), Stamp(of.confirmed));
        let added = transaction.execute(&put, &[&client.0, &of.point.0, &at, &of.step.amount, &by, &confirmed, &note]).await?;
        tenant::release(&transaction).await?;
        if added > 0 {
            let entry = Entry::new(origin, "register_step_confirmed", format!("point {}", of.point));
            enter(&transaction, &entry.changing(None, Some(audit_value(&of.step, &of.note)))).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Withdraws the confirmation of a step, whose time is known to the millisecond, and adds an audit entry. Returns false if the step is not confirmed.
    pub async fn withdraw_step(&self, client: ClientId, (point, at): (PointId, Micros), note: &str, origin: &Origin) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let remove = transaction.prepare_cached(sql!("register_step/remove")).await?;
        let Some(row) = transaction.query_opt(&remove, &[&client.0, &point.0, &Stamp(at)]).await? else { return Ok(false) };
        tenant::release(&transaction).await?;
        let step = ConfirmedStep { at, amount: row.try_get("amount")? };
        let entry = Entry::new(origin, "register_step_withdrawn", format!("point {point}"));
        let before = audit_value(&step, row.try_get("note")?);
        enter(&transaction, &entry.changing(Some(before), Some(json!({ "note": note })))).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

fn audit_value(step: &ConfirmedStep, note: &str) -> Value {
    json!({ "at": step.at.millis(), "amount": step.amount, "note": note })
}
