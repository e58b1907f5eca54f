//! GET and PUT /api/admin/configuration: the configuration of the caller's utility, which applies to all its users.

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use embed::is_on_listed_host;
use grid::{Level, NodeId};
use identity::RequestOrigin;
use jiff::tz::TimeZoneDatabase;
use serde_json::{Map, Value, json};
use store::brand::is_own_path;
use store::configuration::ClientDraft;
use store::registry::ClientRecord;
use wire::Envelope;
use wire::access::{PowerLabels, UtilityConfiguration};
use wire::admin::MemberFlags;
use wire::bus::BusMessage;
use wire::cable_health::HealthConfiguration;
use wire::control::ControlConfiguration;
use wire::energy::DemandConfiguration;
use wire::reliability::ReliabilityConfiguration;

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::routes::client::client_configuration::{LABEL_MAX, LEGEND_MAX, configuration, is_drawable, is_label};
use crate::state::Services;

/// Maximum number of characters in the address of a page.
const EMBED_URL_MAX: usize = 2_000;
/// Maximum number of characters in a utility's name.
const NAME_MAX: usize = 100;

/// The message if the rights and times of operating are changed without confirmed credentials.
const CONFIRM: &str = "Confirm your user name and password to change how devices are operated.";

/// The flags among the keys of a utility's configuration.
const FLAGS: [&str; 8] = [
    "showTitle",
    "showRTUHealthTab",
    "showAssetTab",
    "showOutageTab",
    "showNetworkTab",
    "showGDSData",
    "showPQData",
    "showSubstationHealthTab",
];

