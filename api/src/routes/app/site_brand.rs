//! GET /api/app/SiteBrand/{host}: how the sign-in page presents itself.

use axum::Json;
use axum::extract::Path;
use wire::Envelope;
use wire::people::SiteBrand;

/// The same for every host so far, and so tells nobody which utilities there are.
#[utoipa::path(
    get, path = "/api/app/sitebrand/{host}", tag = "app", operation_id = "siteBrand",
    params(("host" = String, Path, description = "Host name of the site")),
    responses((status = 200, description = "The brand", body = Envelope<SiteBrand>))
)]
pub(crate) async fn handle(Path(_host): Path<String>) -> Json<Envelope<SiteBrand>> {
    Json(Envelope::ok(SiteBrand { logo: String::new(), favi_icon: "/favicon.svg".to_owned(), favi_icon_text: "Switchyard".to_owned() }))
}
