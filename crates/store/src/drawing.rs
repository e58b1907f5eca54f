//! Single-line diagrams, one a substation.

use grid::{ClientId, NodeId};
use serde_json::Value;

use crate::convert::sql;
use crate::{Error, Result, Store};

impl Store {
    /// The drawing of a substation.
    pub async fn drawing(&self, client: ClientId, location: NodeId) -> Result<Option<Value>> {
        let row = self.of(client).query_opt(sql!("drawing/get"), &[&client.0, &location.0]).await?;
        row.map(|row| Ok(row.try_get("body")?)).transpose()
    }

    /// Stores or replaces the drawing of a substation.
    pub async fn put_drawing(&self, client: ClientId, location: NodeId, name: &str, body: &Value) -> Result<()> {
        let put = self.execute(sql!("drawing/put"), &[&client.0, &location.0, &name, body]).await?;
        if put == 0 { Err(Error::Data(format!("substation {location} is not of client {client}"))) } else { Ok(()) }
    }
}
