//! What a person gets to see besides data: pages by role, levels, the utility's configuration, the site's brand (specification 1, section 3).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A page that a role has ("page access entry").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
    /// Place within the application; the lowest that is permitted is the default tab.
    pub tab_sequence_number: i32,
    /// The route that it is on.
    pub path: String,
}

/// A role as a level of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientRow {
    /// Id.
    pub client_id: i64,
    /// Name.
    pub name: String,
    /// Path of its logo; empty when it has none.
    pub logo_path: String,
}

/// What the levels of the hierarchy are called in a utility.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScreenVariant {
    /// The usual one.
    #[default]
    Standard,
    /// The other one.
    Alternative,
}

/// Which pictures stand for devices on a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SymbolSet {
    /// IEEE 315 (1975).
    #[default]
    Ieee,
    /// The utility's own variants.
    Variant,
}

/// What apparent power is labelled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PowerLabels {
    /// R, Y, B.
    #[default]
    Phase,
    /// RY, YB, BR.
    LineToLine,
}

/// A chart of the profile tabs that a utility may hide (specification 2, sections 2.7 and 2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegendEntry {
    /// Such as `33/11`.
    pub label: String,
    /// `#` and six hexadecimal digits.
    pub color: String,
}

/// What is particular to a utility. What its configuration leaves out, or has in a form that cannot be read, is as usual.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
    /// The header's legend; empty when there is none.
    pub legend: Vec<LegendEntry>,
}

/// How the sign-in form looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoginVariant {
    /// Over a picture.
    #[default]
    Plain,
    /// In a grey box.
    Grey,
}

/// A server that the sign-in form offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerChoice {
    /// What is sent.
    pub key: String,
    /// What is shown.
    pub name: String,
}

/// How a site presents itself before anybody has signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
    /// Servers to choose from; empty when there is nothing to choose.
    pub servers: Vec<ServerChoice>,
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
