//! GET /api/client/clientconfiguration/{clientId}.

use axum::Json;
use axum::extract::State;
use embed::is_on_listed_host;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::registry::ClientRecord;
use wire::Envelope;
use wire::access::{Chart, ClientConfiguration, LegendEntry, LevelLabels, PowerLabels, RefreshIntervals, SymbolSet};

use crate::extract::{OwnClient, Scoped};
use crate::state::Services;

/// Maximum number of characters of a label.
pub(crate) const LABEL_MAX: usize = 60;
/// Maximum number of lines of a legend.
pub(crate) const LEGEND_MAX: usize = 20;

/// Returns the settings of the caller's utility that change its screens.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/client/clientconfiguration/{id}", tag = "client", operation_id = "clientConfiguration", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "The configuration", body = Envelope<ClientConfiguration>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<OwnClient>) -> Json<Envelope<ClientConfiguration>> {
    Json(Envelope::ok(configuration(scoped.view.field.client(), &services.0.deps.embed.frame_hosts)))
}

/// Returns the configuration for browsers. Only these fields are returned, because the stored document may contain internal fields. An invalid value is
/// replaced by its default, so that one mistake does not make a screen fail.
pub(crate) fn configuration(client: &ClientRecord, frame_hosts: &[String]) -> ClientConfiguration {
    let config = &client.config;
    let variant = |key| read(config, key).unwrap_or_default();
    let line_to_line = read(config, "lineToLineLabels").unwrap_or(false);
    ClientConfiguration {
        client_id: client.id.0,
        name: client.name.clone(),
        time_zone: client.time_zone.clone(),
        labels: labels(config.get("labels").unwrap_or(&Value::Null)),
        dashboard_variant: variant("dashboardVariant"),
        asset_variant: variant("assetVariant"),
        symbol_set: read::<SymbolSet>(config, "symbols").unwrap_or_default(),
        apparent_power_labels: if line_to_line { PowerLabels::LineToLine } else { PowerLabels::Phase },
        hidden_charts: items::<Chart>(config, "hiddenCharts"),
        legend: items::<LegendEntry>(config, "legend").into_iter().filter(is_drawable).take(LEGEND_MAX).collect(),
        // A host that was removed from the settings is no longer framed.
        reports_embed_url: read(config, "reportsEmbedUrl").filter(|url: &String| is_on_listed_host(url, frame_hosts)),
        refresh: read::<RefreshIntervals>(config, "refresh").filter(|refresh| refresh.check().is_ok()).unwrap_or_default(),
    }
}

fn labels(config: &Value) -> LevelLabels {
    let label = |key: &str, usual: &str| read(config, key).filter(|label: &String| is_label(label)).unwrap_or_else(|| usual.to_owned());
    LevelLabels {
        circle: label("circle", "Circle"),
        division: label("division", "Division"),
        town: label("town", "Town"),
        subdivision: label("subdivision", "Sub Division"),
        section: label("section", "Section"),
        substation: label("substation", "Substation"),
        asset: label("asset", "Asset"),
    }
}

fn read<T: DeserializeOwned>(config: &Value, key: &str) -> Option<T> {
    T::deserialize(config.get(key)?).ok()
}

/// Returns the valid items of a list.
fn items<T: DeserializeOwned>(config: &Value, key: &str) -> Vec<T> {
    let list = config.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|item| T::deserialize(item).ok()).collect()
}

pub(crate) fn is_label(label: &str) -> bool {
    (1..=LABEL_MAX).contains(&label.chars().count())
}

pub(crate) fn is_drawable(entry: &LegendEntry) -> bool {
    let digits = entry.color.strip_prefix('#').unwrap_or_default();
    is_label(&entry.label) && digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use grid::ClientId;
    use serde_json::json;
    use wire::access::ScreenVariant;

    use super::*;

    fn of(config: Value) -> ClientConfiguration {
        let client = ClientRecord { id: ClientId(7), code: "A".into(), name: "A utility".into(), time_zone: "UTC".into(), config };
        configuration(&client, &["reports.example".to_owned()])
    }

    #[test]
    fn what_is_configured_is_told_and_what_is_not_known_stays_inside() {
        let configuration = of(json!({
            "labels": {"circle": "Region", "town": ""}, "dashboardVariant": "alternative", "symbols": "variant", "lineToLineLabels": true,
            "hiddenCharts": ["frequency", "unheard of", 7, "apparentPower"], "smtpPassword": "secret",
            "legend": [{"label": "33/11", "color": "#da532c"}, {"label": "bad", "color": "red; x"}, "no"]
        }));
        assert_eq!((configuration.labels.circle.as_str(), configuration.labels.town.as_str()), ("Region", "Town"));
        assert_eq!((configuration.dashboard_variant, configuration.asset_variant), (ScreenVariant::Alternative, ScreenVariant::Standard));
        assert_eq!((configuration.symbol_set, configuration.apparent_power_labels), (SymbolSet::Variant, PowerLabels::LineToLine));
        assert_eq!(configuration.hidden_charts, [Chart::Frequency, Chart::ApparentPower]);
        assert_eq!(configuration.legend, [LegendEntry { label: "33/11".into(), color: "#da532c".into() }]);
        assert!(!serde_json::to_string(&configuration).expect("JSON").contains("secret"));
    }

    #[test]
    fn a_page_of_a_host_that_is_not_listed_is_not_told() {
        let embed_url = |url: &str| of(json!({ "reportsEmbedUrl": url })).reports_embed_url;
        assert_eq!(embed_url("https://reports.example/a").as_deref(), Some("https://reports.example/a"));
        assert_eq!((embed_url("https://elsewhere.example/"), embed_url("http://reports.example/"), embed_url("")), (None, None, None));
    }

    #[test]
    fn a_configuration_that_cannot_be_read_is_as_usual() {
        for config in [
            json!(null),
            json!([]),
            json!("x"),
            json!({"labels": 1, "dashboardVariant": 22, "symbols": "x", "legend": {}, "hiddenCharts": "x", "refresh": {"sldSeconds": 0, "analogLogSeconds": 5}}),
        ] {
            let configuration = of(config);
            assert_eq!(
                (configuration.labels.subdivision.as_str(), configuration.dashboard_variant, configuration.symbol_set),
                ("Sub Division", ScreenVariant::Standard, SymbolSet::Ieee)
            );
            assert!(configuration.legend.is_empty() && configuration.hidden_charts.is_empty());
            assert_eq!(configuration.refresh, RefreshIntervals::default());
        }
    }
}
