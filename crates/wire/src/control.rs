//! Operating breakers: requests, commands, refusals, and tags on devices (specification 2, sections 3, 4 and 7;
//! docs/reference/operating.md).
//!
//! Fields of the specification keep its spelling; our own fields are in camelCase. Times are epoch milliseconds unless the field says otherwise.

use grid::control::check::{OFTEN, OFTEN_WITHIN_MS, REST_BETWEEN_MS};
use grid::control::tag::TagScope;
use serde::{Deserialize, Deserializer, Serialize};

/// A state of a command. `offset` is the position of that state in the utility's stream of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandRow {
    /// The command's UUID.
    pub command_id: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Id of the switch.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Id of the point that reports the switch's position.
    pub point_id: i64,
    /// `select` (before operate) or `direct`.
    pub mode: String,
    /// `REQUESTED`, `SELECTING`, `SELECTED`, `SENT`, `ACCEPTED`, `DONE`, `NO_FEEDBACK`, `REFUSED`, `EXPIRED`, `CANCELLED` or `UNKNOWN`.
    pub state: String,
    /// The position before the command, as a double point: 1 open, 2 closed.
    #[serde(rename = "fromDIStatus")]
    pub from_status: i64,
    /// The commanded position: 1 open, 2 closed.
    #[serde(rename = "toDIStatus")]
    pub to_status: i64,
    /// The commanded position as text.
    #[serde(rename = "toDIText")]
    pub to_text: String,
    /// Name of the user who gave the command.
    pub operator: String,
    /// Id of the user who gave the command.
    pub member_id: i64,
    /// When the command was requested.
    pub requested_at: i64,
    /// When the command reached this state.
    pub changed_at: i64,
    /// End of the selection's validity; null without a selection.
    pub select_until: Option<i64>,
    /// End of the feedback time; null unless the command waits for the new position.
    pub deadline: Option<i64>,
    /// Why the command was refused or ended: AddCause of IEC 61850-7-2.
    pub add_cause: Option<i64>,
    /// Name of the AddCause.
    pub add_cause_name: Option<String>,
    /// A message for users; empty if there is none.
    pub message: String,
    /// Whether the field is simulated, so that no real device moves.
    pub simulated: bool,
    /// Position in the utility's stream of commands, in commit order.
    pub offset: i64,
}

/// Why a command is or would be refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefusalRow {
    /// AddCause of IEC 61850-7-2.
    pub add_cause: i64,
    /// Name of the AddCause.
    pub add_cause_name: String,
    /// A message for users.
    pub message: String,
}

/// A condition for operating a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InterlockRow {
    /// Fixed name of the rule, for programs.
    pub rule: String,
    /// A message for users.
    pub message: String,
    /// Whether the condition permits the operation.
    pub fulfilled: bool,
}

/// The reservation of a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReservationRow {
    /// The command for which the device is reserved.
    pub command_id: String,
    /// Name of the user who has the reservation.
    pub holder: String,
    /// Id of the user who has the reservation.
    pub member_id: i64,
    /// When the reservation expires.
    pub until: i64,
    /// Whether the caller's session has the reservation.
    pub mine: bool,
}

/// The position of a breaker, and whether the caller can operate it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own for the dialog")]
pub struct BreakerStatus {
    /// Id of the breaker.
    pub asset_id: i64,
    /// Id of the gateway that reports the breaker.
    pub product_id: i64,
    /// The raw position; null if it was never received.
    #[serde(rename = "currentDIStatus")]
    pub current_status: Option<i64>,
    /// The position as text.
    #[serde(rename = "currentDIText")]
    pub current_text: String,
    /// The position to which the breaker can be operated; null if there is none.
    #[serde(rename = "changeDIStatus")]
    pub change_status: Option<i64>,
    /// `changeDIStatus` as text; empty if there is none.
    #[serde(rename = "changeDIText")]
    pub change_text: String,
    /// Source time of the position; ISO 8601 UTC, null if it was never received.
    pub reported_datetime: Option<String>,
    /// A message for the dialog.
    pub display_msg: String,
    /// Names from the utility down to the asset.
    pub path: String,
    /// Name of the breaker.
    pub asset_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Id of the point that reports the position.
    pub point_id: i64,
    /// Quality code of the position, including the link state and the age.
    pub quality: u8,
    /// Source time of the position.
    pub source_time: Option<i64>,
    /// When the position last changed, by the device's clock; null if no change is stored. Devices also report positions that have not changed.
    pub changed_time: Option<i64>,
    /// Receive time of the position.
    pub received_time: Option<i64>,
    /// The age limit of the position, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
    /// Whether the caller can operate the breaker now.
    pub operable: bool,
    /// Reasons against operating it, most important first.
    pub refusals: Vec<RefusalRow>,
    /// How long the breaker still rests or has to wait for the limit of operations, s; null if it does not.
    pub wait_seconds: Option<i64>,
    /// Tags on the breaker.
    pub tags: Vec<TagRow>,
    /// Conditions for operating the breaker.
    pub interlocks: Vec<InterlockRow>,
    /// Whether the caller must confirm their credentials first.
    pub credentials_required: bool,
    /// Whether direct operate is possible.
    pub direct: bool,
    /// Whether select before operate is possible.
    pub sbo: bool,
    /// How long a selection is valid, s.
    pub select_seconds: i64,
    /// Feedback time: how long the server waits for the new position, s.
    pub feedback_seconds: i64,
    /// The reservation of the breaker; null without one.
    pub reservation: Option<ReservationRow>,
    /// Whether the field is simulated, so that no real device moves.
    pub simulated: bool,
}

