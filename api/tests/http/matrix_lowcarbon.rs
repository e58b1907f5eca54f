//! Low-carbon sites for the matrix of routes and roles: sites of the other utility with the numbers that the requests use, and an
//! administrator's own requests.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::field::Utility;
use crate::lowcarbon_field::{RUN, entry, meters, upload};
use crate::server::{Answer, Server};

/// The handle of a demand file of the other utility.
const HANDLE: &str = "0123456789abcdef0123456789abcdef";

/// Stores sites of a utility with these numbers, each with a demand file, all marked.
pub(crate) async fn mark(server: &Server, utility: &Utility, ids: &[i64], mark: &str) {
    let Utility { client, location, admin, .. } = utility;
    let mut statements = String::new();
    for id in ids {
        write!(
            statements,
            "INSERT INTO low_carbon_site (
                 client_id, device_id, location_id, name, capacity_max_kwh, capacity_min_kwh, charge_rate_kw, discharge_rate_kw, charging_start,
                 charging_end, discharging_start, discharging_end, solar_kwp, objective, currency, import_price, may_export, charge_efficiency,
                 discharge_efficiency, ends_as_it_began, performance)
             VALUES ({client}, {id}, {location}, '{mark}', 1, 0, 1, 1, 0, 48, 0, 48, 0, 'cost_with_solar', 'INR', array_fill(1, ARRAY[48]), false, 1, 1,
                 false, 1) ON CONFLICT DO NOTHING;"
        )
        .expect("a string takes everything");
    }
    let database = server.database.client().await;
    database.batch_execute(&statements).await.expect("entered");
    let file = "INSERT INTO demand_file (handle_hash, client_id, device_id, member_id, kw, created, expires)
         VALUES ($1, $2, $3, $4, array_fill(987, ARRAY[48]), now(), now() + interval '1 day')";
    database.execute(file, &[&auth::hash_token(HANDLE).as_slice(), &client.0, &ids[0], admin]).await.expect("a file");
}

/// Creates a site, uploads a file, plans with that file and with the other utility's, and removes the site. Returns each request with the
/// expected and the actual result.
pub(crate) async fn worked(server: &Server, token: &str) -> Vec<(String, u16, Answer)> {
    let meters = meters(server).await;
    let mut all = Vec::new();
    let path = "/api/admin/lowcarbonsite/12193";
    all.push((format!("put {path}"), 200, server.json_as(token, "PUT", path, &entry(server, &meters)).await));
    let sent = upload(server, token, 12_193, "50\n".repeat(48).as_bytes()).await;
    let own = serde_json::from_str::<Value>(&sent.body).map(|body| body["result"]["handle"].clone()).unwrap_or_default();
    all.push(("a demand file".to_owned(), 200, sent));
    for (handle, status) in [(own, 200), (json!(HANDLE), 404)] {
        let body = json!({ "demandFile": handle });
        all.push((format!("post {RUN}"), status, server.json_as(token, "POST", RUN, &body).await));
        let body = json!({ "base": body, "changed": {} });
        all.push((format!("post {RUN}/compare"), status, server.json_as(token, "POST", &format!("{RUN}/compare"), &body).await));
    }
    all.push((format!("delete {path}"), 200, server.json_as(token, "DELETE", path, &Value::Null).await));
    all
}
