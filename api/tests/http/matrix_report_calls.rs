//! Reports with a request body for the matrix of routes and roles, requested for the caller's own utility.

use serde_json::json;

use crate::server::{Answer, Server};

/// Reports, each with a period that it accepts.
const REQUESTS: [(&str, &str); 7] = [
    ("user24x7", "2026-01-01,2035-12-31"),
    ("circuitbreakertrip", "1970-01-01,1970-01-31"),
    ("highactivitycb", "1970-01-01,1970-01-31"),
    ("limitviolation", "1970-01-01,1970-01-31"),
    ("getcustomizedpqreport", "1970-01-01,1970-01-02"),
    ("getcustomizedpdsreport", "1970-01-01,1970-01-02"),
    ("rtuhealth", "1970-01-01,1970-01-02"),
];

/// Requests each report for the whole utility. Returns the requests with the expected and the actual status.
pub(crate) async fn worked(server: &Server, token: &str) -> Vec<(String, u16, Answer)> {
    // The measured value is above it, so the report has a violation.
    let rules = json!({ "rules": [{ "kind": "high", "limit": 1.0, "priority": 1, "enabled": true }] });
    let path = format!("/api/admin/alarmsettings/{}", server.one.current);
    let mut answers = vec![(format!("put {path}"), 200, server.json_as(token, "PUT", &path, &rules).await)];
    for (name, range) in REQUESTS {
        let question = json!({ "level": "client", "levelId": server.one.client.0, "frequency": 6, "frequencyValue": range });
        let path = format!("/api/pfcreport/{name}");
        answers.push((format!("post {path}"), 200, server.json_as(token, "POST", &path, &question).await));
    }
    answers
}
