//! GET /api/admin/brands, PUT and DELETE /api/admin/brands/{host}: the brands of the sites of the caller's utility.

use axum::Json;
use axum::extract::{Path, State};
use embed::is_on_listed_host;
use identity::RequestOrigin;
use store::brand::{BrandRecord, check, is_own_path, plain_host};
use wire::Envelope;
use wire::access::{BrandChange, HostBrand, LoginVariant};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::routes::app::site_brand;
use crate::state::Services;

/// The role that may assign a host to a utility.
const SUPER_USER: i32 = 1;

/// Returns the brands of the utility's hosts.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/brands", tag = "admin", operation_id = "brands", security(("bearer" = [])),
    responses(
        (status = 200, description = "By host", body = Envelope<Vec<HostBrand>>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Administrator(principal): Administrator,
) -> Result<Json<Envelope<Vec<HostBrand>>>, Error> {
    let brands = services.store().brands(principal.client).await?;
    Ok(Json(Envelope::ok(brands.into_iter().map(row).collect())))
}

/// Replaces the brand of a host of the utility. Role 1 assigns a free host to the utility of the session.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/brands/{host}", tag = "admin", operation_id = "changeBrand", security(("bearer" = [])), request_body = BrandChange,
    params(("host" = String, Path, description = "A host of the caller's utility; for role 1 also a free one")),
    responses(
        (status = 200, description = "The stored brand", body = Envelope<HostBrand>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "The utility has no such host", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(host): Path<String>,
    Body(change): Body<BrandChange>,
) -> Result<Json<Envelope<HostBrand>>, Error> {
    let host = plain_host(&host).ok_or_else(|| Error::BadRequest("host must be a host name such as portal.example".to_owned()))?;
    let map_hosts = &services.0.deps.map_hosts;
    if !is_map(&change.map_url, map_hosts) {
        return Err(Error::BadRequest(map_refused(map_hosts)));
    }
    let brand = BrandRecord {
        client: Some(principal.client),
        logo: change.logo,
        favi_icon: change.favi_icon,
        favi_icon_text: change.favi_icon_text,
        footer_text: change.footer_text,
        map_url: change.map_url,
        title: change.title,
        grey_login: change.login_variant == LoginVariant::Grey,
        servers: change.servers.into_iter().map(|server| (server.key, server.name)).collect(),
        host,
    };
    check(&brand).map_err(Error::BadRequest)?;
    let is_super = principal.role_id == SUPER_USER;
    match services.store().change_brand(&brand, is_super, &trail.origin).await? {
        Some(stored) => Ok(Json(Envelope::ok(row(stored)))),
        // Only a super user, who may see all utilities, learns that the host belongs to another one.
        None if is_super => {
            Err(Error::BadRequest(format!("host {} is the site of another utility, which must give it up first", brand.host)))
        }
        None => Err(Error::NotFound),
    }
}

/// Removes the brand of a host, and releases the host. The site then has the brand of the product.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/admin/brands/{host}", tag = "admin", operation_id = "deleteBrand", security(("bearer" = [])),
    params(("host" = String, Path, description = "A host of the caller's utility")),
    responses(
        (status = 200, description = "The released host", body = Envelope<String>),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "The utility has no such host", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn delete(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(host): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    let host = plain_host(&host).ok_or(Error::NotFound)?;
    let deleted = services.store().delete_brand(principal.client, &host, &trail.origin).await?;
    if deleted { Ok(Json(Envelope::ok(host))) } else { Err(Error::NotFound) }
}

/// Returns whether map tiles may be loaded from an address: from this site, or from a host in the settings (`http.map_hosts`).
fn is_map(url: &str, hosts: &[String]) -> bool {
    url.is_empty() || is_own_path(url) || is_on_listed_host(url, hosts)
}

fn map_refused(hosts: &[String]) -> String {
    let listed = if hosts.is_empty() { "none".to_owned() } else { hosts.join(", ") };
    format!("mapUrl must be a path on this site, or https:// on a host of the setting http.map_hosts ({listed}), or empty")
}

fn row(brand: BrandRecord) -> HostBrand {
    HostBrand { host: brand.host.clone(), brand: site_brand::answer(brand) }
}

#[cfg(test)]
mod tests {
    use super::is_map;

    #[test]
    fn tiles_come_from_this_site_or_a_listed_host_alone() {
        let hosts = ["tiles.example".to_owned()];
        for (url, expected) in [
            ("", true),
            ("/tiles/{z}/{x}/{y}.png", true),
            ("https://tiles.example/{z}/{x}/{y}.png", true),
            ("HTTPS://Tiles.Example/", true),
            ("http://tiles.example/", false),
            ("//tiles.example/", false),
            ("/\\elsewhere.example/", false),
            ("https://elsewhere.example/", false),
            ("https://tiles.example.elsewhere.example/", false),
            ("https://tiles.example@elsewhere.example/", false),
            ("https://elsewhere.example\\@tiles.example/", false),
            ("https://user@tiles.example/", false),
            ("https://tiles.example:8443/", false),
            ("https://169.254.169.254/", false),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("tiles", false),
        ] {
            assert_eq!(is_map(url, &hosts), expected, "{url}");
        }
        assert!(!is_map("https://tiles.example/", &[]), "without the setting there is no such host");
    }
}