/// A command to a breaker. The token identifies the user; fields about the user are ignored.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[allow(clippy::struct_excessive_bools, reason = "the specification's flags")]
pub struct Operate {
    /// Id of the breaker.
    #[serde(rename = "assetId")]
    pub asset_id: i64,
    /// Id of the gateway that reports the breaker.
    #[serde(rename = "productId")]
    pub product_id: i64,
    /// The position that the caller sees, as a double point.
    #[serde(rename = "fromDIStatus")]
    pub from_status: i64,
    /// `fromDIStatus` as text; ignored.
    #[serde(default, rename = "fromDIText")]
    pub from_text: Option<String>,
    /// The target position: 1 open, 2 closed.
    #[serde(rename = "toDIStatus")]
    pub to_status: i64,
    /// `toDIStatus` as text; ignored.
    #[serde(default, rename = "toDIText")]
    pub to_text: Option<String>,
    /// ISO 8601. If present, it must be within half a minute of the server's time.
    #[serde(default, rename = "scheduledTime")]
    pub scheduled_time: Option<String>,
    /// Id of the point that reports the position.
    #[serde(rename = "asset2DiSettingId")]
    pub point_id: i64,
    /// 1: direct operate.
    #[serde(default, rename = "directOperate", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub direct: bool,
    /// 1: select the breaker.
    #[serde(default, rename = "isSelect", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub select: bool,
    /// 1: execute the selection of `commandId`.
    #[serde(default, rename = "isExecute", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub execute: bool,
    /// 1: cancel the selection of `commandId`.
    #[serde(default, rename = "isCancel", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub cancel: bool,
    /// For execute and cancel: the command of the selection. Default: the selection of this breaker by the caller's session.
    #[serde(default, rename = "commandId")]
    pub command_id: Option<String>,
    /// Reason for the operation, for the audit.
    #[serde(default)]
    pub reason: Option<String>,
    /// Ignored. The audit records it if it names another user.
    #[serde(default, rename = "createdBy")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub created_by: Option<serde_json::Value>,
}

/// Reads a flag of the specification: 0, 1, false or true; null is false.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Null => Ok(false),
        serde_json::Value::Bool(flag) => Ok(flag),
        value => match value.as_i64() {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => Err(serde::de::Error::custom("expected 0 or 1")),
        },
    }
}

/// Details of a refused command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// AddCause of IEC 61850-7-2.
    pub add_cause: i64,
    /// Name of the AddCause.
    pub add_cause_name: String,
    /// Name of the user who has reserved the device, if that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// When that reservation expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// After this time the reason has passed by itself, s. Absent if something must be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<i64>,
    /// The refused command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandRow>,
}

/// The failure of a refused command: as for every refused call, with the reason in `result`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperateFailure {
    /// The HTTP status.
    pub status_code: u16,
    /// A message for users.
    pub message: String,
    /// Id of the call, which the log contains too.
    pub correlation_id: String,
    /// The reason.
    pub result: Refusal,
}

/// A tag on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TagRow {
    /// Id of the tag.
    pub id: i64,
    /// What the tag covers: `device` (the asset), `bay` (all switches of the bay `bay`) or `station` (all switches of the substation).
    #[serde(default = "device_scope")]
    pub scope: String,
    /// Id of the asset; null for a substation.
    pub asset_id: Option<i64>,
    /// Name of the asset, or of the substation.
    pub asset_name: String,
    /// The bay: the first part of the addresses of its points. Empty for a substation.
    #[serde(default)]
    pub bay: String,
    /// Id of the substation.
    pub location_id: i64,
    /// `caution`: a warning to read before operating. `inhibit`: the device cannot be operated.
    pub kind: String,
    /// Name of the user who holds the tag.
    pub holder: String,
    /// Id of the user who holds the tag.
    pub holder_id: i64,
    /// Reason for the tag.
    pub reason: String,
    /// When the tag was placed.
    pub placed_at: i64,
    /// When the tag expires; null if it does not. An inhibit never does.
    pub expires_at: Option<i64>,
}

fn device_scope() -> String {
    TagScope::Device.as_str().to_owned()
}

