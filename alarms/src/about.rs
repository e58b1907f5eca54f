//! The description of an alarm.

use grid::alarm::{AlarmKind, AlarmRecord, Life};
use grid::{AssetId, ClientId, NodeId, PointId};

/// The description of an alarm, which is stored each time it is raised.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct About {
    pub(crate) source: String,
    pub(crate) kind: AlarmKind,
    pub(crate) priority: i16,
    pub(crate) point: Option<PointId>,
    pub(crate) asset: Option<AssetId>,
    pub(crate) asset_name: Option<String>,
    pub(crate) location: NodeId,
    pub(crate) location_name: String,
    pub(crate) text: String,
    pub(crate) limit: Option<f64>,
    pub(crate) unit: String,
    pub(crate) customers: i32,
}

impl About {
    /// Returns the record of an alarm that was never raised.
    pub(crate) fn begin(&self, client: ClientId) -> AlarmRecord {
        AlarmRecord {
            client,
            id: 0,
            source: self.source.clone(),
            kind: self.kind,
            priority: self.priority,
            point: self.point,
            asset: self.asset,
            asset_name: self.asset_name.clone(),
            location: self.location,
            location_name: self.location_name.clone(),
            text: self.text.clone(),
            value: None,
            limit: self.limit,
            unit: self.unit.clone(),
            customers: self.customers,
            life: Life::default(),
            acknowledged_by: None,
            shelved_by: None,
            shelved_reason: None,
            owner: None,
            note: None,
            offset: 0,
            raised_offset: 0,
            cause: None,
            cause_id: None,
        }
    }

    /// Returns whether the stored alarm has a different description. Names are not compared, because they are read from the registry.
    pub(crate) fn differs(&self, alarm: &AlarmRecord) -> bool {
        (self.priority, self.limit, self.asset, self.location, self.customers)
            != (alarm.priority, alarm.limit, alarm.asset, alarm.location, alarm.customers)
            || self.text != alarm.text
            || self.unit != alarm.unit
    }

    /// Writes the present description into an alarm, because the rule may have changed since the alarm was raised.
    pub(crate) fn restate(&self, alarm: &mut AlarmRecord) {
        (alarm.priority, alarm.limit, alarm.customers) = (self.priority, self.limit, self.customers);
        (alarm.text, alarm.unit) = (self.text.clone(), self.unit.clone());
        (alarm.asset, alarm.asset_name) = (self.asset, self.asset_name.clone());
        (alarm.location, alarm.location_name) = (self.location, self.location_name.clone());
    }
}
