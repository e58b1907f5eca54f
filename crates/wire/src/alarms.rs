//! Alarms: rows of the list and the stream, what people do with them, and the rules by which points raise them. All of it is ours.

use grid::alarm::{AlarmRecord, Rule};
use serde::{Deserialize, Serialize};

use crate::time::iso;

/// An alarm after a change. `offset` is its position in the utility's stream of alarms. Times are ISO 8601 UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlarmRow {
    /// Its id, the same each time it is raised.
    pub id: i64,
    /// `high`, `low`, `high_high`, `low_low`, `state`, `trip`, `command`, `comm` or `data`.
    pub kind: String,
    /// 1 is the most urgent, 3 the least.
    pub priority: i16,
    /// `active_unacked`, `active_acked`, `cleared_unacked` or `normal`; a list forgets an alarm that is normal.
    pub state: String,
    /// The point, if there is one.
    pub point_id: Option<i64>,
    /// The asset, if there is one.
    pub asset_id: Option<i64>,
    /// Its name.
    pub asset_name: Option<String>,
    /// The substation.
    pub location_id: i64,
    /// Its name.
    pub location_name: String,
    /// The text.
    pub text: String,
    /// The value that raised it, in `unit`.
    pub value: Option<f64>,
    /// The limit that it passed, in `unit`.
    pub limit: Option<f64>,
    /// The unit of both; empty if there is none.
    pub unit: String,
    /// Customers fed through the asset.
    pub customers: i32,
    /// When it was raised first since it was normal, by the device's clock.
    pub raised: Option<String>,
    /// When it was over, by the device's clock.
    pub cleared: Option<String>,
    /// When it was acknowledged, by the server's clock.
    pub acknowledged: Option<String>,
    /// The user.
    pub acknowledged_by: Option<String>,
    /// Until when it is shelved, by the server's clock; null if it is not.
    pub shelved_until: Option<String>,
    /// The user.
    pub shelved_by: Option<String>,
    /// And why.
    pub shelved_reason: Option<String>,
    /// The user who takes care of it.
    pub owner: Option<String>,
    /// The note of a user.
    pub note: Option<String>,
    /// How often it was raised since it was normal.
    pub count: i32,
    /// Position of this change in the utility's stream of alarms.
    pub offset: i64,
}

impl From<&AlarmRecord> for AlarmRow {
    fn from(alarm: &AlarmRecord) -> Self {
        let life = &alarm.life;
        Self {
            id: alarm.id,
            kind: alarm.kind.word().to_owned(),
            priority: alarm.priority,
            state: life.state.word().to_owned(),
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
            cleared: life.cleared.map(iso),
            acknowledged: life.acknowledged.map(iso),
            acknowledged_by: alarm.acknowledged_by.clone(),
            shelved_until: life.shelved_until.map(iso),
            shelved_by: alarm.shelved_by.clone(),
            shelved_reason: alarm.shelved_reason.clone(),
            owner: alarm.owner.clone(),
            note: alarm.note.clone(),
            count: life.count,
            offset: alarm.offset,
        }
    }
}

/// Which alarms are acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcknowledgeAlarms {
    /// Their ids, up to 1000.
    pub ids: Vec<i64>,
    /// The offset in the stream of alarms up to which the caller has seen them. An alarm that was raised again after it stays unacknowledged.
    pub offset: i64,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AcknowledgedAlarms {
    /// Alarms that were acknowledged by this call.
    pub acknowledged: Vec<i64>,
    /// Alarms that were raised again after the offset, and stay unacknowledged.
    pub newer: Vec<i64>,
}

/// A shelved alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShelveAlarm {
    /// Its id.
    pub id: i64,
    /// For how long, 1 to 10080 (a week).
    pub minutes: i64,
    /// Why, 1 to 200 characters.
    pub reason: String,
}

/// An alarm whose shelving ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnshelveAlarm {
    /// Its id.
    pub id: i64,
}

/// The owner and note of an alarm. A missing field is kept; an empty text removes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NoteAlarm {
    /// Its id.
    pub id: i64,
    /// The user who takes care of it, up to 100 characters.
    #[serde(default)]
    pub owner: Option<String>,
    /// What there is to say, up to 1000 characters.
    #[serde(default)]
    pub note: Option<String>,
}

/// The rules by which a point raises alarms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AlarmSettings {
    /// At most one of a kind.
    pub rules: Vec<AlarmRule>,
}

fn yes() -> bool {
    true
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AlarmRule {
    /// `high`, `low`, `high_high`, `low_low` or `data` for a measurand; `state` for a status point.
    pub kind: String,
    /// Whether it is in force.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The limit in the point's unit; for the four kinds that have one.
    #[serde(default)]
    pub limit: Option<f64>,
    /// The distance behind the limit at which the alarm clears, in the point's unit; 0 or more.
    #[serde(default)]
    pub deadband: f64,
    /// The raw status that is trouble; for `state`.
    #[serde(default)]
    pub state_value: Option<f64>,
    /// How long the condition must be present before the alarm is raised, s; 0 to 86400.
    #[serde(default)]
    pub on_delay_s: i32,
    /// How long it has to be over before the alarm clears, s; 0 to 86400.
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
            kind: rule.kind.word().to_owned(),
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
    /// The alarm, if there is one.
    pub alarm_id: Option<i64>,
    /// The asset, if there is one.
    pub asset_id: Option<i64>,
    /// Its name.
    pub asset_name: Option<String>,
    /// The substation.
    pub location_id: i64,
    /// Its name.
    pub location_name: String,
    /// The text.
    pub text: String,
    /// The value, in `unit`.
    pub value: Option<f64>,
    /// What it should not pass, in `unit`.
    pub limit: Option<f64>,
    /// The unit of both.
    pub unit: String,
    /// Since when, for an alarm; otherwise the source time of the latest value. ISO 8601 UTC.
    pub since: Option<String>,
}

/// A planned action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionNoteRow {
    /// Its id.
    pub id: i64,
    /// The substation.
    pub location_id: i64,
    /// Its name.
    pub location_name: String,
    /// The asset, if there is one.
    pub asset_id: Option<i64>,
    /// Its name.
    pub asset_name: Option<String>,
    /// The action.
    pub text: String,
    /// The user.
    pub owner: String,
    /// By when, `YYYY-MM-DD` in the utility's zone.
    pub due_date: String,
    /// `planned`, `in_progress`, `done` or `cancelled`.
    pub state: String,
    /// The due date has passed, and it is neither done nor cancelled.
    pub overdue: bool,
    /// The user who added it.
    pub created_by: String,
    /// When. ISO 8601 UTC.
    pub created: String,
    /// The time of the last change. ISO 8601 UTC.
    pub changed: String,
}

fn planned() -> String {
    "planned".to_owned()
}

/// A note to be entered, or with an id to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutActionNote {
    /// The note that is changed; left out for a new one.
    #[serde(default)]
    pub id: Option<i64>,
    /// The substation.
    pub location_id: i64,
    /// The asset, if there is one.
    #[serde(default)]
    pub asset_id: Option<i64>,
    /// The action, 1 to 1000 characters.
    pub text: String,
    /// The user who does it, 1 to 100 characters.
    pub owner: String,
    /// By when, `YYYY-MM-DD`.
    pub due_date: String,
    /// `planned`, `in_progress`, `done` or `cancelled`.
    #[serde(default = "planned")]
    pub state: String,
}
