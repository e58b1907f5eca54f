//! Energy and demand for the matrix of routes and roles: feeders that measure them, energy budgets, and confirmed steps of registers.

use serde_json::json;
use store::Store;

use crate::energy_field::points;
use crate::field::Utility;
use crate::server::{Answer, Server};

/// Creates registers and a power of the feeder of a utility.
pub(crate) async fn measure(server: &Server, utility: &Utility) {
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    points(&store, utility, utility.feeder, "F1", &["EImp", "EExp", "P"]).await;
}

/// Enters budgets of a utility, its feeder and its substation, and a confirmed step.
pub(crate) async fn mark(server: &Server, Utility { client, location, feeder, position, .. }: &Utility, mark: &str) {
    let statement = format!(
        "INSERT INTO energy_budget (client_id, node_id, asset_id, month, kwh)
         VALUES ({client}, NULL, NULL, '2026-04-01', 77), ({client}, {location}, NULL, '2026-04-01', 78), ({client}, NULL, {feeder}, '2026-04-01', 79);
         INSERT INTO register_step (client_id, point_id, at, amount, confirmed_by, confirmed, note)
         VALUES ({client}, {position}, now(), 5, '{mark}', now(), '{mark}')"
    );
    server.database.client().await.batch_execute(&statement).await.expect("entered");
}

/// Enters, removes and imports budgets, also those of the other utility; returns each request with its status and the expected one.
pub(crate) async fn worked(server: &Server, token: &str) -> Vec<(String, Answer, u16)> {
    let mut all = Vec::new();
    for (place, status) in [(server.one.location, 200), (server.two.location, 404)] {
        for kwh in [json!(5.0), json!(null)] {
            let (path, body) = (format!("/api/admin/energybudget/location/{place}"), json!({ "month": "2026-04", "budgetKwh": kwh }));
            all.push((path.clone(), server.json_as(token, "PUT", &path, &body).await, status));
        }
    }
    let file = "level,code,substation,month,kwh\nclient,,,2026-04,8\n";
    let operates = async |can: bool| {
        let statement = format!("UPDATE member SET can_operate = {can} WHERE username = 'one-admin'");
        server.database.client().await.batch_execute(&statement).await.expect("updated");
    };
    operates(true).await;
    for utility in [&server.one, &server.two] {
        let path = format!("/api/analytics/registerstep/{}", utility.breaker);
        let body = json!({ "pointId": utility.position.0, "at": "2026-04-01T00:00:00Z", "isReal": false, "note": "none" });
        all.push((path.clone(), server.json_as(token, "PUT", &path, &body).await, 404));
    }
    operates(false).await;
    all.push(("import of budgets".to_owned(), import(server, token, file).await, 200));
    all
}

/// Imports a file of budgets.
pub(crate) async fn import(server: &Server, token: &str, csv: &str) -> Answer {
    let headers = [("Authorization", &*format!("Bearer {token}")), ("Content-Type", "text/csv")];
    server.send("POST", "/api/admin/energybudgets/import", &headers, csv).await
}
