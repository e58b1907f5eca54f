//! Health of cables and plant: cable sections, their conditions by year, their faults, and the conditions of plant (`grid::cable_health`).

mod at;
mod columns;
mod kind;
mod merge;
mod rows;
mod sheet;
mod valid_rows;

use std::collections::{BTreeMap, HashMap};

use deadpool_postgres::Transaction;
use grid::ClientId;
use serde_json::{Value, json};

use crate::audit::{Entry, Origin, enter};
use crate::convert::sql;
use crate::import::Fault;
use crate::registry::{asset, node};
use crate::tenant::{bind, release};
use crate::{Error, Result, Store};

pub use at::{PlantRecord, SectionRecord, StationYears};
pub use kind::CableFileKind;
use sheet::{Faults, Sheet};
use valid_rows::{Names, ValidRow};

/// Maximum number of sections in a substation, because its screen shows all of them.
pub const SECTIONS_MAX: i64 = 20_000;

impl CableFileKind {
    /// Returns a file without rows: the meaning of each column in lines that an import ignores, then the names of the columns.
    pub fn template(self) -> String {
        columns::template(self)
    }
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Number of rows in the file.
    pub rows: usize,
    /// Number of new rows.
    pub added: usize,
    /// Number of rows that replaced a stored row with different values.
    pub changed: usize,
    /// Number of rows that were stored already with the same values.
    pub same: usize,
    /// For each column, by its name in the file, the number of changed rows in which it changes.
    pub columns: BTreeMap<&'static str, usize>,
    /// Errors in the order of the lines, at most [`FAULTS_MAX`](crate::import::FAULTS_MAX). If there is an error, nothing is stored and nothing is counted.
    pub faults: Vec<Fault>,
    /// Number of all errors.
    pub faults_total: usize,
}

impl Store {
    /// Imports a file into a utility, completely or not at all, and adds an audit entry. `today` (`YYYY-MM-DD`) is the latest date that the file may contain. A
    /// dry run does the same in the database and then rolls it back.
    pub async fn import_cable_health(
        &self,
        client: ClientId,
        (kind, csv): (CableFileKind, &[u8]),
        today: &str,
        dry_run: bool,
        origin: &Origin,
    ) -> Result<Imported> {
        let Sheet { lines, left_out } = match rows::read(kind, csv, today) {
            Ok(sheet) => sheet,
            Err(faults) => return Ok(refused(0, faults)),
        };
        let (count, at): (_, Vec<u64>) = (lines.len(), lines.iter().map(|row| row.line).collect());
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&lock, &[&client.0]).await?;
        let mut faults = Faults::default();
        let mut rows = match kind {
            CableFileKind::Register | CableFileKind::Plant => named_assets(&transaction, client, lines, &mut faults).await?,
            CableFileKind::Condition | CableFileKind::Faults => named_sections(&transaction, client, lines, &mut faults).await?,
        };
        if faults.total > 0 {
            return Ok(refused(count, faults));
        }
        let stored = transaction.prepare_cached(kind.stored()).await?;
        let stored = transaction.query(&stored, &[&client.0, &Value::from(rows.clone())]).await?;
        let stored = stored.iter().map(|row| row.try_get("stored")).collect::<Result<Vec<Value>, _>>()?;
        let changes = merge::merge(kind, &mut rows, stored, &left_out, &at, &mut faults);
        if faults.total > 0 {
            return Ok(refused(count, faults));
        }
        let put = transaction.prepare_cached(kind.put()).await?;
        let written = transaction.query(&put, &[&client.0, &Value::from(rows)]).await?;
        if let Some(fault) = crowded(&transaction, client, kind).await? {
            let mut faults = Faults::default();
            faults.push(fault);
            return Ok(refused(count, faults));
        }
        let added = written.iter().map(|row| row.try_get::<_, bool>("added")).collect::<Result<Vec<_>, _>>()?;
        let added = added.into_iter().filter(|added| *added).count();
        let (changed, same, columns) = (written.len() - added, count - written.len(), changes.columns.clone());
        let imported = Imported { rows: count, added, changed, same, columns, faults: Vec::new(), faults_total: 0 };
        if !dry_run {
            release(&transaction).await?;
            let summary = json!({ "rows": count, "added": added, "changed": changed, "same": same, "columns": imported.columns });
            let entry = Entry::new(origin, "cable_health_imported", kind.as_str()).changing(changes.listed(), Some(summary));
            enter(&transaction, &entry).await?;
            transaction.commit().await?;
        }
        Ok(imported)
    }
}

