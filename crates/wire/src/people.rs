//! Signing in (specification 1, sections 3 and 7).

use serde::{Deserialize, Serialize};

/// The body of POST /token, form-encoded.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenRequest {
    /// User name; not required with `ref`.
    #[serde(default)]
    pub username: String,
    /// Password; not required with `ref`.
    #[serde(default)]
    pub password: String,
    /// The marker that the specification's client sends; its value is not used.
    #[serde(default)]
    pub feui: Option<String>,
    /// The code of the second factor, or a recovery code, if the user has one.
    #[serde(default)]
    pub otp: Option<String>,
    /// The refresh secret of the last answer, to get a new token without a password.
    #[serde(default, rename = "ref")]
    pub refresh: Option<String>,
}

/// The answer of POST /token. The ids of levels below the user's node are null.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "the specification's login answer carries these flags one by one")]
pub struct Login {
    /// Member id.
    pub id: i64,
    /// First name.
    pub f_name: String,
    /// Last name.
    pub l_name: String,
    /// The utility's name.
    pub client_name: String,
    /// Path of the user's picture; empty if there is none.
    pub profile_picture_path: String,
    /// Path of the utility's logo. The specification spells the name so.
    pub client_log_path: String,
    /// Sign-in name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// Role name.
    pub role: String,
    /// 1 super user, 2 client administrator, 3 circle, 4 division, 5 town, 6 subdivision, 7 section, 8 substation.
    pub role_id: i32,
    /// Access token, for the Bearer header and the socket.
    pub token: String,
    /// When the token expires; ISO 8601 UTC.
    pub alive_till: String,
    /// Id of the utility.
    pub client_id: i64,
    /// Circle of the user's node, if any.
    pub circle_id: Option<i64>,
    /// Section of the user's node, if any.
    pub section_id: Option<i64>,
    /// Division of the user's node, if any.
    pub division_id: Option<i64>,
    /// Subdivision of the user's node, if any.
    pub sub_division_id: Option<i64>,
    /// Substation of the user's node, if any.
    pub substation_id: Option<i64>,
    /// Town of the user's node, if any.
    pub town_id: Option<i64>,
    /// Name of the product for the title.
    pub app_brand: String,
    /// Whether to show the title.
    pub show_title: bool,
    /// A sentence about the area that the user can see.
    pub member_access_lvl_msg: String,
    /// Whether to show the RTU Health tab.
    #[serde(rename = "showRTUHealthTab")]
    pub show_rtu_health_tab: bool,
    /// Whether to show the Asset tab.
    pub show_asset_tab: bool,
    /// Whether to show the Outage tab.
    pub show_outage_tab: bool,
    /// Whether to show the Network tab.
    pub show_network_tab: bool,
    /// Whether to show values from GDS instead of PDS.
    #[serde(rename = "showGDSData")]
    pub show_gds_data: bool,
    /// Whether to show power quality.
    #[serde(rename = "showPQData")]
    pub show_pq_data: bool,
    /// Whether to show the Substation Health tab.
    pub show_substation_health_tab: bool,
    /// Refresh secret: send it as `ref` for a new token. It can be used once.
    #[serde(rename = "ref")]
    pub refresh: String,
    /// The utility's time zone, IANA name.
    pub time_zone: String,
    /// Whether the user has the permission to operate devices.
    pub can_operate: bool,
    /// Whether this is the demo user, who has read access only.
    pub demo: bool,
    /// Whether the role requires a second factor and the user has none. The session can only set one up.
    #[serde(default)]
    pub second_factor_setup: bool,
}
