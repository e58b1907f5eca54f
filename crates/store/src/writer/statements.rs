//! The statements of a writer.

use tokio_postgres::{Client, Statement};

use crate::Result;
use crate::convert::sql;

/// All statements of a writer, prepared once. Parsing and planning would take a third of a small commit.
pub(super) struct Statements {
    pub(super) copy_samples: Statement,
    pub(super) known_samples: Statement,
    pub(super) insert_samples: Statement,
    pub(super) sample_conflicts: Statement,
    pub(super) mark_rollups: Statement,
    pub(super) upsert_latest: Statement,
    pub(super) create_stream: Statement,
    pub(super) lock_stream: Statement,
    pub(super) advance_stream: Statement,
    pub(super) insert_events: Statement,
    pub(super) event_conflicts: Statement,
    pub(super) insert_dead_letters: Statement,
    pub(super) mark_gateways: Statement,
    pub(super) mark_devices: Statement,
    pub(super) insert_links: Statement,
    pub(super) add_counts: Statement,
    pub(super) fence_term: Statement,
    pub(super) stored_term: Statement,
}

impl Statements {
    pub(super) async fn prepare(client: &Client) -> Result<Self> {
        Ok(Self {
            copy_samples: client.prepare(sql!("writer/copy_samples")).await?,
            known_samples: client.prepare(sql!("writer/known_samples")).await?,
            insert_samples: client.prepare(sql!("writer/insert_samples")).await?,
            sample_conflicts: client.prepare(sql!("writer/sample_conflicts")).await?,
            mark_rollups: client.prepare(sql!("history/mark")).await?,
            upsert_latest: client.prepare(sql!("writer/upsert_latest")).await?,
            create_stream: client.prepare(sql!("writer/create_stream")).await?,
            lock_stream: client.prepare(sql!("writer/lock_stream")).await?,
            advance_stream: client.prepare(sql!("writer/advance_stream")).await?,
            insert_events: client.prepare(sql!("writer/insert_events")).await?,
            event_conflicts: client.prepare(sql!("writer/event_conflicts")).await?,
            insert_dead_letters: client.prepare(sql!("writer/insert_dead_letters")).await?,
            mark_gateways: client.prepare(sql!("writer/mark_gateways")).await?,
            mark_devices: client.prepare(sql!("writer/mark_devices")).await?,
            insert_links: client.prepare(sql!("writer/insert_links")).await?,
            add_counts: client.prepare(sql!("writer/add_counts")).await?,
            fence_term: client.prepare(sql!("lead/fence_term")).await?,
            stored_term: client.prepare(sql!("lead/term")).await?,
        })
    }
}