fn refused(rows: usize, Faults { mut listed, total }: Faults) -> Imported {
    listed.sort();
    Imported { rows, faults: listed, faults_total: total, ..Imported::default() }
}

/// Returns the rows with the ids of their assets.
async fn named_assets(transaction: &Transaction<'_>, client: ClientId, lines: Vec<ValidRow>, faults: &mut Faults) -> Result<Vec<Value>> {
    let nodes = transaction.query(sql!("registry/nodes"), &[&Some(client.0)]).await?;
    let nodes = nodes.iter().map(node).collect::<Result<Vec<_>>>()?;
    let stations: HashMap<&str, i64> =
        nodes.iter().filter(|node| node.level == grid::Level::Substation).map(|node| (node.code.as_str(), node.id.0)).collect();
    let assets = transaction.query(sql!("registry/assets"), &[&Some(client.0)]).await?;
    let assets = assets.iter().map(asset).collect::<Result<Vec<_>>>()?;
    let assets: HashMap<(i64, &str), _> = assets.iter().map(|asset| ((asset.location.0, asset.code.as_str()), asset)).collect();
    let mut rows = Vec::with_capacity(lines.len());
    for ValidRow { line, names, mut row, .. } in lines {
        let Names::Asset { substation, column, code, required_type } = names else { continue };
        let mut fault = |column: &str, what: String| faults.push(Fault { line, column: column.to_owned(), what });
        let Some(location) = stations.get(substation.as_str()) else {
            fault("substation", format!("there is no substation {substation:?}"));
            continue;
        };
        let found = assets.get(&(*location, code.as_str()));
        let Some(found) = found.filter(|asset| required_type.fits(asset.type_id, &asset.class_name)) else {
            fault(column, format!("there is no {} {code:?} in the substation {substation:?}", required_type.as_str()));
            continue;
        };
        row.insert("asset_id".to_owned(), found.id.0.into());
        if column == "feeder" {
            row.insert("location_id".to_owned(), (*location).into());
        }
        rows.push(row.into());
    }
    Ok(rows)
}

/// Returns the rows with the ids of their sections.
async fn named_sections(transaction: &Transaction<'_>, client: ClientId, lines: Vec<ValidRow>, faults: &mut Faults) -> Result<Vec<Value>> {
    let known = transaction.query(sql!("cable/known"), &[&client.0]).await?;
    let known = known.iter().map(|row| Ok((row.try_get::<_, &str>("code")?, (row.try_get("id")?, row.try_get("installed")?))));
    let known: HashMap<&str, (i64, i32)> = known.collect::<Result<_>>()?;
    let mut rows = Vec::with_capacity(lines.len());
    for ValidRow { line, names, mut row, .. } in lines {
        let Names::Section { code, column, year } = names else { continue };
        let mut fault = |column: &str, what: String| faults.push(Fault { line, column: column.to_owned(), what });
        match known.get(code.as_str()) {
            None => fault("cable_object_id", format!("there is no section {code:?} in the register")),
            Some((_, installed)) if year < *installed => fault(column, format!("{year}: the section was laid in {installed}")),
            Some((id, _)) => {
                row.insert("section_id".to_owned(), (*id).into());
                rows.push(row.into());
            }
        }
    }
    Ok(rows)
}

/// Returns a substation that would have more sections than allowed.
async fn crowded(transaction: &Transaction<'_>, client: ClientId, kind: CableFileKind) -> Result<Option<Fault>> {
    if kind != CableFileKind::Register {
        return Ok(None);
    }
    let statement = transaction.prepare_cached(sql!("cable/crowded")).await?;
    let row = transaction.query_opt(&statement, &[&client.0, &SECTIONS_MAX]).await?;
    let fault = |row: tokio_postgres::Row| {
        let (code, sections): (String, i64) = (row.try_get("code")?, row.try_get("sections")?);
        let what = format!("{code:?} would have {sections} sections, {SECTIONS_MAX} are allowed");
        Ok::<_, Error>(Fault { line: 1, column: "substation".to_owned(), what })
    };
    row.map(fault).transpose()
}

/// Parses a file without storing it. For fuzzing.
#[cfg(feature = "fuzzing")]
pub fn fuzz(csv: &[u8]) {
    for kind in CableFileKind::ALL {
        if let Err(faults) = rows::read(kind, csv, "2026-01-01") {
            assert!(!faults.listed.is_empty(), "refused without a reason");
        }
    }
}
