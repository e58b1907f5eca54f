//! Alarms: rows of lists and of the stream, requests of users about alarms, and alarm rules of points. The specification does not define these calls.

use grid::alarm::{AlarmRecord, Rule};
use serde::{Deserialize, Serialize};

use crate::time::iso;

/// An alarm after a change. `offset` is its position in the utility's stream of alarms. Times are ISO 8601 UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlarmRow {
    /// Id of the alarm, the same each time it is raised.
    pub id: i64,
    /// `high`, `low`, `high_high`, `low_low`, `state`, `trip`, `opened`, `infeed`, `command`, `comm` or `data`.
    pub kind: String,
    /// 1 is the most urgent, 3 the least.
    pub priority: i16,
    /// `active_unacked`, `active_acked`, `cleared_unacked`, `suppressed` or `normal`. A `suppressed` alarm follows from the alarm `causeId` and
    /// needs no acknowledgement. Remove an alarm that is `normal` from a list.
    pub state: String,
    /// Id of the point; null if the alarm is not about a point.
    pub point_id: Option<i64>,
    /// Id of the asset; null if the alarm is not about an asset.
    pub asset_id: Option<i64>,
    /// Name of the asset.
    pub asset_name: Option<String>,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// The text of the alarm.
    pub text: String,
    /// The value that raised the alarm, in `unit`.
    pub value: Option<f64>,
    /// The limit that the value exceeded, in `unit`.
    pub limit: Option<f64>,
    /// Unit of `value` and `limit`; empty if there is none.
    pub unit: String,
    /// Customers that the asset supplies.
    pub customers: i32,
    /// When the alarm was last raised, by the device's clock; ISO 8601 UTC.
    pub raised: Option<String>,
    /// When the alarm was first raised after its last normal state, by the device's clock; ISO 8601 UTC.
    #[serde(default)]
    pub first_raised: Option<String>,
    /// When the condition ended, by the device's clock; ISO 8601 UTC.
    pub cleared: Option<String>,
    /// When a user acknowledged the alarm, by the server's clock; ISO 8601 UTC.
    pub acknowledged: Option<String>,
    /// Name of the user who acknowledged the alarm.
    pub acknowledged_by: Option<String>,
    /// End of the shelving, by the server's clock, ISO 8601 UTC; null if the alarm is not shelved.
    pub shelved_until: Option<String>,
    /// Name of the user who shelved the alarm.
    pub shelved_by: Option<String>,
    /// Why the alarm is shelved.
    pub shelved_reason: Option<String>,
    /// The user who is responsible for the alarm.
    pub owner: Option<String>,
    /// Note of a user.
    pub note: Option<String>,
    /// How often the alarm was raised since its last normal state.
    pub count: i32,
    /// Id of the alarm from which a `suppressed` alarm follows; null in other states.
    #[serde(default)]
    pub cause_id: Option<i64>,
    /// Position of this change in the utility's stream of alarms.
    pub offset: i64,
}

impl From<&AlarmRecord> for AlarmRow {
    fn from(alarm: &AlarmRecord) -> Self {
        let life = &alarm.life;
        Self {
            id: alarm.id,
            kind: alarm.kind.as_str().to_owned(),
            priority: alarm.priority,
            state: life.state.as_str().to_owned(),
            point_id: alarm.point.map(|id| id.0),
            asset_id: alarm.asset.map(|id| id.0),
            asset_name: alarm.asset_name.clone(),
            location_id: alarm.location.0,
            location_name: alarm.location_name.clone(),
            text: alarm.text.clone(),
            value: alarm.value,
            limit: alarm.limit,
            unit: alarm.unit.clone(),
            customers: alarm.customers,
            raised: life.raised.map(iso),
            first_raised: life.first_raised.map(iso),
            cleared: life.cleared.map(iso),
            acknowledged: life.acknowledged.map(iso),
            acknowledged_by: alarm.acknowledged_by.clone(),
            shelved_until: life.shelved_until.map(iso),
            shelved_by: alarm.shelved_by.clone(),
            shelved_reason: alarm.shelved_reason.clone(),
            owner: alarm.owner.clone(),
            note: alarm.note.clone(),
            count: life.count,
            cause_id: alarm.cause_id,
            offset: alarm.offset,
        }
    }
}

/// Alarms to acknowledge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcknowledgeAlarms {
    /// Ids of the alarms, at most 1000.
    pub ids: Vec<i64>,
    /// The offset in the stream of alarms up to which the caller has seen them. An alarm that was raised again after it stays unacknowledged.
    pub offset: i64,
}

/// The acknowledged alarms, and those that were raised again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AcknowledgedAlarms {
    /// Ids of the alarms that this call acknowledged.
    pub acknowledged: Vec<i64>,
    /// Ids of the alarms that were raised again after the offset; they stay unacknowledged.
    pub newer: Vec<i64>,
}

