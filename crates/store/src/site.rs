//! Low-carbon sites: sites with a demand and optional solar panels and battery, with the parameters of a day's plan (specification 3, section 2.2).
//!
//! A day has 48 half hours. Powers are in kW, energies in kWh, prices in money per kWh.

use deadpool_postgres::Transaction;
use grid::{ClientId, NodeId, PointId};
use serde_json::{Value, json};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use crate::audit::{Entry, Origin};
use crate::convert::sql;
use crate::{Result, Store, audit, tenant};

/// The configuration of a site. The caller has checked it; the database refuses only impossible values.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteRecord {
    /// `deviceId` of the specification, unique within the utility.
    pub device_id: i64,
    /// Id of the substation.
    pub location: NodeId,
    /// Name of the site.
    pub name: String,
    /// Degrees north and east; `None` if not known.
    pub place: Option<(f64, f64)>,
    /// `BatteryCapacityMaxKwh`.
    pub capacity_max_kwh: f64,
    /// `BatteryCapacityMinKwh`.
    pub capacity_min_kwh: f64,
    /// `BatteryChargeRateKw`.
    pub charge_rate_kw: f64,
    /// `BatteryDischargeRateKw`.
    pub discharge_rate_kw: f64,
    /// `ChargingStartTimeHours` and `ChargingEndTimeHours`, which are half hours.
    pub charging: (u32, u32),
    /// `DischargingStartTimeHours` and `DischargingEndTimeHours`, which are half hours.
    pub discharging: (u32, u32),
    /// `SolarCapacityKwp`.
    pub solar_kwp: f64,
    /// `cost_with_solar` or `cost_without_solar`.
    pub objective: String,
    /// Currency of the prices, ISO 4217.
    pub currency: String,
    /// Price of a kWh from the grid, for each half hour.
    pub import_price: Vec<f64>,
    /// Price of a kWh to the grid, for each half hour; `None` if export is not paid.
    pub export_price: Option<Vec<f64>>,
    /// Whether export to the grid is allowed.
    pub may_export: bool,
    /// Charging efficiency, per unit.
    pub charge_efficiency: f64,
    /// Discharging efficiency, per unit.
    pub discharge_efficiency: f64,
    /// Energy in the battery at the start of a day; `None` for `BatteryCapacityMinKwh`.
    pub initial_kwh: Option<f64>,
    /// Largest import from the grid; `None` without a limit.
    pub import_limit_kw: Option<f64>,
    /// Whether the battery must have the same energy at the end of the day as at its start.
    pub ends_as_it_began: bool,
    /// Performance factor of the panels under a clear sky, per unit.
    pub performance: f64,
    /// Output of the panels in place of a clear sky, kW for each half hour.
    pub solar_profile: Option<Vec<f64>>,
    /// The measured points of the site.
    pub points: SitePoints,
}

/// The measured points of a site; `None` where a quantity is not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SitePoints {
    /// Power that the site consumes.
    pub site: Option<PointId>,
    /// Power of the solar panels.
    pub solar: Option<PointId>,
    /// Power of the battery: positive while charging.
    pub battery: Option<PointId>,
    /// Power from the grid: negative for export.
    pub grid: Option<PointId>,
    /// Energy in the battery.
    pub storage: Option<PointId>,
}

impl SitePoints {
    /// Returns the configured points.
    pub fn all(&self) -> impl Iterator<Item = PointId> {
        [self.site, self.solar, self.battery, self.grid, self.storage].into_iter().flatten()
    }
}

