//! The gateways and feeders below a node, and the times in which their links were online.

use std::collections::HashMap;

use grid::link::{Change, both};
use grid::load_current::FEEDER_TYPES;
use grid::{GatewayId, Level, Micros, NodeId, Point};
use identity::View;
use registry::Gateway;
use store::Store;
use store::registry::{AssetRecord, NodeRecord};

use crate::days::Day;
use crate::error::Error;

/// Limit of link changes in one request.
const CHANGES_MAX: usize = 200_000;

/// The area of a request: `None` is everything that the caller may see, which the path gives as id 0.
#[derive(Debug, Clone)]
pub struct Under(pub Option<NodeRecord>);

impl Under {
    fn has(&self, view: &View, location: NodeId) -> bool {
        let below = |node: &NodeRecord| self.0.as_ref().is_none_or(|under| node.path.contains(&under.id));
        view.field.node(location).is_some_and(|node| view.sees(node) && below(node))
    }

    /// Returns the gateways of the area, sorted by substation and name.
    pub fn gateways<'a>(&self, view: &'a View) -> Vec<(LinkLocation, &'a Gateway)> {
        let of = view.field.gateways().filter(|gateway| self.has(view, gateway.location));
        let mut found: Vec<_> = of.filter_map(|gateway| Some((LinkLocation::of(view, gateway.location)?, gateway))).collect();
        found.sort_by(|(a, one), (b, other)| (&a.bread_crumb_name, &one.name, one.id).cmp(&(&b.bread_crumb_name, &other.name, other.id)));
        found
    }

    /// Returns the feeders of the area, sorted by substation and name.
    pub fn feeders<'a>(&self, view: &'a View) -> Vec<Feeder<'a>> {
        let of = view.field.assets().filter(|asset| FEEDER_TYPES.contains(&asset.type_id) && self.has(view, asset.location));
        let mut found: Vec<Feeder<'a>> = of
            .filter_map(|asset| {
                let place = LinkLocation::of(view, asset.location)?;
                Some(Feeder::of(view, asset, place))
            })
            .collect();
        found.sort_by(|a, b| {
            (&a.place.bread_crumb_name, &a.asset.name, a.asset.id).cmp(&(&b.place.bread_crumb_name, &b.asset.name, b.asset.id))
        });
        found
    }
}

/// A substation with its place in the hierarchy.
#[derive(Debug, Clone)]
pub struct LinkLocation {
    /// The id of the substation.
    pub location_id: i64,
    /// The name of the substation.
    pub location_name: String,
    /// The id of the circle above it.
    pub circle_id: Option<i64>,
    /// The names from the circle down to the substation.
    pub bread_crumb_name: String,
}

impl LinkLocation {
    /// Returns the place of a substation in the hierarchy.
    pub fn of(view: &View, location: NodeId) -> Option<Self> {
        let node = view.field.node(location)?;
        let names: Vec<&str> = node.path.iter().filter_map(|id| view.field.node(*id)).map(|above| above.name.as_str()).collect();
        Some(Self {
            location_id: node.id.0,
            location_name: node.name.clone(),
            circle_id: view.field.above(node, Level::Circle).map(|circle| circle.id.0),
            bread_crumb_name: names.join(" › "),
        })
    }
}

/// A feeder with the points and the link that belong to it.
#[derive(Debug)]
pub struct Feeder<'a> {
    /// The feeder.
    pub asset: &'a AssetRecord,
    /// The substation of the feeder.
    pub place: LinkLocation,
    /// The gateway and the device of its bay.
    pub link: Option<(GatewayId, &'a str)>,
    /// The position of the breaker of its bay.
    pub position: Option<&'a Point>,
    /// Its currents R, Y, B.
    pub currents: [Option<&'a Point>; 3],
}

impl<'a> Feeder<'a> {
    /// Finds the points of a feeder. The breaker is the breaker of the same bay. The currents are measured at the
    /// feeder itself.
    fn of(view: &'a View, asset: &'a AssetRecord, place: LinkLocation) -> Self {
        let field = &view.field;
        let breakers = field.assets_at(asset.location).filter(|breaker| breaker.class_name == "breaker" && breaker.device == asset.device);
        let positions = breakers.flat_map(|breaker| field.points_of(breaker.id)).filter(|point| point.code == "Pos");
        let position = positions.min_by_key(|point| (&point.metric, point.id));
        let own = |code: &str| field.points_of(asset.id).find(|point| point.code == code);
        let any = field.points_of(asset.id).next().or(position);
        let link = any.map(|point| (point.gateway, point.device.as_str()));
        Self { asset, place, link, position, currents: ["Ir", "Iy", "Ib"].map(own) }
    }
}

/// The link changes of gateways and devices.
#[derive(Debug)]
pub struct Links(HashMap<(GatewayId, String), Vec<Change>>);

impl Links {
    /// Reads the link changes of some gateways and their devices in a span.
    pub async fn read(store: &Store, view: &View, gateways: &[GatewayId], from: Micros, to: Micros) -> Result<Self, Error> {
        let rows = store.link_changes(view.principal.client, gateways, (from, to), CHANGES_MAX).await?;
        let rows =
            rows.ok_or_else(|| Error::BadRequest(format!("more than {CHANGES_MAX} changes of links, ask for fewer days or a lower node")))?;
        let mut links: HashMap<(GatewayId, String), Vec<Change>> = HashMap::new();
        for row in rows {
            links.entry((row.gateway, row.device)).or_default().push(row.change);
        }
        Ok(Self(links))
    }

    /// Reads the link changes in the days of a request.
    pub async fn of_days(store: &Store, view: &View, gateways: &[GatewayId], days: &[Day]) -> Result<Self, Error> {
        let (from, to) = (days.first().map_or(Micros(0), |day| day.from), days.last().map_or(Micros(0), |day| day.to));
        Self::read(store, view, gateways, from, to).await
    }

    /// Returns the link changes of a gateway.
    pub fn gateway(&self, gateway: GatewayId) -> &[Change] {
        self.0.get(&(gateway, String::new())).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the times in which a device was online; its gateway must be online too.
    pub fn device(&self, gateway: GatewayId, device: &str) -> Vec<Change> {
        let own = if device.is_empty() { None } else { self.0.get(&(gateway, device.to_owned())) };
        both(self.gateway(gateway), own.map(Vec::as_slice).unwrap_or_default())
    }
}

/// Rounds a share or a duration to one decimal.
pub fn tenth(number: Option<f64>) -> Option<f64> {
    number.map(|number| (number * 10.0).round() / 10.0)
}
