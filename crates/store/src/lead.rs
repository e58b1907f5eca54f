//! Who of several like processes works: the one that holds an advisory lock. It lasts as long as the connection, so a process that dies gives it up.

use std::time::Duration;

use tokio_postgres::Client;

use crate::convert::sql;
use crate::{Result, pool};

/// The lead, held until it is dropped or the connection is lost.
pub struct Lead {
    client: Client,
}

/// Takes the lead in `name`; `None` while another process has it.
pub async fn take(url: &str, name: &str) -> Result<Option<Lead>> {
    let client = pool::connect(url).await?;
    // Whoever waits for the lead must not wait for the kernel's two hours when the machine that has it loses its network.
    client.query_one(sql!("lead/notice_death"), &[]).await?;
    let taken: bool = client.query_one(sql!("lead/try"), &[&name]).await?.get(0);
    Ok(taken.then_some(Lead { client }))
}

impl Lead {
    /// Whether it is still held: asks the server, and takes no answer within `patience` for none.
    pub async fn holds(&self, patience: Duration) -> bool {
        matches!(tokio::time::timeout(patience, self.client.simple_query("")).await, Ok(Ok(_)))
    }
}
