//! Microsoft Power BI: the application signs in with its secret, reads the address of the report, and requests a token for an effective
//! identity (App owns data; "GenerateToken in group" of the REST API).

use std::fmt;

use bytes::Bytes;
use grid::Micros;
use http_body_util::Full;
use hyper::{Method, Request, StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::Mutex;
use url::form_urlencoded;
use wire::time::parse_iso;

use crate::https::{Failed, Https};
use crate::listed_host::is_on_listed_host;
use crate::provider::{Asking, Grant, Provider, Trouble};

/// The host that serves the framed reports.
pub(crate) const FRAME_HOST: &str = "app.powerbi.com";
/// The OAuth scope of the sign-in.
const SCOPE: &str = "https://analysis.windows.net/powerbi/api/.default";
/// The application's sign-in is renewed this long before it expires, ms.
const MARGIN_MS: i64 = 5 * 60_000;
/// Maximum number of characters of an error code in the log.
const WORD_MAX: usize = 64;

/// The report, and the application that requests it.
#[derive(Clone)]
pub struct PowerBiSettings {
    /// The id of the organisation.
    pub tenant_id: String,
    /// The id of the application that is registered there.
    pub app_id: String,
    /// The secret of the application.
    pub app_secret: String,
    /// The id of the workspace of the report.
    pub workspace_id: String,
    /// The id of the report.
    pub report_id: String,
    /// The id of the dataset; `None` for the one that the service returns.
    pub dataset_id: Option<String>,
    /// The role of the dataset that filters rows by the identity.
    pub role: String,
    /// Table and column of the visible filter.
    pub filter: Option<(String, String)>,
    /// The addresses of the service.
    pub hosts: PowerBiHosts,
}

/// The addresses of the service: Microsoft's, except in tests.
#[derive(Debug, Clone)]
pub struct PowerBiHosts {
    /// The address for sign-ins.
    pub login: String,
    /// The address of the REST API.
    pub api: String,
}

impl Default for PowerBiHosts {
    fn default() -> Self {
        Self { login: "https://login.microsoftonline.com".to_owned(), api: "https://api.powerbi.com".to_owned() }
    }
}

impl fmt::Debug for PowerBiSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The secret must not appear in a log.
        f.debug_struct("PowerBiSettings")
            .field("workspace_id", &self.workspace_id)
            .field("report_id", &self.report_id)
            .finish_non_exhaustive()
    }
}

pub(crate) struct PowerBi {
    settings: PowerBiSettings,
    https: Https,
    /// The application's own token and the time at which it expires.
    signed_in: Mutex<Option<(String, Micros)>>,
}

#[derive(Deserialize)]
struct SignedIn {
    access_token: String,
    expires_in: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    embed_url: String,
    #[serde(default)]
    dataset_id: Option<String>,
}

#[derive(Deserialize)]
struct Generated {
    token: String,
    expiration: String,
}

/// The error body of either server.
#[derive(Deserialize)]
struct Refusal {
    error: serde_json::Value,
}

impl PowerBi {
    pub(crate) fn new(settings: PowerBiSettings) -> Self {
        let plain = [&settings.hosts.login, &settings.hosts.api].iter().any(|host| host.starts_with("http://"));
        Self { settings, https: Https::new(plain), signed_in: Mutex::default() }
    }

    /// Sends a request and parses the JSON response. `step` is its name in the log.
    async fn ask<T: DeserializeOwned>(&self, step: &'static str, request: Request<Full<Bytes>>) -> Result<T, Trouble> {
        let (status, body) = self.https.exchange(request).await.map_err(|failed: Failed| {
            tracing::warn!(step, %failed, "Power BI was not reached");
            Trouble::Silent
        })?;
        if status != StatusCode::OK {
            tracing::warn!(step, status = status.as_u16(), code = word(&body), "Power BI refused");
            return Err(Trouble::Refused(status.as_u16()));
        }
        serde_json::from_slice(&body).map_err(|error| {
            // Only the position is logged: the response contains a token.
            tracing::warn!(step, line = error.line(), column = error.column(), "an answer of Power BI cannot be read");
            Trouble::Unreadable
        })
    }

