//! Files of runs, a piece at a time, and the links that open them without a session. Of a link only the hash of what it carries is known here.

use grid::{ClientId, MemberId, Micros};
use serde_json::json;

use super::{Standing, hash, piece_number};
use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, micros, sql};
use crate::{Result, Store, tenant};

/// A link that is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRecord {
    /// Its number.
    pub id: i64,
    /// When it was made.
    pub created: Micros,
    /// Until when it is good.
    pub expires: Micros,
}

/// What a link opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The link.
    pub link: i64,
    /// The utility.
    pub client: ClientId,
    /// The run.
    pub run: i64,
    /// The role of who made the link.
    pub role: i32,
    /// What the file is called.
    pub file_name: String,
    /// For `Content-Type`.
    pub media_type: String,
    /// Its length.
    pub bytes: i64,
}

impl Store {
    /// A piece of the file of a run, from 0 on; `None` behind the last, and where there is no file any more.
    pub async fn report_piece(&self, client: ClientId, run: i64, number: usize) -> Result<Option<Vec<u8>>> {
        let rows = self.query_bound(client, sql!("report/piece"), &[&client.0, &run, &piece_number(number)?]).await?;
        rows.first().map(|row| Ok(row.try_get("body")?)).transpose()
    }

    /// Keeps a link to the file of a run, good until `until` at most and no longer than the file is kept, and enters that into the audit. `None` where there
    /// is no file, or it has `most` links already.
    pub async fn put_report_link(
        &self,
        (client, member, standing): (ClientId, MemberId, Standing),
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
        let (node, role) = (standing.node.map(|node| node.0), standing.role);
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

    /// The links to the file of a run that are good, newest first. Whose the run is has been asked before.
    pub async fn report_links(&self, client: ClientId, run: i64, now: Micros) -> Result<Vec<LinkRecord>> {
        self.query_bound(client, sql!("report/links"), &[&client.0, &run, &Stamp(now)]).await?.iter().map(link).collect()
    }

    /// Withdraws a link to a file of `member`, or of anybody, and enters that into the audit. False where there is none.
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

    /// What a link opens, while it is good. Whose it is nobody has to say.
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
