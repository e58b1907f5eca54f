//! Embedded pages: the token of a report is for the caller's utility only, and only listed hosts are framed. A server of the test stands in
//! for Microsoft's.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Value, json};
use store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::server::{ServeSettings, Server, serve};

const SECRET: &str = "the-secret-of-the-application";
const INFO: &str = "/api/powerbi/getembedinfo";

/// The requests to the other server, and its configured answers.
#[derive(Default)]
struct Other {
    requests: Vec<(String, String, String)>,
    /// The answer at a step, in place of the normal one.
    instead: Option<(&'static str, StatusCode, Value)>,
}

type Shared = Arc<Mutex<Other>>;

fn locked(shared: &Shared) -> std::sync::MutexGuard<'_, Other> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(shared): State<Shared>, Path(path): Path<String>, request: Request) -> Response {
    let bearer = request.headers().get(header::AUTHORIZATION).map_or("", |value| value.to_str().expect("text")).to_owned();
    let body = axum::body::to_bytes(request.into_body(), 65_536).await.expect("a body");
    let body = String::from_utf8(body.to_vec()).expect("text");
    let step = if path.ends_with("/token") {
        "sign-in"
    } else if path.ends_with("GenerateToken") {
        "token"
    } else {
        "report"
    };
    let mut other = locked(&shared);
    other.requests.push((path.clone(), bearer, body.clone()));
    let nth = other.requests.len();
    if let Some((at, status, body)) = &other.instead
        && *at == step
    {
        // A client that follows the redirect requests a path that must not be requested.
        return (*status, [(header::LOCATION, "/elsewhere")], Json(body.clone())).into_response();
    }
    let body = match step {
        "sign-in" => json!({ "token_type": "Bearer", "expires_in": 3599, "access_token": "APPLICATION" }),
        "report" => {
            json!({ "id": "REPORT", "embedUrl": "https://app.powerbi.com/reportEmbed?reportId=REPORT&groupId=WORKSPACE", "datasetId": "DATA" })
        }
        _ => {
            let end = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
            json!({ "token": format!("EMBED-{nth}"), "tokenId": "x", "expiration": end.to_string() })
        }
    };
    Json(body).into_response()
}

/// Starts a server with the embedded report, and the stand-in for Microsoft's.
async fn with_report() -> (Server, Shared) {
    let shared = Shared::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let host = format!("http://{}", listener.local_addr().expect("an address"));
    let other = axum::Router::new().route("/{*path}", any(answer)).with_state(Arc::clone(&shared));
    tokio::spawn(async move { axum::serve(listener, other).await });
    let mut server = Server::start().await;
    let power_bi = embed::PowerBiSettings {
        tenant_id: "TENANT".into(),
        app_id: "APP".into(),
        app_secret: SECRET.into(),
        workspace_id: "WORKSPACE".into(),
        report_id: "REPORT".into(),
        dataset_id: None,
        role: "Utility".into(),
        filter: Some(("Sites".into(), "ClientId".into())),
        hosts: embed::PowerBiHosts { login: host.clone(), api: host },
    };
    let store = Store::connect(server.database.url(), 4).await.expect("connected");
    let settings = ServeSettings {
        registry: server.registry.clone(),
        broker: testkit::shared_mqtt_url(),
        demo_logins: false,
        second_factor: identity::SecondFactor::Offered,
        smtp: "smtp://127.0.0.1:9".to_owned(),
        power_bi: Some(power_bi),
    };
    let port = serve(store, server.bus.clone(), settings, CancellationToken::new()).await;
    server.turn_to(port);
    (server, shared)
}

/// Everything that is logged on this thread, on which the whole test runs.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Logged {
    fn begin(&self) -> tracing::subscriber::DefaultGuard {
        let written = self.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_max_level(tracing::Level::TRACE).with_writer(move || written.clone()).finish();
        tracing::subscriber::set_default(subscriber)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

#[tokio::test]
async fn without_configuration_it_says_what_to_set() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let answer = server.get_as(&token, INFO).await;
    let result = answer.json();
    assert_eq!((answer.status, &result["result"]["code"]), (404, &json!("not-configured")), "{answer:?}");
    let message = result["message"].as_str().expect("a sentence");
    assert!(
        message.starts_with("Power BI is not configured: set powerbi.tenant_id, ") && message.contains("powerbi.app_secret_file"),
        "{message}"
    );
    assert!(server.get("/").await.head.contains("frame-src 'self' https://reports.example;"), "Power BI is not framed");
}

