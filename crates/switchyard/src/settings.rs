//! The settings: defaults from config.default.toml, then a file, then the environment. No other module reads the
//! environment.

mod alarms;
mod analytics;
mod control;
mod database;
pub(crate) mod forecast;
pub(crate) mod history;
mod people;
mod power_bi;
mod reports;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use config::{Config, Environment, File, FileFormat};
use database::Database;
use grid::Share;
use ipnet::IpNet;
use people::{Audit, Auth, Password, Session};
use serde::Deserialize;
use url::{Host, Url};

/// The file that is also the reference of all settings.
pub(crate) const DEFAULTS: &str = include_str!("../config.default.toml");

/// Larger proxy networks than this many address bits (16 addresses) cause a warning.
const PROXY_BITS_MAX: u8 = 4;

/// All settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// REST, live socket and web.
    pub http: Http,
    /// Folder for state.
    pub state: State,
    /// The database.
    pub database: Database,
    /// The broker.
    pub mqtt: Mqtt,
    /// Embedded servers.
    pub embedded: Embedded,
    /// Duration of sessions.
    pub session: Session,
    /// Password hashing.
    pub password: Password,
    /// Second factors.
    pub auth: Auth,
    /// Checkpoints of the audit.
    pub audit: Audit,
    /// Commands to gateways.
    pub control: control::Control,
    /// Mail.
    pub mail: Mail,
    /// Ingest.
    pub ingest: Ingest,
    /// Alarms.
    pub alarms: alarms::Alarms,
    /// Analytics.
    pub analytics: analytics::Analytics,
    /// Limits of live sockets.
    pub hub: Hub,
    /// Message bus.
    pub bus: Bus,
    /// Retention of the history.
    pub history: history::History,
    /// Forecasts.
    pub forecast: forecast::Forecast,
    /// Power BI report.
    pub powerbi: power_bi::PowerBi,
    /// Reports as files.
    pub reports: reports::Reports,
    /// Simulation of the demo's gateways.
    pub simulate: Simulate,
    /// The demo's logins.
    pub demo: Demo,
    /// Logging.
    pub log: Log,
}

/// REST, live socket and web.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Http {
    /// Address of the listener.
    pub listen: SocketAddr,
    /// Folder of the built web.
    pub web: PathBuf,
    /// Foreign origins for the live socket, comma-separated.
    pub origins: String,
    /// The URL at which users reach the web; empty for the address of the listener.
    pub public_url: String,
    /// Hosts of map tiles, comma-separated.
    pub map_hosts: String,
    /// Hosts of pages that may be framed, comma-separated.
    pub frame_hosts: String,
    /// Addresses or networks of reverse proxies, comma-separated.
    pub proxies: String,
}

impl Http {
    /// Returns the foreign origins.
    pub(crate) fn origins(&self) -> Vec<String> {
        words(&self.origins)
    }

    /// Returns the URL of the web, without a slash at the end.
    pub(crate) fn public_url(&self) -> String {
        let url = self.public_url.trim_end_matches('/');
        if url.is_empty() { format!("http://{}", self.listen) } else { url.to_owned() }
    }

    /// Returns the hosts of map tiles.
    pub(crate) fn map_hosts(&self) -> anyhow::Result<Vec<String>> {
        hosts("http.map_hosts", &self.map_hosts, "tiles.example")
    }

    /// Returns the hosts of pages that may be framed.
    pub(crate) fn frame_hosts(&self) -> anyhow::Result<Vec<String>> {
        hosts("http.frame_hosts", &self.frame_hosts, "reports.example")
    }

    /// Returns the proxies as networks; a single address is a network of one.
    pub(crate) fn proxies(&self) -> anyhow::Result<Vec<IpNet>> {
        let read = |word: &String| word.parse().or_else(|_| word.parse::<IpAddr>().map(IpNet::from));
        words(&self.proxies)
            .iter()
            .map(|word| {
                read(word).with_context(|| {
                    format!("http.proxies must be addresses such as \"127.0.0.1\" or networks such as \"192.0.2.8/30\", it has {word:?}")
                })
            })
            .collect()
    }

