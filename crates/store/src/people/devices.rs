//! Devices on which members have signed in, and tickets for operating.

use grid::{AssetId, Micros};

use crate::convert::{Stamp, sql};
use crate::{Error, Result, Store};

impl Store {
    /// Returns the hash among `hashes` that identifies a device on which the member with this username signed in at `since` or later.
    pub async fn device(&self, hashes: &[[u8; 32]], username: &str, since: Micros) -> Result<Option<[u8; 32]>> {
        let hashes: Vec<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let row = self.query_opt(sql!("people/device"), &[&hashes, &username, &Stamp(since)]).await?;
        row.map(|row| hash(row.try_get("hash")?)).transpose()
    }

    /// Returns the hash of the device on which a session was started.
    pub async fn device_of_session(&self, session: i64) -> Result<Option<[u8; 32]>> {
        let Some(row) = self.query_opt(sql!("people/device_of_session"), &[&session]).await? else { return Ok(None) };
        hash(row.try_get("device")?).map(Some)
    }

    /// Stores a ticket for one operation, of one asset or of any. It replaces an unused ticket of the same session. Returns false if the session has ended.
    pub async fn put_ticket(&self, session: i64, asset: Option<AssetId>, direction: Option<i16>, until: Micros) -> Result<bool> {
        let row = self.query_opt(sql!("people/put_ticket"), &[&session, &asset.map(|asset| asset.0), &Stamp(until), &direction]).await?;
        Ok(row.is_some())
    }

    /// Uses up a ticket of a session, if the ticket is not limited to an asset. Returns whether there was such a ticket.
    pub async fn spend_ticket(&self, session: i64, now: Micros) -> Result<bool> {
        Ok(self.execute(sql!("control/spend_ticket"), &[&session, &Stamp(now)]).await? == 1)
    }
}

fn hash(stored: &[u8]) -> Result<[u8; 32]> {
    stored.try_into().map_err(|_| Error::Unreadable("the hash of a device".to_owned()))
}
