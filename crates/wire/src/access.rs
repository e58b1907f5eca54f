//! What a person gets to see besides data: pages by role, levels, the utility's configuration, the site's brand (specification 1, section 3).

use serde::{Deserialize, Serialize};

use crate::admin::MemberFlags;
use crate::cable_health::HealthConfiguration;
use crate::control::ControlConfiguration;
use crate::reliability::ReliabilityConfiguration;

/// A page that a role has ("page access entry").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolePage {
    /// The application.
    pub app_id: i32,
    /// Its name, such as `ENERGY_EFFICIENCY`.
    pub app_name: String,
    /// Whether the server refuses what this page would change.
    pub is_readonly: bool,
    /// This entry.
    pub id: i64,
    /// The page.
    pub page_id: i32,
    /// Whether it is shown as a tab.
    pub show_in_tab: bool,
    /// The tab's name.
    pub tab_name: String,
    /// The view that the tab opens.
    pub view_name: String,
    /// The tab's fixed key, unique over all applications.
    pub tab_key: String,
    /// Position within the application; the lowest permitted is the default tab.
    pub tab_sequence_number: i32,
    /// The route that it is on.
    pub path: String,
}

/// What a role is to have of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageGrant {
    /// The page.
    pub page_id: i32,
    /// Whether the server refuses what this page would change.
    pub is_readonly: bool,
    /// Whether it is shown as a tab.
    pub show_in_tab: bool,
}

/// A page of the catalogue, and what a role has of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PageChoice {
    /// The page.
    pub page_id: i32,
    /// The application's name.
    pub app_name: String,
    /// The tab's name.
    pub tab_name: String,
    /// The tab's fixed key.
    pub tab_key: String,
    /// Whether the role has it.
    pub granted: bool,
    /// Whether the server refuses what this page would change.
    pub is_readonly: bool,
    /// Whether it is shown as a tab.
    pub show_in_tab: bool,
}

/// What a role has of every page that there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RoleAccess {
    /// The role.
    pub role_id: i32,
    /// Whether these are the defaults; otherwise the utility has set them.
    pub is_default: bool,
    /// By application and sequence.
    pub pages: Vec<PageChoice>,
}

/// A role as a level of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RoleLevel {
    /// Such as `DivisionAdmin`.
    pub level_name: String,
    /// 1 to 8.
    pub role_id: i32,
    /// The names of the tabs that the role has, separated by commas.
    pub tabs_list: String,
}

/// A utility to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClientRow {
    /// Id.
    pub client_id: i64,
    /// Name.
    pub name: String,
    /// Path of its logo; empty if it has none.
    pub logo_path: String,
}

/// What the levels of the hierarchy are called in a utility.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LevelLabels {
    /// Usually `Circle`.
    pub circle: String,
    /// Usually `Division`.
    pub division: String,
    /// Usually `Town`.
    pub town: String,
    /// Usually `Sub Division`.
    pub subdivision: String,
    /// Usually `Section`.
    pub section: String,
    /// Usually `Substation`.
    pub substation: String,
    /// Usually `Asset`.
    pub asset: String,
}

/// Which of the two versions of a screen a utility has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ScreenVariant {
    /// The usual one.
    #[default]
    Standard,
    /// The other one.
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

/// What apparent power is labelled by.
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

/// A line of the header's legend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LegendEntry {
    /// Such as `33/11`.
    pub label: String,
    /// `#` and six hexadecimal digits.
    pub color: String,
}

/// The settings of a utility for its screens. A missing or unreadable setting has its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClientConfiguration {
    /// Id.
    pub client_id: i64,
    /// Name.
    pub name: String,
    /// IANA time zone in which its days begin.
    pub time_zone: String,
    /// What its levels are called.
    pub labels: LevelLabels,
    /// Version of the monitoring dashboard.
    pub dashboard_variant: ScreenVariant,
    /// Version of the asset screen.
    pub asset_variant: ScreenVariant,
    /// Pictures on diagrams.
    pub symbol_set: SymbolSet,
    /// Labels of apparent power.
    pub apparent_power_labels: PowerLabels,
    /// Charts that it does not show.
    pub hidden_charts: Vec<Chart>,
    /// The header's legend; empty if there is none.
    pub legend: Vec<LegendEntry>,
    /// The page with its reports on another server; null if there is none.
    pub reports_embed_url: Option<String>,
}