    /// Returns proxy networks with more than a few addresses: each client in such a network can forge its address.
    pub(crate) fn wide_proxies(&self) -> anyhow::Result<Vec<IpNet>> {
        let is_wide = |network: &IpNet| network.max_prefix_len() - network.prefix_len() > PROXY_BITS_MAX;
        Ok(self.proxies()?.into_iter().filter(is_wide).collect())
    }
}

/// Folder for state.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// The folder.
    pub dir: PathBuf,
}

/// The broker.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mqtt {
    /// The URL; empty for the broker in process.
    pub url: String,
    /// Listen address of the broker in process.
    pub listen: SocketAddr,
}

/// Embedded servers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Embedded {
    /// Folder of the PostgreSQL programs to use instead of the npm package.
    pub postgres_programs: String,
    /// The operating system user for PostgreSQL if root starts it.
    pub user: String,
}

/// Mail.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mail {
    /// URL of the server; empty: mails are written to a folder.
    pub smtp: String,
    /// Address of the sender.
    pub from: String,
}

impl Mail {
    /// Returns the mail settings of the api.
    pub(crate) fn settings(&self, state: &Path) -> mail::MailSettings {
        let smtp = Some(self.smtp.clone()).filter(|smtp| !smtp.is_empty());
        mail::MailSettings { smtp, from: self.from.clone(), folder: state.join("mail") }
    }
}

/// Ingest.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ingest {
    /// MQTT client id and name of the leadership.
    pub client_id: String,
    /// Sparkplug host id.
    pub host_id: String,
    /// Utilities by code, comma-separated; empty for all.
    pub groups: String,
    /// Share of the gateways, such as `1/2`; empty for all.
    pub share: String,
    /// File of the JSON lane's mappings; empty for none.
    pub mappings: PathBuf,
    /// Limit of the spool, MiB; 0: no spool.
    pub spool_mib: u64,
    /// Limit of held messages in memory, MiB.
    pub hold_mib: usize,
}

impl Ingest {
    /// Returns the configuration of ingest.
    pub(crate) fn config(&self, mqtt_url: &str, state: &Path) -> anyhow::Result<ingest::IngestConfig> {
        let name = self.mappings.display();
        let mappings = if self.mappings.as_os_str().is_empty() {
            ingest::Mappings::default()
        } else {
            let text = std::fs::read_to_string(&self.mappings).with_context(|| format!("ingest.mappings: {name}"))?;
            ingest::Mappings::from_toml(&text).with_context(|| format!("ingest.mappings: {name}"))?
        };
        Ok(ingest::IngestConfig {
            mappings,
            url: mqtt_url.to_owned(),
            client_id: self.client_id.clone(),
            host_id: self.host_id.clone(),
            groups: words(&self.groups),
            share: Share::parse(&self.share),
            spool_dir: (self.spool_mib > 0).then(|| state.join("spool")),
            spool_bytes: self.spool_mib * 1024 * 1024,
            hold_bytes: self.hold_mib * 1024 * 1024,
            ..ingest::IngestConfig::default()
        })
    }
}

/// Returns the host names of a comma-separated list.
fn hosts(key: &str, list: &str, example: &str) -> anyhow::Result<Vec<String>> {
    let is_host = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    let hosts = words(list);
    match hosts.iter().find(|host| !host.bytes().all(is_host)) {
        Some(host) => bail!("{key} must be host names in lower case such as {example:?}, it has {host:?}"),
        None => Ok(hosts),
    }
}

