//! Answers about a time that is not kept any more say since when it is kept.

use serde_json::Value;

use crate::reports::question;
use crate::server::Server;

/// A midnight in UTC.
const SINCE: &str = "2026-06-01T00:00:00.000Z";

async fn expired() -> (Server, String) {
    let server = Server::start().await;
    let client = server.database.client().await;
    let levels =
        "SELECT level, timestamptz '2026-06-01 00:00Z' FROM unnest(ARRAY['raw', '1m', '10m', '1h', '1d', 'event', 'fault']) AS level";
    client.batch_execute(&format!("INSERT INTO history_kept {levels}")).await.expect("expired");
    let token = server.sign_in("one-admin").await;
    (server, token)
}

async fn answer(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

#[tokio::test]
async fn answers_about_an_expired_time_say_since_when_it_is_kept() {
    let (server, token) = expired().await;
    let (feeder, location, client) = (server.one.feeder, server.one.location, server.one.client);
    let old = "from=2026-04-01T00:00:00Z&to=2026-04-08T00:00:00Z";
    let kept = "from=2026-06-01T00:00:00Z&to=2026-06-08T00:00:00Z";
    for path in [
        format!("/api/history/asset/{feeder}?measure=current&"),
        format!("/api/analytics/getdemandovertimegraph/location/{location}?"),
        format!("/api/analytics/getenergyovertime/client/{client}?"),
        format!("/api/analytics/faulttypesovertime/client/{client}?"),
        format!("/api/analytics/feedercurves/{feeder}?"),
        format!("/api/analytics/qualitycheck/{feeder}?"),
        format!("/api/analytics/outages/client/{client}?"),
        format!("/api/product/getdataforcsvbysearch?codes=Ir&assetId={feeder}&"),
    ] {
        assert_eq!(answer(&server, &token, &format!("{path}{old}")).await["keptSince"], SINCE, "{path}");
        assert_eq!(answer(&server, &token, &format!("{path}{kept}")).await.get("keptSince"), None, "{path}");
    }
    for path in [
        format!("/api/analytics/getreliabilityscores/client/{client}/202604"),
        format!("/api/analytics/reliabilityprofile/client/{client}/202604"),
        format!("/api/analytics/getreliabilityscoresyearly/client/{client}?year=2026"),
        format!("/api/analytics/energybudget/client/{client}/month"),
        format!("/api/analytics/getefficiencychange/client/{client}"),
        format!("/api/analytics/getaccumulatedlosses/client/{client}"),
        // Lists without a start end where events have been deleted.
        format!("/api/monitoring/dieventlog/{location}"),
        format!("/api/monitoring/diasseteventlog/{feeder}"),
    ] {
        assert_eq!(answer(&server, &token, &path).await["keptSince"], SINCE, "{path}");
    }
    let path = format!("/api/faultdata/bytypeandid/client/{client}?days=");
    assert_eq!(answer(&server, &token, &format!("{path}366")).await["keptSince"], SINCE);
    assert_eq!(answer(&server, &token, &format!("{path}1")).await.get("keptSince"), None);
}

#[tokio::test]
async fn every_report_on_history_says_since_when_it_is_kept() {
    let (server, token) = expired().await;
    let location = server.one.location.0;
    // Links and signings-in have a retention of their own.
    let others = ["RTU_HEALTH", "USER_LOGIN"];
    for definition in reports::catalogue::all() {
        if !definition.historic || others.contains(&definition.key) {
            assert!(definition.levels.is_empty() || !definition.historic, "{}", definition.key);
            continue;
        }
        let [day, month] = [(7, "2026-04-05"), (2, "2026-04")];
        let Some((frequency, value)) = [day, month].into_iter().find(|(id, _)| definition.frequencies.contains(id)) else {
            panic!("{} has neither days nor months", definition.key);
        };
        let (level, id) = match definition.of {
            reports::definition::Places::Any => ("asset", server.one.feeder.0),
            _ => ("location", location),
        };
        let request = question(definition.key, level, id, frequency, value);
        let answer = server.json_as(&token, "POST", "/api/reports/show", &request).await;
        assert_eq!(answer.status, 200, "{}: {answer:?}", definition.key);
        assert_eq!(answer.json()["keptSince"], SINCE, "{}", definition.key);
    }
    // A file without rows is no empty answer: its head states since when events are kept, in the zone of the utility.
    let request = question("EVENT_LOG", "location", location, 7, "2026-04-05");
    let answer = server.json_as(&token, "POST", "/api/reports/download?format=csv", &request).await;
    assert!(answer.status == 200 && answer.body.contains("Kept since") && answer.body.contains("2026-06-01"), "{answer:?}");
    let recent = question("EVENT_LOG", "location", location, 7, "2026-07-05");
    assert_eq!(server.json_as(&token, "POST", "/api/reports/download?format=csv", &recent).await.status, 204);
    assert_eq!(server.json_as(&token, "POST", "/api/reports/show", &recent).await.json().get("keptSince"), None);
}

#[tokio::test]
async fn reports_of_faults_follow_the_retention_of_faults() {
    let server = Server::start().await;
    let kept = "INSERT INTO history_kept VALUES ('fault', '2026-06-01 00:00Z')";
    server.database.client().await.batch_execute(kept).await.expect("expired");
    let token = server.sign_in("one-admin").await;
    for key in ["FAULT_DATA", "CB_TRIPPING"] {
        let request = question(key, "location", server.one.location.0, 2, "2026-04");
        let shown = server.json_as(&token, "POST", "/api/reports/show", &request).await;
        assert_eq!(shown.json()["keptSince"], SINCE, "{key}: {shown:?}");
        let file = server.json_as(&token, "POST", "/api/reports/download?format=csv", &request).await;
        assert!(file.status == 200 && file.body.contains("Kept since") && file.body.contains("2026-06-01"), "{key}: {file:?}");
    }
}