impl SiteRecord {
    /// Returns the site as JSON, for storage and for the audit.
    fn audit_value(&self) -> Value {
        let id = |point: Option<PointId>| point.map(|point| point.0);
        json!({
            "location_id": self.location.0, "name": self.name, "lat": self.place.map(|place| place.0), "lon": self.place.map(|place| place.1),
            "capacity_max_kwh": self.capacity_max_kwh, "capacity_min_kwh": self.capacity_min_kwh, "charge_rate_kw": self.charge_rate_kw,
            "discharge_rate_kw": self.discharge_rate_kw, "charging_start": self.charging.0, "charging_end": self.charging.1,
            "discharging_start": self.discharging.0, "discharging_end": self.discharging.1, "solar_kwp": self.solar_kwp,
            "objective": self.objective, "currency": self.currency, "import_price": self.import_price, "export_price": self.export_price,
            "may_export": self.may_export, "charge_efficiency": self.charge_efficiency, "discharge_efficiency": self.discharge_efficiency,
            "initial_kwh": self.initial_kwh, "import_limit_kw": self.import_limit_kw, "ends_as_it_began": self.ends_as_it_began,
            "performance": self.performance, "solar_profile": self.solar_profile, "site_point_id": id(self.points.site),
            "solar_point_id": id(self.points.solar), "battery_point_id": id(self.points.battery), "grid_point_id": id(self.points.grid),
            "storage_point_id": id(self.points.storage),
        })
    }
}

/// The precondition for storing a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// No site has this number yet.
    New,
    /// A site has this number.
    There,
    /// No precondition.
    Either,
}

/// The result of storing a site. Only `Stored` changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreSiteResult {
    /// The site was stored.
    Stored,
    /// There is already a site with this number.
    Exists,
    /// No site has this number.
    Missing,
    /// The utility has the maximum number of sites, which is given.
    Full(i64),
    /// The substation or a point was deleted meanwhile.
    Unknown(Names),
}

/// The references of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// The substation.
    Location,
    /// The measured points.
    Points,
}

impl Store {
    /// Returns the sites of a utility, ordered by name.
    pub async fn sites(&self, client: ClientId) -> Result<Vec<SiteRecord>> {
        self.of(client).query(sql!("site/of_client"), &[&client.0, &None::<i64>]).await?.iter().map(site).collect()
    }

    /// Returns a site; `None` if there is none, or if it belongs to another utility.
    pub async fn site(&self, client: ClientId, device_id: i64) -> Result<Option<SiteRecord>> {
        let row = self.of(client).query_opt(sql!("site/of_client"), &[&client.0, &Some(device_id)]).await?;
        row.as_ref().map(site).transpose()
    }

    /// Adds or replaces a site, depending on `wanted`, and adds an audit entry. A utility has at most `most` sites.
    pub async fn put_site(
        &self,
        client: ClientId,
        new: &SiteRecord,
        precondition: Precondition,
        most: i64,
        origin: &Origin,
    ) -> Result<StoreSiteResult> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let before = stored_audit_value(&transaction, client, new.device_id).await?;
        match (precondition, &before) {
            (Precondition::New, Some(_)) => return Ok(StoreSiteResult::Exists),
            (Precondition::There, None) => return Ok(StoreSiteResult::Missing),
            _ => {}
        }
        if before.is_none() {
            let statement = transaction.prepare_cached(sql!("site/others")).await?;
            let others: i64 = transaction.query_one(&statement, &[&client.0, &new.device_id]).await?.try_get(0)?;
            if others >= most {
                return Ok(StoreSiteResult::Full(others));
            }
        }
        let after = new.audit_value();
        let statement = transaction.prepare_cached(sql!("site/put")).await?;
        match transaction.execute(&statement, &[&client.0, &new.device_id, &after]).await {
            Err(error) if error.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION) => {
                let constraint = error.as_db_error().and_then(|error| error.constraint()).unwrap_or_default();
                return Ok(StoreSiteResult::Unknown(if constraint.contains("location") { Names::Location } else { Names::Points }));
            }
            done => done?,
        };
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "low_carbon_site_changed", format!("low-carbon site {}", new.device_id));
        audit::enter(&transaction, &entry.changing(before, Some(after))).await?;
        transaction.commit().await?;
        Ok(StoreSiteResult::Stored)
    }

    /// Deletes a site with its demand files and adds an audit entry. Returns whether there was one.
    pub async fn remove_site(&self, client: ClientId, device_id: i64, origin: &Origin) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let Some(before) = stored_audit_value(&transaction, client, device_id).await? else { return Ok(false) };
        let statement = transaction.prepare_cached(sql!("site/remove")).await?;
        transaction.execute(&statement, &[&client.0, &device_id]).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "low_carbon_site_removed", format!("low-carbon site {device_id}"));
        audit::enter(&transaction, &entry.changing(Some(before), None)).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Adds a site if it does not exist. For seeding.
    pub async fn add_site(&self, client: ClientId, new: &SiteRecord) -> Result<()> {
        if self.site(client, new.device_id).await?.is_none() {
            self.execute(sql!("site/put"), &[&client.0, &new.device_id, &new.audit_value()]).await?;
        }
        Ok(())
    }
}

