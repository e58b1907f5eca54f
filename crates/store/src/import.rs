//! Imports a hierarchy and its assets from a CSV file, completely or not at all.
//!
//! Rows are identified by their codes, so importing the same file again changes nothing, and a changed row keeps its id. The order of rows does not matter; the
//! parent of a row is in the file or in the database. A column that the file does not have keeps the stored values; an empty cell deletes the value. Rows are
//! never deleted.

mod fault;
mod feeds;
mod keys;
pub(crate) mod read;

use std::collections::{BTreeMap, HashMap};

use deadpool_postgres::Transaction;
use grid::{ClientId, Level};
use serde_json::{Value, json};

use crate::audit::{Entry, Origin, enter};
use crate::convert::sql;
use crate::registry::{AssetRecord, NodeRecord, asset, node};
use crate::{Error, Result, Store};

pub use fault::{FAULTS_MAX, FILE_MAX_BYTES, Fault, ROWS_MAX};

use keys::{AssetKey, NodeKey, id_of};
use read::{AssetRow, Cell, Document, NodeRow};

/// Number of new, changed and unchanged rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of new rows.
    pub created: usize,
    /// Number of changed rows.
    pub updated: usize,
    /// Number of unchanged rows.
    pub unchanged: usize,
}

/// The result of an import or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// The file is valid: counts of nodes and of assets.
    Done {
        /// Counts of nodes, from circles to substations.
        nodes: Count,
        /// Counts of assets.
        assets: Count,
        /// Values that are allowed but may be a mistake, in the order of their lines, at most [`FAULTS_MAX`]. They are stored.
        warnings: Vec<Fault>,
    },
    /// The file has errors, in the order of its lines, at most [`FAULTS_MAX`]. Nothing is stored.
    Refused(Vec<Fault>),
}

impl Store {
    /// Imports a file into a utility and adds an audit entry. A dry run does the same in the database and then rolls it back.
    pub async fn import_hierarchy(&self, client: ClientId, csv: &[u8], dry_run: bool, origin: &Origin) -> Result<Imported> {
        let document = match read::document(csv) {
            Ok(document) => document,
            Err(faults) => return Ok(Imported::Refused(in_order(faults))),
        };
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        transaction.execute(sql!("import/bind"), &[&client.to_string()]).await?;
        // Ingest adds discovered assets under the same lock, so the codes read below do not change.
        transaction.execute(sql!("discover/lock"), &[&client.0]).await?;
        let (nodes, assets) = existing(&transaction, client).await?;
        let faults = strays(&document, &nodes);
        if !faults.is_empty() {
            return Ok(Imported::Refused(in_order(faults)));
        }
        let (node_count, ids) = put_nodes(&transaction, client, &document.nodes, &nodes).await?;
        let led = feeds::existing(&transaction, client).await?;
        let (asset_count, warnings) = put_assets(&transaction, client, &document.assets, &assets, &ids, &led).await?;
        feeds::put(&transaction, client, &document.assets, &ids, (&assets, &led)).await?;
        if !dry_run {
            // The audit chains belong to no utility.
            transaction.execute(sql!("import/bind"), &[&"every"]).await?;
            let counts = json!({ "nodes": audit_value(node_count), "assets": audit_value(asset_count) });
            let entry = Entry::new(origin, "hierarchy_imported", format!("client {client}")).changing(None, Some(counts));
            enter(&transaction, &entry).await?;
            transaction.commit().await?;
        }
        Ok(Imported::Done { nodes: node_count, assets: asset_count, warnings: in_order(warnings) })
    }
}

/// Parses a file without storing it. For fuzzing.
#[cfg(feature = "fuzzing")]
pub fn fuzz(csv: &[u8]) {
    if let Err(faults) = read::document(csv) {
        assert!(!faults.is_empty(), "refused without a reason");
    }
}

/// Returns counts for the audit.
fn audit_value(count: Count) -> Value {
    json!({ "created": count.created, "updated": count.updated, "unchanged": count.unchanged })
}

async fn existing(
    transaction: &Transaction<'_>,
    client: ClientId,
) -> Result<(HashMap<NodeKey, NodeRecord>, HashMap<AssetKey, AssetRecord>)> {
    let id = Some(client.0);
    let nodes = transaction.query(sql!("registry/nodes"), &[&id]).await?;
    let nodes = nodes.iter().map(node).map(|node| node.map(|node| ((node.level, node.code.clone()), node)));
    let assets = transaction.query(sql!("registry/assets"), &[&id]).await?;
    let assets = assets.iter().map(asset).map(|asset| asset.map(|asset| ((asset.location.0, asset.code.clone()), asset)));
    Ok((nodes.collect::<Result<_>>()?, assets.collect::<Result<_>>()?))
}

