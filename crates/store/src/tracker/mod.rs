//! What somebody means to do by when: notes of actions, which the trackers of the energy dashboard are.

use grid::{AssetId, ClientId, Micros, NodeId, Scope};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::alarm::place;
use crate::audit::{Entry, Origin};
use crate::convert::{micros, sql, without_nul};
use crate::{Result, Store, audit, tenant};

/// A note as a person gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteDraft {
    /// The substation.
    pub location: NodeId,
    /// The asset, where it is about one.
    pub asset: Option<AssetId>,
    /// What is to be done.
    pub text: String,
    /// By whom.
    pub owner: String,
    /// By when, `YYYY-MM-DD`.
    pub due: String,
    /// `planned`, `in_progress`, `done` or `cancelled`.
    pub state: String,
}

/// A note as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRecord {
    /// Its id.
    pub id: i64,
    /// What the person gave.
    pub draft: NoteDraft,
    /// The substation's name.
    pub location_name: String,
    /// The asset's name.
    pub asset_name: Option<String>,
    /// Who entered it, by name.
    pub created_by: String,
    /// When.
    pub created: Micros,
    /// When it was changed last.
    pub changed: Micros,
    /// Its day is over in the utility's zone, and it is not done.
    pub overdue: bool,
}

impl Store {
    /// The notes of a scope, what is due first; of the whole utility with `None`.
    pub async fn action_notes(&self, client: ClientId, scope: Option<Scope>, limit: i64) -> Result<Vec<NoteRecord>> {
        let (node, asset) = place(scope);
        let rows = self.of(client).query(sql!("tracker/list"), &[&client.0, &node, &asset, &limit.max(0)]).await?;
        rows.iter().map(note).collect()
    }

    /// Enters a note, or with an id changes that one; `may` sees where it has been until now. `None` when there is no such note, `Some(Err)` when it may not be.
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
            before = Some(told(&draft_of(&row)?));
            let statement = transaction.prepare_cached(sql!("tracker/update")).await?;
            transaction.execute(&statement, &[&client.0, &id, &location.0, &asset, &text, &owner, due, state]).await?;
            id
        } else {
            let statement = transaction.prepare_cached(sql!("tracker/insert")).await?;
            let row = transaction.query_one(&statement, &[&client.0, &location.0, &asset, &text, &owner, due, state, &by]).await?;
            row.try_get("id")?
        };
        let statement = transaction.prepare_cached(sql!("tracker/get")).await?;
        let stored = note(&transaction.query_one(&statement, &[&client.0, &id]).await?)?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "action_note_put", format!("action note {id}")).changing(before, Some(told(&stored.draft)));
        audit::enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(Ok(stored)))
    }
}

fn told(draft: &NoteDraft) -> Value {
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
