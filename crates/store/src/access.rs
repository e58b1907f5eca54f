//! Which pages a role has in a utility, and which of them only to look at.

use std::ops::RangeInclusive;

use grid::ClientId;
use tokio_postgres::Row;

use crate::convert::sql;
use crate::registry::{ClientRecord, client_record};
use crate::{Error, Result, Store};

/// A page that a role has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAccess {
    /// This entry.
    pub id: i64,
    /// The role.
    pub role_id: i32,
    /// The page.
    pub page: Page,
    /// Whether what the page would change is refused.
    pub is_readonly: bool,
    /// Whether it is shown as a tab.
    pub show_in_tab: bool,
}

/// A page of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Fixed id.
    pub id: i32,
    /// The application.
    pub app_id: i32,
    /// Its name.
    pub app_name: String,
    /// The tab's name.
    pub tab_name: String,
    /// The view that the tab opens.
    pub view_name: String,
    /// Fixed key, unique over all applications.
    pub tab_key: String,
    /// Place within the application.
    pub sequence: i32,
    /// The route that it is on.
    pub path: String,
}

/// What a role is to have of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageGrant {
    /// The page.
    pub tab_key: String,
    /// Whether only to look at.
    pub is_readonly: bool,
    /// Whether it is shown as a tab.
    pub show_in_tab: bool,
}

impl Store {
    /// The pages of some roles in a utility, by role, application and sequence. A role for which the utility has no rows has the defaults.
    pub async fn page_access(&self, client: ClientId, roles: RangeInclusive<i32>) -> Result<Vec<PageAccess>> {
        self.of(client).query(sql!("access/pages"), &[&client.0, roles.start(), roles.end()]).await?.iter().map(page_access).collect()
    }

    /// Whether a role may change something from a page: it has the page, and not only to look at. What is not granted is refused.
    pub async fn may_write_from(&self, client: ClientId, role_id: i32, tab_key: &str) -> Result<bool> {
        let pages = self.page_access(client, role_id..=role_id).await?;
        Ok(pages.iter().any(|access| access.page.tab_key == tab_key && !access.is_readonly))
    }

    /// Replaces what a role has in a utility. With no grants at all it has the defaults again.
    pub async fn put_page_access(&self, client: ClientId, role_id: i32, grants: &[PageGrant]) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        transaction.execute(sql!("access/clear"), &[&client.0, &role_id]).await?;
        let keys: Vec<&str> = grants.iter().map(|grant| grant.tab_key.as_str()).collect();
        let readonly: Vec<bool> = grants.iter().map(|grant| grant.is_readonly).collect();
        let shown: Vec<bool> = grants.iter().map(|grant| grant.show_in_tab).collect();
        let put = transaction.execute(sql!("access/put"), &[&client.0, &role_id, &keys, &readonly, &shown]).await?;
        if put != grants.len() as u64 {
            return Err(Error::Data(format!("of {} pages granted {put} exist", grants.len())));
        }
        Ok(transaction.commit().await?)
    }

    /// All utilities, by id: for role 1 alone, who may choose among them.
    pub async fn clients(&self) -> Result<Vec<ClientRecord>> {
        self.query(sql!("registry/clients"), &[&None::<i64>]).await?.iter().map(client_record).collect()
    }
}

fn page_access(row: &Row) -> Result<PageAccess> {
    Ok(PageAccess {
        id: row.try_get("id")?,
        role_id: row.try_get("role_id")?,
        page: Page {
            id: row.try_get("page_id")?,
            app_id: row.try_get("app_id")?,
            app_name: row.try_get("app_name")?,
            tab_name: row.try_get("tab_name")?,
            view_name: row.try_get("view_name")?,
            tab_key: row.try_get("tab_key")?,
            sequence: row.try_get("sequence")?,
            path: row.try_get("path")?,
        },
        is_readonly: row.try_get("is_readonly")?,
        show_in_tab: row.try_get("show_in_tab")?,
    })
}
