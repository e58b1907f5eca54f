//! GET /api/app/SiteBrand/{host}: the brand of the sign-in page.

use axum::Json;
use axum::extract::{Path, State};
use store::brand::BrandRecord;
use wire::Envelope;
use wire::access::{LoginVariant, ServerChoice, SiteBrand};

use crate::error::Error;
use crate::state::Services;

/// Returns the brand of a host, with or without its port. A host without a brand has that of the product.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/app/sitebrand/{host}", tag = "app", operation_id = "siteBrand",
    params(("host" = String, Path, description = "Host name of the site")),
    responses((status = 200, description = "The brand", body = Envelope<SiteBrand>))
))]
pub(crate) async fn handle(State(services): State<Services>, Path(host): Path<String>) -> Result<Json<Envelope<SiteBrand>>, Error> {
    let brand = services.store().brand(&host).await?;
    Ok(Json(Envelope::ok(brand.map_or_else(SiteBrand::default, answer))))
}

pub(crate) fn answer(brand: BrandRecord) -> SiteBrand {
    SiteBrand {
        logo: brand.logo,
        favi_icon: brand.favi_icon,
        favi_icon_text: brand.favi_icon_text,
        footer_text: brand.footer_text,
        map_url: brand.map_url,
        title: brand.title,
        login_variant: if brand.grey_login { LoginVariant::Grey } else { LoginVariant::Plain },
        servers: brand.servers.into_iter().map(|(key, name)| ServerChoice { key, name }).collect(),
    }
}