#[tokio::test]
async fn each_utility_gets_a_token_of_its_own_and_nobody_the_secret() {
    let logged = Logged::default();
    let _logging = logged.begin();
    let (server, other) = with_report().await;
    let (one, division, two) = (server.sign_in("one-admin").await, server.sign_in("one-division").await, server.sign_in("two-admin").await);
    let first = server.get_as(&one, INFO).await;
    assert_eq!(first.status, 200, "{first:?}");
    let result = first.json()["result"].clone();
    assert_eq!(result["embedUrl"], "https://app.powerbi.com/reportEmbed?reportId=REPORT&groupId=WORKSPACE");
    assert_eq!((&result["accessToken"], &result["reportId"]), (&json!("EMBED-3"), &json!("REPORT")));
    assert_eq!(result["filter"], json!({ "table": "Sites", "column": "ClientId" }));
    assert!(result["expires"].as_str().is_some_and(|expires| expires.ends_with('Z')), "{result}");
    assert!(
        first.head.contains("cache-control: no-store")
            && first.head.contains("frame-src 'self' https://app.powerbi.com https://reports.example;")
    );
    assert_eq!(server.get_as(&division, INFO).await.json()["result"], result, "somebody else of the utility has the same");
    let foreign = server.get_as(&two, INFO).await.json()["result"].clone();
    assert_eq!(foreign["accessToken"], "EMBED-5", "signed in already: the report and a token of its own");

    let requests = std::mem::take(&mut locked(&other).requests);
    let paths: Vec<&str> = requests.iter().map(|(path, ..)| path.as_str()).collect();
    let report = "v1.0/myorg/groups/WORKSPACE/reports/REPORT";
    let generate = format!("{report}/GenerateToken");
    assert_eq!(paths, ["TENANT/oauth2/v2.0/token", report, &generate, report, &generate]);
    assert!(
        requests[0].2.contains("grant_type=client_credentials&client_id=APP")
            && requests[0].2.contains("analysis.windows.net%2Fpowerbi%2Fapi%2F.default")
    );
    assert_eq!(requests[1].1, "Bearer APPLICATION");
    for (nth, utility) in [(2, &server.one), (4, &server.two)] {
        let body: Value = serde_json::from_str(&requests[nth].2).expect("JSON");
        let identities = json!([{ "username": utility.client.to_string(), "roles": ["Utility"], "datasets": ["DATA"] }]);
        assert_eq!((&body["identities"], &body["accessLevel"]), (&identities, &json!("View")), "{body}");
    }
    assert!(!first.body.contains(SECRET) && !first.body.contains("APPLICATION"), "{first:?}");
    let logged = logged.text();
    assert!(!logged.is_empty() && ![SECRET, "APPLICATION", "EMBED-"].iter().any(|secret| logged.contains(secret)), "{logged}");
}

#[tokio::test]
async fn what_the_other_server_refuses_is_a_bad_gateway_that_tells_nothing_secret() {
    for (step, status, body, says, logs) in [
        (
            "sign-in",
            StatusCode::UNAUTHORIZED,
            json!({ "error": "invalid_client", "error_description": format!("bad {SECRET}") }),
            "HTTP 401",
            "invalid_client",
        ),
        ("report", StatusCode::NOT_FOUND, json!({ "error": { "code": "ItemNotFound" } }), "HTTP 404", "ItemNotFound"),
        (
            "token",
            StatusCode::FORBIDDEN,
            json!({ "error": { "code": format!("x {SECRET} {}", "y".repeat(200)) } }),
            "HTTP 403",
            "step=\"token\"",
        ),
        ("token", StatusCode::FOUND, json!({}), "HTTP 302", "step=\"token\""),
        ("report", StatusCode::OK, json!({ "embedUrl": "https://evil.example/" }), "cannot be used", "not its own"),
        ("token", StatusCode::OK, json!({ "token": 7 }), "cannot be used", "cannot be read"),
    ] {
        let logged = Logged::default();
        let _logging = logged.begin();
        let (server, other) = with_report().await;
        locked(&other).instead = Some((step, status, body));
        let token = server.sign_in("one-admin").await;
        let answer = server.get_as(&token, INFO).await;
        let log = logged.text();
        assert!(answer.status == 502 && answer.body.contains(says), "{step} {status}: {answer:?}");
        assert!(!answer.body.contains(SECRET) && !log.contains(SECRET) && log.contains(logs), "{step}: {log}");
        assert!(!locked(&other).requests.iter().any(|(path, ..)| path.contains("elsewhere")), "a redirect was followed");
        let before = locked(&other).requests.len();
        assert_eq!(server.get_as(&token, INFO).await.status, 502);
        assert_eq!(locked(&other).requests.len(), before, "what has just failed is not asked again at once");
    }
}

#[tokio::test]
async fn a_role_without_the_page_gets_nothing() {
    let (server, other) = with_report().await;
    server.enter("small", 8, Some(server.one.location)).await;
    let token = server.sign_in("small").await;
    assert_eq!((server.get_as(&token, INFO).await.status, server.get(INFO).await.status), (403, 401));
    assert!(locked(&other).requests.is_empty());
}

#[tokio::test]
async fn a_utility_frames_pages_of_listed_hosts_alone() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let shown = async || {
        let answer = server.get_as(&token, &format!("/api/client/clientconfiguration/{}", server.one.client)).await;
        answer.json()["result"]["reportsEmbedUrl"].clone()
    };
    let put = async |value: Value| {
        let mut body = server.get_as(&token, "/api/admin/configuration").await.json()["result"].clone();
        match value {
            Value::Null => drop(body.as_object_mut().expect("an object").remove("reportsEmbedUrl")),
            value => body["reportsEmbedUrl"] = value,
        }
        server.json_as(&token, "PUT", "/api/admin/configuration", &body).await
    };
    assert_eq!(shown().await, Value::Null);
    for refused in
        ["https://elsewhere.example/", "http://reports.example/", "https://reports.example:8443/", "javascript:alert(1)", "/reports"]
    {
        let answer = put(json!(refused)).await;
        assert!(answer.status == 400 && answer.body.contains("http.frame_hosts (reports.example)"), "{refused}: {answer:?}");
    }
    assert_eq!(shown().await, Value::Null);
    let url = "https://reports.example/monthly?embed=true";
    assert_eq!(put(json!(url)).await.status, 200);
    assert_eq!(shown().await, json!(url));
    assert_eq!((put(Value::Null).await.status, shown().await), (200, json!(url)), "left out, it stays");
    assert_eq!((put(json!("")).await.status, shown().await), (200, Value::Null));
}