/// Returns the entries of a comma-separated list.
fn words(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Limits of live sockets.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "the names of the settings")]
pub(crate) struct Hub {
    /// Open sockets of this process.
    pub sockets_max: usize,
    /// Open sockets of one session.
    pub sockets_per_session: usize,
    /// Open sockets of one user.
    pub sockets_per_member: usize,
    /// Open sockets of one address before sign-in.
    pub sockets_unauthenticated_per_address: usize,
}

/// Message bus.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bus {
    /// Which bus is used.
    pub kind: BusKind,
}

/// Which bus is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum BusKind {
    /// Empty: within the process for `all`, otherwise the broker.
    Default,
    /// Within the process.
    Local,
    /// The broker.
    Mqtt,
}

impl TryFrom<String> for BusKind {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "" => Ok(Self::Default),
            "local" => Ok(Self::Local),
            "mqtt" => Ok(Self::Mqtt),
            _ => Err(format!("bus.kind must be \"local\", \"mqtt\" or empty, it is {text:?}")),
        }
    }
}

/// Simulation of the demo's gateways.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Simulate {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Clock rate; 1 is real time.
    pub speed: f64,
    /// Mean number of faults of each utility in an hour.
    pub trips_per_hour: f64,
    /// Switches with a simulated defect, `STATION/SWITCH=behaviour`, separated by commas.
    pub defects: String,
    /// Public key that verifies commands, Ed25519 in base64; empty for none.
    pub command_key: String,
}

impl Simulate {
    /// Returns the switches with a simulated defect.
    pub(crate) fn defects(&self) -> anyhow::Result<Vec<simulators::Defect>> {
        words(&self.defects).iter().map(|word| word.parse().map_err(|error: String| anyhow::anyhow!("simulate.defects: {error}"))).collect()
    }
}

/// The demo's logins.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Demo {
    /// Whether the demo's users may sign in.
    pub logins: bool,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum LogFormat {
    /// For users.
    Text,
    /// For programs.
    Json,
}

impl TryFrom<String> for LogFormat {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("log.format must be \"text\" or \"json\", it is {text:?}")),
        }
    }
}

/// Logging.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Log {
    /// The form of the lines.
    pub format: LogFormat,
    /// Log filter, in the syntax of `RUST_LOG`.
    pub filter: String,
}

/// Reads the settings of this process.
pub(crate) fn load(file: Option<&Path>) -> anyhow::Result<Settings> {
    let mut layers = Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml));
    if let Some(path) = file {
        layers = layers.add_source(File::from(path).format(FileFormat::Toml));
    }
    layers = layers.add_source(Environment::with_prefix("SWITCHYARD").prefix_separator("__").separator("__").try_parsing(true));
    for (variable, key) in [("DATABASE_URL", "database.url"), ("MQTT_URL", "mqtt.url")] {
        if let Some(url) = std::env::var(variable).ok().filter(|url| !url.is_empty()) {
            layers = layers.set_override(key, url)?;
        }
    }
    let settings: Settings = layers.build().context("settings")?.try_deserialize().context("settings")?;
    check(&settings)?;
    Ok(settings)
}

