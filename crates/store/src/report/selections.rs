//! Saved report selections. Each user has separate ones.

use grid::{ClientId, MemberId, Micros};
use serde_json::{Value, json};

use super::{SelectionDraft, SelectionRecord, selection};
use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, sql};
use crate::{Result, Store, tenant};

impl SelectionDraft {
    fn audit_value(&self) -> Value {
        json!({ "name": self.name, "question": self.question, "format": self.format })
    }
}

impl Store {
    /// Returns the selections of a user, ordered by name.
    pub async fn report_selections(&self, client: ClientId, member: MemberId) -> Result<Vec<SelectionRecord>> {
        self.query_bound(client, sql!("report/selections"), &[&client.0, &member.0]).await?.iter().map(selection).collect()
    }

    /// Saves a selection and adds an audit entry. `None`, and nothing is saved, if the user has `most` selections already.
    pub async fn put_report_selection(
        &self,
        (client, member): (ClientId, MemberId),
        draft: &SelectionDraft,
        now: Micros,
        most: i64,
        origin: &Origin,
    ) -> Result<Option<SelectionRecord>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&lock, &[&client.0]).await?;
        let put = transaction.prepare_cached(sql!("report/selection_put")).await?;
        let SelectionDraft { name, question, format } = draft;
        let row = transaction.query_opt(&put, &[&client.0, &member.0, name, question, format, &Stamp(now), &most]).await?;
        let Some(row) = row else { return Ok(None) };
        let added = selection(&row)?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_selection_added", format!("report selection {}", added.id));
        audit::enter(&transaction, &entry.changing(None, Some(draft.audit_value()))).await?;
        transaction.commit().await?;
        Ok(Some(added))
    }

    /// Replaces a selection, or with `None` deletes it, and adds an audit entry. Returns the changed selection or the deleted one; `None` if the user has no
    /// such selection.
    pub async fn change_report_selection(
        &self,
        (client, member): (ClientId, MemberId),
        id: i64,
        draft: Option<&SelectionDraft>,
        origin: &Origin,
    ) -> Result<Option<SelectionRecord>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("report/selection_lock")).await?;
        let Some(row) = transaction.query_opt(&lock, &[&client.0, &member.0, &id]).await? else { return Ok(None) };
        let before = selection(&row)?;
        let (after, action) = if let Some(SelectionDraft { name, question, format }) = draft {
            let change = transaction.prepare_cached(sql!("report/selection_change")).await?;
            let row = transaction.query_one(&change, &[&client.0, &id, name, question, format]).await?;
            (selection(&row)?, "report_selection_changed")
        } else {
            let remove = transaction.prepare_cached(sql!("report/selection_remove")).await?;
            transaction.execute(&remove, &[&client.0, &id]).await?;
            (before.clone(), "report_selection_removed")
        };
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, action, format!("report selection {id}"));
        audit::enter(&transaction, &entry.changing(Some(before.draft.audit_value()), draft.map(SelectionDraft::audit_value))).await?;
        transaction.commit().await?;
        Ok(Some(after))
    }
}
