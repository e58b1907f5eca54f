//! Health of cables and plant for the matrix of routes and roles: rows of the other utility, and imports by an administrator.

use serde_json::json;

use crate::cable_health::{CONDITION, FAULTS, PLANT, REGISTER, import};
use crate::field::Utility;
use crate::server::{Answer, Server};

/// Stores sections, their condition, a fault, and plant of a utility, all marked.
pub(crate) async fn mark(server: &Server, Utility { client, location, feeder, breaker, .. }: &Utility, mark: &str) {
    let statements = format!(
        "INSERT INTO cable_section (client_id, code, location_id, asset_id, cable, section, kv, insulation, installed, length_km, secure, financial, safety,
             environmental)
         VALUES ({client}, '{mark}', {location}, {feeder}, '{mark}', '{mark}', 33, 'non_pressurised', 2000, 1, true, 1, 1, 1);
         INSERT INTO cable_condition (client_id, section_id, year, sheath_test, discharge, leakage, reliability)
         SELECT client_id, id, 2010, 'pass', 'low', 'none', 1 FROM cable_section WHERE code = '{mark}';
         INSERT INTO cable_fault (client_id, code, section_id, day, cause)
         SELECT client_id, '{mark}', id, '2010-01-01', '{mark}' FROM cable_section WHERE code = '{mark}';
         INSERT INTO plant_state (client_id, asset_id, part, year, kind, kv, made, in_primary, gas, outdoor, duty, location, condition_factor, condition_cap,
             condition_collar, reliability, secure, financial, safety, environmental)
         VALUES ({client}, {breaker}, 'main', 2010, 'breaker', 11, 2000, true, false, false, 1, 1, 1, 10, 0.5, 1, true, 1, 1, 1);"
    );
    server.database.client().await.batch_execute(&statements).await.expect("entered");
}

/// Imports own data and tries the other utility's; returns each request with its status and the expected one.
pub(crate) async fn worked(server: &Server, token: &str) -> Vec<(String, Answer, u16)> {
    let mut all = Vec::new();
    for (kind, file) in [
        ("register", format!("{REGISTER}\nOWN,D1,F1,Cable,1,33,non_pressurised,,,2000,,1,,,,,\n")),
        ("condition", format!("{CONDITION}\nOWN,2015,,,pass,,,\n")),
        ("faults", format!("{FAULTS}\nOWN,OWN,2015-01-01,\n")),
        ("plant", format!("{PLANT}\nD1,F1CB,,2015,breaker,11,2000,\n")),
    ] {
        all.push((format!("import of {kind}"), import(server, token, kind, &file, false).await, 200));
    }
    for (location, status) in [(server.one.location, 200), (server.two.location, 404)] {
        for call in ["cablehealthfilterdata", "cableriskforecast"] {
            let body = json!({ "assetpointId": location.0, "healthYear": 2018 });
            all.push((
                format!("{call} of {location}"),
                server.json_as(token, "POST", &format!("/api/assethealth/{call}"), &body).await,
                status,
            ));
        }
        let path = format!("/api/assethealth/cablehealthdatabyassetpoint/{location}/2018");
        all.push((path.clone(), server.get_as(token, &path).await, status));
    }
    all
}
