//! Faults of feeders. Specification 2, section 3 defines the names of the first ten fields; our own fields follow them.

use grid::Micros;
use grid::fault::FaultRecord;
use serde::{Deserialize, Serialize};

use crate::time::iso;

/// A fault after a change. `offset` is its position in the utility's stream of faults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FaultRow {
    /// Id of the fault.
    pub id: i64,
    /// `Open` while the breaker is open, otherwise `Closed`.
    #[serde(rename = "FaultStatus")]
    pub status: String,
    /// The feeder's name.
    #[serde(rename = "AssetName")]
    pub asset_name: String,
    /// The substation's name.
    #[serde(rename = "Location")]
    pub location: String,
    /// Customers that the feeder supplies.
    #[serde(rename = "CustomersAffected")]
    pub customers: i32,
    /// `Low` (momentary), `Medium`, or `High` (1000 customers or more).
    #[serde(rename = "Severity")]
    pub severity: String,
    /// The first opening, by the device's clock; ISO 8601 UTC.
    #[serde(rename = "StartTime")]
    pub start: String,
    /// When the breaker was closed again; null while it is open.
    #[serde(rename = "EndTime")]
    pub end: Option<String>,
    /// Minutes from start to end; null while the breaker is open: show the time since `StartTime`.
    #[serde(rename = "Duration")]
    pub minutes: Option<f64>,
    /// `LG`, `LL`, `LLG` or `LLL` by the phases that carried fault current; null while the currents are not known.
    #[serde(rename = "FaultType")]
    pub fault_type: Option<String>,
    /// The element that tripped, by the numbers of IEEE C37.2, and the outcome: `50` or `51`, then `79 success` or `lockout`. Null while nothing is known.
    pub trip_type: Option<String>,
    /// Id of the feeder.
    #[serde(rename = "AssetId")]
    pub asset_id: i64,
    /// Id of the substation.
    #[serde(rename = "LocationId")]
    pub location_id: i64,
    /// Fault current of phase R, A.
    pub fault_current_r: Option<f64>,
    /// Fault current of phase Y, A.
    pub fault_current_y: Option<f64>,
    /// Fault current of phase B, A.
    pub fault_current_b: Option<f64>,
    /// Whether the fault ended within five minutes of its first opening (IEEE 1366). While it is open: whether these five minutes had not passed when the row
    /// was published; check the time since `StartTime`.
    pub momentary: bool,
    /// Number of openings of the fault.
    pub trips: i32,
    /// Position of this change in the utility's stream of faults.
    pub offset: i64,
}

impl From<(&FaultRecord, Micros)> for FaultRow {
    /// Builds the row of a fault at an instant; severity and duration of an open fault depend on it.
    fn from((record, now): (&FaultRecord, Micros)) -> Self {
        let fault = &record.fault;
        let [fault_current_r, fault_current_y, fault_current_b] = fault.currents;
        Self {
            id: record.id,
            status: if fault.is_open() { "Open" } else { "Closed" }.to_owned(),
            asset_name: record.asset_name.clone(),
            location: record.location_name.clone(),
            customers: record.customers,
            severity: fault.severity(record.customers, now).as_str().to_owned(),
            start: iso(fault.start),
            end: fault.end.map(iso),
            minutes: (!fault.is_open()).then(|| fault.minutes(now)),
            fault_type: fault.fault_type().map(|fault_type| fault_type.as_str().to_owned()),
            trip_type: fault.trip_type(),
            asset_id: record.asset.0,
            location_id: record.location.0,
            fault_current_r,
            fault_current_y,
            fault_current_b,
            momentary: fault.is_momentary(now),
            trips: fault.trips,
            offset: record.offset,
        }
    }
}