    /// Returns the application's own token.
    async fn sign_in(&self) -> Result<String, Trouble> {
        let mut signed_in = self.signed_in.lock().await;
        if let Some((token, end)) = signed_in.as_ref()
            && end.millis_since(wire::time::now()) > MARGIN_MS
        {
            return Ok(token.clone());
        }
        let PowerBiSettings { tenant_id, app_id, app_secret, hosts, .. } = &self.settings;
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("grant_type", "client_credentials"), ("client_id", app_id), ("client_secret", app_secret), ("scope", SCOPE)])
            .finish();
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}/{tenant_id}/oauth2/v2.0/token", hosts.login))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Full::from(form))
            .map_err(|_| Trouble::Unreadable)?;
        let SignedIn { access_token, expires_in } = self.ask("sign-in", request).await?;
        let end = wire::time::now().plus_millis(expires_in.clamp(0, 86_400) * 1_000);
        *signed_in = Some((access_token.clone(), end));
        Ok(access_token)
    }

    /// Calls the REST API for the report.
    async fn report<T: DeserializeOwned>(&self, step: &'static str, tail: &str, body: Option<serde_json::Value>) -> Result<T, Trouble> {
        let token = self.sign_in().await?;
        let PowerBiSettings { workspace_id, report_id, hosts, .. } = &self.settings;
        let request = Request::builder()
            .method(if body.is_some() { Method::POST } else { Method::GET })
            .uri(format!("{}/v1.0/myorg/groups/{workspace_id}/reports/{report_id}{tail}", hosts.api))
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.map_or_else(Full::default, |body| Full::from(body.to_string())))
            .map_err(|_| Trouble::Unreadable)?;
        let answer = self.ask(step, request).await;
        if answer.as_ref().is_err_and(|trouble| *trouble == Trouble::Refused(StatusCode::UNAUTHORIZED.as_u16())) {
            // The token was revoked before its expiry.
            *self.signed_in.lock().await = None;
        }
        answer
    }

    async fn granted(&self, identity: &str) -> Result<Grant, Trouble> {
        let Report { embed_url, dataset_id } = self.report("report", "", None).await?;
        if !is_on_listed_host(&embed_url, &[FRAME_HOST.to_owned()]) {
            tracing::warn!(step = "report", "Power BI named an address that is not its own");
            return Err(Trouble::Unreadable);
        }
        let Some(dataset) = self.settings.dataset_id.clone().or(dataset_id) else {
            tracing::warn!(step = "report", "Power BI names no dataset of the report: set powerbi.dataset_id");
            return Err(Trouble::Unreadable);
        };
        // The role filters rows by this name, whatever the browser requests.
        let identities = json!([{ "username": identity, "roles": [self.settings.role], "datasets": [dataset] }]);
        let body = json!({ "accessLevel": "View", "allowSaveAs": false, "identities": identities });
        let Generated { token, expiration } = self.report("token", "/GenerateToken", Some(body)).await?;
        let expires = parse_iso(&expiration).ok_or_else(|| {
            tracing::warn!(step = "token", "Power BI told no end of the token that can be read");
            Trouble::Unreadable
        })?;
        let (report_id, filter) = (self.settings.report_id.clone(), self.settings.filter.clone());
        Ok(Grant { access_token: token, embed_url, report_id, filter, expires })
    }
}

impl Provider for PowerBi {
    fn grant<'a>(&'a self, identity: &'a str) -> Asking<'a> {
        Box::pin(self.granted(identity))
    }
}

/// Returns the error code, such as `invalid_client`. The rest of the response is not logged, because it may repeat secrets of the request.
fn word(body: &[u8]) -> String {
    let refusal = serde_json::from_slice::<Refusal>(body).ok().map(|refusal| refusal.error);
    let code = refusal.as_ref().and_then(|error| error.as_str().or_else(|| error.get("code")?.as_str())).unwrap_or_default();
    let is_word = code.len() <= WORD_MAX && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_word { code.to_owned() } else { String::new() }
}
