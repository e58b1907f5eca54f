//! Low-carbon sites: places with a demand, and perhaps solar panels and a battery, with all that a day's plan needs to know of them (specification 3, section
//! 2.2). Half hours of a day are 48; powers are kW, energies kWh, prices money per kWh.

use deadpool_postgres::Transaction;
use grid::{ClientId, NodeId, PointId};
use serde_json::{Value, json};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use crate::audit::{Entry, Origin};
use crate::convert::sql;
use crate::{Result, Store, audit, tenant};

/// A site as it is configured. Whoever enters one has checked it: the database refuses only what no site can be.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteRecord {
    /// The specification's deviceId, unique within the utility.
    pub device_id: i64,
    /// The substation that it lies at.
    pub location: NodeId,
    /// Its name.
    pub name: String,
    /// Degrees north and east; `None` where nobody has said.
    pub place: Option<(f64, f64)>,
    /// BatteryCapacityMaxKwh.
    pub capacity_max_kwh: f64,
    /// BatteryCapacityMinKwh.
    pub capacity_min_kwh: f64,
    /// BatteryChargeRateKw.
    pub charge_rate_kw: f64,
    /// BatteryDischargeRateKw.
    pub discharge_rate_kw: f64,
    /// ChargingStartTimeHours and ChargingEndTimeHours, which are half hours.
    pub charging: (u32, u32),
    /// DischargingStartTimeHours and DischargingEndTimeHours.
    pub discharging: (u32, u32),
    /// SolarCapacityKwp.
    pub solar_kwp: f64,
    /// `cost_with_solar` or `cost_without_solar`.
    pub objective: String,
    /// Of the prices, ISO 4217.
    pub currency: String,
    /// What a kWh from the grid costs, by half hour.
    pub import_price: Vec<f64>,
    /// What a kWh to the grid brings.
    pub export_price: Option<Vec<f64>>,
    /// Whether anything may be given to the grid.
    pub may_export: bool,
    /// Per unit.
    pub charge_efficiency: f64,
    /// Per unit.
    pub discharge_efficiency: f64,
    /// What the battery holds when a day begins; `None` is BatteryCapacityMinKwh.
    pub initial_kwh: Option<f64>,
    /// The most that may be drawn from the grid; `None` where nothing limits it.
    pub import_limit_kw: Option<f64>,
    /// Whether the battery has to end a day as full as it began.
    pub ends_as_it_began: bool,
    /// What of a clear sky comes out of the panels, per unit.
    pub performance: f64,
    /// In the place of the clear sky, kW by half hour.
    pub solar_profile: Option<Vec<f64>>,
    /// What measures it.
    pub points: SitePoints,
}

/// What measures a site; `None` where nothing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SitePoints {
    /// What the site takes.
    pub site: Option<PointId>,
    /// What its panels give.
    pub solar: Option<PointId>,
    /// What its battery takes; below 0 it gives.
    pub battery: Option<PointId>,
    /// What it draws from the grid; below 0 it gives.
    pub grid: Option<PointId>,
    /// What the battery holds.
    pub storage: Option<PointId>,
}

impl SitePoints {
    /// Those that there are.
    pub fn all(&self) -> impl Iterator<Item = PointId> {
        [self.site, self.solar, self.battery, self.grid, self.storage].into_iter().flatten()
    }
}

impl SiteRecord {
    /// As it is kept, and told in the audit.
    fn told(&self) -> Value {
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

/// What has to be so for a site to be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// That there is none of its number yet.
    New,
    /// That there is one.
    There,
    /// Either.
    Either,
}

/// What came of a site that was to be entered; but for the first nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// It is stored.
    Stored,
    /// There is one of its number already.
    Exists,
    /// There is none of its number.
    Missing,
    /// The utility has so many sites already.
    Full(i64),
    /// The substation, or a point, has gone meanwhile.
    Unknown(Names),
}

/// What a site names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Its substation.
    Location,
    /// What measures it.
    Points,
}

impl Store {
    /// The sites of a utility, by name.
    pub async fn sites(&self, client: ClientId) -> Result<Vec<SiteRecord>> {
        self.of(client).query(sql!("site/of_client"), &[&client.0, &None::<i64>]).await?.iter().map(site).collect()
    }

    /// A site; `None` where there is none, or where it is another utility's.
    pub async fn site(&self, client: ClientId, device_id: i64) -> Result<Option<SiteRecord>> {
        let row = self.of(client).query_opt(sql!("site/of_client"), &[&client.0, &Some(device_id)]).await?;
        row.as_ref().map(site).transpose()
    }

    /// Enters a site, or replaces it where there is one, and enters that into the audit. A utility has `most` at most.
    pub async fn put_site(&self, client: ClientId, new: &SiteRecord, wanted: Wanted, most: i64, origin: &Origin) -> Result<Entered> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let before = told_of(&transaction, client, new.device_id).await?;
        match (wanted, &before) {
            (Wanted::New, Some(_)) => return Ok(Entered::Exists),
            (Wanted::There, None) => return Ok(Entered::Missing),
            _ => {}
        }
        if before.is_none() {
            let statement = transaction.prepare_cached(sql!("site/others")).await?;
            let others: i64 = transaction.query_one(&statement, &[&client.0, &new.device_id]).await?.try_get(0)?;
            if others >= most {
                return Ok(Entered::Full(others));
            }
        }
        let after = new.told();
        let statement = transaction.prepare_cached(sql!("site/put")).await?;
        match transaction.execute(&statement, &[&client.0, &new.device_id, &after]).await {
            Err(error) if error.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION) => {
                let constraint = error.as_db_error().and_then(|error| error.constraint()).unwrap_or_default();
                return Ok(Entered::Unknown(if constraint.contains("location") { Names::Location } else { Names::Points }));
            }
            done => done?,
        };
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "low_carbon_site_changed", format!("low-carbon site {}", new.device_id));
        audit::enter(&transaction, &entry.changing(before, Some(after))).await?;
        transaction.commit().await?;
        Ok(Entered::Stored)
    }

    /// Removes a site with its demand files, and enters that into the audit; whether there was one.
    pub async fn remove_site(&self, client: ClientId, device_id: i64, origin: &Origin) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let Some(before) = told_of(&transaction, client, device_id).await? else { return Ok(false) };
        let statement = transaction.prepare_cached(sql!("site/remove")).await?;
        transaction.execute(&statement, &[&client.0, &device_id]).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "low_carbon_site_removed", format!("low-carbon site {device_id}"));
        audit::enter(&transaction, &entry.changing(Some(before), None)).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Enters a site that is not there yet: for seeding.
    pub async fn add_site(&self, client: ClientId, new: &SiteRecord) -> Result<()> {
        if self.site(client, new.device_id).await?.is_none() {
            self.execute(sql!("site/put"), &[&client.0, &new.device_id, &new.told()]).await?;
        }
        Ok(())
    }
}

/// A site as the audit tells it, once nobody else can change the sites of its utility: two administrators at once decide one after the other, and sites are
/// counted so.
async fn told_of(transaction: &Transaction<'_>, client: ClientId, device_id: i64) -> Result<Option<Value>> {
    tenant::bind(transaction, client).await?;
    let statement = transaction.prepare_cached(sql!("client/lock")).await?;
    transaction.query_opt(&statement, &[&client.0]).await?;
    let statement = transaction.prepare_cached(sql!("site/of_client")).await?;
    let row = transaction.query_opt(&statement, &[&client.0, &Some(device_id)]).await?;
    row.as_ref().map(|row| site(row).map(|site| site.told())).transpose()
}

/// The place in two columns.
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