/// Returns the configuration of the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/configuration", tag = "admin", operation_id = "configuration", security(("bearer" = [])),
    responses(
        (status = 200, description = "All settings that can be changed", body = Envelope<UtilityConfiguration>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn get(
    State(services): State<Services>,
    Administrator(principal): Administrator,
) -> Result<Json<Envelope<UtilityConfiguration>>, Error> {
    let client = services.store().client(principal.client).await?.ok_or(Error::NotFound)?;
    Ok(Json(Envelope::ok(answer(&client, &services.0.deps.embed.frame_hosts))))
}

/// Replaces the configuration of the utility. A change of `control` needs a ticket: the caller confirms their credentials with
/// `validatecredentialsfordocontrol` without `assetId` in the minute before.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/configuration", tag = "admin", operation_id = "changeConfiguration", security(("bearer" = [])),
    request_body = UtilityConfiguration,
    responses(
        (status = 200, description = "The stored configuration", body = Envelope<UtilityConfiguration>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission, or `control` changes without confirmed credentials", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Body(decided): Body<UtilityConfiguration>,
) -> Result<Json<Envelope<UtilityConfiguration>>, Error> {
    let frame_hosts = &services.0.deps.embed.frame_hosts;
    let decided = checked(decided, frame_hosts).map_err(Error::BadRequest)?;
    let draft = |before: &ClientRecord| ClientDraft {
        name: decided.name.clone(),
        time_zone: decided.time_zone.clone(),
        config: merged(&before.config, &decided),
    };
    let client = principal.client;
    if let Some(station) = decided.health.as_ref().and_then(|health| health.health_substation) {
        let field = services.field(client).await?;
        let found = field.node(NodeId(station)).filter(|node| node.level == Level::Substation);
        found.ok_or_else(|| Error::BadRequest("health.healthSubstation: there is no such substation".to_owned()))?;
    }
    if let Some(control) = &decided.control {
        let before = services.store().client(client).await?.ok_or(Error::NotFound)?;
        if *control != ControlConfiguration::of(&before.config)
            && !services.store().spend_ticket(principal.session, Services::now()).await?
        {
            return Err(Error::Forbidden(CONFIRM));
        }
    }
    let stored = services.store().change_client(client, &trail.origin, draft).await?.ok_or(Error::NotFound)?;
    services.0.deps.fields.refresh().await;
    services.0.deps.bus.publish(BusMessage::Registry { client: client.0 });
    Ok(Json(Envelope::ok(answer(&stored, frame_hosts))))
}

/// Validates the configuration and returns it with the usual spelling of the zone. The error is the message for the user.
fn checked(mut decided: UtilityConfiguration, frame_hosts: &[String]) -> Result<UtilityConfiguration, String> {
    decided.name = decided.name.trim().into();
    if !is_text(&decided.name, NAME_MAX) {
        return Err(format!("name must have 1 to {NAME_MAX} characters without control characters"));
    }
    // The compiled-in time zones, so that the known names do not depend on the machine.
    let zone = TimeZoneDatabase::bundled().get(&decided.time_zone).ok();
    let zone = zone.as_ref().and_then(|zone| zone.iana_name());
    zone.ok_or("timeZone must be an IANA time zone such as Asia/Kolkata or UTC")?.clone_into(&mut decided.time_zone);
    let labels = &decided.labels;
    for (key, label) in [
        ("circle", &labels.circle),
        ("division", &labels.division),
        ("town", &labels.town),
        ("subdivision", &labels.subdivision),
        ("section", &labels.section),
        ("substation", &labels.substation),
        ("asset", &labels.asset),
    ] {
        if !is_label(label) || !is_text(label, LABEL_MAX) {
            return Err(format!("labels.{key} must have 1 to {LABEL_MAX} characters without control characters"));
        }
    }
    let mut hidden = HashSet::new();
    if let Some(at) = decided.hidden_charts.iter().position(|chart| !hidden.insert(chart)) {
        return Err(format!("hiddenCharts[{at}] is named twice, once is allowed"));
    }
    if let Some(control) = &decided.control {
        control.check()?;
    }
    if let Some(reliability) = &decided.reliability {
        reliability.check()?;
    }
    if let Some(demand) = decided.demand {
        demand.check()?;
    }
    if let Some(health) = &decided.health {
        health.check()?;
    }
    if let Some(refresh) = decided.refresh {
        refresh.check()?;
    }
    if decided.logo.as_deref().is_some_and(|logo| !logo.is_empty() && !is_own_path(logo)) {
        return Err("logo must be a path on this site such as /brand/logo.svg, one line of up to 200 characters, or empty".to_owned());
    }
    if let Some(url) = decided.reports_embed_url.as_deref().filter(|url| !url.is_empty())
        && (url.len() > EMBED_URL_MAX || !is_on_listed_host(url, frame_hosts))
    {
        let listed = if frame_hosts.is_empty() { "none".to_owned() } else { frame_hosts.join(", ") };
        return Err(format!(
            "reportsEmbedUrl must be https:// on a host of the setting http.frame_hosts ({listed}), of up to {EMBED_URL_MAX} characters, or empty"
        ));
    }
    if decided.legend.len() > LEGEND_MAX {
        return Err(format!("legend may have {LEGEND_MAX} lines"));
    }
    if let Some(at) = decided.legend.iter().position(|line| !is_drawable(line) || !is_text(&line.label, LABEL_MAX)) {
        return Err(format!(
            "legend[{at}] must have a label of 1 to {LABEL_MAX} characters without control characters and a color of # and six hexadecimal digits"
        ));
    }
    Ok(decided)
}

fn is_text(text: &str, most: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control)
}

/// Returns the utility's stored document with the new configuration. Keys that this operation does not know are kept.
fn merged(before: &Value, decided: &UtilityConfiguration) -> Value {
    let mut config = before.as_object().cloned().unwrap_or_default();
    config.retain(|key, _| !FLAGS.contains(&key.as_str()));
    let known = json!({
        "labels": decided.labels,
        "dashboardVariant": decided.dashboard_variant,
        "assetVariant": decided.asset_variant,
        "symbols": decided.symbol_set,
        "lineToLineLabels": decided.apparent_power_labels == PowerLabels::LineToLine,
        "hiddenCharts": decided.hidden_charts,
        "legend": decided.legend,
    });
    if let Some(control) = &decided.control {
        config.insert("control".to_owned(), json!(control));
    }
    if let Some(url) = &decided.reports_embed_url {
        config.insert("reportsEmbedUrl".to_owned(), json!(url));
    }
    if let Some(refresh) = &decided.refresh {
        config.insert("refresh".to_owned(), json!(refresh));
    }
    if let Some(logo) = &decided.logo {
        config.insert("logo".to_owned(), json!(logo));
    }
    if let Some(demand) = &decided.demand {
        config.insert("demand".to_owned(), json!(demand));
    }
    if let Some(reliability) = &decided.reliability {
        config.insert("reliability".to_owned(), json!(reliability));
    }
    for value in [known, json!(decided.flags), json!(decided.health)] {
        if let Value::Object(keys) = value {
            config.extend(keys);
        }
    }
    Value::Object(config)
}

fn answer(client: &ClientRecord, frame_hosts: &[String]) -> UtilityConfiguration {
    let shown = configuration(client, frame_hosts);
    UtilityConfiguration {
        name: shown.name,
        time_zone: shown.time_zone,
        labels: shown.labels,
        dashboard_variant: shown.dashboard_variant,
        asset_variant: shown.asset_variant,
        symbol_set: shown.symbol_set,
        apparent_power_labels: shown.apparent_power_labels,
        hidden_charts: shown.hidden_charts,
        legend: shown.legend,
        flags: flags(&client.config),
        control: Some(ControlConfiguration::of(&client.config)),
        reliability: Some(ReliabilityConfiguration::of(&client.config)),
        demand: Some(DemandConfiguration::of(&client.config)),
        reports_embed_url: Some(shown.reports_embed_url.unwrap_or_default()),
        health: Some(HealthConfiguration::of(&client.config)),
        refresh: Some(shown.refresh),
        logo: Some(client.config.get("logo").and_then(Value::as_str).unwrap_or_default().to_owned()),
    }
}

/// Returns the flags that are set. A value that is not a boolean is ignored.
fn flags(config: &Value) -> MemberFlags {
    let set = FLAGS.iter().filter_map(|key| Some(((*key).to_owned(), config.get(key).filter(|value| value.is_boolean())?.clone())));
    serde_json::from_value(Value::Object(set.collect::<Map<_, _>>())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use grid::ClientId;

    use super::*;

    fn of(config: Value) -> ClientRecord {
        ClientRecord { id: ClientId(7), code: "A".into(), name: "A utility".into(), time_zone: "UTC".into(), config }
    }

    #[test]
    fn what_is_stored_reads_back_and_what_else_was_there_stays() {
        let all: Map<String, Value> = FLAGS.iter().map(|flag| ((*flag).to_owned(), true.into())).collect();
        let mut config = Value::Object(all.clone());
        config["smtpPassword"] = "inside".into();
        let decided = answer(&of(config.clone()), &[]);
        assert_eq!(json!(decided.flags), Value::Object(all), "every switch has its key");
        let again = merged(&config, &decided);
        assert_eq!(again["smtpPassword"], "inside");
        assert_eq!(answer(&of(again.clone()), &[]), decided);
        let fewer = UtilityConfiguration { flags: MemberFlags::default(), apparent_power_labels: PowerLabels::LineToLine, ..decided };
        let stored = merged(&again, &fewer);
        assert!(FLAGS.iter().all(|flag| stored.get(flag).is_none()), "a switch that is left out is as usual: {stored}");
        assert_eq!(answer(&of(stored), &[]), fewer);
        assert_eq!(merged(&json!("unreadable"), &fewer)["lineToLineLabels"], true);
    }
}
