//! GET /api/appsconfig/product.

use axum::Json;
use identity::View;
use wire::Envelope;
use wire::hierarchy::ProductRow;

/// Returns the RTUs and gateways that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/appsconfig/product", tag = "appsconfig", operation_id = "products", security(("bearer" = [])),
    responses((status = 200, description = "Products by name", body = Envelope<Vec<ProductRow>>))
))]
pub(crate) async fn handle(view: View) -> Json<Envelope<Vec<ProductRow>>> {
    let seen = view.field.gateways().filter(|gateway| view.field.node(gateway.location).is_some_and(|location| view.sees(location)));
    let mut rows: Vec<ProductRow> = seen
        .map(|gateway| ProductRow { product_id: gateway.id.0, product_name: gateway.name.clone(), asset_point_id: gateway.location.0 })
        .collect();
    rows.sort_by(|a, b| a.product_name.cmp(&b.product_name).then(a.product_id.cmp(&b.product_id)));
    Json(Envelope::ok(rows))
}
