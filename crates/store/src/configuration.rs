//! The settings of a utility: its name, time zone, and configuration document with labels, variants and flags.

use grid::ClientId;
use serde_json::{Map, Value};

use crate::audit::{Entry, Origin, enter};
use crate::convert::sql;
use crate::registry::{ClientRecord, client_record};
use crate::tenant::{bind, release};
use crate::{Result, Store};

/// New settings of a utility.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientDraft {
    /// Display name.
    pub name: String,
    /// IANA time zone in which its days begin.
    pub time_zone: String,
    /// The whole configuration document, including keys that do not change.
    pub config: Value,
}

impl Store {
    /// Returns a utility as stored.
    pub async fn client(&self, client: ClientId) -> Result<Option<ClientRecord>> {
        let row = self.of(client).query_opt(sql!("registry/clients"), &[&Some(client.0)]).await?;
        row.as_ref().map(client_record).transpose()
    }

    /// Changes a utility and adds an audit entry. `change` gets the locked utility. `None` if there is no such utility.
    pub async fn change_client(
        &self,
        client: ClientId,
        origin: &Origin,
        change: impl FnOnce(&ClientRecord) -> ClientDraft,
    ) -> Result<Option<ClientRecord>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("client/lock")).await?;
        let Some(row) = transaction.query_opt(&lock, &[&client.0]).await? else { return Ok(None) };
        let before = client_record(&row)?;
        let ClientDraft { name, time_zone, config } = change(&before);
        let update = transaction.prepare_cached(sql!("client/update")).await?;
        let after = client_record(&transaction.query_one(&update, &[&client.0, &name, &time_zone, &config]).await?)?;
        release(&transaction).await?;
        let (was, is) = difference(&audit_settings(&before), &audit_settings(&after));
        let entry = Entry::new(origin, "configuration_changed", format!("client {client}")).changing(Some(was), Some(is));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(after))
    }
}

/// Returns a utility for the audit, key by key.
fn audit_settings(client: &ClientRecord) -> Map<String, Value> {
    let mut settings = client.config.as_object().cloned().unwrap_or_default();
    settings.insert("name".to_owned(), client.name.clone().into());
    settings.insert("timeZone".to_owned(), client.time_zone.clone().into());
    settings
}

/// Returns the changed keys before and after. Unchanged keys are left out, because some readers of the audit may not see them.
fn difference(before: &Map<String, Value>, after: &Map<String, Value>) -> (Value, Value) {
    let only = |of: &Map<String, Value>, other: &Map<String, Value>| -> Value {
        of.iter().filter(|(key, value)| other.get(*key) != Some(value)).map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    (only(before, after), only(after, before))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        let of = |value: Value| value.as_object().cloned().unwrap_or_default();
        let (was, is) = difference(&of(json!({"a": 1, "gone": 2, "same": 3})), &of(json!({"a": 4, "new": 5, "same": 3})));
        assert_eq!((was, is), (json!({"a": 1, "gone": 2}), json!({"a": 4, "new": 5})));
    }
}
