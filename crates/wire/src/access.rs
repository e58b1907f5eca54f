//! What a user can see besides data: pages of roles, levels, the utility's configuration, the brand of a site (specification 1, section 3).

use serde::{Deserialize, Serialize};

use crate::admin::MemberFlags;
use crate::cable_health::HealthConfiguration;
use crate::control::ControlConfiguration;
use crate::energy::DemandConfiguration;
use crate::reliability::ReliabilityConfiguration;

/// A page that a role can open ("page access entry").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolePage {
    /// Id of the application.
    pub app_id: i32,
    /// Name of the application, such as `ENERGY_EFFICIENCY`.
    pub app_name: String,
    /// Whether the page is read-only: the server refuses its changes.
    pub is_readonly: bool,
    /// Id of this entry.
    pub id: i64,
    /// Id of the page.
    pub page_id: i32,
    /// Whether the page is shown as a tab.
    pub show_in_tab: bool,
    /// The tab's name.
    pub tab_name: String,
    /// The view that the tab opens.
    pub view_name: String,
    /// The tab's fixed key, unique over all applications.
    pub tab_key: String,
    /// Position within the application. The permitted tab with the lowest position is the default.
    pub tab_sequence_number: i32,
    /// Route of the page.
    pub path: String,
}

/// The access of a role to one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageGrant {
    /// Id of the page.
    pub page_id: i32,
    /// Whether the page is read-only: the server refuses its changes.
    pub is_readonly: bool,
    /// Whether the page is shown as a tab.
    pub show_in_tab: bool,
}

/// A page of the catalogue and the access of a role to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PageChoice {
    /// Id of the page.
    pub page_id: i32,
    /// The application's name.
    pub app_name: String,
    /// The tab's name.
    pub tab_name: String,
    /// The tab's fixed key.
    pub tab_key: String,
    /// Whether the role can open the page.
    pub granted: bool,
    /// Whether the page is read-only: the server refuses its changes.
    pub is_readonly: bool,
    /// Whether the page is shown as a tab.
    pub show_in_tab: bool,
}

/// The access of a role to all pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RoleAccess {
    /// Id of the role, 1 to 8.
    pub role_id: i32,
    /// Whether this is the default access of the role; false if the utility has changed it.
    pub is_default: bool,
    /// Pages, ordered by application and position.
    pub pages: Vec<PageChoice>,
}

/// A role, described as a level of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RoleLevel {
    /// Name of the level, such as `DivisionAdmin`.
    pub level_name: String,
    /// Id of the role, 1 to 8.
    pub role_id: i32,
    /// Names of the tabs that the role can open, separated by commas.
    pub tabs_list: String,
}

/// A utility that the caller can select.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClientRow {
    /// Id of the utility.
    pub client_id: i64,
    /// Name of the utility.
    pub name: String,
    /// Path of the logo; empty if there is none.
    pub logo_path: String,
}

/// The utility's names for the levels of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LevelLabels {
    /// Default: `Circle`.
    pub circle: String,
    /// Default: `Division`.
    pub division: String,
    /// Default: `Town`.
    pub town: String,
    /// Default: `Sub Division`.
    pub subdivision: String,
    /// Default: `Section`.
    pub section: String,
    /// Default: `Substation`.
    pub substation: String,
    /// Default: `Asset`.
    pub asset: String,
}

/// The version of a screen that a utility uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ScreenVariant {
    /// The standard version.
    #[default]
    Standard,
    /// The alternative version.
    Alternative,
}

/// The symbols of devices on a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SymbolSet {
    /// IEEE 315 (1975).
    #[default]
    Ieee,
    /// The utility's own variants.
    Variant,
}

/// The labels of apparent power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PowerLabels {
    /// R, Y, B.
    #[default]
    Phase,
    /// RY, YB, BR.
    LineToLine,
}

/// A chart of the profile tabs that a utility can hide (specification 2, sections 2.7 and 2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Chart {
    /// Phasor diagram.
    Phasor,
    /// Voltage profile.
    Voltage,
    /// Current profile.
    Current,
    /// Frequency profile.
    Frequency,
    /// Reactive power.
    ReactivePower,
    /// Apparent power.
    ApparentPower,
    /// Active power.
    ActivePower,
    /// Accumulated energy.
    AccumulatedEnergy,
    /// Energy.
    Energy,
    /// Active import and export.
    ActiveEnergy,
    /// Reactive import and export.
    ReactiveEnergy,
    /// Permissible loading.
    PermissibleLoading,
}

/// An entry of the legend in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LegendEntry {
    /// Text of the entry, such as `33/11`.
    pub label: String,
    /// Colour: `#` and six hexadecimal digits.
    pub color: String,
}

/// Intervals at which screens request values again while the live connection is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefreshIntervals {
    /// Values of a single-line diagram, s: 1 to 3600, default 10.
    pub sld_seconds: u32,
    /// The analog log, s: 1 to 3600, default 40.
    pub analog_log_seconds: u32,
}

impl Default for RefreshIntervals {
    fn default() -> Self {
        Self { sld_seconds: 10, analog_log_seconds: 40 }
    }
}

impl RefreshIntervals {
    /// Checks the limits. The error is the message for the user.
    pub fn check(self) -> Result<(), String> {
        for (key, seconds) in [("sldSeconds", self.sld_seconds), ("analogLogSeconds", self.analog_log_seconds)] {
            if !(1..=3_600).contains(&seconds) {
                return Err(format!("refresh.{key} must lie between 1 and 3600"));
            }
        }
        Ok(())
    }
}

