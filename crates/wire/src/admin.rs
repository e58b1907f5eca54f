//! Users, the audit, and the calls about the caller's own password and feedback.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Flags of this user; absent ones are those of the utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberFlags {
    /// Show the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_title: Option<bool>,
    /// Show the RTU Health tab.
    #[serde(default, rename = "showRTUHealthTab", skip_serializing_if = "Option::is_none")]
    pub show_rtu_health_tab: Option<bool>,
    /// Show the Asset tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_asset_tab: Option<bool>,
    /// Show the Outage tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_outage_tab: Option<bool>,
    /// Show the Network tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_network_tab: Option<bool>,
    /// Show values from GDS instead of PDS.
    #[serde(default, rename = "showGDSData", skip_serializing_if = "Option::is_none")]
    pub show_gds_data: Option<bool>,
    /// Show power quality.
    #[serde(default, rename = "showPQData", skip_serializing_if = "Option::is_none")]
    pub show_pq_data: Option<bool>,
    /// Show the Substation Health tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_substation_health_tab: Option<bool>,
}

/// A member of the caller's utility.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "one for each box on the form")]
pub struct MemberRow {
    /// Id of the user.
    pub id: i64,
    /// Sign-in name.
    pub username: String,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// E-mail address.
    pub email: String,
    /// 1 super user, 2 client administrator, 3 circle, 4 division, 5 town, 6 subdivision, 7 section, 8 substation.
    pub role_id: i32,
    /// Name of the role.
    pub role: String,
    /// The node to whose area the user is limited; its level is that of the role. Null for roles 1 and 2.
    pub node_id: Option<i64>,
    /// Whether the user has the permission to operate devices.
    pub can_operate: bool,
    /// Flags of this user; absent ones are those of the utility.
    pub flags: MemberFlags,
    /// Whether the user is disabled and cannot sign in.
    pub disabled: bool,
    /// Whether this is the demo user.
    pub demo: bool,
    /// Path of the user's picture on the site; empty if there is none.
    pub profile_picture_path: String,
}

/// A user to add. The user can sign in after an invitation and the choice of a password.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewMember {
    /// Sign-in name: 3 to 64 letters, digits, `.`, `_`, `-` or `@`; unique across utilities.
    pub username: String,
    /// First name, 1 to 100 characters.
    pub first_name: String,
    /// Last name, up to 100 characters.
    pub last_name: String,
    /// E-mail address.
    pub email: String,
    /// The role, 1 to 8.
    pub role_id: i32,
    /// The node to whose area the user is limited, of the role's level; null for roles 1 and 2.
    pub node_id: Option<i64>,
    /// Whether the user has the permission to operate devices; default: false.
    #[serde(default)]
    pub can_operate: bool,
    /// Flags of this user; absent ones are those of the utility.
    #[serde(default)]
    pub flags: MemberFlags,
    /// Whether the user is disabled and cannot sign in; default: false.
    #[serde(default)]
    pub disabled: bool,
    /// Path of the user's picture on the site; default: none.
    #[serde(default)]
    pub profile_picture_path: String,
}

/// The properties of a user that can be changed.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberChange {
    /// First name, 1 to 100 characters.
    pub first_name: String,
    /// Last name, up to 100 characters.
    pub last_name: String,
    /// E-mail address.
    pub email: String,
    /// The role, 1 to 8.
    pub role_id: i32,
    /// The node to whose area the user is limited, of the role's level; null for roles 1 and 2.
    pub node_id: Option<i64>,
    /// Whether the user has the permission to operate devices.
    pub can_operate: bool,
    /// Flags of this user; absent ones are those of the utility.
    pub flags: MemberFlags,
    /// Whether the user is disabled and cannot sign in.
    pub disabled: bool,
    /// Path of the user's picture on the site; default: none.
    #[serde(default)]
    pub profile_picture_path: String,
}

/// A row of the audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// Number of the row in the utility's chain, increasing.
    pub seq: i64,
    /// When the action happened; ISO 8601 UTC.
    pub at: String,
    /// Member id of the user; null if the user is not known yet, or for a command on the server's console.
    pub actor_id: Option<i64>,
    /// Sign-in name of the user.
    pub actor: Option<String>,
    /// The action, such as `sign_in` or `member_changed`.
    pub action: String,
    /// The subject, such as `member 17`.
    pub subject: String,
    /// State before the action.
    pub before: Option<Value>,
    /// State after the action.
    pub after: Option<Value>,
    /// Network address of the client.
    pub from: String,
    /// Id of the call, which the log contains too.
    pub correlation_id: String,
}

/// Feedback of a user about the product.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewFeedback {
    /// The feedback, 1 to 2,000 characters.
    pub text: String,
    /// The page that the feedback is about, up to 200 characters.
    pub page: String,
}

/// Stored feedback of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FeedbackRow {
    /// Number of the feedback, increasing.
    pub id: i64,
    /// When the feedback was sent; ISO 8601 UTC.
    pub at: String,
    /// Sign-in name of the user.
    pub member: String,
    /// The utility that the user was signed in to.
    pub client: String,
    /// The page that the feedback is about.
    pub page: String,
    /// The feedback as plain text.
    pub text: String,
}

/// The caller's own credentials, which are required again before an operation.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CredentialCheck {
    /// The caller's e-mail address or sign-in name.
    #[serde(default, rename = "Email")]
    pub email: String,
    /// The caller's password.
    #[serde(default, rename = "Password")]
    pub password: String,
    /// The code of the second factor, or a recovery code, if the caller has one.
    #[serde(default)]
    pub otp: Option<String>,
    /// The asset to be operated; absent for any asset.
    #[serde(default, rename = "assetId")]
    pub asset_id: Option<i64>,
    /// The target position, encoded like `changeDIStatus` of the asset; absent for any position. It requires `assetId`.
    #[serde(default, rename = "toDIStatus")]
    pub to_status: Option<i64>,
}

/// Confirms that the server has a ticket for one operation of the caller's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// Always true; a refused request is a failure.
    pub ticket: bool,
    /// How long the ticket is valid, s.
    pub valid_for_s: i64,
}

/// The handle for an e-mail address. A handle is returned for unknown addresses too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ResetHandle {
    /// The handle, for `member/generatepwd/{handle}`. It can be used once, within ten minutes.
    pub id: String,
}

/// A new password, set with the link of a mail.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetPassword {
    /// The token: the part of the link after `#`.
    pub token: String,
    /// The password: 15 to 128 characters, not easy to guess, without the sign-in name.
    pub password: String,
}
