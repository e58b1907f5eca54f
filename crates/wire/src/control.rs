//! Operating breakers: what is asked for, what became of it, and the tags on devices (specification 2, sections 3, 4 and 7; live.md section 4).
//!
//! Spelling as in the specification; what we add is camelCase. Times are epoch milliseconds unless said.

use serde::{Deserialize, Deserializer, Serialize};

/// A command in one of its states. `offset` is the position of that state in the utility's stream of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandRow {
    /// The command's UUID.
    pub command_id: String,
    /// The substation.
    pub location_id: i64,
    /// The switch.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// Its position.
    pub point_id: i64,
    /// `select` (before operate) or `direct`.
    pub mode: String,
    /// `REQUESTED`, `SELECTING`, `SELECTED`, `SENT`, `ACCEPTED`, `DONE`, `NO_FEEDBACK`, `REFUSED`, `EXPIRED`, `CANCELLED` or `UNKNOWN`.
    pub state: String,
    /// The position from which it was commanded, as a double point.
    #[serde(rename = "fromDIStatus")]
    pub from_status: i64,
    /// The commanded position: 1 open, 2 closed.
    #[serde(rename = "toDIStatus")]
    pub to_status: i64,
    /// The same as text.
    #[serde(rename = "toDIText")]
    pub to_text: String,
    /// The name of that user.
    pub operator: String,
    /// The user who commanded it.
    pub member_id: i64,
    /// When it was requested.
    pub requested_at: i64,
    /// When it reached this state.
    pub changed_at: i64,
    /// Until when the selection is valid, while there is one.
    pub select_until: Option<i64>,
    /// Until when the new position is waited for, while it is.
    pub deadline: Option<i64>,
    /// Why it was refused or ended: AddCause of IEC 61850-7-2.
    pub add_cause: Option<i64>,
    /// The name of that cause.
    pub add_cause_name: Option<String>,
    /// A message for users; empty if there is none.
    pub message: String,
    /// No real device moves: the field is simulated.
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
    /// The name of that cause.
    pub add_cause_name: String,
    /// A message for users.
    pub message: String,
}

/// A condition on operating a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InterlockRow {
    /// Its name, fixed for a program to know.
    pub rule: String,
    /// A message for users.
    pub message: String,
    /// Whether it lets the device be operated.
    pub fulfilled: bool,
}

/// The user who has reserved a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReservationRow {
    /// The command that it is held for.
    pub command_id: String,
    /// The name of that user.
    pub holder: String,
    /// The user.
    pub member_id: i64,
    /// Until when, if nothing ends it before.
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
    /// The breaker.
    pub asset_id: i64,
    /// The gateway that reports it.
    pub product_id: i64,
    /// The raw position; null if it was never received.
    #[serde(rename = "currentDIStatus")]
    pub current_status: Option<i64>,
    /// The same as text.
    #[serde(rename = "currentDIText")]
    pub current_text: String,
    /// The position to which it can be operated; null if there is none.
    #[serde(rename = "changeDIStatus")]
    pub change_status: Option<i64>,
    /// The same as text; empty if there is none.
    #[serde(rename = "changeDIText")]
    pub change_text: String,
    /// When the position was measured; ISO 8601 UTC, null if it never was.
    pub reported_datetime: Option<String>,
    /// A message for the dialog.
    pub display_msg: String,
    /// The area: client, circle and so on down to the asset.
    pub path: String,
    /// The breaker's name.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// The position's point.
    pub point_id: i64,
    /// Quality code of the position, link and age counted in.
    pub quality: u8,
    /// When it was measured.
    pub source_time: Option<i64>,
    /// When it was received.
    pub received_time: Option<i64>,
    /// The age at which it is stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
    /// Whether nothing speaks against operating it.
    pub operable: bool,
    /// What speaks against it, most important first.
    pub refusals: Vec<RefusalRow>,
    /// The tags on it.
    pub tags: Vec<TagRow>,
    /// Conditions for operating it.
    pub interlocks: Vec<InterlockRow>,
    /// Whether the caller has to give their credentials first.
    pub credentials_required: bool,
    /// Whether it can be operated directly.
    pub direct: bool,
    /// Whether it can be selected before operate.
    pub sbo: bool,
    /// How long a selection is valid, s.
    pub select_seconds: i64,
    /// How long the new position is waited for, s.
    pub feedback_seconds: i64,
    /// The user who has reserved it.
    pub reservation: Option<ReservationRow>,
    /// No real device moves: the field is simulated.
    pub simulated: bool,
}