/// A tag to place. With `assetId` of a switch it covers the switch. With that of another asset, such as a feeder, it covers all switches of its bay. With
/// `locationId` it covers all switches of the substation. Exactly one of the two is required.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTag {
    /// Id of the asset.
    #[serde(default)]
    pub asset_id: Option<i64>,
    /// Id of the substation.
    #[serde(default)]
    pub location_id: Option<i64>,
    /// `caution` or `inhibit`.
    pub kind: String,
    /// Reason, 1 to 200 characters.
    pub reason: String,
    /// When a caution expires; null if it does not. An inhibit must not have it.
    #[serde(default)]
    pub expires_at: Option<i64>,
    /// Duration in minutes from now, by the server's clock; use it instead of `expiresAt` if the client's clock may be wrong.
    #[serde(default)]
    pub for_minutes: Option<i64>,
}

/// A request to remove a tag.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TagRemoval {
    /// Reason, 1 to 200 characters.
    pub reason: String,
}

/// Maximum of switches that check synchronism themselves.
const SYNCHRONISM_CHECKED_MAX: usize = 1_000;
/// Maximum length of the codes of a switch.
const SWITCH_TEXT_MAX: usize = 200;

/// Settings of a utility for operating its devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ControlConfiguration {
    /// Whether operating is enabled.
    pub enabled: bool,
    /// Whether all users must confirm their credentials before an operation; otherwise only those whose role is neither 1 nor 2.
    pub stepup_all: bool,
    /// How long a selection is valid, s.
    pub select_seconds: i64,
    /// Feedback time of a breaker, s: how long the server waits for the new position.
    pub feedback_seconds: i64,
    /// Feedback time of an isolator, s.
    pub isolator_feedback_seconds: i64,
    /// The minimum time between two operations of one device, s.
    pub min_interval_seconds: i64,
    /// Number of operations of one device within `burstSeconds` by one session. The next opening then has to wait. Closing never has to.
    pub burst_operations: i64,
    /// Length of the window of `burstOperations`, s.
    pub burst_seconds: i64,
    /// Switches that check synchronism themselves before they close, each as `STATION/ASSET`. Only these may join two sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub synchronism_checked: Vec<String>,
}

impl Default for ControlConfiguration {
    fn default() -> Self {
        Self {
            enabled: false,
            stepup_all: true,
            select_seconds: 30,
            feedback_seconds: 10,
            isolator_feedback_seconds: 25,
            min_interval_seconds: REST_BETWEEN_MS / 1_000,
            burst_operations: OFTEN.into(),
            burst_seconds: OFTEN_WITHIN_MS / 1_000,
            synchronism_checked: Vec::new(),
        }
    }
}

impl ControlConfiguration {
    /// Reads `control` of a utility's configuration document. If it is absent or invalid, control is disabled.
    pub fn of(config: &serde_json::Value) -> Self {
        let Some(own) = config.get("control") else { return Self::default() };
        let read: Option<Self> = serde_json::from_value(own.clone()).ok();
        read.filter(|read| read.check().is_ok()).unwrap_or_default()
    }

    /// Checks that all values are within their limits. The error names the setting and its limits.
    pub fn check(&self) -> Result<(), String> {
        for (key, value, least, most) in [
            ("selectSeconds", self.select_seconds, 5, 120),
            ("feedbackSeconds", self.feedback_seconds, 1, 120),
            ("isolatorFeedbackSeconds", self.isolator_feedback_seconds, 1, 120),
            ("minIntervalSeconds", self.min_interval_seconds, 0, 600),
            ("burstOperations", self.burst_operations, 1, 100),
            ("burstSeconds", self.burst_seconds, 1, 3_600),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("control.{key} must lie between {least} and {most}"));
            }
        }
        let is_switch = |text: &String| {
            text.len() <= SWITCH_TEXT_MAX && text.split_once('/').is_some_and(|(station, asset)| !station.is_empty() && !asset.is_empty())
        };
        if self.synchronism_checked.len() > SYNCHRONISM_CHECKED_MAX || !self.synchronism_checked.iter().all(is_switch) {
            return Err(format!("control.synchronismChecked must have at most {SYNCHRONISM_CHECKED_MAX} switches, each as STATION/ASSET"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flags_are_0_or_1_or_a_truth_value() {
        let read = |value: serde_json::Value| {
            let body = json!({"assetId": 1, "productId": 2, "fromDIStatus": 1, "toDIStatus": 2, "asset2DiSettingId": 3, "isSelect": value});
            serde_json::from_value::<Operate>(body).map(|read| read.select).ok()
        };
        let found = [json!(0), json!(1), json!(true), json!(false), json!(null), json!(2), json!("1")].map(read);
        assert_eq!(found, [Some(false), Some(true), Some(true), Some(false), Some(false), None, None]);
    }

    #[test]
    fn control_is_off_unless_it_is_said_in_full_order() {
        assert!(!ControlConfiguration::of(&json!({})).enabled);
        let of = |control| ControlConfiguration::of(&json!({ "control": control }));
        let on = of(json!({"enabled": true, "selectSeconds": 20}));
        assert!(on.enabled && on.stepup_all && on.select_seconds == 20 && on.feedback_seconds == 10);
        for broken in
            [json!({"enabled": true, "selectSeconds": 0}), json!({"enabled": true, "unknown": 1}), json!("on"), json!({"enabled": 1})]
        {
            assert!(!of(broken.clone()).enabled, "{broken}");
        }
    }
}
