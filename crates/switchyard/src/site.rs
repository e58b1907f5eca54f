//! Serves the built web: files by name, and the application's page for every path that the application routes itself.

use std::path::Path;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tower_http::services::{ServeDir, ServeFile};

/// The user guide, which pages of the web show in a frame.
const GUIDE: &str = "/user-guide.pdf";
/// Policy for a document without scripts. Browsers wrap it in their own page, whose styles are inline.
const GUIDE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'";

/// Serves `folder` for all paths without another route. If the web is not built, a hint is served instead.
pub(crate) fn router(folder: &Path) -> Router {
    let page = folder.join("index.html");
    if !page.exists() {
        return Router::new().fallback(async || {
            (
                StatusCode::NOT_FOUND,
                "The web is not built: run `npm ci && npm run build` in web/, or set SWITCHYARD__HTTP__WEB to a built one.\n",
            )
        });
    }
    let files =
        ServeDir::new(folder).precompressed_br().precompressed_gzip().append_index_html_on_directories(true).fallback(ServeFile::new(page));
    Router::new().fallback_service(files).layer(middleware::from_fn(cache))
}

/// Sets cache headers. Files under /assets have a hash of their content in the name and never change; the page is
/// revalidated each time.
async fn cache(request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    if !is_ordinary(&path) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let is_asset = path.starts_with("/assets/");
    let mut response = next.run(request).await;
    let is_page = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_asset && is_page {
        // A file of an older build: the page in its place would be parsed as a script.
        return StatusCode::NOT_FOUND.into_response();
    }
    let rule = if is_asset { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(rule));
    if path == GUIDE {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(GUIDE_POLICY));
    }
    response
}

/// Returns whether browsers send this path unchanged. Other paths may be attempts to disguise a path.
fn is_ordinary(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let is_ours =
        !["/api", "/socket.io"].iter().any(|area| lower.strip_prefix(area).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    is_ours
        && !path.contains("//")
        && !path.contains(';')
        && !lower.contains("%2e")
        && !lower.contains("%2f")
        && !path.split('/').any(|part| part == "." || part == "..")
}

#[cfg(test)]
mod tests {
    use super::is_ordinary;

    #[test]
    fn only_ordinary_paths_get_the_page() {
        for path in ["/", "/dashboard", "/assets/index-abc.js", "/sldnew", "/apiary"] {
            assert!(is_ordinary(path), "{path}");
        }
        for path in ["/./api/token", "//api/token", "/x/../api", "/%2e/api", "/api", "/API/x", "/a;b", "/socket.io/x"] {
            assert!(!is_ordinary(path), "{path}");
        }
    }
}