/// A command to a breaker. The token identifies the user; fields about the user are ignored.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[allow(clippy::struct_excessive_bools, reason = "the specification's flags")]
pub struct Operate {
    /// The breaker.
    #[serde(rename = "assetId")]
    pub asset_id: i64,
    /// The gateway that reports it.
    #[serde(rename = "productId")]
    pub product_id: i64,
    /// The position that the caller sees.
    #[serde(rename = "fromDIStatus")]
    pub from_status: i64,
    /// The same as text; ignored.
    #[serde(default, rename = "fromDIText")]
    pub from_text: Option<String>,
    /// The target position: 1 open, 2 closed.
    #[serde(rename = "toDIStatus")]
    pub to_status: i64,
    /// The same as text; ignored.
    #[serde(default, rename = "toDIText")]
    pub to_text: Option<String>,
    /// ISO 8601; if given, it must be now within half a minute.
    #[serde(default, rename = "scheduledTime")]
    pub scheduled_time: Option<String>,
    /// The position's point.
    #[serde(rename = "asset2DiSettingId")]
    pub point_id: i64,
    /// 1: operate at once.
    #[serde(default, rename = "directOperate", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub direct: bool,
    /// 1: select.
    #[serde(default, rename = "isSelect", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub select: bool,
    /// 1: operate what `commandId` has selected.
    #[serde(default, rename = "isExecute", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub execute: bool,
    /// 1: give up what `commandId` has selected.
    #[serde(default, rename = "isCancel", deserialize_with = "flag")]
    #[cfg_attr(feature = "schema", schema(value_type = i64))]
    pub cancel: bool,
    /// For execute and cancel: the command of the selection; default: the selection of this breaker by the caller's session.
    #[serde(default, rename = "commandId")]
    pub command_id: Option<String>,
    /// Why, for the log.
    #[serde(default)]
    pub reason: Option<String>,
    /// Ignored, but entered in the audit if it names another user.
    #[serde(default, rename = "createdBy")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub created_by: Option<serde_json::Value>,
}

/// 0 and 1 as the specification has them, or false and true.
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
    /// The name of that cause.
    pub add_cause_name: String,
    /// The user who has reserved the device, if that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Until when they have it, if nothing ends it before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// The refused command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandRow>,
}

/// A refused command: like every refused call, with the reason in `result`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperateFailure {
    /// The HTTP status.
    pub status_code: u16,
    /// A message for users.
    pub message: String,
    /// Finds this call in the log.
    pub correlation_id: String,
    /// The reason.
    pub result: Refusal,
}

/// A tag on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TagRow {
    /// Its id.
    pub id: i64,
    /// Its device.
    pub asset_id: i64,
    /// That asset's name.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// `caution`: look before you operate. `inhibit`: not to be operated.
    pub kind: String,
    /// The name of its holder.
    pub holder: String,
    /// Its holder.
    pub holder_id: i64,
    /// Why.
    pub reason: String,
    /// Since when.
    pub placed_at: i64,
    /// Until when, if it ends by itself.
    pub expires_at: Option<i64>,
}

/// A tag to place on a device.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTag {
    /// On what.
    pub asset_id: i64,
    /// `caution` or `inhibit`.
    pub kind: String,
    /// Why; 1 to 200 characters.
    pub reason: String,
    /// Until when; null until it is removed.
    #[serde(default)]
    pub expires_at: Option<i64>,
    /// Duration in minutes from now, by the server's clock; use it instead of `expiresAt` if the client's clock may be wrong.
    #[serde(default)]
    pub for_minutes: Option<i64>,
}

/// Why a tag is removed.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TagRemoval {
    /// 1 to 200 characters.
    pub reason: String,
}

/// What a utility has decided about operating its field.
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
    /// How long the new position of a breaker is waited for, s.
    pub feedback_seconds: i64,
    /// The same of an isolator, s.
    pub isolator_feedback_seconds: i64,
    /// The least time between two operations of one device, s.
    pub min_interval_seconds: i64,
    /// After this number of operations of one device within the window, the next user must have signed in since.
    pub burst_operations: i64,
    /// That window, s.
    pub burst_seconds: i64,
}

impl Default for ControlConfiguration {
    fn default() -> Self {
        Self {
            enabled: false,
            stepup_all: true,
            select_seconds: 30,
            feedback_seconds: 10,
            isolator_feedback_seconds: 25,
            min_interval_seconds: 10,
            burst_operations: 3,
            burst_seconds: 60,
        }
    }
}

impl ControlConfiguration {
    /// As a utility's document has it under `control`. What cannot be read leaves control off.
    pub fn of(config: &serde_json::Value) -> Self {
        let Some(own) = config.get("control") else { return Self::default() };
        let read: Option<Self> = serde_json::from_value(own.clone()).ok();
        read.filter(|read| read.check().is_ok()).unwrap_or_default()
    }

    /// Says what of it cannot be taken.
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
