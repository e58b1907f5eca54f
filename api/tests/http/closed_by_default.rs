//! Every route of the document, and some similar paths, without a token and with bad ones.

use serde_json::Value;

use crate::server::Server;

/// The routes that need no session. A new one needs a reason.
pub(crate) const OPEN: [(&str, &str); 7] = [
    ("post", "/api/token"),
    ("get", "/api/app/sitebrand/{host}"),
    ("get", "/api/openapi.json"),
    // A user who cannot sign in has no token. The answers of these three are the same for every caller.
    ("get", "/api/member/memberbyemail/{email}"),
    ("get", "/api/member/generatepwd/{handle}"),
    ("post", "/api/member/setpassword"),
    // The link was created by a user with permission, for recipients without an account.
    ("get", "/api/reports/file/{token}"),
];

/// Returns method and path of each route.
pub(crate) fn routes() -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(api::document()).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, calls)| calls.as_object().expect("calls").keys().map(|method| (method.clone(), path.clone()))).collect()
}

fn filled(path: &str) -> String {
    path.replace("{type}", "location")
        .replace("{host}", "portal.example")
        .split('/')
        .map(|part| if part.starts_with('{') { "1" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

#[tokio::test]
async fn no_route_answers_without_a_good_token() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (basic, doubled) = (format!("Basic {token}"), format!("Bearer {token} {token}"));
    let bad: [&[(&str, &str)]; 6] = [
        &[],
        &[("Authorization", "Bearer ")],
        &[("Authorization", "Bearer 0000000000000000000000000000000000000000000000000000000000000000")],
        &[("Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.")],
        &[("Authorization", &basic)],
        &[("Authorization", &doubled)],
    ];
    let mut closed = 0;
    for (method, path) in routes() {
        if OPEN.contains(&(method.as_str(), path.as_str())) {
            continue;
        }
        for headers in bad {
            let answer = server.send(&method.to_uppercase(), &filled(&path), headers, "").await;
            assert_eq!(answer.status, 401, "{method} {path} {headers:?}: {answer:?}");
            assert_eq!(answer.json()["statusCode"], 401);
        }
        closed += 1;
    }
    assert!(closed >= 14, "only {closed} routes were tried");
}

#[tokio::test]
async fn a_disguised_path_opens_nothing() {
    let server = Server::start().await;
    for path in [
        "/api/./iecgw/gethoststate",
        "/api//iecgw/gethoststate",
        "//api/iecgw/gethoststate",
        "/api/iecgw/gethoststate/",
        "/api/iecgw/gethoststate;x=1",
        "/api/%69ecgw/gethoststate",
        "/api/x/%2e%2e/iecgw/gethoststate",
        "/API/IECGW/GetHostState",
        "/api/nothing/here",
        "/api",
    ] {
        for method in ["GET", "POST", "HEAD", "OPTIONS", "PUT"] {
            let answer = server.send(method, path, &[("X-HTTP-Method-Override", "GET")], "").await;
            assert!([401, 404, 405].contains(&answer.status), "{method} {path}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn what_is_for_this_machine_is_not_served_through_a_proxy() {
    let server = Server::start().await;
    for path in ["/metrics", "/api/openapi.json"] {
        for host in ["127.0.0.1:8080", "localhost", "[::1]:8080"] {
            assert_eq!(
                server.ask_as_written(&format!("GET {path} HTTP/1.1\r\nConnection: close\r\nHost: {host}\r\n\r\n")).await.status,
                200
            );
        }
        for (head, why) in [
            ("HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9", "it says so"),
            ("HTTP/1.1\r\nHost: portal.example", "it keeps the name"),
            ("HTTP/1.1\r\nHost: localhost.portal.example", "a name that looks alike"),
            ("HTTP/1.1\r\nHost: localhost\r\nHost: portal.example", "two names"),
            ("HTTP/1.0\r\nHost: 127.0.0.1:8080", "nginx that was told nothing"),
            ("HTTP/1.0", "no name"),
        ] {
            let answer = server.ask_as_written(&format!("GET {path} {head}\r\nConnection: close\r\n\r\n")).await;
            assert_eq!(answer.status, 404, "{path}: {why}");
        }
    }
    assert_eq!(server.get("/healthz").await.body, "ok");
    assert_eq!(server.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn every_answer_carries_the_headers_that_keep_a_browser_safe() {
    let server = Server::start().await;
    for path in ["/api/app/SiteBrand/portal.example", "/api/iecgw/gethoststate", "/nowhere"] {
        let head = server.get(path).await.head;
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(head.contains(header), "{path} lacks {header}: {head}");
        }
        assert!(head.contains("wss://portal.example"), "{head}");
    }
}
