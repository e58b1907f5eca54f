//! Stores discovered gateways, their substation, assets and points, under the node "Discovered".

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{ClientId, GatewayId, Level, Micros, Point};

use crate::convert::{Stamp, encoding_column, sql};
use crate::registry::point;
use crate::{Error, Result, Store};

/// Maximum length of a name, bytes. The unique indexes refuse names from 2.7 kB on.
const LONGEST_NAME: usize = 512;

/// Code of the nodes above discovered substations, the same at each level.
const DISCOVERED: &str = "DISCOVERED";

/// The content of a birth message.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovery {
    /// Id of the utility.
    pub client: ClientId,
    /// The Sparkplug edge node.
    pub gateway_code: String,
    /// The metrics of the birth, known or new.
    pub points: Vec<NewPoint>,
    /// Receive time of the birth.
    pub now: Micros,
}

/// A metric of a birth.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPoint {
    /// The Sparkplug device, empty for a metric of the node itself.
    pub device: String,
    /// The metric name, such as `F3/Ir`. The asset is the part before the first `/`, or the device if there is none.
    pub metric: String,
    /// The last part of the metric name.
    pub code: String,
    /// Measurand or status, with the encoding of a status.
    pub kind: PointKind,
    /// Measured quantity.
    pub quantity: Quantity,
    /// Unit of the values.
    pub unit: String,
    /// Expected reporting interval, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
}

/// A gateway with the points of a discovery.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovered {
    /// The gateway.
    pub gateway: GatewayId,
    /// Its points that the discovery names, in no particular order.
    pub points: Vec<Point>,
}

impl Store {
    /// Stores what is new and returns the gateway with the points of all metrics, in no particular order. Known rows are not changed. Names longer than 512 bytes
    /// or with a NUL character are refused with a permanent error, and nothing is stored.
    pub async fn discover(&self, discovery: &Discovery) -> Result<Discovered> {
        let found = self.discover_all(std::slice::from_ref(discovery)).await?;
        found.into_iter().next().ok_or_else(|| Error::Data("the gateway is not entered".to_owned()))
    }

    /// Stores several discoveries of one utility in one transaction: all of them or, on an error, none. The results are in the order of the discoveries.
    pub async fn discover_all(&self, discoveries: &[Discovery]) -> Result<Vec<Discovered>> {
        let Some(utility) = discoveries.first().map(|discovery| discovery.client) else { return Ok(Vec::new()) };
        for discovery in discoveries {
            check(discovery)?;
            if discovery.client != utility {
                return Err(Error::Data("discoveries of several utilities are not entered together".to_owned()));
            }
        }
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let lock = transaction.prepare_cached(sql!("discover/lock")).await?;
        transaction.execute(&lock, &[&utility.0]).await?;
        let read = transaction.prepare_cached(sql!("discover/points")).await?;
        let (mut section, mut all) = (None, Vec::with_capacity(discoveries.len()));
        for discovery in discoveries {
            let (gateway, location) = put_gateway(&transaction, discovery, &mut section).await?;
            let mut points = Vec::new();
            if !discovery.points.is_empty() {
                put_assets(&transaction, discovery, location).await?;
                put_points(&transaction, discovery, gateway, location).await?;
                let devices: Vec<&str> = discovery.points.iter().map(|new| new.device.as_str()).collect();
                let metrics: Vec<&str> = discovery.points.iter().map(|new| new.metric.as_str()).collect();
                let rows = transaction.query(&read, &[&utility.0, &gateway, &devices, &metrics]).await?;
                points = rows.iter().map(point).collect::<Result<_>>()?;
            }
            all.push(Discovered { gateway: GatewayId(gateway), points });
        }
        transaction.commit().await?;
        Ok(all)
    }
}

fn check(discovery: &Discovery) -> Result<()> {
    let names = discovery.points.iter().flat_map(|new| [&new.device, &new.metric, &new.code, &new.unit]);
    for name in names.chain([&discovery.gateway_code]) {
        if name.len() > LONGEST_NAME || name.contains('\0') {
            let shown: String = name.chars().take(40).collect();
            return Err(Error::Data(format!("the name {shown:?} ({} bytes) is too long or holds a NUL", name.len())));
        }
    }
    if discovery.gateway_code.is_empty() {
        return Err(Error::Data("a gateway has no name".to_owned()));
    }
    Ok(())
}

/// Returns the gateway and its substation, and adds them if they are new. If a substation has the gateway's code, it is used. `section` is
/// the node below which discovered substations are added; `None` before the first one.
async fn put_gateway(transaction: &Transaction<'_>, discovery: &Discovery, section: &mut Option<i64>) -> Result<(i64, i64)> {
    let find = transaction.prepare_cached(sql!("discover/gateway")).await?;
    if let Some(row) = transaction.query_opt(&find, &[&discovery.client.0, &discovery.gateway_code]).await? {
        return Ok((row.try_get("id")?, row.try_get("location_id")?));
    }
    let location = put_substation(transaction, discovery, section).await?;
    let put = transaction.prepare_cached(sql!("discover/put_gateway")).await?;
    let now = Stamp(discovery.now);
    let row = transaction.query_one(&put, &[&discovery.client.0, &discovery.gateway_code, &location, &now]).await?;
    Ok((row.try_get("id")?, location))
}