/// Returns errors for rows whose parent does not exist.
fn strays(document: &Document, stored: &HashMap<NodeKey, NodeRecord>) -> Vec<Fault> {
    let in_file: std::collections::HashSet<(Level, &str)> = document.nodes.iter().map(|row| (row.level, row.code.as_str())).collect();
    let of_nodes = document.nodes.iter().filter_map(|row| Some((row.line, row.level.parent()?, row.parent.as_deref()?)));
    let of_assets = document.assets.iter().map(|row| (row.line, Level::Substation, row.location.as_str()));
    let under = of_nodes.chain(of_assets).map(|(line, level, code)| ("parent", line, level, code));
    let fed = document.assets.iter().filter_map(|row| Some(("feeds", row.line, Level::Substation, row.feeds.as_ref()?.as_deref()?)));
    under
        .chain(fed)
        .filter(|(_, _, level, code)| !in_file.contains(&(*level, code)) && !stored.contains_key(&(*level, (*code).to_owned())))
        .map(|(column, line, level, code)| Fault {
            line,
            column: column.to_owned(),
            what: format!("there is no {} {code:?}, neither in this file nor in the database", read::word(level)),
        })
        .collect()
}

/// Stores the nodes level by level from the top, and returns the ids of all nodes.
async fn put_nodes(
    transaction: &Transaction<'_>,
    client: ClientId,
    rows: &[NodeRow],
    stored: &HashMap<NodeKey, NodeRecord>,
) -> Result<(Count, HashMap<NodeKey, i64>)> {
    let mut ids: HashMap<NodeKey, i64> = stored.iter().map(|(key, node)| (key.clone(), node.id.0)).collect();
    let mut by_level: BTreeMap<u8, Vec<&NodeRow>> = BTreeMap::new();
    for row in rows {
        by_level.entry(row.level.code()).or_default().push(row);
    }
    let mut count = Count::default();
    for (level, rows) in by_level {
        let mut columns = NodeColumns::default();
        for row in rows {
            let parent = match (row.level.parent(), &row.parent) {
                (Some(above), Some(code)) => Some(id_of(&ids, &(above, code.clone()))?),
                _ => None,
            };
            let before = stored.get(&(row.level, row.code.clone()));
            let kv = or_stored(row.kv.clone(), before.map(|node| node.kv.clone()));
            let place = or_stored(row.place, before.map(|node| node.lat.zip(node.lon)));
            let is_same = before.is_some_and(|node| {
                node.name == row.name && node.parent.map(|id| id.0) == parent && node.kv == kv && node.lat.zip(node.lon) == place
            });
            match (before, is_same) {
                (_, true) => count.unchanged += 1,
                (None, false) => count.created += 1,
                (Some(_), false) => count.updated += 1,
            }
            if !is_same {
                columns.push(parent, row, kv, place);
            }
        }
        for (code, id) in columns.put(transaction, client, level).await? {
            let level = Level::from_code(level).ok_or_else(|| Error::Unreadable(format!("level {level}")))?;
            ids.insert((level, code), id);
        }
    }
    Ok((count, ids))
}

/// The rows of one level as arrays, for the statement.
#[derive(Default)]
struct NodeColumns<'a> {
    parents: Vec<Option<i64>>,
    codes: Vec<&'a str>,
    names: Vec<&'a str>,
    kvs: Vec<Option<String>>,
    lats: Vec<Option<f64>>,
    lons: Vec<Option<f64>>,
}

impl<'a> NodeColumns<'a> {
    fn push(&mut self, parent: Option<i64>, row: &'a NodeRow, kv: Option<String>, place: Option<(f64, f64)>) {
        self.parents.push(parent);
        self.codes.push(&row.code);
        self.names.push(&row.name);
        self.kvs.push(kv);
        self.lats.push(place.map(|place| place.0));
        self.lons.push(place.map(|place| place.1));
    }

    async fn put(&self, transaction: &Transaction<'_>, client: ClientId, level: u8) -> Result<Vec<(String, i64)>> {
        if self.codes.is_empty() {
            return Ok(Vec::new());
        }
        let level = i16::from(level);
        let rows = transaction
            .query(
                sql!("import/put_nodes"),
                &[&client.0, &level, &self.parents, &self.codes, &self.names, &self.kvs, &self.lats, &self.lons],
            )
            .await?;
        rows.iter().map(|row| Ok((row.try_get("code")?, row.try_get("id")?))).collect()
    }
}

