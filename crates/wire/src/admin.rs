//! What administrators and their audit exchange with the api, and the small calls about a person's own password and opinion.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Flags of this user; absent ones are those of the utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberFlags {
    /// Whether the title is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_title: Option<bool>,
    /// RTU Health tab.
    #[serde(default, rename = "showRTUHealthTab", skip_serializing_if = "Option::is_none")]
    pub show_rtu_health_tab: Option<bool>,
    /// Asset tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_asset_tab: Option<bool>,
    /// Outage tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_outage_tab: Option<bool>,
    /// Network tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_network_tab: Option<bool>,
    /// Values from GDS instead of PDS.
    #[serde(default, rename = "showGDSData", skip_serializing_if = "Option::is_none")]
    pub show_gds_data: Option<bool>,
    /// Power quality.
    #[serde(default, rename = "showPQData", skip_serializing_if = "Option::is_none")]
    pub show_pq_data: Option<bool>,
    /// Substation Health tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_substation_health_tab: Option<bool>,
}

/// A member of the caller's utility.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "one for each box on the form")]
pub struct MemberRow {
    /// Id.
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
    /// Its name.
    pub role: String,
    /// The node they are confined to, of the role's level; null for roles 1 and 2.
    pub node_id: Option<i64>,
    /// Whether the member has the right to operate.
    pub can_operate: bool,
    /// Flags of this user; absent ones are those of the utility.
    pub flags: MemberFlags,
    /// Whether signing in is refused.
    pub disabled: bool,
    /// Whether this is the demo user.
    pub demo: bool,
}

/// A member to add. They cannot sign in until they have been invited and have set a password.
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
    /// The role.
    pub role_id: i32,
    /// A node of the role's level; null for roles 1 and 2.
    pub node_id: Option<i64>,
    /// Whether the member has the right to operate; default no.
    #[serde(default)]
    pub can_operate: bool,
    /// Flags of this user; absent ones are those of the utility.
    #[serde(default)]
    pub flags: MemberFlags,
    /// Whether signing in is refused; default no.
    #[serde(default)]
    pub disabled: bool,
}

/// All that can be changed about a member.
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
    /// The role.
    pub role_id: i32,
    /// A node of the role's level; null for roles 1 and 2.
    pub node_id: Option<i64>,
    /// Whether the member has the right to operate.
    pub can_operate: bool,
    /// Flags of this user; absent ones are those of the utility.
    pub flags: MemberFlags,
    /// Whether signing in is refused.
    pub disabled: bool,
}

/// A row of the audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// Its number in the utility's chain; counts up.
    pub seq: i64,
    /// When; ISO 8601 UTC.
    pub at: String,
    /// Member id of the user; null before it is known, or at the console.
    pub actor_id: Option<i64>,
    /// Their sign-in name.
    pub actor: Option<String>,
    /// The action, such as `sign_in` or `member_changed`.
    pub action: String,
    /// The subject, such as `member 17`.
    pub subject: String,
    /// What was before.
    pub before: Option<Value>,
    /// The result.
    pub after: Option<Value>,
    /// The address of the client.
    pub from: String,
    /// Id of the call, which the log contains too.
    pub correlation_id: String,
}

/// A remark about the product.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewFeedback {
    /// 1 to 2,000 characters.
    pub text: String,
    /// The page of the remark, up to 200 characters.
    pub page: String,
}

/// A remark of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FeedbackRow {
    /// Counts up.
    pub id: i64,
    /// When; ISO 8601 UTC.
    pub at: String,
    /// Sign-in name of that user.
    pub member: String,
    /// The utility they were in.
    pub client: String,
    /// The page.
    pub page: String,
    /// The remark, as plain text.
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
    /// The asset to be operated; absent for any one operation.
    #[serde(default, rename = "assetId")]
    pub asset_id: Option<i64>,
    /// The position that it is to be brought to, in the encoding of the asset's own position as `changeDIStatus` is; absent for either. Needs `assetId`.
    #[serde(default, rename = "toDIStatus")]
    pub to_status: Option<i64>,
}

/// The server keeps a ticket for one operation of the caller's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// Always true; a refusal is a failure.
    pub ticket: bool,
    /// How long it is good, s.
    pub valid_for_s: i64,
}

/// The handle of an e-mail address, known or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ResetHandle {
    /// Opaque; for `member/generatepwd/{handle}`, once, within ten minutes.
    pub id: String,
}

/// A new password by the link of a mail.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetPassword {
    /// What follows `#` in the link.
    pub token: String,
    /// 15 to 128 characters, not easy to guess, without the sign-in name.
    pub password: String,
}
