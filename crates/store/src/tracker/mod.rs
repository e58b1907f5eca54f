//! Trackers of the energy dashboard: planned actions with an owner and a due date.

use grid::{AssetId, ClientId, Micros, NodeId, Scope};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::alarm::place;
use crate::audit::{Entry, Origin};
use crate::convert::{micros, sql, without_nul};
use crate::{Result, Store, audit, tenant};

/// A tracker, as entered by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteDraft {
    /// Id of the substation.
    pub location: NodeId,
    /// Id of the asset; `None` if the tracker is not about an asset.
    pub asset: Option<AssetId>,
    /// The action.
    pub text: String,
    /// The user who is responsible for the action.
    pub owner: String,
    /// Due date, `YYYY-MM-DD`.
    pub due: String,
    /// `planned`, `in_progress`, `done` or `cancelled`.
    pub state: String,
}

/// A stored tracker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRecord {
    /// Id of the tracker.
    pub id: i64,
    /// Content of the tracker.
    pub draft: NoteDraft,
    /// Name of the substation.
    pub location_name: String,
    /// Name of the asset.
    pub asset_name: Option<String>,
    /// Name of the user who added it.
    pub created_by: String,
    /// When it was added.
    pub created: Micros,
    /// When it was changed last.
    pub changed: Micros,
    /// Whether its due date has passed in the utility's time zone and it is not done.
    pub overdue: bool,
}

impl Store {
    /// Returns the trackers of a scope, or with `None` of the whole utility, ordered by due date.
    pub async fn action_notes(&self, client: ClientId, scope: Option<Scope>, limit: i64) -> Result<Vec<NoteRecord>> {
        let (node, asset) = place(scope);
        let rows = self
            .of(client)
            .query(sql!("hierarchy/below", "tracker/rows", "tracker/list"), &[&client.0, &node, &asset, &limit.max(0)])
            .await?;
        rows.iter().map(note).collect()
    }

    /// Adds a tracker, or changes the one with the given id. `may` gets its present place and can refuse. `None` if there is no such tracker, `Some(Err)` if it was
    /// refused.
    pub async fn put_action_note<E>(
        &self,
        client: ClientId,
        id: Option<i64>,
        draft: &NoteDraft,
        by: &str,
        origin: &Origin,
        may: impl FnOnce(NodeId) -> Result<(), E>,
    ) -> Result<Option<Result<NoteRecord, E>>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let NoteDraft { location, asset, owner, due, state, .. } = draft;
        let (text, owner) = (without_nul(&draft.text), without_nul(owner));
        let asset = asset.map(|asset| asset.0);
        let mut before = None;
        let id = if let Some(id) = id {
            let statement = transaction.prepare_cached(sql!("tracker/lock")).await?;
            let Some(row) = transaction.query_opt(&statement, &[&client.0, &id]).await? else { return Ok(None) };
            if let Err(refused) = may(NodeId(row.try_get("location_id")?)) {
                return Ok(Some(Err(refused)));
            }
            before = Some(audit_value(&draft_of(&row)?));
            let statement = transaction.prepare_cached(sql!("tracker/update")).await?;
            transaction.execute(&statement, &[&client.0, &id, &location.0, &asset, &text, &owner, due, state]).await?;
            id
        } else {
            let statement = transaction.prepare_cached(sql!("tracker/insert")).await?;
            let row = transaction.query_one(&statement, &[&client.0, &location.0, &asset, &text, &owner, due, state, &by]).await?;
            row.try_get("id")?
        };
        let statement = transaction.prepare_cached(sql!("tracker/rows", "tracker/get")).await?;
        let stored = note(&transaction.query_one(&statement, &[&client.0, &id]).await?)?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "action_note_put", format!("action note {id}")).changing(before, Some(audit_value(&stored.draft)));
        audit::enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(Ok(stored)))
    }
}

fn audit_value(draft: &NoteDraft) -> Value {
    let NoteDraft { location, asset, text, owner, due, state } = draft;
    json!({ "locationId": location.0, "assetId": asset.map(|asset| asset.0), "text": text, "owner": owner, "due": due, "state": state })
}

fn draft_of(row: &Row) -> Result<NoteDraft> {
    Ok(NoteDraft {
        location: NodeId(row.try_get("location_id")?),
        asset: row.try_get::<_, Option<i64>>("asset_id")?.map(AssetId),
        text: row.try_get("text")?,
        owner: row.try_get("owner")?,
        due: row.try_get("due")?,
        state: row.try_get("state")?,
    })
}

fn note(row: &Row) -> Result<NoteRecord> {
    Ok(NoteRecord {
        id: row.try_get("id")?,
        draft: draft_of(row)?,
        location_name: row.try_get("location_name")?,
        asset_name: row.try_get("asset_name")?,
        created_by: row.try_get("created_by")?,
        created: micros(row, "created")?,
        changed: micros(row, "changed")?,
        overdue: row.try_get("overdue")?,
    })
}
