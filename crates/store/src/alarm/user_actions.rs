//! Actions of users on alarms. Each one is audited in its own transaction.

use grid::ClientId;
use grid::Micros;
use grid::alarm::{AlarmRecord, Change};
use grid::area::Place;
use serde_json::{Value, json};

use super::{Committed, alarm, enter, lock};
use crate::audit::{Entry, Origin};
use crate::convert::sql;
use crate::{Result, Store, areas, audit, tenant};

/// The result of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionResult {
    /// The changes, for the bus; `None` if nothing changed.
    pub committed: Option<Committed<AlarmRecord>>,
    /// The alarms as read under the lock, before the action.
    pub found: Vec<AlarmRecord>,
}

impl Store {
    /// Applies an action of a user to alarms. `may` gets all alarms that were found. It returns the places that the desk of the user must hold, or refuses; then nothing changes. `act` gets each
    /// locked alarm with the database's time. It changes the alarm and returns the change, or `None` to leave the alarm as it is. Ids of
    /// another utility are treated like ids that do not exist.
    pub async fn act_on_alarms<E>(
        &self,
        client: ClientId,
        ids: &[i64],
        origin: &Origin,
        may: impl FnOnce(&[AlarmRecord]) -> Result<Vec<Place>, E>,
        act: impl Fn(&mut AlarmRecord, Micros) -> Option<Change>,
    ) -> Result<Result<ActionResult, E>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let Some((epoch, from, now)) = lock(&transaction, client).await? else {
            return Ok(may(&[]).map(|_| ActionResult { committed: None, found: Vec::new() }));
        };
        let statement = transaction.prepare_cached(sql!("alarm/rows", "alarm/by_ids")).await?;
        let found = transaction.query(&statement, &[&client.0, &ids]).await?;
        let found: Vec<AlarmRecord> = found.iter().map(alarm).collect::<Result<_>>()?;
        let places = match may(&found) {
            Ok(places) => places,
            Err(refused) => return Ok(Err(refused)),
        };
        areas::permit(&transaction, client, origin, &places).await?;
        let mut changes = Vec::new();
        for before in &found {
            let mut after = before.clone();
            if let Some(change) = act(&mut after, now) {
                changes.push((after, change));
            }
        }
        if changes.is_empty() {
            return Ok(Ok(ActionResult { committed: None, found }));
        }
        let change = changes[0].1;
        let rows = enter(&transaction, client, from, changes).await?;
        tenant::release(&transaction).await?;
        let before: Vec<Value> = found.iter().filter(|before| rows.iter().any(|after| after.id == before.id)).map(audit_value).collect();
        let after: Vec<Value> = rows.iter().map(audit_value).collect();
        let subject = match &rows[..] {
            [one] => format!("alarm {}", one.id),
            several => format!("{} alarms", several.len()),
        };
        let entry = Entry::new(origin, action(change), subject).changing(Some(before.into()), Some(after.into()));
        audit::enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Ok(ActionResult { committed: Some(Committed { epoch, from, rows }), found }))
    }
}

/// Returns the name of the action in the audit. Users cannot make changes of other kinds.
fn action(change: Change) -> &'static str {
    match change {
        Change::Acknowledged => "alarm_acknowledged",
        Change::Shelved => "alarm_shelved",
        Change::Unshelved => "alarm_unshelved",
        Change::Noted | Change::Raised | Change::Suppressed | Change::Cleared | Change::Changed => "alarm_noted",
    }
}

/// Returns an alarm for the audit: its identity and what users can change.
fn audit_value(alarm: &AlarmRecord) -> Value {
    json!({
        "id": alarm.id, "source": alarm.source, "state": alarm.life.state.as_str(), "count": alarm.life.count,
        "shelvedUntil": alarm.life.shelved_until.map(Micros::millis), "shelvedReason": alarm.shelved_reason, "owner": alarm.owner, "note": alarm.note,
    })
}