/// What a utility decides about itself; everything of it is replaced at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UtilityConfiguration {
    /// Name, 1 to 100 characters.
    pub name: String,
    /// IANA time zone of its days, such as `Asia/Kolkata`.
    pub time_zone: String,
    /// What its levels are called, each 1 to 60 characters.
    pub labels: LevelLabels,
    /// Version of the monitoring dashboard.
    pub dashboard_variant: ScreenVariant,
    /// Version of the asset screen.
    pub asset_variant: ScreenVariant,
    /// Pictures on diagrams.
    pub symbol_set: SymbolSet,
    /// Labels of apparent power.
    pub apparent_power_labels: PowerLabels,
    /// Charts that it does not show, each once.
    pub hidden_charts: Vec<Chart>,
    /// The header's legend, up to 20 lines.
    pub legend: Vec<LegendEntry>,
    /// Flags for all users without flags of their own; absent ones have their defaults.
    pub flags: MemberFlags,
    /// Whether and how its field can be operated; kept if absent from a change.
    #[serde(default)]
    pub control: Option<ControlConfiguration>,
    /// How its reliability is computed; kept if absent from a change.
    #[serde(default)]
    pub reliability: Option<ReliabilityConfiguration>,
    /// The page with its reports on another server: https on a host of the setting `http.frame_hosts`, or empty for none; kept if absent from a change.
    #[serde(default)]
    pub reports_embed_url: Option<String>,
    /// How the health of its assets is classified, and the default selection of that screen; kept if absent from a change.
    #[serde(default)]
    pub health: Option<HealthConfiguration>,
}

/// How the sign-in form looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum LoginVariant {
    /// Over a picture.
    #[default]
    Plain,
    /// In a grey box.
    Grey,
}

/// A server that the sign-in form offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ServerChoice {
    /// The key that is sent.
    pub key: String,
    /// The name that is shown.
    pub name: String,
}

/// How a site presents itself before anybody has signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SiteBrand {
    /// Path of the logo; empty for the product's own.
    pub logo: String,
    /// Path of the icon in the browser's tab; the specification spells it so.
    pub favi_icon: String,
    /// The browser tab's title.
    pub favi_icon_text: String,
    /// HTML of the footer: text with `a`, `b`, `i`, `p`, `br` and `span`, nothing else.
    pub footer_text: String,
    /// Where the map's tiles come from; empty for none.
    pub map_url: String,
    /// Title of the top bar.
    pub title: String,
    /// How the sign-in form looks.
    pub login_variant: LoginVariant,
    /// Servers to choose from; empty if there is nothing to choose.
    pub servers: Vec<ServerChoice>,
}

/// How a site of a utility is to present itself; everything of it is replaced at once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BrandChange {
    /// A path on the site; empty for the product's own logo.
    pub logo: String,
    /// A path on the site.
    pub favi_icon: String,
    /// The browser tab's title, up to 200 characters.
    pub favi_icon_text: String,
    /// HTML of up to 4,000 characters; parts that a footer must not have are removed.
    pub footer_text: String,
    /// A path on the site, or https on a host of the setting `http.map_hosts`; empty for none.
    pub map_url: String,
    /// Title of the top bar, up to 200 characters.
    pub title: String,
    /// How the sign-in form looks.
    pub login_variant: LoginVariant,
    /// Up to three servers to choose from.
    pub servers: Vec<ServerChoice>,
}

/// A host of a utility, and how the site presents itself there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HostBrand {
    /// In lower case, without a port.
    pub host: String,
    /// How it presents itself.
    #[serde(flatten)]
    pub brand: SiteBrand,
}

impl Default for SiteBrand {
    /// The product's own.
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