/// Rejects invalid settings early, with a clear message.
fn check(settings: &Settings) -> anyhow::Result<()> {
    if !settings.database.url.is_empty()
        && !settings.database.url.starts_with("postgres://")
        && !settings.database.url.starts_with("postgresql://")
    {
        bail!("database.url must begin with postgres://");
    }
    if !settings.mqtt.url.is_empty() && !["mqtt://", "mqtts://", "tcp://"].iter().any(|scheme| settings.mqtt.url.starts_with(scheme)) {
        bail!("mqtt.url must begin with mqtt://");
    }
    settings.database.check()?;
    for (key, name) in [("client_id", &settings.ingest.client_id), ("host_id", &settings.ingest.host_id)] {
        if name.is_empty() || name.len() > 64 || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            bail!("ingest.{key} must be 1 to 64 letters, digits, `-` or `_`, it is {name:?}");
        }
    }
    if !settings.ingest.share.is_empty() && Share::parse(&settings.ingest.share).is_none() {
        bail!("ingest.share must be a share such as \"1/2\" or empty, it is {:?}", settings.ingest.share);
    }
    if !(1..=16_384).contains(&settings.ingest.hold_mib) {
        bail!("ingest.hold_mib must lie between 1 and 16384, it is {}", settings.ingest.hold_mib);
    }
    if settings.ingest.spool_mib > 1024 * 1024 {
        bail!("ingest.spool_mib must lie between 0 and 1048576, it is {}", settings.ingest.spool_mib);
    }
    if !(settings.simulate.speed > 0.0 && settings.simulate.speed <= 3_600.0) {
        bail!("simulate.speed must lie above 0 and up to 3600, it is {}", settings.simulate.speed);
    }
    if !(0.0..=3_600.0).contains(&settings.simulate.trips_per_hour) {
        bail!("simulate.trips_per_hour must lie between 0 and 3600, it is {}", settings.simulate.trips_per_hour);
    }
    let public_url = settings.http.public_url.as_str();
    if !public_url.is_empty() && !["http://", "https://"].iter().any(|scheme| public_url.starts_with(scheme)) {
        bail!("http.public_url must begin with https:// or http://, it is {public_url:?}");
    }
    settings.http.map_hosts()?;
    settings.http.frame_hosts()?;
    settings.powerbi.check()?;
    settings.http.proxies()?;
    check_mail(settings)?;
    settings.history.check()?;
    settings.forecast.check()?;
    let Session { access_min, idle_min, absolute_h, device_days } = settings.session;
    if !(1..=3_650).contains(&device_days) {
        bail!("session.device_days must lie between 1 and 3650, it is {device_days}");
    }
    if !(1..=60).contains(&access_min) || idle_min < access_min || absolute_h == 0 || u64::from(absolute_h) * 60 < u64::from(idle_min) {
        bail!("session: access_min must lie between 1 and 60, idle_min be at least that, and absolute_h at least idle_min");
    }
    Ok(())
}