/// A request to shelve an alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShelveAlarm {
    /// Id of the alarm.
    pub id: i64,
    /// Duration of the shelving, minutes: 1 to 10080 (a week).
    pub minutes: i64,
    /// Reason, 1 to 200 characters.
    pub reason: String,
}

/// A request to end the shelving of an alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnshelveAlarm {
    /// Id of the alarm.
    pub id: i64,
}

/// The owner and note of an alarm. A missing field is not changed; an empty text removes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NoteAlarm {
    /// Id of the alarm.
    pub id: i64,
    /// The user who is responsible for the alarm, up to 100 characters.
    #[serde(default)]
    pub owner: Option<String>,
    /// Note, up to 1000 characters.
    #[serde(default)]
    pub note: Option<String>,
}

/// The rules by which a point raises alarms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AlarmSettings {
    /// The rules, at most one of each kind.
    pub rules: Vec<AlarmRule>,
}

fn yes() -> bool {
    true
}

/// A rule by which a point raises alarms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AlarmRule {
    /// `high`, `low`, `high_high`, `low_low` or `data` for a measurand; `state` for a status point.
    pub kind: String,
    /// Whether the rule is enabled; default: true.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The limit in the point's unit; required for `high`, `low`, `high_high` and `low_low`.
    #[serde(default)]
    pub limit: Option<f64>,
    /// The distance from the limit that the value must pass before the alarm clears, in the point's unit; 0 or more.
    #[serde(default)]
    pub deadband: f64,
    /// The raw status that raises the alarm; for `state`.
    #[serde(default)]
    pub state_value: Option<f64>,
    /// On delay: how long the condition must be present before the alarm is raised, s; 0 to 86400.
    #[serde(default)]
    pub on_delay_s: i32,
    /// Off delay: how long the condition must be absent before the alarm clears, s; 0 to 86400.
    #[serde(default)]
    pub off_delay_s: i32,
    /// 1 to 3, 1 the most urgent.
    pub priority: i16,
    /// The text of the alarm, up to 100 characters; empty for the default.
    #[serde(default)]
    pub text: String,
}

impl From<&Rule> for AlarmRule {
    fn from(rule: &Rule) -> Self {
        Self {
            kind: rule.kind.as_str().to_owned(),
            enabled: rule.enabled,
            limit: rule.limit,
            deadband: rule.deadband,
            state_value: rule.state_value,
            on_delay_s: rule.on_delay_s,
            off_delay_s: rule.off_delay_s,
            priority: rule.priority,
            text: rule.text.clone(),
        }
    }
}

/// An alert of the energy dashboard: an active alarm, or a value outside of good practice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertRow {
    /// `alarm`, `unbalance`, `power_factor` or `overload`.
    pub kind: String,
    /// 1 to 3, 1 the most urgent.
    pub priority: i16,
    /// Id of the alarm; null if the alert is not an alarm.
    pub alarm_id: Option<i64>,
    /// Id of the asset; null if the alert is not about an asset.
    pub asset_id: Option<i64>,
    /// Name of the asset.
    pub asset_name: Option<String>,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// The text of the alert.
    pub text: String,
    /// The value, in `unit`.
    pub value: Option<f64>,
    /// The limit of good practice, in `unit`.
    pub limit: Option<f64>,
    /// Unit of `value` and `limit`.
    pub unit: String,
    /// For an alarm, when it was raised; otherwise the source time of the latest value. ISO 8601 UTC.
    pub since: Option<String>,
}

/// A planned action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionNoteRow {
    /// Id of the tracker.
    pub id: i64,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Id of the asset; null if the action is not about an asset.
    pub asset_id: Option<i64>,
    /// Name of the asset.
    pub asset_name: Option<String>,
    /// The action.
    pub text: String,
    /// The user who is responsible for the action.
    pub owner: String,
    /// Due date, `YYYY-MM-DD` in the utility's time zone.
    pub due_date: String,
    /// `planned`, `in_progress`, `done` or `cancelled`.
    pub state: String,
    /// Whether the due date has passed and the action is neither `done` nor `cancelled`.
    pub overdue: bool,
    /// The user who added the tracker.
    pub created_by: String,
    /// When the tracker was added; ISO 8601 UTC.
    pub created: String,
    /// The time of the last change. ISO 8601 UTC.
    pub changed: String,
}

fn planned() -> String {
    "planned".to_owned()
}

/// A new tracker, or with `id` a change of an existing one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutActionNote {
    /// Id of the tracker to change; absent for a new tracker.
    #[serde(default)]
    pub id: Option<i64>,
    /// Id of the substation.
    pub location_id: i64,
    /// Id of the asset; absent if the action is not about an asset.
    #[serde(default)]
    pub asset_id: Option<i64>,
    /// The action, 1 to 1000 characters.
    pub text: String,
    /// The user who is responsible for the action, 1 to 100 characters.
    pub owner: String,
    /// Due date, `YYYY-MM-DD`.
    pub due_date: String,
    /// `planned`, `in_progress`, `done` or `cancelled`.
    #[serde(default = "planned")]
    pub state: String,
}
