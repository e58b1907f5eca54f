//! Wraps everything that a listener serves: matches paths without regard to case, and adds the security headers for browsers.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use tower::ServiceExt;

/// Wraps the whole site. `templates` are the paths of the api, such as `/api/sld/slddivaluesbyastpt/{id}`; `frames` are the hosts whose
/// pages may be framed, `pictures` the hosts of map tiles.
pub fn wrap(site: Router, templates: Vec<String>, frames: &[String], pictures: &[String]) -> Router {
    let templates = Arc::new(templates);
    let site = site.map_request(move |mut request: Request| {
        if let Some(uri) = canonical(request.uri(), &templates) {
            *request.uri_mut() = uri;
        }
        request
    });
    // The site is nested in another router, because the layers of a router run only after it has matched the path.
    Router::new()
        .fallback_service(site)
        .layer(middleware::from_fn_with_state(Hosts { frames: listed(frames), pictures: listed(pictures) }, headers))
}

/// Returns the address with the fixed parts of its path in the documented case; `None` if it is already in that form.
fn canonical(uri: &Uri, templates: &[String]) -> Option<Uri> {
    let path = uri.path();
    if !path.get(..5)?.eq_ignore_ascii_case("/api/") {
        return None;
    }
    let rewritten = templates.iter().find_map(|template| fit(path, template))?;
    if rewritten == path {
        return None;
    }
    let with_query = uri.query().map_or_else(|| rewritten.clone(), |query| format!("{rewritten}?{query}"));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(with_query).ok()?);
    Uri::from_parts(parts).ok()
}

/// Returns `path` with the fixed segments of `template`, if it matches. Parameters keep their case, because they may be addresses or
/// base64.
fn fit(path: &str, template: &str) -> Option<String> {
    let mut segments = path.split('/');
    let mut fitted = Vec::new();
    for fixed in template.split('/') {
        let segment = segments.next()?;
        if fixed.starts_with('{') {
            fitted.push(segment);
        } else if fixed.eq_ignore_ascii_case(segment) {
            fitted.push(fixed);
        } else {
            return None;
        }
    }
    segments.next().is_none().then(|| fitted.join("/"))
}

/// Allows scripts and styles of this site only. Inline style attributes are allowed too, because the canvas of the diagram and the chart library set them.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; \
     connect-src 'self'; font-src 'self'; frame-src 'self'; manifest-src 'self'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'; form-action 'self'";

/// Adds the headers to every answer, including errors (OWASP ASVS 5.0, section 3.4). HSTS is not included: the proxy that terminates TLS adds it.
async fn headers(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("/api/"));
    let policy = content_policy(request.headers(), &hosts);
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Source lists of the policy, each with a space before each host.
#[derive(Clone)]
struct Hosts {
    frames: Arc<str>,
    pictures: Arc<str>,
}

/// Returns the hosts as a source list of the policy. A host with characters that could add another source is left out.
fn listed(hosts: &[String]) -> Arc<str> {
    let is_host = |host: &&String| !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    hosts.iter().filter(is_host).fold(String::new(), |listed, host| listed + " https://" + host).into()
}

/// Builds the policy. The site frames only one of its own pages, the user guide. Older browsers do not apply `'self'` to the scheme of the socket, so the
/// address of the socket is listed with the host of the page.
fn content_policy(request: &HeaderMap, Hosts { frames, pictures }: &Hosts) -> HeaderValue {
    let host = request.get(header::HOST).and_then(|host| host.to_str().ok());
    let plain = |host: &str| !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let policy = match host.filter(|host| plain(host)) {
        Some(host) => CONTENT_POLICY.replace("connect-src 'self'", &format!("connect-src 'self' ws://{host} wss://{host}")),
        None => CONTENT_POLICY.to_owned(),
    };
    let policy = policy.replace("frame-src 'self'", &format!("frame-src 'self'{frames}"));
    let policy = policy.replace("img-src 'self'", &format!("img-src 'self'{pictures}"));
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

#[cfg(test)]
mod tests {
    use super::{Hosts, canonical, content_policy, listed};
    use axum::http::{HeaderMap, HeaderValue, Uri, header};

    #[test]
    fn only_the_fixed_parts_of_a_documented_path_change() {
        let templates = ["/api/app/sitebrand/{host}", "/api/sld/sldgenericdatavalues/location/{id}", "/api/token"].map(str::to_owned);
        let cases = [
            ("/api/app/SiteBrand/Portal.Example", "/api/app/sitebrand/Portal.Example"),
            ("/API/sld/SLDGenericDataValues/Location/17?x=Y", "/api/sld/sldgenericdatavalues/location/17?x=Y"),
            ("/api/Token", "/api/token"),
            ("/api/token", "/api/token"),
            ("/api/Token/", "/api/Token/"),
            ("/api/Unknown", "/api/Unknown"),
            ("/assets/Index.js", "/assets/Index.js"),
            ("/api//token", "/api//token"),
        ];
        for (path, expected) in cases {
            let uri: Uri = path.parse().expect("a path");
            let served = canonical(&uri, &templates).unwrap_or(uri);
            assert_eq!(served.to_string(), expected, "{path}");
        }
    }

    #[test]
    fn a_hostile_host_header_does_not_reach_the_policy() {
        for (host, named) in [("scada.example:8080", true), ("evil; script-src *", false), ("", false)] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).expect("a header"));
            let policy = content_policy(&headers, &Hosts { frames: listed(&[]), pictures: listed(&[]) }).to_str().expect("text").to_owned();
            assert_eq!(policy.contains("wss://"), named, "{host}");
            assert!(!policy.contains('*'));
        }
    }

    #[test]
    fn frames_and_map_tiles_come_from_listed_hosts_alone() {
        let frames = ["app.powerbi.com", "evil; script-src *", "reports.example", ""].map(str::to_owned);
        let pictures = ["tiles.example", "*"].map(str::to_owned);
        let policy = content_policy(&HeaderMap::new(), &Hosts { frames: listed(&frames), pictures: listed(&pictures) });
        let policy = policy.to_str().expect("text");
        assert!(policy.contains("frame-src 'self' https://app.powerbi.com https://reports.example;") && !policy.contains('*'), "{policy}");
        assert!(policy.contains("img-src 'self' https://tiles.example data: blob:;"), "{policy}");
    }
}
