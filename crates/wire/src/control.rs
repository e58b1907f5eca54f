//! Operating breakers: what is asked for, what became of it, and the tags on devices (specification 2, sections 3, 4 and 7; live.md section 4).
//!
//! Spelling as in the specification; what we add is camelCase. Times are epoch milliseconds unless said.

use serde::{Deserialize, Deserializer, Serialize};

/// A command in one of its states. Its `offset` places that state in the utility's stream of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandRow {
    /// The command's UUID.
    pub command_id: String,
    /// The substation.
    pub location_id: i64,
    /// What is operated.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// Its position.
    pub point_id: i64,
    /// `select` (before operate) or `direct`.
    pub mode: String,
    /// `REQUESTED`, `SELECTING`, `SELECTED`, `SENT`, `ACCEPTED`, `DONE`, `NO_FEEDBACK`, `REFUSED`, `EXPIRED`, `CANCELLED` or `UNKNOWN`.
    pub state: String,
    /// The position that it was ordered from, as a double point.
    #[serde(rename = "fromDIStatus")]
    pub from_status: i64,
    /// The position that is ordered: 1 open, 2 closed.
    #[serde(rename = "toDIStatus")]
    pub to_status: i64,
    /// The same in words.
    #[serde(rename = "toDIText")]
    pub to_text: String,
    /// Who ordered it, by name.
    pub operator: String,
    /// Who ordered it.
    pub member_id: i64,
    /// When it was ordered.
    pub requested_at: i64,
    /// When it came to this state.
    pub changed_at: i64,
    /// Until when the selection holds, while there is one.
    pub select_until: Option<i64>,
    /// Until when the new position is waited for, while it is.
    pub deadline: Option<i64>,
    /// Why it came to nothing: AddCause of IEC 61850-7-2.
    pub add_cause: Option<i64>,
    /// The same as a word.
    pub add_cause_name: Option<String>,
    /// A sentence for people; empty when there is nothing to say.
    pub message: String,
    /// No real device moves: the field is simulated.
    pub simulated: bool,
    /// Place in the utility's stream of commands, in the order of commit.
    pub offset: i64,
}

/// Why a command is or would be refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefusalRow {
    /// AddCause of IEC 61850-7-2.
    pub add_cause: i64,
    /// The same as a word.
    pub add_cause_name: String,
    /// A sentence for people.
    pub message: String,
}

/// A condition on operating a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InterlockRow {
    /// Its name, fixed for a program to know.
    pub rule: String,
    /// A sentence for people.
    pub message: String,
    /// Whether it lets the device be operated.
    pub fulfilled: bool,
}

/// Who has a device meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReservationRow {
    /// The command that it is held for.
    pub command_id: String,
    /// By whom, by name.
    pub holder: String,
    /// By whom.
    pub member_id: i64,
    /// Until when, if nothing ends it before.
    pub until: i64,
    /// Whether the asking session holds it.
    pub mine: bool,
}

/// The position of a breaker, and whether it may be operated now by who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own for the dialog")]
pub struct BreakerStatus {
    /// The breaker.
    pub asset_id: i64,
    /// The gateway that reports it.
    pub product_id: i64,
    /// The raw position; null when it was never received.
    #[serde(rename = "currentDIStatus")]
    pub current_status: Option<i64>,
    /// The same in words.
    #[serde(rename = "currentDIText")]
    pub current_text: String,
    /// The position that can be ordered; null when there is none.
    #[serde(rename = "changeDIStatus")]
    pub change_status: Option<i64>,
    /// The same in words; empty when there is none.
    #[serde(rename = "changeDIText")]
    pub change_text: String,
    /// When the position was measured; ISO 8601 UTC, null when it never was.
    pub reported_datetime: Option<String>,
    /// A sentence for the dialog.
    pub display_msg: String,
    /// Where it is: client, circle and so on down to the asset.
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
    /// What must be so before it is operated.
    pub interlocks: Vec<InterlockRow>,
    /// Whether the caller has to give their credentials first.
    pub credentials_required: bool,
    /// Whether it can be operated directly.
    pub direct: bool,
    /// Whether it can be selected before operate.
    pub sbo: bool,
    /// How long a selection holds, s.
    pub select_seconds: i64,
    /// How long the new position is waited for, s.
    pub feedback_seconds: i64,
    /// Who has it now.
    pub reservation: Option<ReservationRow>,
    /// No real device moves: the field is simulated.
    pub simulated: bool,
}

/// A command to a breaker. What of it says who orders is not looked at: that is known from the sign-in.
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
    /// The same in words; not looked at.
    #[serde(default, rename = "fromDIText")]
    pub from_text: Option<String>,
    /// The position that is wanted: 1 open, 2 closed.
    #[serde(rename = "toDIStatus")]
    pub to_status: i64,
    /// The same in words; not looked at.
    #[serde(default, rename = "toDIText")]
    pub to_text: Option<String>,
    /// Must be now, to half a minute, where it is given: ISO 8601.
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
    /// For execute and cancel: the command of the selection. Absent: the one that the caller's session has of this breaker.
    #[serde(default, rename = "commandId")]
    pub command_id: Option<String>,
    /// Why, for the log.
    #[serde(default)]
    pub reason: Option<String>,
    /// Not looked at, but entered in the audit where it names somebody else.
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

/// What is told of a command that is refused, beside the sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// AddCause of IEC 61850-7-2.
    pub add_cause: i64,
    /// The same as a word.
    pub add_cause_name: String,
    /// Who has the device, by name, when that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Until when they have it, if nothing ends it before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// The command that came to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandRow>,
}

/// A refused command: as any refused call, with the reason beside the sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperateFailure {
    /// The HTTP status again.
    pub status_code: u16,
    /// A sentence for people.
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
    /// What it hangs on.
    pub asset_id: i64,
    /// That asset's name.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// `caution`: look before you operate. `inhibit`: not to be operated.
    pub kind: String,
    /// Who hung it there, by name.
    pub holder: String,
    /// Who hung it there.
    pub holder_id: i64,
    /// Why.
    pub reason: String,
    /// Since when.
    pub placed_at: i64,
    /// Until when, if it ends by itself.
    pub expires_at: Option<i64>,
}

/// A tag to hang on a device.
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
    /// Until when; null for until it is taken off.
    #[serde(default)]
    pub expires_at: Option<i64>,
    /// For how many minutes from now on, by the server's clock; instead of `expiresAt`, which a wrong clock of the caller's makes wrong.
    #[serde(default)]
    pub for_minutes: Option<i64>,
}

/// Why a tag is taken off.
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
    /// Whether anything may be operated at all.
    pub enabled: bool,
    /// Whether everybody has to give their credentials before they operate; else only those whose role is neither 1 nor 2.
    pub stepup_all: bool,
    /// How long a selection holds, s.
    pub select_seconds: i64,
    /// How long the new position of a breaker is waited for, s.
    pub feedback_seconds: i64,
    /// The same of an isolator, s.
    pub isolator_feedback_seconds: i64,
    /// The least time between two operations of one device, s.
    pub min_interval_seconds: i64,
    /// After so many operations of one device within the window, who operates it next has to have signed in since.
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