/// Locks the sites of a utility and returns a site for the audit. Because of the lock, simultaneous changes of two administrators are made one after the other,
/// so that the limit of sites is checked correctly.
async fn stored_audit_value(transaction: &Transaction<'_>, client: ClientId, device_id: i64) -> Result<Option<Value>> {
    tenant::bind(transaction, client).await?;
    let statement = transaction.prepare_cached(sql!("client/lock")).await?;
    transaction.query_opt(&statement, &[&client.0]).await?;
    let statement = transaction.prepare_cached(sql!("site/of_client")).await?;
    let row = transaction.query_opt(&statement, &[&client.0, &Some(device_id)]).await?;
    row.as_ref().map(|row| site(row).map(|site| site.audit_value())).transpose()
}

/// Reads the place from two columns.
pub(crate) fn place(row: &Row) -> Result<Option<(f64, f64)>> {
    let (lat, lon): (Option<f64>, Option<f64>) = (row.try_get("lat")?, row.try_get("lon")?);
    Ok(lat.zip(lon))
}

fn site(row: &Row) -> Result<SiteRecord> {
    let point = |column: &str| -> Result<Option<PointId>> { Ok(row.try_get::<_, Option<i64>>(column)?.map(PointId)) };
    let half_hour = |column: &str| -> Result<u32> { Ok(u32::try_from(row.try_get::<_, i32>(column)?).unwrap_or(0)) };
    Ok(SiteRecord {
        device_id: row.try_get("device_id")?,
        location: NodeId(row.try_get("location_id")?),
        name: row.try_get("name")?,
        place: place(row)?,
        capacity_max_kwh: row.try_get("capacity_max_kwh")?,
        capacity_min_kwh: row.try_get("capacity_min_kwh")?,
        charge_rate_kw: row.try_get("charge_rate_kw")?,
        discharge_rate_kw: row.try_get("discharge_rate_kw")?,
        charging: (half_hour("charging_start")?, half_hour("charging_end")?),
        discharging: (half_hour("discharging_start")?, half_hour("discharging_end")?),
        solar_kwp: row.try_get("solar_kwp")?,
        objective: row.try_get("objective")?,
        currency: row.try_get("currency")?,
        import_price: row.try_get("import_price")?,
        export_price: row.try_get("export_price")?,
        may_export: row.try_get("may_export")?,
        charge_efficiency: row.try_get("charge_efficiency")?,
        discharge_efficiency: row.try_get("discharge_efficiency")?,
        initial_kwh: row.try_get("initial_kwh")?,
        import_limit_kw: row.try_get("import_limit_kw")?,
        ends_as_it_began: row.try_get("ends_as_it_began")?,
        performance: row.try_get("performance")?,
        solar_profile: row.try_get("solar_profile")?,
        points: SitePoints {
            site: point("site_point_id")?,
            solar: point("solar_point_id")?,
            battery: point("battery_point_id")?,
            grid: point("grid_point_id")?,
            storage: point("storage_point_id")?,
        },
    })
}
