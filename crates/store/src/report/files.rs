//! Files of runs in pieces, and links that open them without a session. The database stores only the hash of a link's token.

use grid::{ClientId, MemberId, Micros};
use serde_json::json;

use super::{ReportPermissions, hash, piece_number};
use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, micros, sql};
use crate::{Result, Store, tenant};

/// A valid link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRecord {
    /// Id of the link.
    pub id: i64,
    /// When it was created.
    pub created: Micros,
    /// When it expires.
    pub expires: Micros,
}

/// The file that a link opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// Id of the link.
    pub link: i64,
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the run.
    pub run: i64,
    /// Role of the user who created the link.
    pub role: i32,
    /// Name of the file.
    pub file_name: String,
    /// Media type, for `Content-Type`.
    pub media_type: String,
    /// Size of the file, bytes.
    pub bytes: i64,
}

impl Store {
    /// Returns a piece of a run's file, numbered from 0; `None` after the last piece, and if the file was deleted.
    pub async fn report_piece(&self, client: ClientId, run: i64, number: usize) -> Result<Option<Vec<u8>>> {
        let rows = self.query_bound(client, sql!("report/piece"), &[&client.0, &run, &piece_number(number)?]).await?;
        rows.first().map(|row| Ok(row.try_get("body")?)).transpose()
    }

    /// Stores a link to the file of a run and adds an audit entry. It is valid until `until`, but no longer than the file is stored. `None` if there is no
    /// file, or if it has `most` links already.
    pub async fn put_report_link(
        &self,
        (client, member, permissions): (ClientId, MemberId, ReportPermissions),
        run: i64,
        token: &[u8; 32],
        (now, until): (Micros, Micros),
        most: i64,
        origin: &Origin,
    ) -> Result<Option<LinkRecord>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let put = transaction.prepare_cached(sql!("report/link_put")).await?;
        let (node, role) = (permissions.node.map(|node| node.0), permissions.role);
        let row = transaction
            .query_opt(&put, &[&client.0, &run, &member.0, &hash(token), &Stamp(now), &Stamp(until), &most, &node, &role])
            .await?;
        let Some(row) = row else { return Ok(None) };
        let link = link(&row)?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_link_made", format!("report run {run}"));
        audit::enter(&transaction, &entry.changing(None, Some(json!({ "link": link.id, "expires": link.expires.0 / 1_000 })))).await?;
        transaction.commit().await?;
        Ok(Some(link))
    }

    /// Returns the valid links to the file of a run, newest first. The caller has checked the owner of the run.
    pub async fn report_links(&self, client: ClientId, run: i64, now: Micros) -> Result<Vec<LinkRecord>> {
        self.query_bound(client, sql!("report/links"), &[&client.0, &run, &Stamp(now)]).await?.iter().map(link).collect()
    }

    /// Deletes a link to a file of `member`, or of any user with `None`, and adds an audit entry. Returns false if there is no such link.
    pub async fn remove_report_link(&self, client: ClientId, member: Option<MemberId>, id: i64, origin: &Origin) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let remove = transaction.prepare_cached(sql!("report/link_remove")).await?;
        let row = transaction.query_opt(&remove, &[&client.0, &member.map(|member| member.0), &id]).await?;
        let Some(row) = row else { return Ok(false) };
        let run: i64 = row.try_get("run_id")?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_link_withdrawn", format!("report run {run}"));
        audit::enter(&transaction, &entry.changing(Some(json!({ "link": id })), None)).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Returns the file of a valid link. No user needs to be signed in.
    pub async fn report_by_link(&self, token: &[u8; 32], now: Micros) -> Result<Option<Opened>> {
        let row = self.query_opt(sql!("report/link_find"), &[&hash(token), &Stamp(now)]).await?;
        let opened = |row: tokio_postgres::Row| {
            Ok(Opened {
                link: row.try_get("id")?,
                client: ClientId(row.try_get("client_id")?),
                run: row.try_get("run_id")?,
                role: row.try_get("role_id")?,
                file_name: row.try_get("file_name")?,
                media_type: row.try_get("media_type")?,
                bytes: row.try_get("bytes")?,
            })
        };
        row.map(opened).transpose()
    }
}

fn link(row: &tokio_postgres::Row) -> Result<LinkRecord> {
    Ok(LinkRecord { id: row.try_get("id")?, created: micros(row, "created")?, expires: micros(row, "expires")? })
}
