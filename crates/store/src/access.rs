//! The access of roles to pages in a utility, with read-only access.

use std::ops::RangeInclusive;

use deadpool_postgres::Transaction;
use grid::ClientId;
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::audit::{Entry, Origin, enter};
use crate::convert::sql;
use crate::registry::{ClientRecord, client_record};
use crate::tenant::{bind, release};
use crate::{Error, Result, Store};

/// The access of a role to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAccess {
    /// Id of this entry.
    pub id: i64,
    /// Id of the role.
    pub role_id: i32,
    /// The page.
    pub page: Page,
    /// Whether the page is read-only: its changes are refused.
    pub is_readonly: bool,
    /// Whether it is shown as a tab.
    pub show_in_tab: bool,
}

/// A page of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Fixed id.
    pub id: i32,
    /// Id of the application.
    pub app_id: i32,
    /// Name of the application.
    pub app_name: String,
    /// The tab's name.
    pub tab_name: String,
    /// The view that the tab opens.
    pub view_name: String,
    /// Fixed key, unique over all applications.
    pub tab_key: String,
    /// Position within the application.
    pub sequence: i32,
    /// Route of the page.
    pub path: String,
}

/// The access to a page to grant to a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageGrant {
    /// Key of the page's tab.
    pub tab_key: String,
    /// Whether the page is read-only.
    pub is_readonly: bool,
    /// Whether it is shown as a tab.
    pub show_in_tab: bool,
}

/// The access of a role in a utility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAccess {
    /// Whether the utility has its own list; false for the default access.
    pub is_own: bool,
    /// Pages, ordered by application and position.
    pub pages: Vec<PageAccess>,
}

impl Store {
    /// Returns the pages that can be granted, ordered by application and position.
    pub async fn page_catalogue(&self) -> Result<Vec<Page>> {
        self.query(sql!("access/catalogue"), &[]).await?.iter().map(page).collect()
    }

    /// Returns the access of a role in a utility, and whether it is the utility's own list.
    pub async fn role_access(&self, client: ClientId, role_id: i32) -> Result<RoleAccess> {
        let own = self.of(client).query_opt(sql!("access/is_own"), &[&client.0, &role_id]).await?;
        let is_own = own.is_some_and(|row| row.get("is_own"));
        Ok(RoleAccess { is_own, pages: self.page_access(client, role_id..=role_id).await? })
    }

    /// Replaces the access of a role in a utility and adds an audit entry. Without grants, the role has the default access again.
    pub async fn change_page_access(&self, client: ClientId, role_id: i32, grants: &[PageGrant], origin: &Origin) -> Result<RoleAccess> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&lock, &[&client.0]).await?;
        let before = role_access(&transaction, client, role_id).await?;
        replace(&transaction, client, role_id, grants).await?;
        let after = role_access(&transaction, client, role_id).await?;
        release(&transaction).await?;
        let entry = Entry::new(origin, "page_access_changed", format!("role {role_id}"))
            .changing(Some(audit_value(&before)), Some(audit_value(&after)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(after)
    }

    /// Returns the pages of some roles in a utility, ordered by role, application and position. A role for which the utility has no rows has the default
    /// access.
    pub async fn page_access(&self, client: ClientId, roles: RangeInclusive<i32>) -> Result<Vec<PageAccess>> {
        self.of(client).query(sql!("access/pages"), &[&client.0, roles.start(), roles.end()]).await?.iter().map(page_access).collect()
    }

    /// Returns whether a role can make changes from a page: it has the page, and the page is not read-only. Without a grant the answer is no.
    pub async fn may_write_from(&self, client: ClientId, role_id: i32, tab_key: &str) -> Result<bool> {
        let pages = self.page_access(client, role_id..=role_id).await?;
        Ok(pages.iter().any(|access| access.page.tab_key == tab_key && !access.is_readonly))
    }

    /// Replaces the access of a role in a utility, during set-up. Without grants, the role has the default access again.
    pub async fn put_page_access(&self, client: ClientId, role_id: i32, grants: &[PageGrant]) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        replace(&transaction, client, role_id, grants).await?;
        Ok(transaction.commit().await?)
    }

    /// Returns all utilities, ordered by id. For role 1 only, which can select one of them.
    pub async fn clients(&self) -> Result<Vec<ClientRecord>> {
        self.query(sql!("registry/clients"), &[&None::<i64>]).await?.iter().map(client_record).collect()
    }
}

async fn replace(transaction: &Transaction<'_>, client: ClientId, role_id: i32, grants: &[PageGrant]) -> Result<()> {
    transaction.execute(sql!("access/clear"), &[&client.0, &role_id]).await?;
    let keys: Vec<&str> = grants.iter().map(|grant| grant.tab_key.as_str()).collect();
    let readonly: Vec<bool> = grants.iter().map(|grant| grant.is_readonly).collect();
    let shown: Vec<bool> = grants.iter().map(|grant| grant.show_in_tab).collect();
    let put = transaction.execute(sql!("access/put"), &[&client.0, &role_id, &keys, &readonly, &shown]).await?;
    if put != grants.len() as u64 {
        return Err(Error::Data(format!("of {} pages granted {put} exist", grants.len())));
    }
    Ok(())
}

async fn role_access(transaction: &Transaction<'_>, client: ClientId, role_id: i32) -> Result<RoleAccess> {
    let own = transaction.query_one(sql!("access/is_own"), &[&client.0, &role_id]).await?;
    let rows = transaction.query(sql!("access/pages"), &[&client.0, &role_id, &role_id]).await?;
    Ok(RoleAccess { is_own: own.try_get("is_own")?, pages: rows.iter().map(page_access).collect::<Result<_>>()? })
}

/// Returns the pages of a role for the audit.
fn audit_value(access: &RoleAccess) -> Value {
    let pages = access
        .pages
        .iter()
        .map(|access| json!({ "tabKey": access.page.tab_key, "isReadonly": access.is_readonly, "showInTab": access.show_in_tab }));
    json!({ "isDefault": !access.is_own, "pages": pages.collect::<Vec<_>>() })
}

fn page_access(row: &Row) -> Result<PageAccess> {
    Ok(PageAccess {
        id: row.try_get("id")?,
        role_id: row.try_get("role_id")?,
        page: page(row)?,
        is_readonly: row.try_get("is_readonly")?,
        show_in_tab: row.try_get("show_in_tab")?,
    })
}

fn page(row: &Row) -> Result<Page> {
    Ok(Page {
        id: row.try_get("page_id")?,
        app_id: row.try_get("app_id")?,
        app_name: row.try_get("app_name")?,
        tab_name: row.try_get("tab_name")?,
        view_name: row.try_get("view_name")?,
        tab_key: row.try_get("tab_key")?,
        sequence: row.try_get("sequence")?,
        path: row.try_get("path")?,
    })
}
