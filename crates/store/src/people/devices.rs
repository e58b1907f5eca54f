//! Devices on which people have signed in, and the tickets for operating.

use grid::{AssetId, Micros};

use crate::convert::{Stamp, sql};
use crate::{Error, Result, Store};

/// What is known of a device's secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// None of ours, or not used for too long.
    Foreign,
    /// Ours, of other people.
    Ours,
    /// This person has signed in on it.
    Known,
}

impl Store {
    /// What a device is to the person with a username. What was last used before `since` counts no more.
    pub async fn device(&self, hash: &[u8; 32], username: &str, since: Micros) -> Result<Device> {
        let row = self.query_opt(sql!("people/device"), &[&hash.as_slice(), &username, &Stamp(since)]).await?;
        let known: Option<bool> = row.as_ref().map(|row| row.try_get("known")).transpose()?.flatten();
        Ok(match known {
            None => Device::Foreign,
            Some(false) => Device::Ours,
            Some(true) => Device::Known,
        })
    }

    /// The hash of the device that a session was begun on.
    pub async fn device_of_session(&self, session: i64) -> Result<Option<[u8; 32]>> {
        let Some(row) = self.query_opt(sql!("people/device_of_session"), &[&session]).await? else { return Ok(None) };
        let hash: &[u8] = row.try_get("device")?;
        Ok(Some(hash.try_into().map_err(|_| Error::Unreadable("the hash of a device".to_owned()))?))
    }

    /// Keeps a ticket for one operation, of an asset or of any one. It takes the place of an unused one of the same session. `false` when the
    /// session is over.
    pub async fn put_ticket(&self, session: i64, asset: Option<AssetId>, until: Micros) -> Result<bool> {
        let row = self.query_opt(sql!("people/put_ticket"), &[&session, &asset.map(|asset| asset.0), &Stamp(until)]).await?;
        Ok(row.is_some())
    }
}
