//! `switchyard admin audit verify`: whether the audit is as it was written.

use anyhow::bail;
use store::Store;

use crate::console::say;

/// Says of each chain how many rows are good, and of the first that is not which it is. Fails when there is one.
pub(super) async fn verify(store: &Store) -> anyhow::Result<()> {
    let clients = store.registry(None).await?.clients;
    let mut broken = 0;
    for verdict in store.verify_audit().await? {
        let chain = clients.iter().find(|client| client.id.0 == verdict.chain).map_or("no utility", |client| client.code.as_str());
        match verdict.broken {
            None => say(&format!("{chain}: {} rows, all as they were entered", verdict.good)),
            Some((row, why)) => {
                broken += 1;
                say(&format!("{chain}: {} rows are good, row {row} is the first that is not: {why}", verdict.good));
            }
        }
    }
    if broken > 0 {
        bail!("the audit has been touched in {broken} of its chains");
    }
    Ok(())
}