async fn put_substation(transaction: &Transaction<'_>, discovery: &Discovery, section: &mut Option<i64>) -> Result<i64> {
    let find = transaction.prepare_cached(sql!("discover/substation")).await?;
    if let Some(row) = transaction.query_opt(&find, &[&discovery.client.0, &discovery.gateway_code]).await? {
        return Ok(row.try_get("id")?);
    }
    let put = transaction.prepare_cached(sql!("discover/put_node")).await?;
    let mut parent: Option<i64> = *section;
    for level in Level::ALL.into_iter().filter(|&level| level != Level::Substation && section.is_none()) {
        let code = i16::from(level.code());
        parent =
            Some(transaction.query_one(&put, &[&discovery.client.0, &code, &parent, &DISCOVERED, &"Discovered"]).await?.try_get("id")?);
    }
    *section = parent;
    let (level, code) = (i16::from(Level::Substation.code()), &discovery.gateway_code);
    Ok(transaction.query_one(&put, &[&discovery.client.0, &level, &parent, code, code]).await?.try_get("id")?)
}

async fn put_assets(transaction: &Transaction<'_>, discovery: &Discovery, location: i64) -> Result<()> {
    let mut found: BTreeMap<&str, (&str, Vec<&str>)> = BTreeMap::new();
    for new in &discovery.points {
        found.entry(asset_code(new, &discovery.gateway_code)).or_insert_with(|| (&new.device, Vec::new())).1.push(&new.code);
    }
    let codes: Vec<&str> = found.keys().copied().collect();
    let classes: Vec<(i32, &str)> = found.values().map(|(_, codes)| class_of(codes)).collect();
    let type_ids: Vec<i32> = classes.iter().map(|class| class.0).collect();
    let class_names: Vec<&str> = classes.iter().map(|class| class.1).collect();
    let devices: Vec<&str> = found.values().map(|(device, _)| *device).collect();
    let put = transaction.prepare_cached(sql!("discover/put_assets")).await?;
    transaction.execute(&put, &[&discovery.client.0, &location, &codes, &type_ids, &class_names, &devices]).await?;
    Ok(())
}

async fn put_points(transaction: &Transaction<'_>, discovery: &Discovery, gateway: i64, location: i64) -> Result<()> {
    fn column<'a, T>(points: &'a [NewPoint], value: impl Fn(&'a NewPoint) -> T) -> Vec<T> {
        points.iter().map(value).collect()
    }
    let points = &discovery.points;
    let put = transaction.prepare_cached(sql!("discover/put_points")).await?;
    transaction
        .execute(
            &put,
            &[
                &discovery.client.0,
                &gateway,
                &location,
                &column(points, |new| asset_code(new, &discovery.gateway_code)),
                &column(points, |new| new.device.as_str()),
                &column(points, |new| new.metric.as_str()),
                &column(points, |new| new.code.as_str()),
                &column(points, |new| encoding_column(new.kind)),
                &column(points, |new| new.quantity.as_str()),
                &column(points, |new| new.unit.as_str()),
                &column(points, |new| i16::from(new.quantity.decimals())),
                &column(points, |new| new.expected_ms.filter(|&ms| ms > 0)),
            ],
        )
        .await?;
    Ok(())
}

/// Returns the asset code of a metric: the part before its first `/`, otherwise its device, otherwise the gateway.
fn asset_code<'a>(new: &'a NewPoint, gateway_code: &'a str) -> &'a str {
    match new.metric.split_once('/') {
        Some((asset, _)) if !asset.is_empty() => asset,
        _ if !new.device.is_empty() => &new.device,
        _ => gateway_code,
    }
}

/// Returns the most likely asset type and class from what an asset reports (specification 2, section 9). Users can correct it later.
fn class_of(codes: &[&str]) -> (i32, &'static str) {
    let any = |candidates: &[&str]| codes.iter().any(|code| candidates.contains(code));
    if any(&["Pos"]) {
        (3, "breaker")
    } else if any(&["OTI", "WTI", "Tap", "OilLevel"]) {
        (2, "transformer")
    } else if any(&["Op"]) {
        (7, "relay")
    } else if any(&["Ir", "Iy", "Ib", "I"]) {
        (1, "feeder")
    } else if any(&["BatV", "BatA"]) {
        (8, "battery")
    } else {
        (11, "substation")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(device: &str, metric: &str) -> NewPoint {
        NewPoint {
            device: device.to_owned(),
            metric: metric.to_owned(),
            code: String::new(),
            kind: PointKind::Measurand,
            quantity: Quantity::Other,
            unit: String::new(),
            expected_ms: None,
        }
    }

    #[test]
    fn the_asset_is_named_by_the_metric_or_else_the_device_or_else_the_gateway() {
        for (device, name, expected) in
            [("F3", "F3CB/Pos", "F3CB"), ("F3", "Ir", "F3"), ("", "Uptime", "RTU1"), ("F3", "/x", "F3"), ("", "a/b/c", "a")]
        {
            assert_eq!(asset_code(&metric(device, name), "RTU1"), expected, "{device} {name}");
        }
    }

    #[test]
    fn the_class_follows_what_is_reported() {
        for (codes, expected) in [
            (&["Ir", "Iy", "Ib", "P"][..], (1, "feeder")),
            (&["Pos"], (3, "breaker")),
            (&["OTI", "Ir"], (2, "transformer")),
            (&["BatV"], (8, "battery")),
            (&["anything"], (11, "substation")),
        ] {
            assert_eq!(class_of(codes), expected);
        }
    }
}
