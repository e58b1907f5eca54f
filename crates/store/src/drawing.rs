//! Single-line diagrams, one a substation.

use grid::{ClientId, NodeId};
use serde_json::Value;

use crate::{Result, Store};

impl Store {
    /// The drawing of a substation.
    pub async fn drawing(&self, client: ClientId, location: NodeId) -> Result<Option<Value>> {
        let _ = (client, location);
        todo!()
    }

    /// Stores or replaces the drawing of a substation.
    pub async fn put_drawing(&self, client: ClientId, location: NodeId, name: &str, body: &Value) -> Result<()> {
        let _ = (client, location, name, body);
        todo!()
    }
}
