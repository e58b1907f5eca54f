//! Demand files that somebody has chosen for a low-carbon site: kept for a day, under a handle of which only the hash is known here. A file is its person's, in
//! one utility and for one site; for everybody else it is not there.

use grid::{ClientId, MemberId, Micros};
use serde_json::Value;

use crate::audit::{Entry, Origin};
use crate::convert::{Stamp, sql};
use crate::site::place;
use crate::{Result, Store, audit, tenant};

/// Files that one person has at a time in a utility; the oldest goes when there is another.
pub const FILES_MAX: i64 = 20;

/// Whose file, and for which site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The utility.
    pub client: ClientId,
    /// The person.
    pub member: MemberId,
    /// The site.
    pub device_id: i64,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct DemandFile {
    /// Demand of each half hour, kW.
    pub kw: Vec<f64>,
    /// The place that came with it, degrees north and east.
    pub place: Option<(f64, f64)>,
}

impl Store {
    /// Keeps a file from `created` to `expires` and enters that into the audit, with what is `told` of it. False, and nothing is kept, where the site has gone
    /// meanwhile.
    pub async fn put_demand_file(
        &self,
        owner: Owner,
        hash: &[u8; 32],
        file: &DemandFile,
        (created, expires): (Micros, Micros),
        (told, origin): (Value, &Origin),
    ) -> Result<bool> {
        let Owner { client, member, device_id } = owner;
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // Two files at once are counted one after the other.
        let statement = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&statement, &[&client.0]).await?;
        let (lat, lon) = file.place.unzip();
        let statement = transaction.prepare_cached(sql!("demand_file/put")).await?;
        let stamps = (Stamp(created), Stamp(expires));
        let kept = transaction
            .execute(&statement, &[&hash.as_slice(), &client.0, &device_id, &member.0, &file.kw, &lat, &lon, &stamps.0, &stamps.1])
            .await?;
        if kept == 0 {
            return Ok(false);
        }
        let statement = transaction.prepare_cached(sql!("demand_file/trim")).await?;
        transaction.execute(&statement, &[&client.0, &member.0, &FILES_MAX]).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "demand_file_uploaded", format!("low-carbon site {device_id}"));
        audit::enter(&transaction, &entry.changing(None, Some(told))).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// The file under a handle; `None` where there is none, where its time is over, and for everybody but its owner.
    pub async fn demand_file(&self, owner: Owner, hash: &[u8; 32], now: Micros) -> Result<Option<DemandFile>> {
        let Owner { client, member, device_id } = owner;
        let rows =
            self.query_bound(client, sql!("demand_file/get"), &[&client.0, &member.0, &device_id, &hash.as_slice(), &Stamp(now)]).await?;
        let file = |row: &tokio_postgres::Row| Ok(DemandFile { kw: row.try_get("kw")?, place: place(row)? });
        rows.first().map(file).transpose()
    }

    /// Lets go the files whose time is over, of all utilities. Answers how many went.
    pub async fn expire_demand_files(&self, now: Micros) -> Result<u64> {
        self.execute(sql!("demand_file_work/expire"), &[&Stamp(now)]).await
    }
}