async fn put_assets(
    transaction: &Transaction<'_>,
    client: ClientId,
    rows: &[AssetRow],
    stored: &HashMap<AssetKey, AssetRecord>,
    ids: &HashMap<NodeKey, i64>,
    led: &HashMap<i64, i64>,
) -> Result<(Count, Vec<Fault>)> {
    let mut count = Count::default();
    let (mut changed, mut warnings): (Vec<AssetRecord>, Vec<Fault>) = (Vec::new(), Vec::new());
    for row in rows {
        let location = id_of(ids, &(Level::Substation, row.location.clone()))?;
        let before = stored.get(&(location, row.code.clone()));
        let customers = or_stored(row.customers, before.map(AssetRecord::known_customers));
        let after = AssetRecord {
            // The database assigns the id, so it is not written.
            id: before.map_or(grid::AssetId(0), |asset| asset.id),
            client,
            location: grid::NodeId(location),
            code: row.code.clone(),
            name: row.name.clone(),
            type_id: row.type_id,
            class_name: row.class_name.clone(),
            device: or_stored(row.device.clone(), before.map(|asset| asset.device.clone())),
            kv: or_stored(row.kv, before.map(|asset| asset.kv)),
            customers: customers.unwrap_or_default(),
            customers_known: customers.is_some(),
            control_asset_req: or_stored(row.control_asset_req, before.map(|asset| asset.control_asset_req)),
            is_sbo_supported: or_stored(row.is_sbo_supported, before.map(|asset| asset.is_sbo_supported)),
            // It is stored by `feeds::put`.
            feeds: before.and_then(|asset| asset.feeds),
        };
        let feeds_substation =
            row.feeds.as_ref().map_or_else(|| before.is_some_and(|asset| led.contains_key(&asset.id.0)), Option::is_some);
        warnings.extend(unserved(row).filter(|_| !feeds_substation));
        let leads_on = row.feeds.is_none() || before.and_then(|asset| led.get(&asset.id.0)).copied() == feeds::to(row, ids)?;
        match before {
            Some(before) if *before == after && leads_on => count.unchanged += 1,
            Some(_) => count.updated += 1,
            None => count.created += 1,
        }
        if before != Some(&after) {
            changed.push(after);
        }
    }
    write_assets(transaction, client, &changed).await?;
    Ok((count, warnings))
}

/// Returns a warning for a feeder with 0 customers in the file, because many tools write 0 for an unknown number.
fn unserved(row: &AssetRow) -> Option<Fault> {
    let is_unserved = row.type_id == read::FEEDER && row.customers == Some(Some(0));
    is_unserved.then(|| Fault {
        line: row.line,
        column: "customers".to_owned(),
        what: format!(
            "feeder {} has 0 customers, so its outages count in no index; leave the cell empty if the number is not known",
            read::shown(&row.code)
        ),
    })
}

async fn write_assets(transaction: &Transaction<'_>, client: ClientId, assets: &[AssetRecord]) -> Result<()> {
    fn column<'a, T>(assets: &'a [AssetRecord], value: impl Fn(&'a AssetRecord) -> T) -> Vec<T> {
        assets.iter().map(value).collect()
    }
    if assets.is_empty() {
        return Ok(());
    }
    transaction
        .execute(
            sql!("seed/put_assets"),
            &[
                &column(assets, |_| client.0),
                &column(assets, |asset| asset.location.0),
                &column(assets, |asset| asset.code.as_str()),
                &column(assets, |asset| asset.name.as_str()),
                &column(assets, |asset| asset.type_id),
                &column(assets, |asset| asset.class_name.as_str()),
                &column(assets, |asset| asset.device.as_str()),
                &column(assets, |asset| asset.kv),
                &column(assets, AssetRecord::known_customers),
                &column(assets, |asset| asset.control_asset_req),
                &column(assets, |asset| asset.is_sbo_supported),
            ],
        )
        .await?;
    Ok(())
}

/// Returns the value in the file; if the file has no such column, the stored value or `None`.
fn or_stored<T: Default>(cell: Cell<T>, stored: Option<T>) -> T {
    cell.or(stored).unwrap_or_default()
}

fn in_order(mut faults: Vec<Fault>) -> Vec<Fault> {
    faults.sort();
    faults.truncate(FAULTS_MAX);
    faults
}