/// The settings of a utility for its screens. Settings that are missing or invalid in the stored configuration have their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClientConfiguration {
    /// Id of the utility.
    pub client_id: i64,
    /// Name of the utility.
    pub name: String,
    /// IANA time zone in which the utility's days begin.
    pub time_zone: String,
    /// Names of the levels.
    pub labels: LevelLabels,
    /// Version of the monitoring dashboard.
    pub dashboard_variant: ScreenVariant,
    /// Version of the asset screen.
    pub asset_variant: ScreenVariant,
    /// Set of symbols on diagrams.
    pub symbol_set: SymbolSet,
    /// Labels of apparent power.
    pub apparent_power_labels: PowerLabels,
    /// Charts that are hidden.
    pub hidden_charts: Vec<Chart>,
    /// Entries of the legend in the header; empty if there is no legend.
    pub legend: Vec<LegendEntry>,
    /// Address of a page with the utility's reports on another server; null if there is none.
    pub reports_embed_url: Option<String>,
    /// Refresh intervals of live values.
    pub refresh: RefreshIntervals,
}

/// The settings of a utility. A change replaces all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UtilityConfiguration {
    /// Name, 1 to 100 characters.
    pub name: String,
    /// IANA time zone in which the utility's days begin, such as `Asia/Kolkata`.
    pub time_zone: String,
    /// Names of the levels, each 1 to 60 characters.
    pub labels: LevelLabels,
    /// Version of the monitoring dashboard.
    pub dashboard_variant: ScreenVariant,
    /// Version of the asset screen.
    pub asset_variant: ScreenVariant,
    /// Set of symbols on diagrams.
    pub symbol_set: SymbolSet,
    /// Labels of apparent power.
    pub apparent_power_labels: PowerLabels,
    /// Charts that are hidden, each once.
    pub hidden_charts: Vec<Chart>,
    /// Entries of the legend in the header, at most 20.
    pub legend: Vec<LegendEntry>,
    /// Flags for all users without flags of their own; absent ones have their defaults.
    pub flags: MemberFlags,
    /// Settings for operating devices; not changed if absent.
    #[serde(default)]
    pub control: Option<ControlConfiguration>,
    /// Settings for reliability indices; not changed if absent.
    #[serde(default)]
    pub reliability: Option<ReliabilityConfiguration>,
    /// Address of a page with the utility's reports on another server: https on a host of the setting `http.frame_hosts`, or empty for none. Not changed if
    /// absent.
    #[serde(default)]
    pub reports_embed_url: Option<String>,
    /// Settings for demand; not changed if absent.
    #[serde(default)]
    pub demand: Option<DemandConfiguration>,
    /// Settings for asset health; not changed if absent.
    #[serde(default)]
    pub health: Option<HealthConfiguration>,
    /// Refresh intervals of live values; not changed if absent.
    #[serde(default)]
    pub refresh: Option<RefreshIntervals>,
    /// Path of the utility's logo on the site, empty for none; not changed if absent.
    #[serde(default)]
    pub logo: Option<String>,
}

/// The appearance of the sign-in form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum LoginVariant {
    /// In front of a background picture.
    #[default]
    Plain,
    /// In a grey box.
    Grey,
}

/// A server that a user can select on the sign-in form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ServerChoice {
    /// Key of the server, sent with the sign-in.
    pub key: String,
    /// Name of the server, shown to users.
    pub name: String,
}

/// The brand of a site, shown before users sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SiteBrand {
    /// Path of the logo; empty for the logo of the product.
    pub logo: String,
    /// Path of the icon in the browser's tab. The specification spells the name so.
    pub favi_icon: String,
    /// The browser tab's title.
    pub favi_icon_text: String,
    /// Footer as HTML: text with the elements `a`, `b`, `i`, `p`, `br` and `span`.
    pub footer_text: String,
    /// Address of the map's tiles; empty for none.
    pub map_url: String,
    /// Title of the top bar.
    pub title: String,
    /// The appearance of the sign-in form.
    pub login_variant: LoginVariant,
    /// Servers that a user can select; empty without a choice.
    pub servers: Vec<ServerChoice>,
}

/// The brand of a utility's site on one host. A change replaces all of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BrandChange {
    /// Path of the logo on the site; empty for the logo of the product.
    pub logo: String,
    /// Path of the icon on the site.
    pub favi_icon: String,
    /// The browser tab's title, up to 200 characters.
    pub favi_icon_text: String,
    /// Footer as HTML, up to 4,000 characters. Elements that are not allowed are removed.
    pub footer_text: String,
    /// Address of the map's tiles: a path on the site, or https on a host of the setting `http.map_hosts`; empty for none.
    pub map_url: String,
    /// Title of the top bar, up to 200 characters.
    pub title: String,
    /// The appearance of the sign-in form.
    pub login_variant: LoginVariant,
    /// Servers that a user can select, at most three.
    pub servers: Vec<ServerChoice>,
}

/// A host of a utility and its brand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HostBrand {
    /// Host name in lower case, without a port.
    pub host: String,
    /// The brand on this host.
    #[serde(flatten)]
    pub brand: SiteBrand,
}

impl Default for SiteBrand {
    /// Returns the brand of the product.
    fn default() -> Self {
        Self {
            logo: String::new(),
            favi_icon: "/favicon.svg".to_owned(),
            favi_icon_text: "Switchyard".to_owned(),
            footer_text: String::new(),
            map_url: String::new(),
            title: "Switchyard".to_owned(),
            login_variant: LoginVariant::Plain,
            servers: Vec::new(),
        }
    }
}