/// Checks the mail settings. Mails contain links that set passwords, so they leave this machine only over TLS, and the
/// links need the public URL.
fn check_mail(settings: &Settings) -> anyhow::Result<()> {
    let smtp = settings.mail.smtp.as_str();
    if smtp.is_empty() {
        return Ok(());
    }
    // The error does not repeat the value: it may contain a password.
    let address: Url = smtp.parse().context("mail.smtp must be an address such as smtps://user:password@host")?;
    let is_here = match address.host() {
        Some(Host::Ipv4(host)) => host.is_loopback(),
        Some(Host::Ipv6(host)) => host.is_loopback(),
        // Addresses of schemes that are not the web's are kept as they were written.
        Some(Host::Domain(host)) => host == "localhost" || host.parse::<IpAddr>().is_ok_and(|host| host.is_loopback()),
        None => bail!("mail.smtp must name a host, such as smtps://user:password@host"),
    };
    let requires_tls = address.query_pairs().any(|(key, value)| key == "tls" && value == "required");
    match address.scheme() {
        "smtps" => {}
        "smtp" if is_here || requires_tls => {}
        "smtp" => bail!("mail.smtp must be smtps://… or end with ?tls=required: only a server on this machine may get mails without TLS"),
        _ => bail!("mail.smtp must begin with smtp:// or smtps://"),
    }
    if settings.http.public_url.is_empty() && !is_here {
        bail!("http.public_url must be set where mail.smtp is, such as \"https://scada.example\": links in mails begin with it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(overrides: &[(&str, &str)]) -> anyhow::Result<Settings> {
        let mut layers = Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml));
        for (key, value) in overrides {
            layers = layers.set_override(*key, *value)?;
        }
        let settings = layers.build()?.try_deserialize()?;
        check(&settings)?;
        Ok(settings)
    }

    #[test]
    fn the_defaults_bind_loopback_only_and_name_no_server() {
        let settings = with(&[]).expect("the defaults are valid");
        assert!(settings.http.listen.ip().is_loopback() && settings.mqtt.listen.ip().is_loopback());
        assert!(settings.database.url.is_empty() && settings.mqtt.url.is_empty());
        assert!(settings.http.origins().is_empty() && settings.http.proxies().is_ok_and(|proxies| proxies.is_empty()));
        assert_eq!(settings.http.public_url(), format!("http://{}", settings.http.listen));
    }

    #[test]
    fn what_cannot_work_is_refused_by_name() {
        for (key, value, word) in [
            ("database.url", "mysql://x", "database.url"),
            ("mqtt.url", "http://x", "mqtt.url"),
            ("database.pool_max", "8", "database.interactive"),
            ("database.heavy.utility", "0", "database.heavy.utility"),
            ("bus.kind", "nats", "bus.kind"),
            ("ingest.client_id", "a/b", "ingest.client_id"),
            ("ingest.host_id", "", "ingest.host_id"),
            ("ingest.share", "3/2", "ingest.share"),
            ("ingest.hold_mib", "0", "hold_mib"),
            ("ingest.spool_mib", "9999999", "spool_mib"),
            ("log.format", "xml", "log.format"),
            ("simulate.speed", "0", "simulate.speed"),
            ("simulate.trips_per_hour", "-1", "simulate.trips_per_hour"),
            ("session.access_min", "0", "access_min"),
            ("session.device_days", "0", "device_days"),
            ("http.public_url", "scada.example", "public_url"),
            ("http.map_hosts", "https://tiles.example", "map_hosts"),
            ("http.frame_hosts", "https://reports.example", "frame_hosts"),
            ("powerbi.tenant_id", "contoso.example", "powerbi.app_id"),
            ("powerbi.report_id", "../groups", "powerbi.report_id must"),
            ("http.proxies", "127.0.0.1, proxy", "proxies"),
            ("mail.smtp", "mail.example", "mail.smtp"),
            ("mail.smtp", "http://mail.example", "mail.smtp must begin"),
            ("mail.smtp", "smtp:", "mail.smtp must name a host"),
            ("mail.smtp", "smtp://user:secret@mail.example:587", "tls=required"),
            ("mail.smtp", "smtp://user:secret@mail.example:587?tls=opportunistic", "tls=required"),
            ("mail.smtp", "smtps://user:secret@mail.example", "public_url"),
            ("http.listen", "everywhere", "listen"),
            ("http.port", "80", "port"),
        ] {
            let error = format!("{:#}", with(&[(key, value)]).expect_err(key));
            assert!(error.contains(word), "{key}: {error}");
            assert!(!error.contains(":secret"), "{error}");
        }
    }

    #[test]
    fn mails_leave_by_tls_or_stay_on_this_machine() {
        for smtp in ["smtps://user:secret@mail.example", "smtp://mail.example:587?tls=required"] {
            with(&[("mail.smtp", smtp), ("http.public_url", "https://scada.example")]).expect(smtp);
        }
        for smtp in ["smtp://127.0.0.1:25", "smtp://[::1]", "smtp://localhost"] {
            with(&[("mail.smtp", smtp)]).expect(smtp);
        }
    }

    #[test]
    fn proxies_that_are_whole_networks_of_other_people_are_warned_of() {
        let wide = |proxies| with(&[("http.proxies", proxies)]).and_then(|settings| settings.http.wide_proxies()).expect(proxies);
        assert!(wide("127.0.0.1, 10.1.2.3, 10.1.2.0/28, ::1, 2001:db8::/124").is_empty());
        let found: Vec<String> = wide("10.1.2.3, 10.0.0.0/8, 10.1.2.0/27, 2001:db8::/64").iter().map(ToString::to_string).collect();
        assert_eq!(found, ["10.0.0.0/8", "10.1.2.0/27", "2001:db8::/64"]);
    }
}
