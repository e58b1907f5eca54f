//! Demand files of users for low-carbon sites, stored for a day. The database knows only the hash of a file's handle. A file belongs to one user, in one
//! utility and for one site; others cannot find it.

use grid::{ClientId, MemberId, Micros};
use serde_json::Value;

use crate::audit::{Entry, Origin};
use crate::convert::{Stamp, sql};
use crate::site::place;
use crate::{Result, Store, audit, tenant};

/// Maximum number of files of a user in a utility. The oldest one is deleted when another is added.
pub const FILES_MAX: i64 = 20;

/// The owner of a file and its site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the user.
    pub member: MemberId,
    /// Id of the site.
    pub device_id: i64,
}

/// The content of a demand file.
#[derive(Debug, Clone, PartialEq)]
pub struct DemandFile {
    /// Demand of each half hour, kW.
    pub kw: Vec<f64>,
    /// The place in the file, degrees north and east.
    pub place: Option<(f64, f64)>,
}

impl Store {
    /// Stores a file from `created` to `expires` and adds an audit entry with the value `told`. Returns false, and stores nothing, if the site was deleted
    /// meanwhile.
    pub async fn put_demand_file(
        &self,
        owner: Owner,
        hash: &[u8; 32],
        file: &DemandFile,
        (created, expires): (Micros, Micros),
        (audit_value, origin): (Value, &Origin),
    ) -> Result<bool> {
        let Owner { client, member, device_id } = owner;
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // The lock makes two simultaneous files consecutive, so that their number is correct.
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
        audit::enter(&transaction, &entry.changing(None, Some(audit_value))).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Returns the file of a handle; `None` if there is none, if it has expired, or if `owner` is not its owner.
    pub async fn demand_file(&self, owner: Owner, hash: &[u8; 32], now: Micros) -> Result<Option<DemandFile>> {
        let Owner { client, member, device_id } = owner;
        let rows =
            self.query_bound(client, sql!("demand_file/get"), &[&client.0, &member.0, &device_id, &hash.as_slice(), &Stamp(now)]).await?;
        let file = |row: &tokio_postgres::Row| Ok(DemandFile { kw: row.try_get("kw")?, place: place(row)? });
        rows.first().map(file).transpose()
    }

    /// Deletes expired files of all utilities. Returns their number.
    pub async fn expire_demand_files(&self, now: Micros) -> Result<u64> {
        self.execute(sql!("demand_file_work/expire"), &[&Stamp(now)]).await
    }
}
